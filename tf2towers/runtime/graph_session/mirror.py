"""One variable for the script, a copy of it for each tower that reads it.

A read on a tower's device reads that tower's copy. A write, wherever the script put it, is made on all copies
with the same values, and what waits for the write waits for all of them; so no operation can see copies that
differ. A variable that is written in another way (in a branch or a loop, by a function) has one copy, as in
TF1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.as_in_tf1.same_memory import is_same_memory
from tf2towers.runtime.graph_session.nodes import Nodes, TensorName, parse, written
from tf2towers.runtime.graph_session.placement import HOST, device_here
from tf2towers.runtime.graph_session.towers import Towers, place_of

#: they read a variable and leave it as it is
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
_GATHERS = frozenset({"ResourceGather", "ResourceGatherNd"})
#: they hand a variable on, into a branch or a loop
_ALIASES = frozenset({"Identity", "Switch", "Enter"})
#: what `cond(is_variable_initialized(v), v.read_value, lambda: initial_value)` is made of
_READ_IF_INITIALIZED = frozenset(
    {"Const", "Identity", "Merge", "ReadVariableOp", "Switch", "VarHandleOp", "VarIsInitializedOp"}
)
#: writes that can be made on another copy by making them again
_ASSIGNMENTS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
_REPEATED = ("ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStridedSliceAssign")
_FLOATS = frozenset(
    dtype.as_datatype_enum
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128)
)


def copy_name(name: str, tower: int) -> str:
    """The name of what stands on a tower for a variable or an operation; the first tower's is its own."""
    return f"{name}/tower_{tower}" if tower else name


def repeated(node: Any) -> bool:
    """Whether a write can be made on another copy by making it again."""
    return bool(node.op in _ASSIGNMENTS or node.op.startswith(_REPEATED))


class Mirror:
    """The copies of a graph's variables.

    Attributes:
        copies: by the variable's name, the towers that have a copy, the first tower among them; only
            variables with
            two copies and more.
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
        """A variable's value is read outside all device scopes (`ResourceVariable.value`): its tower is its user's."""
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
            if node.op == "VarHandleOp" and node.attr["dtype"].type not in _FLOATS
        }  # fmt: skip
        together: list[list[str]] = []  # what one update changes: a variable and its slots
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
            elif repeated(node) and not self.nodes.in_control_flow(node.name):
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
        """The tower that a node belongs to; None for one outside the towers."""
        if node.device:
            return self._towers.of(node.device)
        return self._reader.get(node.name)

    def variable(self, text: str) -> str | None:
        """The variable that an input of a node is, handed on or not; None for any other tensor."""
        return self._variable_of.get(parse(text).node) if text[0] != "^" else None

    def device(self, tower: int) -> str:
        """A tower's device."""
        return self._towers.devices[tower]

    def home(self, variable: str) -> str:
        """The device of a variable's first copy."""
        if variable in self.copies:
            return self._towers.devices[0]
        node = self.nodes.by_name[variable]
        if place_of(node.device).job not in (None, "localhost"):
            return node.device
        device = device_here(node.device, self._towers)
        if device:
            return device
        return self._towers.first if node.attr["dtype"].type in _FLOATS else HOST

    def apply(
        self,
        part: list[Any],
        reduced: Mapping[str, Sequence[str]],
        targets: Iterable[str],
        fetches: Iterable[str],
    ) -> tuple[list[Any], list[str]]:
        """Puts a part of the graph on the copies. Its nodes are changed in place, devices are still the script's.

        Args:
            reduced: the means that were all-reduced: the name of the mean -> its value on each tower.
            targets: the operations that a run ends with.
            fetches: the nodes whose values it returns.

        Returns:
            The nodes that came to it, and operations to be run beside the targets.
        """
        return _Application(self, self._towers, part, reduced).result(targets, fetches)


