"""Variables that start with random numbers: `tf.Variable(tf.random_normal(...))` draws when the variable is made.

Eager TensorFlow runs every random op with the same seed as one stream, so that a second variable with the seed of a
first starts otherwise. In a TF1 graph each op had a stream of its own: as a function, it has that again.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.python_code.search import find_all

_RANDOM = frozenset({"tf.random_normal", "tf.random_uniform", "tf.truncated_normal"})


def initial_of(call: cst.Call) -> cst.BaseExpression | None:
    """The initial value given to `tf.Variable`."""
    for place, argument in enumerate(call.args):
        if argument.keyword.value == "initial_value" if argument.keyword is not None else place == 0:
            return argument.value
    return None


def is_drawn(value: cst.BaseExpression | None, names: Names) -> bool:
    """Whether an expression calls a random op; a lambda is one already."""
    if value is None or isinstance(value, cst.Lambda):
        return False
    return any(names.canonical(call.func) in _RANDOM for call in find_all(value, cst.Call))


def with_function(call: cst.Call) -> cst.Call:
    """`tf.Variable(lambda: value, ...)` of `tf.Variable(value, ...)`."""
    initial = initial_of(call)
    made = [
        one.with_changes(value=cst.Lambda(cst.Parameters(), one.value)) if one.value is initial else one
        for one in call.args
    ]
    return call.with_changes(args=made)
