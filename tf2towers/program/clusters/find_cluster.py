"""Finds the cluster of a parameter-server script."""

from __future__ import annotations

import libcst as cst

from tf2towers.names.old_names import todays_name
from tf2towers.names.symbols import Names
from tf2towers.program.clusters.cluster import Cluster, Suite
from tf2towers.program.problem import Problem
from tf2towers.program.python_code.call_arguments import named
from tf2towers.program.python_code.search import assigned_name, find_all, only_small

SYNCHRONOUS = "tf.train.SyncReplicasOptimizer"
SETTER = "tf.train.replica_device_setter"


def find_cluster(module: cst.Module, names: Names) -> Cluster | list[Problem] | None:
    """The script's cluster; the problems where it has one that the tool cannot follow; None where it has none."""
    map_ = _Map(names)
    module.visit(map_)
    if not map_.servers:
        return None
    if len(map_.servers) > 1:
        return [
            Problem(call, "T2T502", "one of several servers: which is this task's?")
            for call, _ in map_.servers
        ]
    server, line = map_.servers[0]
    small = only_small(line)
    name = assigned_name(small) if isinstance(small, cst.Assign) and small.value is server else None
    if name is None:
        return [Problem(server, "T2T502", "a server that is not assigned to a plain name")]
    given = _server_arguments(server)
    if isinstance(given, str):
        return [Problem(server, "T2T502", given)]
    stages = [block for block in map_.stages if map_.owner(block) is map_.owner(line)]
    if not stages:
        return [
            Problem(
                server, "T2T502", "no block on replica_device_setter in the function that makes the server"
            )
        ]
    stage = stages[0]
    parents = map_.parents[stage]
    made = Cluster(server, name, *given, stage, parents, map_.blocks, map_.parents)
    for holder in made.holders:
        if not isinstance(holder, cst.If | cst.With):
            word = type(holder).__name__.lower()
            return [Problem(stage, "T2T502", f"the placed graph stands in a block of its own ({word})")]
    for call in map_.wrapping:
        made.wrapping.append(call)
    return _with_condition(made, map_)


def _with_condition(made: Cluster, map_: _Map) -> Cluster | list[Problem]:
    """The cluster with the condition under which it is synchronous; the problems where that cannot be told."""
    for call in made.wrapping:
        line = map_.lines[call]
        unclear = [Problem(call, "T2T503", "when is the training synchronous? It cannot be told from here")]
        if len(made.wrapping) > 1 or map_.owner(line) is not made.owner:
            return unclear
        inside = list(map_.parents[line])
        inside = [block for block in inside[inside.index(made.owner) + 1 :] if block not in made.holders]
        conditions = [block for block in inside if not isinstance(block, cst.With)]
        if not conditions:
            made.synchronous = cst.Name("True")
            continue
        test = conditions[0]
        below = [*inside, line][inside.index(test) + 1]
        if len(conditions) > 1 or not isinstance(test, cst.If) or map_.blocks.get(below) is not test.body:
            return unclear
        made.synchronous = test.test
    return made


def _server_arguments(
    call: cst.Call,
) -> tuple[cst.BaseExpression, cst.BaseExpression, cst.BaseExpression] | str:
    order = ("server_or_cluster_def", "job_name", "task_index", "protocol", "config", "start")
    if any(arg.star for arg in call.args):
        return "a server with arguments the tool cannot read"
    given = {name: arg.value for name, arg in named(call, order)}
    missing = [parameter for parameter in order[:3] if parameter not in given]
    if missing:
        return f"a server without {' and '.join(missing)}"
    if "start" in given:
        return "a server that is started later"
    return given[order[0]], given[order[1]], given[order[2]]


class _Map(cst.CSTVisitor):
    """Where statements stand, and the calls that make a cluster."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._parents: list[cst.CSTNode] = []
        self._suites: list[Suite] = []
        self._line: cst.CSTNode | None = None
        self._setters: set[str] = set()
        self.blocks: dict[cst.CSTNode, Suite] = {}
        self.parents: dict[cst.CSTNode, tuple[cst.CSTNode, ...]] = {}
        self.lines: dict[cst.Call, cst.CSTNode] = {}
        self.servers: list[tuple[cst.Call, cst.CSTNode]] = []
        self.stages: list[cst.With] = []
        self.wrapping: list[cst.Call] = []

    def owner(self, node: cst.CSTNode) -> cst.CSTNode:
        """The innermost function around a statement, or the module."""
        return next(
            parent
            for parent in reversed(self.parents[node])
            if isinstance(parent, cst.FunctionDef | cst.Module)
        )

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            self.parents[node] = tuple(self._parents)
            if self._suites:
                self.blocks[node] = self._suites[-1]
            self._line = node
        if isinstance(node, cst.Module | cst.BaseCompoundStatement):
            self._parents.append(node)
        if isinstance(node, cst.Module | cst.IndentedBlock):
            self._suites.append(node)
        if isinstance(node, cst.With) and any(self._is_stage(item) for item in node.items):
            self.stages.append(node)
        if isinstance(node, cst.Assign):
            name = assigned_name(node)
            if name is not None and self._is_setter(node.value):
                self._setters.add(name)
        if isinstance(node, cst.Call):
            canonical = todays_name(self._names.canonical(node.func) or "")
            if canonical == "tf.train.Server" and self._line is not None:
                self.servers.append((node, self._line))
            elif canonical == SYNCHRONOUS and self._line is not None:
                self.wrapping.append(node)
                self.lines[node] = self._line
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._parents and self._parents[-1] is original_node:
            self._parents.pop()
        if self._suites and self._suites[-1] is original_node:
            self._suites.pop()

    def _is_setter(self, value: cst.CSTNode) -> bool:
        return isinstance(value, cst.Call) and self._names.canonical(value.func) == SETTER

    def _is_stage(self, item: cst.WithItem) -> bool:
        call = item.item
        if not isinstance(call, cst.Call) or self._names.canonical(call.func) != "tf.device" or not call.args:
            return False
        device = call.args[0].value
        if isinstance(device, cst.Name) and device.value in self._setters:
            return True
        return any(self._is_setter(inner_call) for inner_call in find_all(device, cst.Call))
