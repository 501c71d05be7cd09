"""A run as a TF 2 function: the part of the graph that the fetches need, on the strategy's devices."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.all_reduce import AllReduce, Mean, find_means
from tf2towers.runtime.graph_session.catching_up import catch_up
from tf2towers.runtime.graph_session.mirror import Mirror
from tf2towers.runtime.graph_session.nodes import Nodes, TensorName, copy_of, needed, parse, written
from tf2towers.runtime.graph_session.placement import place
from tf2towers.runtime.graph_session.process import Process
from tf2towers.runtime.graph_session.randomness import share_states
from tf2towers.runtime.graph_session.resources import make_ends, name_resources, replace_one_shot_iterators
from tf2towers.runtime.graph_session.runs.nested import is_nested, watched
from tf2towers.runtime.graph_session.towers import Towers
from tf2towers.runtime.patches.functions import function_of

#: names of the reads that `w.read_value()` makes, and that are made with the variable itself
_READ_VALUE = re.compile(r"(?:^|/)Read(?:_\d+)?/ReadVariableOp(?:_\d+)?$")


class Function:
    """A run as a function of eager tensors.

    Attributes:
        resources: the nodes that make resources, which outlive the run.
        beginnings: name of such a node -> the nodes that initialize its resource, if it needs a first value.
        alone: seeded random operations that draw a separate sequence in this function.
        called: whether a first call has begun; it is slower, because TensorFlow then optimizes the function.
    """

    def __init__(
        self,
        call: Callable[..., list[Any]],
        resources: list[Any],
        beginnings: dict[str, list[Any]],
        alone: Sequence[str],
    ) -> None:
        self._call = call
        self.resources = resources
        self.beginnings = beginnings
        self.alone = alone
        self.called = False

    def __call__(self, values: Sequence[Any], cancelled_by: Any) -> list[Any]:
        """The fetched values.

        Args:
            values: the values of the feeds.
            cancelled_by: a `patches.functions.cancellation_manager()`, which can end the call.
        """
        self.called = True
        if not is_nested():
            return self._call(*values, cancelled_by=cancelled_by)
        with watched():
            return self._call(*values, cancelled_by=cancelled_by)


class Program:
    """The current state of a graph, with its towers and the copies of its variables."""

    def __init__(self, graph: tf.Graph, process: Process) -> None:
        self._process = process
        self.nodes = Nodes(graph)
        process.translate(self.nodes)
        self.towers = Towers(graph, self.nodes.by_name.values())
        self.mirror = Mirror(self.nodes, self.towers)

    def function(
        self, fetches: Sequence[tf.Tensor], targets: Sequence[tf.Operation], feeds: Sequence[tf.Tensor], container: str
    ) -> Function:  # fmt: skip
        """Builds the function of a run.

        Args:
            fetches: tensors whose values the function returns, in this order.
            targets: operations to run as well.
            feeds: tensors whose values are the function's arguments, in this order.
            container: the session's container, for variables and other resources.
        """
        # fed tensor -> its placeholder, which is an argument of the function
        fed = {
            name: f"feed_{index}"
            for index, tensor in enumerate(feeds)
            for name in self._fed_with(parse(tensor.name))
        }
        wanted = [parse(tensor.name) for tensor in fetches]
        ends = dict.fromkeys(
            [name.node for name in wanted if name not in fed] + [target.name for target in targets]
        )
        part = [copy_of(node) for node in self.nodes.needed(ends, set(fed))]
        kept = {node.name for node in part}
        self._process.check(part)
        for node in part:
            if node.op == "Placeholder":
                raise _not_fed(self.nodes.graph.get_operation_by_name(node.name))
            if node.op in ("Variable", "VariableV2", "TemporaryVariable"):
                raise _reference(self.nodes.graph.get_operation_by_name(node.name))
            inputs = list(node.input)
            del node.input[:]
            for name in map(parse, inputs):
                if name in fed:
                    node.input.append(fed[name])
                elif name.output >= 0 or TensorName(name.node, 0) not in fed or name.node in kept:
                    node.input.append(written(name))
        placeholders = [_placeholder(f"feed_{index}", tensor) for index, tensor in enumerate(feeds)]
        means = self._means(part) if self._process.collectives else []
        reducer = AllReduce(means, part, self.towers, self.nodes.graph)
        made, reduced = reducer.build()
        more, extra = self.mirror.apply(
            part, reduced, made, [tensor.name for tensor in targets], [tensor.node for tensor in wanted]
        )
        settled = {node.name: node.device for node in part if node.device.startswith("/job:")}
        place([node for node in part if node.name not in settled], self.towers, set(fed.values()))
        for node in [*part, *more]:
            if "_class" in node.attr:
                del node.attr["_class"]
        drawing, states = share_states(part, self.nodes.in_loop)
        counted = catch_up(part, self.nodes, self._process.is_elsewhere)
        iterators = replace_one_shot_iterators(part)
        nodes = [*placeholders, *part, *made, *more, *drawing, *counted.made]
        resources = [copy_of(held) for held in name_resources(nodes, container, self._process)]
        for resource in resources:
            if resource.op == "VarHandleOp":
                del resource.input[:]  # the control input of a random op in a loop
        outputs = [name_in_function(fed, name) for name in wanted]
        nodes, outputs = self._process.settle(
            nodes, list(zip(outputs, (fetch.dtype for fetch in fetches), strict=True))
        )
        call = _imported(
            self._definition(nodes, counted.functions),
            [placeholder.name for placeholder in placeholders],
            outputs,
            [
                *[target.name for target in targets],
                *self._fetched_branches(wanted, fed),
                *extra,
                *counted.ends,
            ],
        )
        return Function(call, resources, {**states, **counted.begun, **iterators}, counted.alone)

    def _fetched_branches(self, wanted: Sequence[TensorName], fed: Container[TensorName]) -> list[str]:
        """The outputs of `tf.cond` that are fetched, which are made targets, so that Grappler keeps the `tf.cond`.

        If the predicate is a constant, Grappler removes a `tf.cond`, and with it the outside ops that only its dead
        branch uses (a dequeue, an assignment). It keeps the fetches of a session, but not the outputs of a function.
        """
        return [
            name.node
            for name in wanted
            if name not in fed
            and self.nodes.by_name[name.node].op == "Merge"
            and not self.nodes.in_control_flow(name.node)
        ]

    def _means(self, part: list[Any]) -> list[Mean]:
        return [
            mean for mean in find_means(part, self.towers) if not self.nodes.in_control_flow(mean.node.name)
        ]

    def _fed_with(self, name: TensorName) -> list[TensorName]:
        """The tensors whose values a feed sets. Feeding a variable sets all its reads, as in TF1.

        In TF1 `w.value()` was one tensor, which all ops on `w` used; each `w.read_value()` was a tensor of its own.
        """
        node = self.nodes.by_name[name.node]
        variable = node.name if node.op == "VarHandleOp" else self.nodes.variable_read(name.node)
        of_value = variable is None and node.op == "ReadVariableOp" and not own_resources.switched_on
        if of_value:
            variable = parse(node.input[0]).node
        if variable is None:
            return [name]
        users = [user.name for user in self.nodes.by_name.values() if variable in user.input]
        return [
            TensorName(user, 0)
            for user in users
            if self.nodes.by_name[user].op == "ReadVariableOp" and not (of_value and _READ_VALUE.search(user))
        ]

    def beginning(self, resources: list[Any], nodes: list[list[Any]]) -> Callable[..., Any]:
        """Builds a function that initializes resources of a session."""
        all_nodes, _ = self._process.settle(
            [*resources, *(resource for group in nodes for resource in group)]
        )
        return _imported(self._definition(all_nodes), [], [], [group[-1].name for group in nodes])

    def ending(self, resources: list[Any]) -> Callable[..., Any]:
        """Builds a function that releases the resources of a session."""
        nodes, _ = self._process.settle(make_ends(resources))
        ends = [node.name for node in nodes if node.name.endswith("/end")]
        return _imported(self._definition(nodes), [], [], ends)

    def _definition(self, nodes: Sequence[Any], functions: Sequence[Any] = ()) -> Any:
        definition = tf.compat.v1.GraphDef(versions=self.nodes.versions, library=self.nodes.library)
        definition.library.function.extend(functions)
        definition.node.extend(nodes)
        return definition


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


def _imported(
    definition: Any, feeds: Sequence[str], outputs: Sequence[str], targets: Sequence[str]
) -> Callable[..., Any]:
    """Builds the function of the nodes that outputs and targets need, with the fed tensors as its arguments.

    Other nodes would not run, but could do harm: TensorFlow 2.21's executor crashes on a loop's unused `Enter`.
    """
    ends = [*feeds, *(parse(output).node for output in outputs), *targets]
    cut = tf.compat.v1.GraphDef(versions=definition.versions, library=definition.library)
    cut.node.extend(needed({node.name: node for node in definition.node}, ends, set()))
    return function_of(cut, feeds, outputs, targets)