class _Application:
    def __init__(
        self, mirror: Mirror, towers: Towers, part: list[Any], reduced: Mapping[str, Sequence[str]]
    ) -> None:
        self._mirror = mirror
        self._towers = towers
        self._part = part
        self._reduced = reduced
        self._by_name = {node.name: node for node in part}
        self._made: dict[str, Any] = {}
        self._depends: set[str] = set(reduced)  # nodes computed from an all-reduced mean
        self._followers: dict[str, list[str]] = {}  # a write -> the same on the other copies
        self._writers: dict[str, list[str]] = {}
        self._early_reads: dict[
            tuple[str, int], list[str]
        ] = {}  # of a variable's copy: reads that wait for nothing
        self._gathers: list[
            tuple[str, int, str]
        ] = []  # reads of rows: the variable, the tower of the copy, the read

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
        late = {} if own_resources.switched_on else self._apart(fetches)
        self._gather_first()
        self._read_first()
        self._read_first_if_initialized(set(late))
        self._read_last(late)
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
            if node.op == "ReadVariableOp" and self._waits_for_nothing(node):
                self._early_reads.setdefault((first, tower), []).append(node.name)
            elif node.op in _GATHERS and not self._mirror.nodes.in_control_flow(node.name):
                self._gathers.append((first, tower, node.name))
            node.input[0] = self._handle(node.input[0], tower)
            node.device = self._towers.devices[tower] if first in copies else self._mirror.home(first)
        else:
            for name in dict.fromkeys(variables):
                self._writers.setdefault(name, []).append(node.name)
            if repeated(node):
                node.device = self._mirror.home(first)
            for tower in copies.get(first, (0,))[1:]:
                self._repeat(node, tower)

    def _handle(self, text: str, tower: int) -> str:
        """A tower's copy of a variable, handed on as the variable was."""
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
        made = tf.compat.v1.NodeDef()
        made.CopyFrom(node)
        made.name, made.device = name, self._towers.devices[tower]
        self._made[name] = made
        return made

    def _repeat(self, node: Any, tower: int) -> None:
        """The same write on another tower's copy, with that tower's own all-reduced means."""
        made = self._copied(node, copy_name(node.name, tower), tower)
        for index, text in enumerate(node.input):
            own = self._mirror.variable(text)
            made.input[index] = self._handle(text, tower) if own else self._value_on(parse(text), tower)
        self._followers.setdefault(node.name, []).append(made.name)

    def _value_on(self, name: TensorName, tower: int) -> str:
        """A value as the tower itself has it: computed there from its all-reduced means; else the one there is."""
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
        """What waits for a write waits for all copies; writes of one variable come in the order they were built.

        That order is one of those TF1 could have taken, and it is the same for all copies.
        """
        added: dict[str, list[str]] = {}
        for variable, names in self._writers.items():
            if variable in self._mirror.copies:
                for before, after in itertools.pairwise(names):
                    added.setdefault(after, []).extend([before, *self._followers.get(before, ())])
        for name, waits in list(added.items()):
            for follower in self._followers.get(name, ()):
                added[follower] = waits
        for node in [*self._part, *self._made.values()]:
            waits = [
                follower
                for source in dict.fromkeys(parse(text).node for text in node.input)
                for follower in self._followers.get(source, ())
            ]
            have = set(node.input)
            node.input.extend(
                f"^{name}"
                for name in dict.fromkeys([*waits, *added.get(node.name, ())])
                if f"^{name}" not in have
            )

    def _apart(self, fetches: Iterable[str]) -> dict[str, str]:
        """The reads that give fetched variables, which come after the run's writes: the read -> its variable.

        In TF1 `tf.identity(w)`, `w.value()`, `w.read_value()` and `w[:]` were the variable's memory, as `w` itself
        was: what was fetched of them was what the run's writes had left there. What else in the run takes a value of
        them gets copies, which are read before the writes.
        """
        late: dict[str, str] = {}
        chains: dict[str, tuple[Any, str]] = {}  # their nodes, and where the variable is read
        for name in dict.fromkeys(fetches):
            chain: list[Any] = []
            node = self._by_name.get(name)
            while (
                node is not None
                and is_same_memory(node.op, self._mirror.nodes.operation(node.name))
                and not self._mirror.nodes.in_control_flow(node.name)
            ):
                chain.append(node)
                node = self._by_name.get(parse(node.input[0]).node)
            if node is None or node.op != "ReadVariableOp" or self._mirror.nodes.in_control_flow(node.name):
                continue
            variable = self._mirror.variable(self._mirror.nodes.by_name[node.name].input[0])
            if variable is None or variable not in self._writers or self._is_elsewhere(variable):
                continue
            late[node.name] = variable
            chains.update((part.name, (part, node.device)) for part in (*chain, node))
        taken = set()
        for user in (*self._part, *self._made.values()):
            if user.name in chains:
                continue
            for place, text in enumerate(user.input):
                source = parse(text)
                if source.node in chains:
                    user.input[place] = written(source._replace(node=f"{source.node}/apart"))
                    taken.add(source.node)
        while taken:
            name = taken.pop()
            if f"{name}/apart" in self._made:
                continue
            copied = tf.compat.v1.NodeDef()
            copied.CopyFrom(chains[name][0])
            copied.name, copied.device = f"{name}/apart", chains[name][1]
            self._made[copied.name] = copied
            for place, text in enumerate(copied.input):
                source = parse(text)
                if source.node in chains:
                    copied.input[place] = written(source._replace(node=f"{source.node}/apart"))
                    taken.add(source.node)
            for names in self._early_reads.values():
                if name in names:
                    names.append(copied.name)
        for names in self._early_reads.values():
            names[:] = [name for name in names if name not in late]
        return late

    def _gather_first(self) -> None:
        """Rows of a variable come before its run's writes as well, where nothing that they need waits for one."""
        if not self._gathers or not self._writers:
            return
        behind = {name for names in self._writers.values() for name in names}
        behind |= {node.name for node in self._part if self._mirror.nodes.in_control_flow(node.name)}
        needs = {node.name: {parse(text).node for text in node.input} for node in self._part}
        while found := {name for name, inputs in needs.items() if name not in behind and inputs & behind}:
            behind |= found  # whatever order the nodes are in
        for variable, tower, name in self._gathers:
            if name not in behind:
                self._early_reads.setdefault((variable, tower), []).append(name)

    def _read_first(self) -> None:
        """A read that waits for nothing comes before its run's writes: a run computes with what there was before it.

        TF1 left their order open, and most often read first. No read needs what waits for a write, so nothing can wait
        in a circle.
        On a parameter server that is so of what is fetched as well: the worker asked for it at once.
        """
        nodes = self._mirror.nodes
        for variable, writers in self._writers.items():
            copies = self._mirror.copies.get(variable, [0])
            reads = [
                [
                    f"^{name}"
                    for name in self._early_reads.get((variable, tower), ())
                    if not nodes.in_control_flow(name)
                ]
                for tower in copies
            ]
            for writer in writers:
                if writer == f"{variable}/Assign" or nodes.in_control_flow(writer):
                    continue
                for name, tower_reads in zip((writer, *self._followers.get(writer, ())), reads, strict=False):
                    node = self._made.get(name) or self._by_name[name]
                    node.input.extend(read for read in tower_reads if read not in node.input)

    def _read_first_if_initialized(self, fetches: set[str]) -> None:
        """The same for a variable that is read in a branch, if it is initialized: so hooks read the global step.

        A branch cannot be waited for, but the `Merge` behind it can. On a parameter server as well TF1's hooks got the
        step before the update, which waits for gradients (TF 1.15: 200 of 200 runs).
        """
        for node in self._part:
            if node.op != "Merge" or self._mirror.nodes.in_control_flow(node.name):
                continue
            variable = self._read_if_initialized(node, fetches)
            if variable is None:
                continue
            for name in self._writers.get(variable, ()):
                if name != f"{variable}/Assign" and not self._mirror.nodes.in_control_flow(name):
                    for write in (name, *self._followers.get(name, ())):
                        writer = self._made.get(write) or self._by_name[write]
                        if f"^{node.name}" not in writer.input:
                            writer.input.append(f"^{node.name}")

    def _read_if_initialized(self, merge: Any, fetches: set[str]) -> str | None:
        """The variable whose value, or else a constant, leaves a branch; None for a branch that needs anything else."""
        found = {merge.name}
        waiting, variables = [merge], set()
        while waiting:
            node = waiting.pop()
            if node is None or node.op not in _READ_IF_INITIALIZED or node.name in fetches - {merge.name}:
                return None
            if node.op == "VarHandleOp":
                variables.add(node.name)
            sources = {parse(text).node for text in node.input} - found
            found |= sources
            waiting += [self._by_name.get(name) for name in sources]
        return variables.pop() if len(variables) == 1 else None

    def _waits_for_nothing(self, node: Any) -> bool:
        """Whether a read's only input is the variable itself."""
        handle = self._mirror.nodes.by_name[parse(node.input[0]).node]
        return len(node.input) == 1 and handle.op == "VarHandleOp" and not handle.input

    def _is_elsewhere(self, variable: str) -> bool:
        """Whether a variable is on another machine."""
        return place_of(self._mirror.home(variable)).job not in (None, "localhost")

    def _read_last(self, late: Mapping[str, str]) -> None:
        """A variable that is fetched itself is read after the run's writes: TF1 returned the memory they had changed.

        One on another machine was sent at once, before them.
        """
        for name, variable in late.items():
            self._by_name[name].input.extend(
                f"^{write}"
                for writer in self._writers[variable]
                if not self._mirror.nodes.in_control_flow(writer)
                for write in (writer, *self._followers.get(writer, ()))
            )
