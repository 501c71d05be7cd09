"""The tower loop: `for i in range(num_gpus): with tf.device('/gpu:%d' % i): ... compute_gradients`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.python_code.data_flow import flow_of, names_in, target_names
from tf2towers.program.python_code.search import assigned_name, find_all

_RANGES = frozenset(
    {"builtins.range", "builtins.xrange", "six.moves.range", "six.moves.xrange", "range", "xrange"}
)
_GRADIENTS = frozenset({"tf.gradients"})


@dataclass(eq=False)
class TowerLoop:
    """One tower loop and where it stands.

    `device` is the expression each tower gave `tf.device`, in terms of the loop's target; `parents` are the nodes
    around the loop, outermost first; `owner` is the function or module whose statements build the graph.
    """

    loop: cst.For
    device_with: cst.With
    device: cst.BaseExpression
    parents: tuple[cst.CSTNode, ...]
    has_gradients: bool
    body_bound: dict[str, cst.BaseExpression] = field(default_factory=dict)
    cluster: Cluster | None = None  # a worker of a parameter-server program
    is_loop: bool = True  # else the program has no towers, and this stands for the loop

    @property
    def is_of_devices(self) -> bool:
        """Whether the program has neither towers nor a cluster, and only puts values on devices."""
        return not self.is_loop and self.cluster is None

    @property
    def owner(self) -> cst.FunctionDef | cst.Module:
        """The innermost function around the loop, or the module."""
        for parent in reversed(self.parents):
            if isinstance(parent, cst.FunctionDef | cst.Module):
                return parent
        raise AssertionError("a loop stands in a module")


def no_towers(parents: tuple[cst.CSTNode, ...], cluster: Cluster | None = None) -> TowerLoop:
    """What stands for the tower loop in a program that has none: a worker's, or one that puts operations on devices."""
    loop = cst.parse_statement("for __no_tower__ in ():\n    pass")
    stage = cst.parse_statement("with ():\n    pass")
    assert isinstance(loop, cst.For) and isinstance(stage, cst.With)
    return TowerLoop(loop, stage, cst.Name("None"), parents, False, cluster=cluster, is_loop=False)


def find_tower_loops(module: cst.Module, names: Names) -> list[TowerLoop]:
    """Every loop whose body runs on a device named after the loop's target."""
    finder = _LoopFinder(names)
    module.visit(finder)
    return finder.found


class _LoopFinder(cst.CSTVisitor):
    def __init__(self, names: Names) -> None:
        self._names = names
        self._parents: list[cst.CSTNode] = []
        self.found: list[TowerLoop] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseExpression | cst.SimpleStatementLine):
            return False  # loops are statements: nothing to find in an expression
        enter = True
        if isinstance(node, cst.For):
            tower = self._tower(node)
            if tower is not None:
                self.found.append(tower)
                enter = False
        if isinstance(node, cst.Module | cst.BaseCompoundStatement):
            self._parents.append(node)
        return enter

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._parents and self._parents[-1] is original_node:
            self._parents.pop()

    def _tower(self, loop: cst.For) -> TowerLoop | None:
        targets = target_names(loop.target)
        bound = _simple_bindings(loop.body)
        derived = set(targets)
        for name, value in bound.items():
            if names_in(value) & derived:
                derived.add(name)
        for block in find_all(loop.body, cst.With):
            for item in block.items:
                call = item.item
                if (
                    not isinstance(call, cst.Call)
                    or self._names.canonical(call.func) != "tf.device"
                    or not call.args
                ):
                    continue
                device = call.args[0].value
                if names_in(device) & derived:
                    device = self._device_name(device, bound, targets)
                    return TowerLoop(
                        loop, block, device, tuple(self._parents), self._has_gradients(loop), body_bound=bound
                    )
        return None

    def _device_name(
        self, device: cst.BaseExpression, bound: dict[str, cst.BaseExpression], targets: set[str]
    ) -> cst.BaseExpression:
        """The device string: through a name bound in the body, or out of `assign_to_device(string, ...)`."""
        if isinstance(device, cst.Name) and device.value in bound:
            return self._device_name(bound[device.value], bound, targets)
        if isinstance(device, cst.Call):
            if isinstance(device.func, cst.Attribute) and device.func.attr.value == "format":
                return device
            for argument in _by_preference(device.args):
                if names_in(argument.value) & (targets | set(bound)):
                    return self._device_name(argument.value, bound, targets)
        return device

    def _has_gradients(self, loop: cst.For) -> bool:
        for call in find_all(loop.body, cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "compute_gradients":
                return True
            if self._names.canonical(call.func) in _GRADIENTS:
                return True
        return False


def _by_preference(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    return sorted(
        args,
        key=lambda argument: (
            0 if argument.keyword is not None and argument.keyword.value == "worker_device" else 1
        ),
    )


def _simple_bindings(block: cst.BaseSuite) -> dict[str, cst.BaseExpression]:
    """Name -> value of the plain assignments of a loop body, at any depth."""
    bound: dict[str, cst.BaseExpression] = {}
    for assign in find_all(block, cst.Assign):
        name = assigned_name(assign)
        if name is not None:
            bound[name] = assign.value
    return bound


def range_count(loop_iter: cst.BaseExpression, names: Names) -> cst.BaseExpression | None:
    """N of `range(N)`, `xrange(0, N)`; None for any other iterable."""
    if not isinstance(loop_iter, cst.Call) or names.canonical(loop_iter.func) not in _RANGES:
        return None
    args = loop_iter.args
    if len(args) == 1:
        return args[0].value
    if len(args) == 2 and isinstance(args[0].value, cst.Integer) and args[0].value.value == "0":
        return args[1].value
    return None


def accumulators(loop: cst.For) -> set[str]:
    """Names the loop appends to or fills by index: what it collects from the towers."""
    flow = flow_of(loop.body)
    return flow.mutates - target_names(loop.target)
