"""T2T634: a tower that depends on the others, or is not built as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building, inside
from tf2towers.certain.queues import tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.tower_body import TowerBody, tower_bodies
from tf2towers.certain.without_towers import graph_on_devices
from tf2towers.certain.worker_example import SUPERVISED, worker_with
from tf2towers.exact.certainty import is_certain
from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned

_GRADIENTS = frozenset({"compute_gradients", "minimize", "gradients"})
_ROUNDS = (ast.For, ast.While, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def doubts(building: Building) -> Iterator[Doubt]:
    """Loops that may build towers and are not seen to; then, in the one that is, what makes towers differ."""
    yield from _unseen(building)
    yield from _gradients_behind(building)
    for file, loop, body in tower_bodies(building):
        statement = loop.statement
        filled = {
            call.func.value.id
            for call in ast.walk(statement)
            if isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in ("append", "extend")
            and isinstance(call.func.value, ast.Name)
        }
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in filled and _is_fill(file, node):
                empty = _begins_empty(building, file, node, statement)
                if node.id not in body.lists_bound_again and not empty:
                    yield Doubt(file, node, f"`{node.id}` does not begin as `[]`")
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in filled:
                if not _is_fill(file, node) and not _is_last(file, node):
                    yield Doubt(file, node, f"`{node.id}` is read in the loop that fills it")
            elif (
                isinstance(node, ast.AugAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id not in body.added_to
            ):
                yield Doubt(file, node, f"`{node.target.id}` is carried from tower to tower")
        yield from _bound_behind(building, file, statement)
        for where, part in building.following:
            for node in ast.walk(part):
                if where is file and isinstance(node, ast.Name) and _is_fill(file, node):
                    if node.id in _taking_names(statement):
                        yield Doubt(file, node, f"`{node.id}`, which the towers fill, is filled behind them")
                    value = building.value_of(file, node)
                    begins = isinstance(value, ast.List) and _comes_by_once(file, value)
                    if not begins and not _is_bound_in(file, node, statement):
                        yield Doubt(file, node, f"`{node.id}` does not begin as a list that is seen")
        if not isinstance(loop.iterable, ast.Call | ast.Name | ast.List | ast.Tuple) or not is_certain(
            file, loop.iterable
        ):
            yield Doubt(file, loop.iterable, f"a tower loop over `{file.text.of(loop.iterable)}`")
        if not isinstance(statement, ast.For) or statement.orelse:
            yield Doubt(file, statement, "a tower loop that is no plain `for`")
        for node in ast.walk(statement):
            if isinstance(node, ast.Break | ast.Continue | ast.Return):
                yield Doubt(file, node, "a tower loop that is left before its end")
        yield from _guards(file, statement, body)


def _taking_names(loop: ast.stmt) -> set[str]:
    """The lists that take what a name stands for: `losses.append(loss)` is the towers' losses, and that is all."""
    return {
        call.func.value.id
        for call in ast.walk(loop)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("append", "extend")
        and isinstance(call.func.value, ast.Name)
        and any(isinstance(argument, ast.Name) for argument in call.args)
    }


def _bound_behind(building: Building, file: File, loop: ast.stmt) -> Iterator[Doubt]:
    """Names that a list takes, and that stand for something else later in the round: lists are gathered by names."""
    home = file.meanings.scope(loop)
    for call in ast.walk(loop):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr not in ("append", "extend") or not isinstance(call.func.value, ast.Name):
            continue
        for name in (name for argument in call.args for name in ast.walk(argument)):
            if not isinstance(name, ast.Name):
                continue
            value = name in call.args and building.value_of(file, name)
            if isinstance(value, ast.Call) and file.canonical(value.func) in (
                "tf.get_variable",
                "tf.Variable",
            ):
                yield Doubt(
                    file, name, f"`{name.id}`, a variable, in a list: it would be read behind the update"
                )
            if any(
                isinstance(other, ast.Name)
                and other.id == name.id
                and not isinstance(other.ctx, ast.Load)
                and (other.lineno, other.col_offset) > (name.lineno, name.col_offset)
                and file.meanings.scope(other) is home
                for other in ast.walk(loop)
            ):
                yield Doubt(file, name, f"`{name.id}` is bound again behind the list that takes it")


