"""`Run`: the nodes of one run, from what is needed of the graph to a TF 2 function's body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import Nodes, TensorName, copy_of, parse, written


class Run:
    """One run of a session: what it fetches, and the nodes for it, under the graph's names.

    `Program.function` makes it and passes it on. Each pass changes what it names, and nothing after
    it:

        cut      `part`, `fed`, `placeholders`: copies of the nodes that the fetches need; fed inputs are placeholders
        reduce   `added`, inputs of `part`: means over the towers are all-reduces
        mirror   `added`, `ends`, inputs of `part`: each tower reads its copy of a variable, a write changes all copies,
                 and reads, writes and ops on queues have one order (`order`)
        place    devices of `part`: those of the strategy
        draw     `added`, `ends`, `beginnings`, `functions`: random ops go on in the session's sequence
        import   no node any more: the function, and the resources that outlive the run

    Attributes:
        fetches: the tensors whose values the run returns, in this order.
        dtypes: their dtypes.
        targets: the operations to run as well.
        fed: a tensor -> the placeholder that has its value.
        placeholders: the function's arguments, in the order of the feeds.
        part: the graph's own nodes, as copies, in the order in which they were built.
        added: nodes that passes have made.
        ends: nodes that passes have made and that nothing else needs, but that have to run.
        beginnings: name of a node that makes a resource -> the nodes that give it its first value.
        functions: definitions of functions that `added` calls.
        alone: seeded random operations that draw a separate sequence in this run.
    """

    def __init__(
        self,
        nodes: Nodes,
        fetches: Sequence[tf.Tensor],
        targets: Sequence[tf.Operation],
        feeds: Sequence[tf.Tensor],
    ) -> None:
        """Cuts the part of the graph that a run needs."""
        self._graph = nodes
        self.fetches = [parse(tensor.name) for tensor in fetches]
        self.dtypes = [tensor.dtype for tensor in fetches]
        self.targets = [target.name for target in targets]
        self.fed = {
            name: f"feed_{index}"
            for index, tensor in enumerate(feeds)
            for name in nodes.fed_with(parse(tensor.name))
        }
        self.placeholders = [_placeholder(f"feed_{index}", tensor) for index, tensor in enumerate(feeds)]
        computed = [name.node for name in self.fetches if name not in self.fed]
        ends = dict.fromkeys([*computed, *self.targets])
        self.part: list[Any] = [copy_of(node) for node in nodes.needed(ends, set(self.fed))]
        self.added: list[Any] = []
        self.ends: list[str] = []
        self.beginnings: dict[str, list[Any]] = {}
        self.functions: Sequence[Any] = ()
        self.alone: Sequence[str] = ()

    def feed(self) -> None:
        """Replaces the part's fed inputs by placeholders; waits for fed tensors end.

        Raises:
            tf.errors.InvalidArgumentError: a placeholder is needed that is not fed.
            tf.errors.UnimplementedError: a reference variable is needed.
        """
        kept = {node.name for node in self.part}
        for node in self.part:
            if node.op == "Placeholder":
                raise _not_fed(self._graph.graph.get_operation_by_name(node.name))
            if node.op in ("Variable", "VariableV2", "TemporaryVariable"):
                raise _reference(self._graph.graph.get_operation_by_name(node.name))
            inputs = list(node.input)
            del node.input[:]
            for name in map(parse, inputs):
                if name in self.fed:
                    node.input.append(self.fed[name])
                elif name.output >= 0 or TensorName(name.node, 0) not in self.fed or name.node in kept:
                    node.input.append(written(name))

    @property
    def nodes(self) -> list[Any]:
        """All nodes that there are now."""
        return [*self.placeholders, *self.part, *self.added]

    @property
    def outputs(self) -> list[str]:
        """The fetches as tensors of the function; of a fed tensor, its placeholder."""
        return [name_in_function(self.fed, name) for name in self.fetches]

    @property
    def fetched_branches(self) -> list[str]:
        """The fetched outputs of `tf.cond`, made targets, so that Grappler keeps the `tf.cond`.

        If the predicate is a constant, Grappler removes a `tf.cond`, and with it the outside ops
        that only its dead branch uses (a dequeue, an assignment). It keeps the fetches of a
        session, but not the outputs of a function.
        """
        return [
            name.node
            for name in self.fetches
            if name not in self.fed
            and self._graph.by_name[name.node].op == "Merge"
            and not self._graph.in_control_flow(name.node)
        ]


def _placeholder(name: str, tensor: tf.Tensor) -> Any:
    node = tf.compat.v1.NodeDef(name=name, op="Placeholder")
    node.attr["dtype"].type = tensor.dtype.as_datatype_enum
    node.attr["shape"].shape.unknown_rank = True  # as in a session, a feed may have any shape
    return node


def name_in_function(fed: dict[TensorName, str], name: TensorName) -> str:
    """A tensor's name in the function; for a fed tensor, the name of its placeholder."""
    return f"{fed[name]}:0" if name in fed else f"{name.node}:{name.output}"


def _reference(operation: tf.Operation) -> tf.errors.UnimplementedError:
    message = (
        f"{operation.name} is a reference variable (from an imported TF1 graph), and functions can hold resource "
        "variables only. Build the model again by its code, and restore the checkpoint there."
    )
    return tf.errors.UnimplementedError(operation.node_def, operation, message)


def _not_fed(operation: tf.Operation) -> tf.errors.InvalidArgumentError:
    shape = operation.outputs[0].shape
    sizes = [] if shape.rank is None else ["?" if size is None else str(size) for size in shape.as_list()]
    dtype = tf.dtypes.as_dtype(operation.get_attr("dtype")).name
    dtype = {"float32": "float", "float64": "double"}.get(dtype, dtype)
    message = f"You must feed a value for placeholder tensor '{operation.name}' with dtype {dtype}"
    message += "" if shape.rank is None else f" and shape [{','.join(sizes)}]"
    return tf.errors.InvalidArgumentError(
        operation.node_def, operation, f"{message}\n\t [[{{{{node {operation.name}}}}}]]"
    )
