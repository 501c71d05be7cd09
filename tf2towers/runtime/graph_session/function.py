"""A run as a TF 2 function: the part of the graph that it needs, on the strategy's devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.all_reduce import AllReduce, find_means
from tf2towers.runtime.graph_session.catching_up import catch_up
from tf2towers.runtime.graph_session.graph_nodes import Nodes, copy_of, needed, parse
from tf2towers.runtime.graph_session.mirror import Mirror
from tf2towers.runtime.graph_session.placement import place
from tf2towers.runtime.graph_session.randomness import share_states
from tf2towers.runtime.graph_session.resources import make_ends, name_resources, replace_one_shot_iterators
from tf2towers.runtime.graph_session.run import Run
from tf2towers.runtime.graph_session.runs.nested import is_nested, watched
from tf2towers.runtime.graph_session.session_process import Process
from tf2towers.runtime.graph_session.towers import Towers
from tf2towers.runtime.patches.functions import function_of


class Function:
    """A run as a function of eager tensors.

    Attributes:
        resources: the nodes that make resources, which outlive the run.
        beginnings: name of such a node -> the nodes that initialize its resource, if it needs a
            first value.
        alone: seeded random operations that draw a separate sequence in this function.
        called: whether a first call has begun; it is slower, because TensorFlow then optimizes the
            function.
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
        run = Run(self.nodes, fetches, targets, feeds)
        self._process.check(run.part)
        run.feed()
        self._reduce_and_mirror(run)
        self._place(run)
        self._draw(run)
        return self._import(run, container)

    def _reduce_and_mirror(self, run: Run) -> None:
        """Makes all-reduces of the towers' means, and gives each tower its variables' copies."""
        means = find_means(run.part, self.towers) if self._process.collectives else []
        means = [mean for mean in means if not self.nodes.in_control_flow(mean.node.name)]
        made, reduced = AllReduce(means, run.part, self.towers, self.nodes.graph).build()
        fetched = [name.node for name in run.fetches]
        copies, run.ends = self.mirror.apply(run.part, reduced, made, run.targets, fetched)
        run.added = [*made, *copies]

    def _place(self, run: Run) -> None:
        """Gives the part the strategy's devices, except what is settled for another process."""
        here = [node for node in run.part if not node.device.startswith("/job:")]
        place(here, self.towers, set(run.fed.values()))
        for node in [*run.part, *run.added]:
            if "_class" in node.attr:
                del node.attr["_class"]

    def _draw(self, run: Run) -> None:
        """Lets random ops, and iterators made in the run, go on where the last run has ended."""
        drawing, states = share_states(run.part, self.nodes.in_loop)
        counted = catch_up(run.part, self.nodes, self._process.is_elsewhere)
        iterators = replace_one_shot_iterators(run.part)
        run.added += [*drawing, *counted.made]
        run.ends += counted.ends
        run.beginnings = {**states, **counted.begun, **iterators}
        run.functions, run.alone = counted.functions, counted.alone

    def _import(self, run: Run, container: str) -> Function:
        """Names the resources, which outlive the run, and makes the function."""
        resources = [copy_of(held) for held in name_resources(run.nodes, container, self._process)]
        for resource in resources:
            if resource.op == "VarHandleOp":
                del resource.input[:]  # the control input of a random op in a loop
        nodes, outputs = self._process.settle(run.nodes, list(zip(run.outputs, run.dtypes, strict=True)))
        placeholders = [placeholder.name for placeholder in run.placeholders]
        ends = [*run.targets, *run.fetched_branches, *run.ends]
        call = _imported(self._definition(nodes, run.functions), placeholders, outputs, ends)
        return Function(call, resources, run.beginnings, run.alone)

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


def _imported(
    definition: Any, feeds: Sequence[str], outputs: Sequence[str], targets: Sequence[str]
) -> Callable[..., Any]:
    """Builds the function of the nodes that are needed; its arguments are the fed tensors.

    Other nodes would not run, but could do harm: TensorFlow 2.21's executor crashes on a loop's
    unused `Enter`.
    """
    ends = [*feeds, *(parse(output).node for output in outputs), *targets]
    cut = tf.compat.v1.GraphDef(versions=definition.versions, library=definition.library)
    cut.node.extend(needed({node.name: node for node in definition.node}, ends, set()))
    return function_of(cut, feeds, outputs, targets)
