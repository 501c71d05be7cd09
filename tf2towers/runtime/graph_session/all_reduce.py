"""Replaces a mean over the towers by one all-reduce, as in MirroredStrategy.

The mean is found in the graph, not in the script's text. It is the mean over the first axis of one
tensor from each tower, stacked (`tf.stack`, or `tf.concat` of `tf.expand_dims`), or their sum
divided by their number; each tensor is from another tower's device. Everything else about the
averages (clipping, weights, None tests, the function's name) is the script's own and is not
changed.

For two towers the result is equal to the last bit: a sum of two, then a division. For more, an
all-reduce adds in another order. With TF2TOWERS_COLLECTIVES=never the script's own ops stay, and
with them the order of the sum.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import TensorName, add_constant, add_node, parse, written
from tf2towers.runtime.graph_session.placement import HOST
from tf2towers.runtime.graph_session.towers import Towers, collectives

#: group and instance keys of collectives; the strategy's own keys start at 1
_keys = itertools.count(1_000_000)
_INT32 = tf.int32.as_datatype_enum
_FLOATS = {tf.float16.as_datatype_enum, tf.bfloat16.as_datatype_enum, tf.float32.as_datatype_enum,
           tf.float64.as_datatype_enum}  # fmt: skip


@dataclass(frozen=True)
class Mean:
    """One mean over the towers."""

    node: Any
    parts: tuple[TensorName, ...]  # by tower
    dtype: int
    #: control inputs ('^node') of the operations that the all-reduce replaces
    waits: tuple[str, ...] = ()


def find_means(nodes: Sequence[Any], towers: Towers) -> list[Mean]:
    """Finds the means over all towers that all-reduces can replace, in the order of the nodes.

    The nodes' devices are those of the script.
    """
    if towers.count < 2 or collectives() == "never":
        return []
    by_name = {node.name: node for node in nodes}
    found = []
    for node in nodes:
        averaged = _averaged(node, by_name)
        if averaged is None or len(averaged.parts) != towers.count:
            continue
        parts = averaged.parts
        of = [towers.of(by_name[part.node].device) if part.node in by_name else None for part in parts]
        if of == list(range(towers.count)) and node.attr["T"].type in _FLOATS:
            waits = dict.fromkeys(text for operation in (node, *averaged.by) for text in _controls(operation))
            found.append(Mean(node, tuple(parts), node.attr["T"].type, tuple(waits)))
    return found


@dataclass(frozen=True)
class _Averaged:
    """The tensors that a mean averages, and the operations between, constants included."""

    parts: list[TensorName]
    by: list[Any]


def _averaged(node: Any, by_name: dict[str, Any]) -> _Averaged | None:
    """The tensors that a node is the mean of; None if it is not a mean."""
    if node.op == "Mean" and not node.attr["keep_dims"].b and _constant(node.input[1], by_name) in ([0], 0):
        stacked = by_name.get(parse(node.input[0]).node)
        if stacked is None:
            return None
        between = [stacked, by_name[parse(node.input[1]).node]]
        if stacked.op == "Pack" and stacked.attr["axis"].i == 0:
            return _Averaged([parse(text) for text in _values(stacked)], between)
        if stacked.op == "ConcatV2":
            *parts, axis = _values(stacked)
            if _constant(axis, by_name) != 0:
                return None
            rows = [by_name.get(parse(text).node) for text in parts]
            if any(
                row is None or row.op != "ExpandDims" or _constant(row.input[1], by_name) != 0 for row in rows
            ):
                return None
            expanded = [row for row in rows if row is not None]
            axes = [by_name[parse(text).node] for text in (axis, *(row.input[1] for row in expanded))]
            return _Averaged([parse(row.input[0]) for row in expanded], [*between, *expanded, *axes])
        return None
    if node.op in ("RealDiv", "Mul"):
        terms = _sum(parse(node.input[0]), by_name)
        if terms is None:
            return None
        factor = _constant(node.input[1], by_name)
        count = len(terms.parts)
        if (node.op == "RealDiv" and factor == count) or (
            node.op == "Mul" and count & (count - 1) == 0 and factor == 1 / count
        ):  # exact for powers of two alone
            return _Averaged(terms.parts, [*terms.by, by_name[parse(node.input[1]).node]])
    return None


def _sum(name: TensorName, by_name: dict[str, Any]) -> _Averaged | None:
    node = by_name.get(name.node)
    if node is None:
        return None
    if node.op == "AddN":
        return _Averaged([parse(text) for text in _values(node)], [node])
    if node.op in ("Add", "AddV2"):
        left, right = (parse(text) for text in node.input[:2])
        left_sum = _sum(left, by_name) or _Averaged([left], [])
        return _Averaged([*left_sum.parts, right], [*left_sum.by, node])
    return None


def _values(node: Any) -> list[str]:
    return [text for text in node.input if text[0] != "^"]


def _controls(node: Any) -> list[str]:
    return [text for text in node.input if text[0] == "^"]


def _constant(text: str, by_name: dict[str, Any]) -> Any:
    node = by_name.get(parse(text).node)
    if node is None or node.op != "Const":
        return None
    return tf.make_ndarray(node.attr["value"].tensor).tolist()


class AllReduce:
    """Adds the all-reduces to a part of a graph."""

    def __init__(self, means: Sequence[Mean], nodes: Sequence[Any], towers: Towers, graph: tf.Graph) -> None:
        self._towers = towers
        self._graph = graph
        self.means = list(means)
        self.groups = _groups(means, nodes)

    def build(self) -> tuple[list[Any], dict[str, list[str]]]:
        """Makes the new nodes, and the means' results: name of the mean's node -> tensors by tower.

        The mean's node then returns the first tower's result, and waits for the collective on every
        tower: a collective that runs on some towers only would wait for ever.
        """
        made: list[Any] = []
        results: dict[str, list[str]] = {}
        for group in self.groups:
            shapes = [self._shape(mean) for mean in group]
            if len(group) > 1 and all(shape is not None for shape in shapes):
                self._reduce_packed(group, shapes, made, results)
            else:
                for mean in group:
                    outputs = self._add_collective(
                        [written(part) for part in mean.parts], mean.dtype, mean.node.name, made
                    )
                    _replace_by_identity(mean, outputs[0], outputs)
                    results[mean.node.name] = self._make_results_wait(mean, outputs, made)
        return made, results

    def _shape(self, mean: Mean) -> list[int] | None:
        shape = self._graph.get_tensor_by_name(f"{mean.node.name}:0").shape
        return [int(size) for size in shape.as_list()] if shape.is_fully_defined() else None

    def _reduce_packed(
        self, group: Sequence[Mean], shapes: Sequence[Any], made: list[Any], results: dict[str, list[str]]
    ) -> None:
        """Adds one all-reduce for several means: flattens, joins, reduces and splits them."""
        first = group[0].node.name
        sizes = [int(tf.TensorShape(shape).num_elements() or 0) for shape in shapes]
        flat = _const(made, f"{first}/all_reduce/flat", [-1])
        axis = _const(made, f"{first}/all_reduce/axis", 0)
        lengths = _const(made, f"{first}/all_reduce/sizes", sizes)
        targets = [
            _const(made, f"{mean.node.name}/all_reduce/shape", shape)
            for mean, shape in zip(group, shapes, strict=True)
        ]
        joined = []
        for tower, device in enumerate(self._towers.devices):
            rows = []
            for mean in group:
                name = f"{mean.node.name}/all_reduce/flat_{tower}"
                taken = [written(mean.parts[tower]), flat]
                add_node(made, name, "Reshape", taken, device, T=mean.dtype, Tshape=_INT32)
                rows.append(name)
            name = f"{first}/all_reduce/joined_{tower}"
            node = add_node(made, name, "ConcatV2", [*rows, axis], device, T=group[0].dtype, Tidx=_INT32)
            node.attr["N"].i = len(rows)
            joined.append(name)
        reduced = self._add_collective(joined, group[0].dtype, first, made)
        for mean in group:
            results[mean.node.name] = []
        for tower, device in enumerate(self._towers.devices):
            split = f"{first}/all_reduce/split_{tower}"
            inputs = [reduced[tower], lengths, axis]
            node = add_node(made, split, "SplitV", inputs, device, T=group[0].dtype, Tlen=_INT32)
            node.attr["num_split"].i = len(group)
            for index, (mean, target) in enumerate(zip(group, targets, strict=True)):
                name = f"{mean.node.name}/all_reduce/mean_{tower}"
                taken = [f"{split}:{index}" if index else split, target]
                add_node(made, name, "Reshape", taken, device, T=mean.dtype, Tshape=_INT32)
                results[mean.node.name].append(name)
        for mean in group:
            _replace_by_identity(mean, results[mean.node.name][0], reduced)
            results[mean.node.name] = self._make_results_wait(mean, results[mean.node.name], made)

    def _make_results_wait(self, mean: Mean, outputs: Sequence[str], made: list[Any]) -> list[str]:
        """Makes the towers' results wait for the mean's control inputs; returns their names."""
        if not mean.waits:
            return list(outputs)
        after = [outputs[0]]
        for tower, output in enumerate(outputs[1:], start=1):
            name = f"{mean.node.name}/all_reduce/after_{tower}"
            device = self._towers.devices[tower]
            add_node(made, name, "Identity", [output, f"^{mean.node.name}"], device, T=mean.dtype)
            after.append(name)
        return after

    def _add_collective(self, inputs: Sequence[str], dtype: int, name: str, made: list[Any]) -> list[str]:
        """Adds the collective ops (`CollectiveReduceV2`): a sum, divided by how many towers."""
        prefix = f"{name}/all_reduce"
        size = _const(made, f"{prefix}/group_size", len(inputs))
        key = _const(made, f"{prefix}/group_key", next(_keys))
        instance = _const(made, f"{prefix}/instance_key", next(_keys))
        outputs = []
        for tower, (text, device) in enumerate(zip(inputs, self._towers.devices, strict=True)):
            output = f"{prefix}/reduce_{tower}"
            # each waits for all inputs: otherwise a failing tower would abort the others'
            # collectives, with an error that hides its own
            ready = [f"^{parse(other).node}" for other in inputs if other != text]
            given = [text, size, key, instance, *ready]
            node = add_node(made, output, "CollectiveReduceV2", given, device, T=dtype)
            node.attr["merge_op"].s, node.attr["final_op"].s = b"Add", b"Div"
            node.attr["communication_hint"].s = b"auto"
            node.attr["timeout_seconds"].f = 0.0
            node.attr["is_stateless"].b = False
            node.attr["Nordering_token"].i = 0
            node.attr["max_subdivs_per_device"].i = -1
            outputs.append(output)
        return outputs


def _replace_by_identity(mean: Mean, value: str, after: Sequence[str]) -> None:
    """Makes a mean's node an `Identity` of the reduced value, which its users then take."""
    node = mean.node
    node.op, node.device = "Identity", ""
    node.attr.clear()
    node.attr["T"].type = mean.dtype
    del node.input[:]
    node.input.extend([value, *mean.waits, *(f"^{name}" for name in after)])


def _groups(means: Sequence[Mean], nodes: Sequence[Any]) -> list[list[Mean]]:
    """Groups means that can be reduced together: of one dtype, and none depends on another."""
    of_mean = {mean.node.name: mean for mean in means}
    level: dict[str, int] = {}
    groups: dict[tuple[int, int], list[Mean]] = {}
    for node in nodes:
        depth = max((level.get(parse(text).node, 0) for text in node.input), default=0)
        mean = of_mean.get(node.name)
        if mean is not None:
            groups.setdefault((depth, mean.dtype), []).append(mean)
            depth += 1
        level[node.name] = depth
    return list(groups.values())


def _const(made: list[Any], name: str, value: Any) -> str:
    return add_constant(made, name, value, tf.int32, HOST)
