"""Which inputs a program has, and from where each name of a batch comes."""

from __future__ import annotations

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.find import find_all
from tf2towers.program.inputs import Input, read_input
from tf2towers.program.leaf import INPUT, Leaf
from tf2towers.program.lifting import find_lift
from tf2towers.program.model import Training
from tf2towers.program.pipelines import INLINE, read_inline_pipelines
from tf2towers.program.problems import Problem


def read_inputs(training: Training) -> None:
    """Fills in the inputs of the program, and lifts out those that a model's function makes itself."""
    towers = training.towers_leaf
    read_inline_pipelines(training)
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.kind != INPUT or leaf.inner:
                continue
            if outer.kind == k.SESSION:
                training.problem(leaf.node, "T2T305", "an input made inside the session's loop")
                continue
            found = read_input(leaf, training.kinds, each_tower=outer is towers)
            if isinstance(found, Problem):
                training.problems.append(found)
            else:
                training.inputs.extend(found)
    for call in list(training.kinds.with_input):
        lift = find_lift(training.module, call, training.kinds)
        if isinstance(lift, Problem):
            training.problems.append(lift)
        elif all(call is not other.call for other in training.lifts):
            training.lifts.append(lift)
            leaf = training.towers_leaf
            training.inputs.append(Input(leaf, lift.names, k.PIPELINE, lift.source, True, whole=lift.whole))
    for one in training.inputs:
        if one.kind == k.DEQUEUE:
            _link_queue(training, one)
    _rename_rebound(training)
    _check_sources(training)


def _rename_rebound(training: Training) -> None:
    """`x, y = inputs(train=True)` and later `x, y = inputs(train=False)`: two inputs; the second gets other names."""
    sources = [
        one
        for one in training.inputs
        if one.kind == k.PIPELINE and not one.each_tower and one.leaf in training.leaves
    ]
    for place, one in enumerate(sources):
        if not any(set(one.names) & set(other.names) for other in sources[:place]):
            continue
        start = training.leaves.index(one.leaf) + 1
        for name in list(one.names):
            other_name = f"{name}_{place + 1}"
            for leaf in training.leaves[start:]:
                for node in find_all(leaf.node, cst.Name) if name in leaf.flow.reads else []:
                    if node.value == name:
                        training.renamed[node] = other_name
                if name in leaf.flow.reads:
                    leaf.flow.reads = (leaf.flow.reads - {name}) | {other_name}
                if name in leaf.flow.binds:
                    break
            one.names = [other_name if n == name else n for n in one.names]
            training.kinds.names[other_name] = k.TENSOR


def _check_sources(training: Training) -> None:
    """A name must come from one place: one pipeline or iterator, and at most one placeholder."""
    for one in training.inputs:
        others = [o for o in training.inputs if o is not one and set(o.names) & set(one.names)]
        others = [o for o in others if o is not one.behind and o.behind is not one]
        if one.kind != k.PLACEHOLDER and any(o.kind != k.PLACEHOLDER for o in others):
            training.problem(
                one.leaf.node, "T2T305", f"{', '.join(one.names)} comes from more than one place"
            )
        if one.each_tower and one.leaf.kind == INPUT and not _straight_in_loop(training, one.leaf):
            training.problem(
                one.leaf.node, "T2T305", "an input that some towers or some runs make and others do not"
            )


def _straight_in_loop(training: Training, leaf: Leaf) -> bool:
    """Whether the leaf stands in the loop's body under nothing but with blocks."""

    def within(leaves: list[Leaf]) -> bool:
        return any(one is leaf or (isinstance(one.node, cst.With) and within(one.inner)) for one in leaves)

    return within(training.towers_leaf.inner)


def _link_queue(training: Training, one: Input) -> None:
    """Finds the pipeline behind `batch_queue.dequeue()`: what `prefetch_queue([images, labels])` was given."""
    queue = one.source.value if isinstance(one.source, cst.Name) else None
    for leaf in training.leaves:
        if leaf.assign is None or queue not in leaf.flow.binds or not isinstance(leaf.assign.value, cst.Call):
            continue
        call = leaf.assign.value
        given = call.args[0].value if call.args else None
        names = (
            [e.value.value for e in given.elements if isinstance(e.value, cst.Name)]
            if isinstance(given, cst.List | cst.Tuple)
            else []
        )
        for other in training.inputs:
            if other is not one and other.names == names and other.kind in (k.PIPELINE, k.GET_NEXT):
                one.behind, one.queue_leaf = other, leaf
                leaf.kind = INLINE
                return
    training.problem(one.leaf.node, "T2T305", "a queue whose batches the tool cannot follow")
