"""A run as a TF 2 function: the part of the graph that the fetches need, on the strategy's devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.all_reduce import AllReduce, find_means
from tf2towers.runtime.graph_session.mirror import Mirror
from tf2towers.runtime.graph_session.nodes import Nodes, TensorName, parse, written
from tf2towers.runtime.graph_session.placement import place
from tf2towers.runtime.graph_session.resources import name_resources
from tf2towers.runtime.graph_session.towers import Towers


class Program:
    """A graph as it is now, with its towers and the copies of its variables."""

    def __init__(self, graph: tf.Graph) -> None:
        self.nodes = Nodes(graph)
        self.towers = Towers(graph, self.nodes.by_name.values())
        self.mirror = Mirror(self.nodes, self.towers)

    def function(
        self, fetches: Sequence[tf.Tensor], targets: Sequence[tf.Operation], feeds: Sequence[tf.Tensor], container: str,
        all_reduce: bool = True,
    ) -> Callable[..., list[Any]]:  # fmt: skip
        """The function of a run.

        Args:
            fetches: tensors whose values it returns, in this order.
            targets: operations to run beside them.
            feeds: tensors whose values are its arguments, in this order.
            container: the session's, for variables and resources.
            all_reduce: whether means over towers become all-reduces.

        Returns:
            A function of eager tensors, to be called in eager mode.
        """
        fed = {parse(tensor.name): f"feed_{index}" for index, tensor in enumerate(feeds)}
        wanted = [parse(tensor.name) for tensor in fetches]
        ends = dict.fromkeys([name.node for name in wanted if name not in fed] + [one.name for one in targets])
        part = [_copy(node) for node in self.nodes.needed(ends, set(fed))]
        for node in part:
            for index, text in enumerate(node.input):
                source = fed.get(parse(text))
                if source is not None:
                    node.input[index] = source
        placeholders = []
        for tensor in feeds:
            node = tf.compat.v1.NodeDef(name=fed[parse(tensor.name)], op="Placeholder")
            node.attr["dtype"].type = tensor.dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())
            placeholders.append(node)
        reducer = AllReduce(find_means(part, self.towers) if all_reduce else [], part, self.towers, self.nodes.graph)
        made, reduced = reducer.added()
        more, extra = self.mirror.apply(part, reduced, [one.name for one in targets])
        settled = {node.name: node.device for node in part if node.device.startswith("/job:")}
        place([node for node in part if node.name not in settled], self.towers, set(fed.values()))
        for node in [*part, *more]:
            if "_class" in node.attr:
                del node.attr["_class"]
        definition = tf.compat.v1.GraphDef(versions=self.nodes.versions, library=self.nodes.library)
        definition.node.extend([*placeholders, *part, *made, *more])
        name_resources(list(definition.node), container)
        outputs = [written_tensor(fed, name) for name in wanted]
        return _imported(definition, [node.name for node in placeholders], outputs, [*[t.name for t in targets], *extra])


def written_tensor(fed: dict[TensorName, str], name: TensorName) -> str:
    """The tensor's name in the function: a fed one's is its placeholder's."""
    return f"{fed[name]}:0" if name in fed else f"{name.node}:{name.output}"


def _copy(node: Any) -> Any:
    made = tf.compat.v1.NodeDef()
    made.CopyFrom(node)
    return made


def _imported(definition: Any, feeds: Sequence[str], outputs: Sequence[str], targets: Sequence[str]) -> Callable[..., Any]:
    def build() -> None:
        tf.graph_util.import_graph_def(definition, name="")

    wrapped = tf.compat.v1.wrap_function(build, [])
    graph = wrapped.graph
    inputs = [graph.get_tensor_by_name(f"{name}:0") for name in feeds]
    specs = [tf.TensorSpec(one.shape, one.dtype) for one in inputs]
    pruned = wrapped.prune(
        inputs,
        ([graph.get_tensor_by_name(name) for name in outputs], [graph.get_operation_by_name(name) for name in targets]),
        input_signature=(specs, {}),
    )

    def call(*values: Any) -> list[Any]:
        return pruned(*values)[0]  # type: ignore[no-any-return]

    call.keeps = wrapped  # type: ignore[attr-defined]
    return call


__all__ = ["Program", "written"]
