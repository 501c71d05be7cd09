"""T2T638: a collection, or a variable, that the towers share while they are built."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.queues import tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.worker_example import SUPERVISED, TWO, worker_with
from tf2towers.exact.file import File
from tf2towers.names.old_names import is_of_summaries, todays_name

_UPDATES = "tf.GraphKeys.UPDATE_OPS"
_PENALTIES = "tf.GraphKeys.REGULARIZATION_LOSSES"
#: the arguments of layers that put a loss into `_PENALTIES` where a weight is made: not where it is used again
_OF_WEIGHTS = frozenset(
    f"{weight}_regularizer" for weight in ("kernel", "bias", "depthwise", "pointwise", "beta", "gamma")
)
#: how many arguments come before the first of these in every layer
_BEFORE_PENALTIES = 6
_ASSIGN = frozenset({"tf.assign", "tf.assign_add", "tf.assign_sub"})
_MAKERS = frozenset({"tf.Variable", "tf.get_variable"})
#: methods of optimizers and averages that make variables beside those of the model
_MAKE_STATE = frozenset({"apply_gradients", "minimize", "apply"})
_ASSIGN_METHODS = frozenset({"assign", "assign_add", "assign_sub"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Collections that are read whole, and variables that are written beside the optimizer."""
    yield from _asked_early(building)
    yield from _penalties_of_layers(building)
    towers: set[ast.AST] = {part for _, part in building.bodies} | {
        function for _, function in tower_functions(building)
    }
    for file in building.files:
        for call in file.all(ast.Call):
            canonical = todays_name(file.canonical(call.func) or "")
            if canonical == "tf.get_collection" and _is_thrown_away(building, file, call):
                continue
            is_whole = len(call.args) + len(call.keywords) < 2
            if (
                canonical == "tf.get_collection"
                and is_whole
                and not building.loops
                and _is_steps(building, file, call)
            ):
                continue
            if canonical == "tf.get_collection" and is_whole:
                yield Doubt(file, call, "a collection that is read whole, whatever tower filled it")
            elif canonical == "tf.get_collection" and not any(
                ancestor in towers for ancestor in file.ancestors(call)
            ):
                yield Doubt(file, call, "a collection that is read behind the towers")
            elif canonical == "tf.summary.merge_all" and building.loops and _summaries(building, towers):
                yield Doubt(file, call, "the summaries of every tower")
            elif _is_assign(file, call) and not _is_update(file, call):
                yield Doubt(file, call, "a variable that is written, and not as one of UPDATE_OPS")


def _penalties_of_layers(building: Building) -> Iterator[Doubt]:
    """What regularizes the weights of layers, where losses are asked for by a scope: they are the first's."""
    if not building.loops or not any(
        canonical == _PENALTIES for file in building.files for _, canonical in file.symbols
    ):
        return
    for file in building.files:
        for keyword in file.all(ast.keyword):
            if keyword.arg in _OF_WEIGHTS and not _is_none(keyword.value):
                yield Doubt(
                    file, keyword.value, "a regularizer of layers, which the first tower alone has in TF1"
                )
        for text in file.all(ast.Constant):
            if text.value in _OF_WEIGHTS:
                yield Doubt(file, text, "a regularizer of layers, which the first tower alone has in TF1")
        for call in file.all(ast.Call):
            if (file.canonical(call.func) or "").startswith("tf.layers.") and len(
                call.args
            ) > _BEFORE_PENALTIES:
                yield Doubt(file, call, "arguments of a layer by their places alone")


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _asked_early(building: Building) -> Iterator[Doubt]:
    """Variables that are asked for while others are still to be made: those made before alone, in TF1."""
    reached = {function for _, function in building.reached}
    for file in building.files:
        calls = file.all(ast.Call)
        for call in calls:
            around = file.function_around(call) or file.tree
            asked = _called(file, call)
            of_all = asked == "tf.global_variables" or (
                asked == "tf.train.Saver" and not call.args and not _given(call, "var_list")
            )
            of_model = asked == "tf.trainable_variables" or (
                asked in ("compute_gradients", "minimize") and not _given(call, "var_list")
            )
            if not (of_all or of_model) or around not in {*building.owners, *reached}:
                continue
            for later in calls:
                if later.lineno > call.lineno and (file.function_around(later) or file.tree) is around:
                    if _makes(building, file, later, state=of_all):
                        yield Doubt(file, call, "variables that are asked for before all of them are made")
                        break
            if of_all or asked == "tf.trainable_variables":
                if any(
                    where is file and loop.statement.lineno > call.lineno for where, loop in building.loops
                ):
                    yield Doubt(file, call, "variables that are asked for before the towers make theirs")


