"""Keeps a copy of each variable for each tower that reads it; the script sees one variable.

A read on a tower's device reads that tower's copy. A write, whatever its device, is repeated on all
copies with the same values, and ops that wait for the write wait for all of these writes; so no op
can see copies that differ. A variable that is written in another way (in a branch or a loop, by a
function) has one copy, as in TF1. So has one that a parameter server holds: other workers use it as
well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import Nodes, TensorName, copy_name, copy_of, parse, written
from tf2towers.runtime.graph_session.order import Accesses, Read, settle_order
from tf2towers.runtime.graph_session.placement import HOST, device_here
from tf2towers.runtime.graph_session.towers import Towers, place_of

#: ops that read a variable and do not change it
READS = frozenset(
    {
        "ReadVariableOp",
        "ResourceGather",
        "ResourceGatherNd",
        "VariableShape",
        "VarIsInitializedOp",
        "DisableCopyOnRead",
    }
)
#: ops that return a variable's value, or rows of it
_VALUES = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd"})
#: ops that pass a variable's handle on, into a branch or a loop
_ALIASES = frozenset({"Identity", "Switch", "Enter"})
#: writes that can be repeated on another copy
_ASSIGNMENTS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
_REPEATED = ("ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStridedSliceAssign")
_FLOATS = frozenset(
    dtype.as_datatype_enum
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128)
)


def can_be_repeated(node: Any) -> bool:
    """True if a write can be repeated on another copy of the variable."""
    return bool(node.op in _ASSIGNMENTS or node.op.startswith(_REPEATED))


def _is_elsewhere(node: Any) -> bool:
    """True if a node's device is of another task."""
    return place_of(node.device).job not in (None, "localhost")


class Mirror:
    """The copies of a graph's variables.

    Attributes:
        copies: variable's name -> the towers that have a copy, the first tower included; only
            variables with two copies or more.
    """

    def __init__(self, nodes: Nodes, towers: Towers) -> None:
        self.nodes = nodes
        self._towers = towers
        self._reader: dict[str, int] = {}  # a read without a device -> the tower that uses it
        self._variable_of: dict[str, str] = {}  # a variable's node or an alias of it -> the variable
        for name, node in nodes.by_name.items():
            if node.op == "VarHandleOp":
                self._variable_of[name] = name
            elif node.op in _ALIASES and (variable := self._variable_of.get(parse(node.input[0]).node)):
                self._variable_of[name] = variable
        self.copies: dict[str, list[int]] = {}
        if towers.count > 1:
            self._find_towers_of_reads()
            self._find_copies()

    def _find_towers_of_reads(self) -> None:
        """Finds the tower of each read outside all device scopes: the tower of its user."""
        for node in reversed(self.nodes.by_name.values()):
            tower = self.tower_of(node)
            if tower is None:
                continue
            for text in node.input:
                source = self.nodes.by_name[parse(text).node]
                if not source.device and source.op in (*READS, "Identity") and text[0] != "^":
                    self._reader[source.name] = tower

    def _find_copies(self) -> None:
        wanted: dict[str, set[int]] = {}
        single = {
            name for name, node in self.nodes.by_name.items()
            if node.op == "VarHandleOp" and (node.attr["dtype"].type not in _FLOATS or _is_elsewhere(node))
        }  # fmt: skip
        together: list[list[str]] = []  # variables that one update changes: a variable and its slots
        for node in self.nodes.by_name.values():
            if node.op in _ALIASES and node.name in self._variable_of:
                continue
            names = [name for name in map(self.variable, node.input) if name]
            if not names:
                continue
            if node.op in READS:
                tower = self.tower_of(node)
                if tower:
                    wanted.setdefault(names[0], set()).add(tower)
            elif can_be_repeated(node) and not self.nodes.in_control_flow(node.name):
                together.append(names)
            else:
                single.update(names)
        changed = True
        while changed:
            changed = False
            for names in together:
                union = set().union(*(wanted.get(name, set()) for name in names))
                for name in names:
                    if union - wanted.get(name, set()):
                        wanted.setdefault(name, set()).update(union)
                        changed = True
                    if name not in single and any(other in single for other in names):
                        single.add(name)
                        changed = True
        self.copies = {
            name: [0, *sorted(found)] for name, found in wanted.items() if found and name not in single
        }

    def tower_of(self, node: Any) -> int | None:
        """The tower that a node belongs to; None for a node outside the towers."""
        if node.device:
            return self._towers.of(node.device)
        return self._reader.get(node.name)

    def variable(self, text: str) -> str | None:
        """The variable whose handle an input is, directly or passed on; None for other tensors."""
        return self._variable_of.get(parse(text).node) if text[0] != "^" else None

    def device(self, tower: int) -> str:
        """A tower's device."""
        return self._towers.devices[tower]

    def home(self, variable: str) -> str:
        """The device of a variable's first copy."""
        if variable in self.copies:
            return self._towers.devices[0]
        node = self.nodes.by_name[variable]
        if _is_elsewhere(node):
            return node.device
        device = device_here(node.device, self._towers)
        if device:
            return device
        return self._towers.first if node.attr["dtype"].type in _FLOATS else HOST

    def apply(
        self,
        part: list[Any],
        reduced: Mapping[str, Sequence[str]],
        others: Sequence[Any],
        targets: Iterable[str],
        fetches: Iterable[str],
    ) -> tuple[list[Any], list[str]]:
        """Makes a part of the graph use the copies: changes its nodes, which keep their devices.

        Args:
            reduced: the means that were all-reduced: name of the mean -> its value on each tower.
            others: the nodes that compute these means.
            targets: the operations to run.
            fetches: the nodes whose values the run returns.

        Returns:
            The new nodes, and further operations to run with the targets.
        """
        return _Application(self, self._towers, part, reduced, others).result(targets, fetches)


