"""T2T641: a function that has to do with the graph, and belongs to no tower."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.pipelines import pipeline_functions, reads_graph
from tf2towers.certain.placements import placements
from tf2towers.certain.queues import queued, tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.certain.without_towers import graph_on_devices
from tf2towers.exact.file import File
from tf2towers.exact.functions.means import is_plain_mean
from tf2towers.source.nodes import Function

#: what has nothing to do with a graph, wherever it is called
_BESIDE = (
    "tf.app.",
    "tf.flags.",
    "tf.gfile.",
    "tf.logging.",
    "tf.errors.",
    "tf.python_io.",
    "tf.train.Example",
    "tf.train.Feature",
    "tf.train.BytesList",
    "tf.train.FloatList",
    "tf.train.Int64List",
    "tf.train.summary_iterator",
    "tf.train.latest_checkpoint",
    "tf.train.get_checkpoint_state",
    "tf.examples.",
)
#: what takes a function as it is
_TAKES = ("tf.data.", "tf.cond", "tf.map_fn", "tf.scan")


def doubts(building: Building) -> Iterator[Doubt]:
    """Functions, lambdas and classes with TensorFlow in them, or with what the script has built."""
    towers = {function for _, function in tower_functions(building)}
    inside = towers | {part for _, part in building.bodies}
    owners = set(map(id, building.owners))
    pipelines = pipeline_functions(building)
    placed = placements(building)
    graph = graph_on_devices(building)
    batches = queued(building)
    known = (
        {function for _, function in building.averaging}
        | pipelines
        | (graph.functions if graph else set())
        | (batches.functions if batches else set())
    )
    for file in building.files:
        for function in [*file.all(ast.FunctionDef), *file.all(ast.AsyncFunctionDef), *file.all(ast.Lambda)]:
            around = [
                ancestor
                for ancestor in file.ancestors(function)
                if isinstance(ancestor, Function | ast.Lambda)
            ]
            if id(function) in owners or any(
                node in inside for node in (function, *file.ancestors(function))
            ):
                own = around and function in towers and around[0] not in placed
                if own and not _is_closed(building, file, function):
                    yield Doubt(file, function, "a function that is made where it is used")
                continue
            if isinstance(function, ast.Lambda) and _is_taken(file, function):
                continue
            if any(ancestor in pipelines for ancestor in file.ancestors(function)):
                continue
            if around and not _builds(building, file, around[-1]):
                continue
            if isinstance(function, ast.FunctionDef) and not around:
                if function in known or is_plain_mean(file, function):
                    continue
            if isinstance(function, ast.Lambda) and not around and _is_handed_over(building, file, function):
                continue
            if around or isinstance(function, ast.Lambda) or _builds(building, file, function):
                yield Doubt(file, function, f"`{getattr(function, 'name', 'lambda')}` is no tower's")
        for class_definition in file.all(ast.ClassDef):
            if any(
                class_definition in file.ancestors(node)
                for node, name in file.symbols
                if not name.startswith(_BESIDE)
            ):
                yield Doubt(
                    file, class_definition, f"`{class_definition.name}` is a class with TensorFlow in it"
                )


def _is_closed(building: Building, file: File, function: ast.AST) -> bool:
    """Whether an inner function could stand beside the outer one as well: it reads none of its names, is made once."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    around = file.parent(function)
    branch = isinstance(around, ast.If) and any(around in file.ancestors(part) for _, part in building.bodies)
    if not branch and not isinstance(around, ast.FunctionDef | ast.With):
        return False
    defaults = [*function.args.defaults, *filter(None, function.args.kw_defaults)]
    if not all(isinstance(default, ast.Constant) for default in defaults):
        return False
    home = file.meanings.scope(function).lookup(function.name)
    if home is None or len(home[1]) != 1:
        return False
    for name in ast.walk(function):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
            found = file.meanings.scope(name).lookup(name.id)
            where = found[0].node if found is not None else file.tree
            if where is not file.tree and where is not function and function not in file.ancestors(where):
                return False
    return True


def _is_taken(file: File, function: ast.Lambda) -> bool:
    call = file.parent(function)
    while isinstance(call, ast.keyword):
        call = file.parent(call)
    return isinstance(call, ast.Call) and (file.canonical(call.func) or "").startswith(_TAKES)


def _is_handed_over(building: Building, file: File, function: ast.Lambda) -> bool:
    """Whether a lambda is given to a call that has nothing to do with the graph: `register("bool", lambda ...)`."""
    call = file.parent(function)
    return isinstance(call, ast.Call) and function in call.args and not _builds(building, file, call)


def _builds(building: Building, file: File, function: ast.AST) -> bool:
    """Whether a function has TensorFlow in it, or reads what the program's own statements made with it."""
    nodes = set(ast.walk(function))
    if any(node in nodes and not canonical.startswith(_BESIDE) for node, canonical in file.symbols):
        return True
    return reads_graph(building, file, function)