def _unseen(building: Building) -> Iterator[Doubt]:
    """Devices in other loops than the one over towers: the rules look at that one alone."""
    main = building.program.main
    if not building.bodies and graph_on_devices(building) is None:
        yield Doubt(main, main.tree, "no loop over towers, and no parameter servers, that are seen")
    for file, loop in building.loops[1:]:
        yield Doubt(file, loop.statement, "another loop over towers")
    seen = [loop.statement for _, loop in building.loops]
    for file in building.files:
        for call in file.all(ast.Call):
            if file.canonical(call.func) != "tf.device":
                continue
            around = list(file.ancestors(call))
            if any(isinstance(ancestor, _ROUNDS) for ancestor in around) and not any(
                ancestor in seen for ancestor in around
            ):
                yield Doubt(
                    file, call, f"`{file.text.of(call)}` in a loop that is not seen to be over towers"
                )


def _gradients_behind(building: Building) -> Iterator[Doubt]:
    """Gradients behind towers that have taken theirs: of a sum over towers each replica knows its own part alone."""
    towers = [*building.bodies, *tower_functions(building)]
    if any(True for file, part in towers for _ in _gradient_calls(file, part)):
        behind = building.with_functions(building.following)
        for file, part in behind:
            for call in _gradient_calls(file, part):
                yield Doubt(file, call, "gradients that are computed behind the towers")


def _gradient_calls(file: File, part: ast.AST) -> Iterator[ast.Call]:
    for call in ast.walk(part):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in _GRADIENTS
        ):
            yield call


def _guards(file: File, statement: ast.stmt, body: TowerBody) -> Iterator[Doubt]:
    for node in ast.walk(statement):
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Try) and node not in body.of_first_tower:
            yield Doubt(file, node, "a tower that is not built as the others: a condition in the loop")


def _is_bound_in(file: File, node: ast.Name, statement: ast.stmt) -> bool:
    """Whether the towers bind a name, each to a list of its own."""
    bindings = file.meanings.bindings(node)
    return bool(bindings) and all(
        isinstance(binding, Assigned) and any(around is statement for around in file.ancestors(binding.value))
        for binding in bindings
    )


def _comes_by_once(file: File, node: ast.AST) -> bool:
    """Whether a part of a function, or of a module, runs once: in no loop, and under no condition."""
    for around in file.ancestors(node):
        if isinstance(around, ast.FunctionDef | ast.Module):
            return True
        if isinstance(around, ast.stmt) and not isinstance(around, ast.Assign | ast.With):
            return False
    return False


def _begins_empty(building: Building, file: File, node: ast.Name, towers: ast.stmt) -> bool:
    """Whether a list that the towers fill begins empty, and in no other loop."""
    value = building.value_of(file, node)
    if not isinstance(value, ast.List) or value.elts:
        return False
    return all(around is towers for around in inside(file, value, ast.For, ast.While, ast.AsyncFor))


def _is_fill(file: File, node: ast.Name) -> bool:
    parent = file.parent(node)
    return isinstance(parent, ast.Attribute) and parent.attr in ("append", "extend")


def _is_last(file: File, node: ast.Name) -> bool:
    """Whether it is `losses[-1]`: what this tower has just appended."""
    parent = file.parent(node)
    return (
        isinstance(parent, ast.Subscript)
        and isinstance(parent.slice, ast.UnaryOp)
        and isinstance(parent.slice.op, ast.USub)
        and isinstance(parent.slice.operand, ast.Constant)
        and parent.slice.operand.value == 1
    )


#: a part of the examples' trainer
_FETCHED = "train: print(sess.run([train_op, hits], {x: batch})[1])"
#: the same without towers
_NO_LOOP = "loop: \nvariable: \nmodel: \nloss: \nlosses: \ngrads: \naverage: "
_GRAPH = (
    "with tf.device('/cpu:0'):;     w = tf.get_variable('w', [3], initializer=tf.ones_initializer()); "
    "x = tf.placeholder(tf.float32, [4, 3]); with tf.device('/gpu:1'):;     double = x * 2.0 + w; "
    "total = tf.reduce_sum(double)"
)
_HALF = "def half(of):;     {beside};     return tf.multiply(of, 0.5)"