class _Application:
    def __init__(
        self,
        mirror: Mirror,
        towers: Towers,
        part: list[Any],
        reduced: Mapping[str, Sequence[str]],
        others: Sequence[Any],
    ) -> None:
        self._mirror = mirror
        self._others = others
        self._towers = towers
        self._part = part
        self._reduced = reduced
        self._by_name = {node.name: node for node in part}
        self._made: dict[str, Any] = {}
        self._depends: set[str] = set(reduced)  # nodes computed from an all-reduced mean
        self._followers: dict[str, list[str]] = {}  # a write -> its repetitions on the other copies
        self._writers: dict[str, list[str]] = {}
        self._reads: list[Read] = []

    def result(self, targets: Iterable[str], fetches: Iterable[str]) -> tuple[list[Any], list[str]]:
        self._find_dependants()
        for node in self._part:
            if node.op == "VarHandleOp":
                node.device = self._mirror.home(node.name)
                continue
            variables = [name for text in node.input if (name := self._mirror.variable(text))]
            if variables:
                self._use(node, variables)
        self._wait_for_followers()
        used = {*self._writers, *(read.variable for read in self._reads)}
        elsewhere = frozenset(name for name in used if self._is_elsewhere(name))
        accesses = Accesses(self._reads, self._writers, self._followers, self._mirror.copies, elsewhere)
        settle_order(self._mirror.nodes, self._part, self._made, self._others, accesses, fetches)
        extra = [name for target in [*targets, *fetches] for name in self._followers.get(target, ())]
        return list(self._made.values()), extra

    def _find_dependants(self) -> None:
        for node in self._part:
            if any(parse(text).node in self._depends and text[0] != "^" for text in node.input):
                self._depends.add(node.name)

    def _use(self, node: Any, variables: list[str]) -> None:
        copies = self._mirror.copies
        first = variables[0]
        if node.op in _ALIASES and node.name in self._mirror._variable_of:
            node.device = self._mirror.home(first)
        elif node.op in READS:
            tower = self._mirror.tower_of(node) or 0
            tower = tower if tower in copies.get(first, ()) else 0
            if node.op in _VALUES:
                self._reads.append(Read(first, tower, node.name))
            node.input[0] = self._handle(node.input[0], tower)
            node.device = self._towers.devices[tower] if first in copies else self._mirror.home(first)
        else:
            for name in dict.fromkeys(variables):
                self._writers.setdefault(name, []).append(node.name)
            if can_be_repeated(node):
                node.device = self._mirror.home(first)
            for tower in copies.get(first, (0,))[1:]:
                self._repeat(node, tower)

    def _handle(self, text: str, tower: int) -> str:
        """The handle of a tower's copy, passed on through the same ops as the variable's handle."""
        if not tower:
            return text
        name = parse(text)
        made = copy_name(name.node, tower)
        if made not in self._made:
            node = self._copied(self._mirror.nodes.by_name[name.node], made, tower)
            if node.op == "VarHandleOp":
                node.attr["shared_name"].s = made.encode()
            else:
                node.input[0] = self._handle(node.input[0], tower)
        return written(TensorName(made, name.output))

    def _copied(self, node: Any, name: str, tower: int) -> Any:
        made = copy_of(node)
        made.name, made.device = name, self._towers.devices[tower]
        self._made[name] = made
        return made

    def _repeat(self, node: Any, tower: int) -> None:
        """Repeats a write on another tower's copy, with that tower's own all-reduced means."""
        made = self._copied(node, copy_name(node.name, tower), tower)
        for index, text in enumerate(node.input):
            own = self._mirror.variable(text)
            made.input[index] = self._handle(text, tower) if own else self._value_on(parse(text), tower)
        self._followers.setdefault(node.name, []).append(made.name)

    def _value_on(self, name: TensorName, tower: int) -> str:
        """A value computed on the tower of its own all-reduced means; without any, the tensor."""
        if name.output < 0 or name.node not in self._depends:
            return written(name)
        if name.node in self._reduced:
            return self._reduced[name.node][tower]
        node = self._by_name[name.node]
        if not self._mirror.nodes.stateless(name.node) or self._mirror.nodes.in_control_flow(name.node):
            return written(name)
        copied = copy_name(name.node, tower)
        if copied not in self._made:
            made = self._copied(node, copied, tower)
            for index, text in enumerate(node.input):
                made.input[index] = self._value_on(parse(text), tower)
        return written(TensorName(copied, name.output))

    def _wait_for_followers(self) -> None:
        """Makes ops that wait for a write wait for its repetitions on the other copies, too."""
        for node in [*self._part, *self._made.values()]:
            waits = [
                f"^{follower}"
                for source in dict.fromkeys(parse(text).node for text in node.input)
                for follower in self._followers.get(source, ())
            ]
            have = set(node.input)
            node.input.extend(wait for wait in dict.fromkeys(waits) if wait not in have)

    def _is_elsewhere(self, variable: str) -> bool:
        """True if a variable is on another machine."""
        return place_of(self._mirror.home(variable)).job not in (None, "localhost")