#: lines of the examples' trainer
_HEAD = (
    "head: import numpy as np; import tensorflow as tf; N = 2; def halved(row):;     return tf.divide(row, 2.0); "
    "def rows_of(size):;     rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).batch(size);     "
)
_ROWS = "return rows.map(halved).repeat()"
_ONCE = "rows = rows_of(4)"
_INPUTS = (
    "x = tf.data.make_one_shot_iterator(rows).get_next(); opt = tf.train.GradientDescentOptimizer(0.1); "
    "xs = tf.split(x, N); grads = []; tower_losses = []; total = 0.0; seen = {}"
)
#: the same, with a function that places operations
_PLACED = (
    "head: import numpy as np; import tensorflow as tf; N = 2; PLACED = []; DEVICES = ['/gpu:0', '/gpu:1']; "
    "def on(device, other='/cpu:0'):;     def choose(op):;         if op.type in ('VariableV2', 'VarHandleOp'):;"
    "             return '/' + other;         {choose};     return choose"
)
_LOOP = (
    "loop: for i in range(N):;     with tf.device(on('/gpu:%d' % i)), tf.name_scope('tower_%d' % i) as scope:;"
    "         with tf.variable_scope('model', reuse=i > 0):"
)

#: for examples: a function in one that the towers call
_INNER = "def model(value):;     def square({}):;         return {};     return tf.reduce_mean(square(value))"

RULE = Rule(
    code="T2T641",
    title="A function that has to do with the graph, and is no tower's",
    why="""
    A function that a tower calls is part of the function that each tower becomes, and one that is given the
    towers' gradients is called with all of them. Any other function, a class or a lambda that builds a part of
    the graph would have to be called where the graph is no more. One that gives a `tf.data` pipeline, and makes
    nothing of the graph beside, is called where it was, once. A function in another one that reads nothing of it is as
    good as one beside it.
    """,
    todo="Write the part of the graph where the towers are put together, without a function of its own.",
    doubts=doubts,
    doubtful=(
        "after: build = lambda: tf.add_n(tower_losses)",
        "after: def made():;     return tf.add_n(tower_losses);; more = made()",
        "after: def made():;     return tower_losses[0] + 1",
        f"before: {_INNER.format('part', 'tf.square(part) * value')}\nloss: loss = model(y)",
        f"before: {_INNER.format('part, by=value', 'part * by')}\nloss: loss = model(y)",
        f"before: {_INNER.format('part', 'square(part) if part is None else part')}\nloss: loss = model(y)",
        *(
            f"{_HEAD}{made}\ninputs: {inputs}; {_INPUTS}\ntrain: print(sess.run([train_op, loss])[1])"
            for made, inputs in (
                # a variable in the pipeline, a tensor beside it, something of what it is given
                (f"{_ROWS}.map(lambda row: row * tf.get_variable('s', []))", _ONCE),
                (f"{_ROWS}, tf.ones([4, 3])", _ONCE.replace("rows =", "rows, ones =")),
                (f"{_ROWS}, size", _ONCE.replace("rows =", "rows, size =")),
                # a variable of the program's, read in the pipeline
                (f"{_ROWS}.map(lambda row: row * scale)", f"scale = tf.Variable(2.0); {_ONCE}"),
                # two pipelines of one function, one that only some runs have, one made in a loop
                (_ROWS, f"{_ONCE}; more = rows_of(2)"),
                (_ROWS, f"if N > 1:;     {_ONCE}"),
                (_ROWS, f"for size in (2, 4):;     {_ONCE.replace('(4)', '(size)')}"),
                (_ROWS, f"{_ONCE}; half = halved(tf.ones([4, 3]))"),
            )
        ),
        *(
            f"{_PLACED.format(choose=choose)}\n{_LOOP}\n{more}"
            for choose, more in (
                # it counts, it prints, it is called for something else, it is given what no GPU's name is
                ("PLACED.append(op.name);         return device", ""),
                ("print(op.name);         return device", ""),
                ("return device", "after: where = on('/gpu:0')(loss.op)"),
                ("return device", _LOOP.replace("'/gpu:%d' % i", "DEVICES[i]")),
            )
        ),
    ),
    certain=(
        f"{_PLACED.format(choose='return device')}\n{_LOOP}",
        f"before: {_INNER.format('part', 'tf.square(part)')}\nloss: loss = model(y)",
        f"before: {_INNER.format('part, power=2.0', 'tf.pow(part, power) / N')}\nloss: loss = model(y)",
        *(
            f"{_HEAD}{made}\ninputs: {inputs}; {_INPUTS}\ntrain: print(sess.run([train_op, loss])[1])"
            for made, inputs in (
                (_ROWS, _ONCE),
                ("return rows.map(halved).map(lambda row: row + 1.0)", _ONCE),
                (f"{_ROWS}, N * 2", _ONCE.replace("rows =", "rows, size =")),
            )
        ),
        "head: import numpy as np; import tensorflow as tf; N = 2; def shown(text):;     return '%s' % text",
    ),
)
