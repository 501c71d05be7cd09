"""T2T633: the code that builds a tower does something else as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.parameters import values
from tf2towers.certain.queues import queued, tower_functions
from tf2towers.certain.rule import Doubt, Rule
from tf2towers.exact.file import File
from tf2towers.exact.libraries.known_values import made_by
from tf2towers.source.nodes import Function

_BUILTINS = frozenset(
    f"builtins.{name}"
    for name in (
        "abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min",
        "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "xrange", "zip", "ValueError",
        "TypeError", "AssertionError", "NotImplementedError", "KeyError", "RuntimeError", "Exception",
    )
)  # fmt: skip
_MODULES = ("tf", "math", "re", "six", "itertools")
#: what `/` and `round` of a script in Python 2 are converted to
_OF_PYTHON2 = frozenset({"tf2towers.runtime.python2_division", "tf2towers.runtime.python2_round"})
#: numpy functions that give values
_NUMPY_EFFECTS = ("numpy.random.", "numpy.save", "numpy.load", "numpy.put", "numpy.copyto", "numpy.fill")
#: methods of text, shapes, lists, optimizers, averages and scopes
_METHODS = frozenset(
    {
        "format", "join", "split", "replace", "strip", "startswith", "endswith", "lower", "upper",
        "get_shape", "as_list", "num_elements", "set_shape", "is_fully_defined", "items", "keys", "values",
        "compute_gradients", "apply_gradients", "minimize", "apply", "average", "average_name", "get_next",
        "reuse_variables", "assign", "assign_add", "assign_sub", "read_value", "value",
        "make_initializable_iterator", "as_default", "astype", "flatten", "prod", "variables_to_restore",
    }
)  # fmt: skip
#: what makes, or gives, what a `with` makes the default
_DEFAULTS = frozenset({"tf.Graph", "tf.get_default_graph", "tf.Session", "tf.InteractiveSession"})
_REGULARIZERS = frozenset(
    f"tf.contrib.layers.{name}" for name in ("l1_regularizer", "l2_regularizer", "l1_l2_regularizer")
)
_STATEMENTS = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.With, ast.Pass, ast.Assert,
    ast.Raise, ast.Break, ast.Continue, ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Delete,
)  # fmt: skip


def doubts(building: Building) -> Iterator[Doubt]:
    """Effects in the towers, in the functions they call, and in what follows them before a session is made."""
    loops = bool(building.loops)
    yield from _first_values(building)
    yield from _made_default(building)
    yield from _entered_around(building)
    if loops:
        yield from _batches_taken_in_passing(building)
    for file, part in [*building.bodies, *building.following] if loops else []:
        yield from _Reader(building, file, None).read(part)
    for file, function in [*tower_functions(building), *building.averaging]:
        yield from _Reader(building, file, function).read(function)
    for file, function in building.averaging:
        for decorator in function.decorator_list:
            yield Doubt(file, decorator, f"`@{file.text.of(decorator)}` may do anything")


def _first_values(building: Building) -> Iterator[Doubt]:
    """`w.initialized_value()`: the variables of a strategy have none."""
    for file in building.files:
        for method in file.all(ast.Attribute):
            if method.attr == "initialized_value":
                yield Doubt(
                    file, method, "a variable's first value, which a strategy's variables do not give"
                )


def _made_default(building: Building) -> Iterator[Doubt]:
    """`with x.as_default():` around the towers, where `x` may be anything; the graph's or the session's is left out."""
    for file in building.files:
        for method in file.all(ast.Attribute):
            call = file.parent(method)
            if method.attr != "as_default" or not (isinstance(call, ast.Call) and call.func is method):
                continue
            found = values(building, file, method.value)
            if found is None or not all(_is_made_here(where, value) for where, value in found):
                yield Doubt(
                    file, method, f"`{file.text.of(method)}()` of what is no graph or session that is seen"
                )


def _entered_around(building: Building) -> Iterator[Doubt]:
    """`with helper():` around the towers, which a function of TensorFlow 2 would enter when it is traced.

    And a graph that is entered inside a scope, or together with one: the scope is another graph's, and a block is
    left out or kept as a whole.
    """
    seen: set[ast.AST] = set()
    for file, part in building.bodies:
        kept: set[ast.AST] = set()
        for around in reversed(list(file.ancestors(part))):
            if not isinstance(around, ast.With | ast.AsyncWith):
                continue
            entered = [(item, values(building, file, item.context_expr) or []) for item in around.items]
            scopes = {
                item for item, found in entered if not all(_only_sets_the_stage(*value) for value in found)
            }
            kept |= scopes
            for item, found in entered:
                text = file.text.of(item.context_expr)
                if item in seen:
                    continue
                seen.add(item)
                if not found or not all(_is_of_tensorflow(where, value) for where, value in found):
                    yield Doubt(file, item.context_expr, f"`with {text}` around the towers may do anything")
                elif (kept and any(_makes_default(value) for _, value in found)) or (
                    scopes and any(_is_made_default(*value) for value in found)
                ):
                    yield Doubt(
                        file, item.context_expr, f"`with {text}` inside of another scope, or beside one"
                    )


def _only_sets_the_stage(file: File, value: ast.expr) -> bool:
    """Whether an item of a `with` is left out: a default graph or session, a device."""
    if not isinstance(value, ast.Call):
        return False
    return _makes_default(value) or _is_made_default(file, value) or file.canonical(value.func) == "tf.device"


def _is_made_default(file: File, value: ast.expr) -> bool:
    """Whether it is `tf.Session()`, which a `with` makes the default one."""
    return isinstance(value, ast.Call) and file.canonical(value.func) in _DEFAULTS


def _makes_default(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "as_default"
    )


def _is_of_tensorflow(file: File, value: ast.expr) -> bool:
    """Whether a `with` enters what TensorFlow made, or a default (`_made_default`)."""
    if not isinstance(value, ast.Call):
        return False
    return _makes_default(value) or (file.canonical(value.func) or "").startswith("tf.")


def _is_made_here(file: File, value: ast.expr) -> bool:
    """Whether an expression is a graph or a session: `tf.Graph()`, `sess.graph`."""
    if isinstance(value, ast.Call):
        return file.canonical(value.func) in _DEFAULTS
    if isinstance(value, ast.Attribute) and value.attr == "graph":
        return made_by(file, value.value) is not None
    return False


def _batches_taken_in_passing(building: Building) -> Iterator[Doubt]:
    """Batches not taken by an assignment where the towers are built: every tower would take one of its own."""
    for file in building.files:
        for method in file.all(ast.Attribute):
            if method.attr != "get_next":
                continue
            call = file.parent(method)
            around = file.function_around(method) or file.tree
            is_call = isinstance(call, ast.Call) and call.func is method
            if not (is_call and isinstance(file.parent(call), ast.Assign) and around in building.owners):
                yield Doubt(file, method, "a batch that is taken in the middle of something")


class _Reader:
    """The effects of one function, or of statements outside of one."""

    def __init__(self, building: Building, file: File, function: Function | None) -> None:
        self._building = building
        self._file = file
        self._function = function

    def read(self, part: ast.AST) -> Iterator[Doubt]:
        """Every effect in a part of the file, itself included."""
        for node in ast.walk(part):
            if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
                yield self._doubt(node, f"{type(node).__name__.lower()} statement")
            elif isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr):
                yield self._doubt(node, "a generator or `:=`")
            elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
                yield self._doubt(node, f"`{self._file.text.of(node)}` is written")
            elif isinstance(node, ast.Attribute) and node.attr in ("graph", "device", "consumers", "inputs"):
                if self._file.canonical(node) is None:
                    yield self._doubt(node, f"`{self._file.text.of(node)}` looks at the graph")
            elif isinstance(node, ast.Call):
                yield from self._call(node)

    def _call(self, call: ast.Call) -> Iterator[Doubt]:
        file, function = self._file, call.func
        canonical = file.canonical(function)
        if isinstance(function, ast.Attribute) and canonical is None:
            if function.attr in ("append", "extend", "update", "add", "insert", "pop"):
                if not self._is_own(function.value) or function.attr not in ("append", "extend"):
                    yield self._doubt(call, f"`{file.text.of(function)}(...)` changes what others may see")
            elif function.attr not in _METHODS and not self._is_dequeue(function):
                yield self._doubt(call, f"`{file.text.of(function)}(...)` may do anything")
            return
        if self._building.function_called(file, call) is not None:
            return
        if self._is_regularizer(function):
            return
        known = canonical is not None and (
            canonical in _BUILTINS
            or canonical in _OF_PYTHON2
            or canonical.partition(".")[0] in _MODULES
            or (canonical.startswith("numpy.") and not canonical.startswith(_NUMPY_EFFECTS))
            or canonical.startswith("os.path.")
        )
        if not known:
            yield self._doubt(call, f"`{file.text.of(function)}(...)` may do anything")

    def _is_dequeue(self, method: ast.Attribute) -> bool:
        """Whether a tower takes a batch of the program's prefetched ones: `batch_queue.dequeue()`."""
        batches = queued(self._building)
        return (
            method.attr == "dequeue"
            and batches is not None
            and batches.prefetched is not None
            and self._building.value_of(self._file, method.value) is batches.prefetched.value
        )

    def _is_regularizer(self, function: ast.expr) -> bool:
        """Whether it is what one of TensorFlow's makers of regularizers gave, in every call of the program."""
        found = values(self._building, self._file, function) if isinstance(function, ast.Name) else None
        return bool(found) and all(
            (isinstance(value, ast.Constant) and value.value is None)
            or (isinstance(value, ast.Call) and file.canonical(value.func) in _REGULARIZERS)
            for file, value in found or []
        )

    def _is_own(self, node: ast.expr) -> bool:
        """Whether a list belongs to the function; in the towers, to the function or module that has the loop."""
        if not isinstance(node, ast.Name):
            return False
        found = self._building.home(self._file, node)
        if found is None:
            return False
        if self._function is None:
            return found[0] is self._file.meanings.scope(self._file.statement(node))
        return found[0].node is self._function and not any(
            isinstance(getattr(binding, "node", None), ast.arg) for binding in found[1]
        )

    def _doubt(self, node: ast.AST, message: str) -> Doubt:
        return Doubt(self._file, node, message)


