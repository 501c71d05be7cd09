"""An input pipeline written out in the trainer itself: filename queue, reader, decoding, `tf.train.shuffle_batch`.

Its statements become one function, run as a TF1 graph of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.flow import target_names
from tf2towers.program.inputs import Input
from tf2towers.program.leaf import INPUT, Leaf
from tf2towers.program.slices import slice_for

if TYPE_CHECKING:
    from tf2towers.program.model import Training

INLINE = "inline"  # the kind of a leaf that belongs to an inline pipeline
_BATCHERS = frozenset(
    f"tf.train.{name}"
    for name in ("batch", "batch_join", "maybe_batch", "shuffle_batch", "shuffle_batch_join")
)


def read_inline_pipelines(training: Training) -> None:
    """Takes the statements behind every batching op of the trainer out of its graph, as one input."""
    for leaf in list(training.leaves):
        assign = leaf.assign
        if assign is None or leaf.kind != k.TENSOR or not isinstance(assign.value, cst.Call):
            continue
        if training.kinds.resolver.canonical(assign.value.func) in _BATCHERS:
            _take_out(training, leaf, assign)


def _take_out(training: Training, leaf: Leaf, assign: cst.Assign) -> None:
    target = assign.targets[0].target
    names = _ordered(target)
    if names is None:
        training.problem(leaf.node, "T2T305", "an input that is not assigned to plain names")
        return
    place = training.leaves.index(leaf)
    makers = [one for one in training.leaves[:place] if one.kind == k.TENSOR or _is_pipeline_part(one)]
    piece = slice_for(leaf.flow.reads, makers, training.effects)
    taken = [*piece.leaves, leaf]
    made = {name for one in taken for name in one.flow.binds} - set(names)
    for other in training.leaves:
        if other not in taken and other.kind != k.SESSION and other.flow.reads & made - other.flow.binds:
            name = sorted(other.flow.reads & made)[0]
            training.problem(
                other.node, "T2T305", f"{name!r} is used inside the input pipeline and outside it"
            )
            return
    for one in taken:
        one.kind = INLINE
    source = cst.Call(cst.Name("read_batch"))
    whole = isinstance(target, cst.Name)
    training.inputs.append(Input(leaf, names, k.PIPELINE, source, False, whole=whole, inline=taken))


def _is_pipeline_part(leaf: Leaf) -> bool:
    return leaf.kind == INPUT and leaf.detail == k.PIPELINE


def _ordered(target: cst.BaseExpression) -> list[str] | None:
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, cst.Tuple | cst.List):
        names = [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
        return names if len(names) == len(target.elements) == len(target_names(target)) else None
    return None
