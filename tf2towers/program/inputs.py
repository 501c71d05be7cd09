"""Where a batch comes from: placeholders, tf.data iterators, queue pipelines, for the whole step or for each tower."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.flow import target_names
from tf2towers.program.kinds import Kinds
from tf2towers.program.leaf import INPUT, Leaf
from tf2towers.program.problems import Problem


@dataclass(eq=False)
class Input:
    """One statement that brings data in.

    `names` are the variables it binds, in order. `kind` is 'placeholder', 'get_next', 'pipeline' or 'dequeue'. `source`
    is the expression the batch comes from (the iterator, the pipeline's call, the queue); `each_tower` says that the
    statement stands in the tower loop, so that every tower takes a batch of its own.
    """

    leaf: Leaf
    names: list[str]
    kind: str
    source: cst.BaseExpression
    each_tower: bool
    default: cst.BaseExpression | None = None
    dtype: cst.BaseExpression | None = None
    shape: cst.BaseExpression | None = None
    whole: bool = field(default=False)  # bound as one value, not unpacked
    behind: Input | None = None  # the pipeline that fills the queue this one is taken from
    queue_leaf: Leaf | None = None  # the statement that makes the queue
    inline: list[Leaf] = field(
        default_factory=list
    )  # the statements of a pipeline written out in the trainer


def read_input(leaf: Leaf, kinds: Kinds, each_tower: bool) -> list[Input] | Problem:
    """The inputs of one 'input' leaf (a statement may make several placeholders)."""
    assign = leaf.assign
    if assign is None or len(assign.targets) != 1:
        return Problem(leaf.node, "T2T305", "an input that is not assigned to plain names")
    target, value = assign.targets[0].target, assign.value
    if (
        isinstance(target, cst.Tuple)
        and isinstance(value, cst.Tuple)
        and len(target.elements) == len(value.elements)
    ):
        found: list[Input] = []
        for part, element in zip(target.elements, value.elements, strict=True):
            one = _read_one(leaf, part.value, element.value, kinds, each_tower)
            if isinstance(one, Problem):
                return one
            found.append(one)
        return found
    one = _read_one(leaf, target, value, kinds, each_tower)
    return one if isinstance(one, Problem) else [one]


def _read_one(
    leaf: Leaf, target: cst.BaseExpression, value: cst.BaseExpression, kinds: Kinds, each_tower: bool
) -> Input | Problem:
    names = _flat_names(target)
    if names is None or not isinstance(value, cst.Call):
        return Problem(leaf.node, "T2T305", "an input that is not assigned to plain names")
    kind = kinds.of(value)
    whole = isinstance(target, cst.Name)
    if kind == k.PLACEHOLDER:
        return _placeholder(leaf, names, value, kinds, each_tower)
    if kind in (k.GET_NEXT, k.DEQUEUE):
        assert isinstance(value.func, cst.Attribute)
        return Input(leaf, names, kind, value.func.value, each_tower, whole=whole)
    if kind == k.PIPELINE:
        return Input(leaf, names, kind, value, each_tower, whole=whole)
    return Problem(leaf.node, "T2T305", "an input the tool cannot read")


def _placeholder(
    leaf: Leaf, names: list[str], call: cst.Call, kinds: Kinds, each_tower: bool
) -> Input | Problem:
    canonical = kinds.resolver.canonical(call.func)
    if canonical == "tf.sparse_placeholder":
        return Problem(leaf.node, "T2T305", "a sparse placeholder")
    if each_tower:
        return Problem(leaf.node, "T2T306", "a placeholder made in every tower")
    given = {a.keyword.value: a.value for a in call.args if a.keyword is not None}
    positional = [a.value for a in call.args if a.keyword is None]
    if canonical == "tf.placeholder_with_default":
        default = given.get("input") or (positional[0] if positional else None)
        return Input(leaf, names, k.PLACEHOLDER, call, False, default=default)
    dtype = given.get("dtype") or (positional[0] if positional else None)
    shape = given.get("shape") or (positional[1] if len(positional) > 1 else None)
    return Input(leaf, names, k.PLACEHOLDER, call, False, dtype=dtype, shape=shape)


def _flat_names(target: cst.BaseExpression) -> list[str] | None:
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, cst.Tuple | cst.List):
        names: list[str] = []
        for element in target.elements:
            if not isinstance(element.value, cst.Name):
                return None
            names.append(element.value.value)
        return names
    return None


def is_input(leaf: Leaf) -> bool:
    """Whether the leaf brings data in."""
    return leaf.kind == INPUT and bool(target_names)
