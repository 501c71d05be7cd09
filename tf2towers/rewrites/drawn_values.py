"""Variables that start with random numbers: `tf.Variable(tf.random_normal(...))` draws when the variable is made.

Eager TensorFlow runs every random op with the same seed as one stream, so that a second variable with the seed of a
first starts otherwise. In a TF1 graph each op had a stream of its own: as a function, it has that again.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all

_RANDOM = frozenset(
    {"tf.random_normal", "tf.random_uniform", "tf.truncated_normal", "tf.random_gamma", "tf.multinomial"}
)


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
    return any(_is_random(names.canonical(call.func)) for call in find_all(value, cst.Call))


def _is_random(canonical: str | None) -> bool:
    return canonical is not None and (canonical in _RANDOM or canonical.startswith("tf.random."))


def values_drawn_for_variables(function: cst.FunctionDef, names: Names) -> set[cst.CSTNode]:
    """`tf.truncated_normal(...)` of `initial = tf.truncated_normal(...); return tf.Variable(initial)`."""
    initials = [
        initial_of(call)
        for call in find_all(function.body, cst.Call)
        if names.canonical(call.func) == "tf.Variable"
    ]
    given = [one for one in initials if isinstance(one, cst.Name)]
    found: set[cst.CSTNode] = set()
    for assign in find_all(function.body, cst.Assign) if given else ():
        target = assign.targets[0].target
        if len(assign.targets) != 1 or not isinstance(target, cst.Name) or not is_drawn(assign.value, names):
            continue
        uses = [one for one in find_all(function.body, cst.Name) if one.value == target.value]
        if len(uses) == 1 + sum(one.value == target.value for one in given):
            found.add(assign.value)
    return found


def as_function(value: cst.BaseExpression) -> cst.Lambda:
    """`lambda: value`."""
    return cst.Lambda(cst.Parameters(), value)


def with_function(call: cst.Call) -> cst.Call:
    """`tf.Variable(lambda: value, ...)` of `tf.Variable(value, ...)`."""
    initial = initial_of(call)
    made = [
        one.with_changes(value=as_function(one.value)) if one.value is initial else one for one in call.args
    ]
    return call.with_changes(args=made)
