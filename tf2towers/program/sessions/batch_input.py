"""Where a batch comes from: placeholders and tf.data iterators, taken once for all towers or by each of them."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from tf2towers.program.problem import Problem
from tf2towers.program.python_code.call_arguments import value_of_argument
from tf2towers.program.statements.trainer_statement import TrainerStatement
from tf2towers.program.statements.value_kinds import GET_NEXT, PLACEHOLDER, ValueKinds


@dataclass(eq=False)
class Input:
    """One statement that brings data in.

    `names` are the variables it binds, in order. `kind` is 'placeholder' or 'get_next'. `source` is the expression the
    batch comes from: the placeholder's call, the iterator.
    """

    statement: TrainerStatement
    names: list[str]
    kind: str
    source: cst.BaseExpression
    dtype: cst.BaseExpression | None = None
    shape: cst.BaseExpression | None = None
    whole: bool = False  # bound as one value, not unpacked
    each_tower: bool = False  # every tower takes a batch of its own
    queued: bool = False  # out of TF1's queues: the source is the call that makes them


def read_input(statement: TrainerStatement, value_kinds: ValueKinds) -> Input | Problem:
    """The input that an 'input' statement takes, or why it cannot be told."""
    assign = statement.assign
    names = _flat_names(assign.targets[0].target) if assign is not None and len(assign.targets) == 1 else None
    if assign is None or names is None or not isinstance(assign.value, cst.Call):
        return Problem(statement.node, "T2T305", "an input that is not assigned to plain names")
    value = assign.value
    if value_kinds.of(value) == PLACEHOLDER:
        return _placeholder(statement, names, value)
    whole = isinstance(assign.targets[0].target, cst.Name)
    if value_kinds.makes_batches(value):
        return Input(statement, names, GET_NEXT, value, whole=whole, queued=True)
    assert isinstance(value.func, cst.Attribute)
    return Input(statement, names, GET_NEXT, value.func.value, whole=whole)


def _placeholder(statement: TrainerStatement, names: list[str], call: cst.Call) -> Input:
    dtype, shape = value_of_argument(call, 0, "dtype"), value_of_argument(call, 1, "shape")
    return Input(statement, names, PLACEHOLDER, call, dtype=dtype, shape=shape)


def _flat_names(target: cst.BaseExpression) -> list[str] | None:
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, cst.Tuple | cst.List):
        names = [element.value.value for element in target.elements if isinstance(element.value, cst.Name)]
        return names if len(names) == len(target.elements) else None
    return None