#: parts of the examples' trainer, with batches of an iterator
_ROWS = (
    "rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).batch(4).make_one_shot_iterator()"
)
_OTHERS = (
    "opt = tf.train.GradientDescentOptimizer(0.1); grads = []; tower_losses = []; total = 0.0; seen = {}"
)

#: a function that calls what it is given, of a model's weights
_CALLS = (
    "head: import numpy as np; import tensorflow as tf; N = 2; def of_weights(w, made):;     return made(w); "
    "def model(x, w, made=None):;     return tf.reduce_mean(x) + of_weights(w, made)\nloss: loss = "
)

RULE = Rule(
    code="T2T633",
    title="What builds a tower does something else beside",
    why="""
    The code that builds a tower becomes a function, which TensorFlow traces: for each tower, at the first step,
    perhaps again later, and a second time for an evaluation. What it prints, counts, writes into dictionaries,
    attributes or lists of others, or reads of the graph would come at other times, more often, or not at all.
    """,
    todo="Move what is not TensorFlow out of the loop over towers and out of the functions that it calls.",
    doubts=doubts,
    doubtful=(
        "loss: loss = tf.reduce_mean(tf.square(y)); print(loss)",
        "loss: loss = tf.reduce_mean(tf.square(y)); seen[i] = loss",
        "loss: loss = tf.reduce_mean(tf.square(y)); print(loss.op.type)",
        "loss: loss = model.loss(y)",
        "inputs: v = tf.Variable(tf.ones([])); w = v.initialized_value()",
        "after: print(len(grads))",
        "loss: loss = tf.reduce_mean(tf.square(y)); config.log_device_placement = N\n"
        "before: config = tf.ConfigProto()",
        "after: np.random.seed(len(grads))",
        f"inputs: {_ROWS}; xs = tf.split(rows.get_next(), N); {_OTHERS}\ntrain: print(sess.run([train_op, loss])[1])",
        f"inputs: {_ROWS}; take = rows.get_next; x = take(); xs = tf.split(x, N); {_OTHERS}\n"
        "train: print(sess.run([train_op, loss])[1])",
        f"inputs: {_ROWS}; x = taken(rows); xs = tf.split(x, N); {_OTHERS}\n"
        "train: print(sess.run([train_op, loss])[1])\n"
        "head: import numpy as np; import tensorflow as tf; N = 2; def taken(rows):;     return rows.get_next()",
        f"{_CALLS}model(y, w, print)",
        f"{_CALLS}model(y, w, tf.contrib.layers.l2_regularizer(0.1)) + model(y, w, seen.get)",
        f"{_CALLS}model(*[y, w, tf.contrib.layers.l2_regularizer(0.1)])",
        f"{_CALLS}model(y, w, tf.contrib.layers.l2_regularizer(0.1)); models = [model]",
        "before: def shown(function):;     return function; @shown; def first(towers):;     return towers[0]\n"
        "after: chosen = first(grads)",
    ),
    certain=(
        f"inputs: {_ROWS}; x = rows.get_next(); xs = tf.split(x, N); {_OTHERS}\n"
        "train: print(sess.run([train_op, loss])[1])",
        "before: print('building', N)",
        "after: config = tf.ConfigProto(); config.gpu_options.allow_growth = True; config.allow_soft_placement = True",
        f"{_CALLS}model(y, w, tf.contrib.layers.l2_regularizer(0.1))",
        f"{_CALLS}model(y, w, made=regularizer)\nbefore: regularizer = tf.contrib.layers.l2_regularizer(0.1)",
        "loss: loss = tf.reduce_mean(tf.square(y), name='%s_%d' % ('loss', i))",
    ),
)