#: a worker whose device setter has a name
_WITH_A_NAME = (
    worker_with("['a:2', 'a:3']", SUPERVISED)
    .replace("{", "{{")
    .replace("}", "}}")
    .replace(
        "with tf.device(tf.train.replica_device_setter(cluster=cluster)):",
        "setter = tf.train.replica_device_setter(cluster=cluster){again}; with tf.device(setter):",
    )
)

RULE = Rule(
    code="T2T634",
    title="A tower that depends on the others, or is not built as they are",
    why="""
    In idiomatic form one function is every tower. A tower that reads what the others appended, that counts, stops
    early or does something that the others do not is another function. A program without towers is certain where
    it computes values from variables, on devices that it names, and trains nothing.
    """,
    todo="Build every tower in the same way, from its own part of the batch, and put them together behind the loop.",
    doubts=doubts,
    doubtful=(
        "average: train_op = opt.minimize(tf.add_n(tower_losses) / N)",
        "average: for again in range(1):;     mean = []; for pairs in zip(*grads):;     "
        "mean.append((tf.add_n([g for g, _ in pairs]), pairs[0][1])); train_op = opt.apply_gradients(mean)",
        "after: z = tf.get_variable('z', [], initializer=tf.ones_initializer()); own = tf.train.AdamOptimizer(0.1); "
        "other = own.minimize(tf.square(z), var_list=[z])\ntrain: sess.run(other); sess.run(train_op, {x: batch})",
        "average: train_op = opt.apply_gradients(opt.compute_gradients(tf.add_n(tower_losses) / N))",
        "average: v = tf.trainable_variables(); train_op = opt.apply_gradients(zip(tf.gradients(tower_losses, v), v))",
        "grads: grads.append(opt.compute_gradients(tower_losses[i]))",
        _WITH_A_NAME.format(again="; setter = '/cpu:0'"),
        "losses: seen.append(loss)",
        "inputs: x = tf.placeholder(tf.float32, [4, 3]); opt = tf.train.GradientDescentOptimizer(0.1); "
        "xs = tf.split(x, N); for first in (0,):;     grads = []; tower_losses = []; total = 0.0; seen = {}",
        "before: def placed(number):;     return '/gpu:%d' % number\n"
        "loop: for i in range(N):;     with tf.device(placed(0)), tf.name_scope('tower_%d' % i) as scope:;"
        "         with tf.variable_scope('model', reuse=i > 0):",
        "loop: for i in (j for j in range(N)):;     with tf.device('/gpu:%d' % i), tf.name_scope('t%d' % i) as scope:;"
        "         with tf.variable_scope('model', reuse=i > 0):",
        "grads: total += loss; grads.append(opt.compute_gradients(total))",
        "loss: loss = tf.reduce_mean(tf.square(y)); if N:;     loss += 1.0",
        "loss: if N:;     loss = tf.reduce_mean(tf.square(y)); loss += 1.0",
        "losses: loss += 1.0; tower_losses.append(loss)\nbefore: loss = 0.0",
        "loss: loss += 1.0; loss = tf.reduce_mean(tf.square(y))\nbefore: loss = 0.0",
        "loss: loss = tf.reduce_mean(tf.square(y)); tower_losses.append(loss); loss += 1.0\nlosses: pass",
        "losses: tower_losses.append(loss); loss = loss * 2.0",
        "losses: seen = loss * 1.0; tower_losses.append(seen); seen = None",
        "losses: pair = (loss, loss); tower_losses.append(pair); pair = 1",
        "grads: gv = opt.compute_gradients(loss); grads.append(gv); gv = None",
        "grads: grads.append(opt.compute_gradients(loss)); for loss in (1, 2):;     pass",
        "after: tower_losses.append(tf.constant(1.0)); mean_loss = tf.add_n(tower_losses)",
        "losses: tower_losses.append(w)",
        # a variable, whose `+=` TensorFlow 2 has not, and a list of others'
        "model: y = tf.matmul(xs[i], w); w += 1.0",
        "model: y = tf.get_variable('y', [3]); y += 1.0",
        "model: y = seen; y += [w]",
        "loss: loss = y; loss += 1.0; loss = tf.reduce_mean(loss)",
        "grads: grads.append(opt.compute_gradients(loss if i else loss * 2))",
        *(
            f"grads: grads.append(opt.compute_gradients(loss)); {block}\n{_FETCHED}"
            for block in (
                # another tower's, a branch for the others, a variable, something that others read, two of a name
                "if i == 1:;     hits = tf.reduce_mean(y)",
                "if i == 0:;     hits = tf.reduce_mean(y); else:;     more = tf.reduce_mean(y)",
                "if i == 0:;     hits = tf.get_variable('hits', [])",
                "if i == 0:;     hits = tf.reduce_mean(y); twice = hits * 2",
                "if i == 0:;     hits = tf.reduce_mean(y);     hits = hits * 2",
                "if i == 0:;     hits = tf.reduce_mean(y);     tower_losses.append(hits)",
                "if i == 0 and N > 1:;     hits = tf.reduce_mean(y)",
            )
        ),
        f"loop: for i in range(1, N + 1):;     with tf.device('/gpu:%d' % (i - 1)):;         "
        f"with tf.variable_scope('model', reuse=i > 1):\nmodel: y = tf.matmul(xs[i - 1], w)\n"
        f"grads: grads.append(opt.compute_gradients(loss)); if i == 0:;     hits = tf.reduce_mean(y)\n{_FETCHED}",
        *(
            f"inputs: {graph}\n{_NO_LOOP}\ntrain: print(sess.run([double, total], {{x: batch}})[0])\n{more}"
            for graph, more in (
                # a print that comes when the block is built, and one of the variable; another module
                (_GRAPH.replace("    double", "    print('building');     double"), ""),
                (f"{_GRAPH}; print(w)", ""),
                (_GRAPH.replace("x * 2.0", "np.multiply(x, 2.0)"), ""),
                (_GRAPH.replace("x * 2.0", "tf.py_func(np.abs, [x], tf.float32)"), ""),
                # a task of a cluster, a device that is worked out, a choice, a run that comes later
                (_GRAPH.replace("/gpu:1", "/job:ps/task:0"), ""),
                (_GRAPH.replace("'/gpu:1'", "'/gpu:%d' % (N - 1)"), ""),
                (f"{_GRAPH}; if N > 1:;     total = total * 2.0", ""),
                (_GRAPH, "end: def ask():;     return sess.run(total, {x: batch}); print(ask())"),
                (_GRAPH, "end: print(total.shape)"),
                # a function that does something beside, a list that is another's too, a name for two kinds of things
                (f"{_HALF.format(beside='print(of)')}; {_GRAPH}; total = half(total)", ""),
                (f"{_HALF.format(beside='seen[0] = of')}; seen = {{}}; {_GRAPH}; total = half(total)", ""),
                (
                    f"{_GRAPH}; all_of = []; all_of.append(double); print(len(all_of)); total = tf.add_n(all_of)",
                    "",
                ),
                (f"{_GRAPH}; double = double + 1.0; x = tf.ones([4, 3]); total = tf.reduce_sum(x)", ""),
                # it trains, without towers
                (f"{_GRAPH}; step = tf.train.GradientDescentOptimizer(0.1).minimize(total)", ""),
            )
        ),
    ),
    certain=(
        "loss: loss = tf.reduce_mean(tf.square(y)); loss += 0.1 * tf.nn.l2_loss(w)",
        "losses: part = loss * 1.0; part = part * 2.0; tower_losses.append(part)",
        "loss: loss = tf.reduce_mean(y) * 2.0; loss -= 1.0; loss *= 0.5",
        _WITH_A_NAME.format(again=""),
        f"inputs: {_GRAPH}\n{_NO_LOOP}\ntrain: print(sess.run([double, total], {{x: batch}})[0])",
        f"inputs: {_GRAPH}\n{_NO_LOOP}\ntrain: print(sess.run(total, feed_dict={{x: batch}}), sess.run(w))",
        f"inputs: {_HALF.format(beside='')}; {_GRAPH}; all_of = []; all_of.append(half(double)); "
        f"all_of.append(double); total = tf.add_n(all_of)\n{_NO_LOOP}\n"
        "train: print(sess.run([double, total], {x: batch})[0])",
        "grads: grads.append(opt.compute_gradients(tower_losses[-1]))",
        "grads: grads.append(opt.compute_gradients(loss)); if i == 0:;     hits = tf.cast(tf.equal(y, 1.0), tf.int32);"
        f"     hit_rate = tf.reduce_mean(hits)\n{_FETCHED.replace('hits', 'hit_rate')}",
    ),
)
