"""Variables that start with random numbers: `tf.Variable(tf.random_normal(...))` draws when the variable is made.

Eager TensorFlow runs every random op with the same seed as one stream, so that a second variable with the seed of a
first starts otherwise. In a TF1 graph each op had a stream of its own: as a function, it has that again.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.python_code.call_arguments import value_of_argument
from tf2towers.program.python_code.search import find_all

_RANDOM = frozenset({"tf.random_normal", "tf.random_uniform", "tf.truncated_normal"})


def initial_of(call: cst.Call) -> cst.BaseExpression | None:
    """The initial value given to `tf.Variable`."""
    return value_of_argument(call, 0, "initial_value")


def is_drawn(value: cst.BaseExpression | None, names: Names) -> bool:
    """Whether an expression calls a random op; a lambda is one already."""
    if value is None or isinstance(value, cst.Lambda):
        return False
    return any(names.canonical(call.func) in _RANDOM for call in find_all(value, cst.Call))


def drawn_before(function: cst.FunctionDef, names: Names) -> tuple[cst.SimpleStatementLine, cst.Call] | None:
    """The draw and the variable of `initial = tf.random_normal(...)`, `return tf.Variable(initial)`."""
    last = function.body.body[-1]
    match last:
        case cst.SimpleStatementLine(body=[cst.Return(value=cst.Call() as made)]):
            initial = initial_of(made) if names.canonical(made.func) == "tf.Variable" else None
        case _:
            return None
    if not isinstance(initial, cst.Name):
        return None
    for line in function.body.body:
        match line:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
            ) if name == initial.value and is_drawn(value, names):
                named = [node for node in find_all(function, cst.Name) if node.value == name]
                return (line, made) if len(named) == 2 else None
    return None


def with_function(call: cst.Call, value: cst.BaseExpression | None = None) -> cst.Call:
    """`tf.Variable(lambda: value, ...)` of `tf.Variable(initial, ...)`: another value, or the initial one itself."""
    initial = initial_of(call)
    assert initial is not None
    drawn = cst.Lambda(cst.Parameters(), value or initial)
    made = [
        argument.with_changes(value=drawn) if argument.value is initial else argument
        for argument in call.args
    ]
    return call.with_changes(args=made)