def _makes(building: Building, file: File, call: ast.Call, *, state: bool) -> bool:
    """Whether a call makes a variable that is trained, or with `state` any variable."""
    made = _called(file, call)
    if made in _MAKE_STATE:
        return state
    return (made in _MAKERS or made.startswith("tf.layers.")) and (
        state
        or not any(
            keyword.arg == "trainable" and isinstance(keyword.value, ast.Constant) and not keyword.value.value
            for keyword in call.keywords
        )
    )


def _called(file: File, call: ast.Call) -> str:
    """A symbol of TensorFlow's, or a method's name."""
    name = file.canonical(call.func)
    return (
        call.func.attr if name is None and isinstance(call.func, ast.Attribute) else todays_name(name or "")
    )


def _given(call: ast.Call, name: str) -> bool:
    return any(keyword.arg == name for keyword in call.keywords)


def _is_steps(building: Building, file: File, call: ast.Call) -> bool:
    """Whether a worker's step reads a collection that its own statements fill, and by a name that is written there."""
    towers = {part for _, part in building.bodies} | {function for _, function in tower_functions(building)}
    name = call.args[0] if call.args else None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return False
    filled = [
        (other, added)
        for other in building.files
        for added in other.all(ast.Call)
        if other.canonical(added.func) == "tf.add_to_collection"
    ]
    return all(
        added.args
        and isinstance(added.args[0], ast.Constant)
        and any(around in towers for around in other.ancestors(added))
        for other, added in filled
    ) and any(around in towers for around in file.ancestors(call))


def _is_thrown_away(building: Building, file: File, call: ast.Call) -> bool:
    """Whether a function returns what is made of a collection, and no caller uses that: `_ = model.loss(logits)`."""
    statement = file.statement(call)
    function = file.function_around(call)
    if not isinstance(statement, ast.Return) or function is None:
        return False
    calls = [
        (other_file, other_call)
        for other_file in building.files
        for other_call in other_file.all(ast.Call)
        if building.function_called(other_file, other_call) is function
    ]
    return bool(calls) and all(
        isinstance(parent := other_file.parent(other_call), ast.Expr)
        or (isinstance(parent, ast.Assign) and [other_file.text.of(name) for name in parent.targets] == ["_"])
        for other_file, other_call in calls
    )


def _summaries(building: Building, towers: set[ast.AST]) -> bool:
    return any(
        is_of_summaries(canonical) and any(ancestor in towers for ancestor in file.ancestors(node))
        for file in building.files
        for node, canonical in file.symbols
    )


def _is_assign(file: File, call: ast.Call) -> bool:
    canonical = file.canonical(call.func)
    if canonical is None and isinstance(call.func, ast.Attribute):
        return call.func.attr in _ASSIGN_METHODS
    return canonical in _ASSIGN


def _is_update(file: File, call: ast.Call) -> bool:
    """Whether a write's operation is put into UPDATE_OPS, and used for nothing else."""
    parent = file.parent(call)
    if _adds(file, parent):
        return True
    if not isinstance(parent, ast.Assign) or not all(
        isinstance(target, ast.Name) for target in parent.targets
    ):
        return False
    names = {target.id for target in parent.targets if isinstance(target, ast.Name)}
    scope = file.meanings.scope(parent)
    uses = [
        use
        for use in file.all(ast.Name)
        if use.id in names and isinstance(use.ctx, ast.Load) and file.meanings.scope(use) is scope
    ]
    return bool(uses) and all(_adds(file, file.parent(use)) for use in uses)


def _adds(file: File, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and file.canonical(node.func) == "tf.add_to_collection"
        and bool(node.args)
        and file.canonical(node.args[0]) == _UPDATES
    )


_WORKER = (
    f"{worker_with(TWO, SUPERVISED)}\n"
    "loss: tf.add_to_collection('l', tf.reduce_mean(tf.square(y))); loss = tf.reduce_mean(y)"
)

RULE = Rule(
    code="T2T638",
    title="A collection or a variable that the towers share while they are built",
    why="""
    In a graph the second tower's collections begin with what the first put there, and what a tower writes is a
    variable that the others read. In idiomatic form each tower is a function of its own. It is certain where a
    tower reads what itself has put into a collection, by its name scope.
    """,
    todo="""
    Read collections in the tower, with its name scope: `tf.get_collection('losses', scope)`; write moving
    statistics through `tf.GraphKeys.UPDATE_OPS`.
    """,
    doubts=doubts,
    doubtful=(
        *(
            f"model: y = tf.layers.dense(xs[i], 1, {given}) * w[0]\n"
            "loss: loss = tf.reduce_mean(y) + sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope))\n"
            "before: decay = tf.contrib.layers.l2_regularizer(0.1)"
            for given in (
                "kernel_regularizer=decay",
                "bias_regularizer=decay",
                "**{'kernel_regularizer': decay}",
                "None, True, None, None, decay",
            )
        ),
        "average: saver = tf.train.Saver(); mean = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) "
        "for pairs in zip(*grads)]; train_op = opt.apply_gradients(mean)",
        "after: saver = tf.train.Saver(); more = tf.Variable(1.0)",
        "after: kept = tf.trainable_variables(); more = tf.Variable(1.0)",
        "before: saver = tf.train.Saver(max_to_keep=3)",
        "after: bias = tf.Variable(tf.ones([1]))",
        "variable: w = tf.get_variable('w', [3, 1]); own = tf.trainable_variables(); v = tf.get_variable('v', [3, 1])",
        "loss: tf.add_to_collection('l', tf.reduce_mean(tf.square(y))); loss = tf.add_n(tf.get_collection('l'))",
        "loss: loss = tf.reduce_mean(tf.square(y)) + tf.assign_add(w, w)[0, 0]",
        "loss: loss = tf.reduce_mean(tf.square(y)); tf.summary.scalar('a', loss)\n"
        "after: merged = tf.summary.merge_all()",
        "after: more = w.assign(w * 2)",
        f"{_WORKER} + tf.add_n(tf.get_collection(key))\nbefore: key = 'l'",
        f"{_WORKER}\nsession: {SUPERVISED}; more = tf.get_collection('l'); for step in range(3):;     batch = 0",
        f"{_WORKER} + tf.add_n(tf.get_collection('l'))\nbefore: tf.add_to_collection('l', x)",
        f"{_WORKER} + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))",
    ),
    certain=(
        "model: y = tf.layers.dense(xs[i], 1) * w[0]\n"
        "loss: loss = tf.reduce_mean(y) + sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope))\n"
        "before: decay = tf.contrib.layers.l2_regularizer(0.1)\n"
        "loop: for i in range(N):;     with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:;"
        "         with tf.variable_scope('model', reuse=i > 0, regularizer=decay):",
        "model: y = tf.layers.dense(xs[i], 1, kernel_regularizer=None) * w[0]\n"
        "loss: loss = tf.reduce_mean(y) + sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope))",
        "model: y = tf.layers.dense(xs[i], 1, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1)) * w[0]",
        "after: saver = tf.train.Saver(); size = len([])",
        "after: best = tf.Variable(0.0, trainable=False)",
        "variable: w = tf.get_variable('w', [3, 1]); v = tf.get_variable('v', [3, 1]); own = tf.trainable_variables()",
        f"{_WORKER} + tf.add_n(tf.get_collection('l'))",
        "loss: tf.add_to_collection('l', tf.reduce_mean(tf.square(y))); "
        "loss = tf.add_n(tf.get_collection('l', scope))",
    ),
)
