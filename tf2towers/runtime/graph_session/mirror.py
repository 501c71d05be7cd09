"""One variable for the script, a copy of it for each tower that reads it.

A read on a tower's device reads that tower's copy. A write, wherever the script put it, is made on all copies, and what
waits for the write waits for all of them; so no operation can see copies that differ. Updates of optimizers and assignments
are repeated for each copy with the same values, anything else is followed by a broadcast of the first copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.nodes import Nodes, TensorName, parse, written
from tf2towers.runtime.graph_session.placement import HOST, device_here
from tf2towers.runtime.graph_session.towers import Towers, place_of

#: they read a variable and leave it as it is
READS = frozenset(
    {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp", "DisableCopyOnRead",
     "_ReadVariablesOp"}
)  # fmt: skip
#: they may be repeated on another copy with the same values
_ASSIGNMENTS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
_REPEATED = ("ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStridedSliceAssign")
#: operations that call functions, which may read or write
_FUNCTION_ATTRIBUTES = ("f", "then_branch", "else_branch", "cond", "body", "branches")
_FLOATS = frozenset(
    dtype.as_datatype_enum for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128)
)


def copy_name(variable: str, tower: int) -> str:
    """The name of a variable's copy for a tower; the first copy has the variable's own."""
    return f"{variable}/tower_{tower}" if tower else variable


def repeated(node: Any) -> bool:
    """Whether a write can be made on another copy by making it again."""
    return bool(node.op in _ASSIGNMENTS or node.op.startswith(_REPEATED))


class Mirror:
    """The copies of a graph's variables.

    Attributes:
        copies: by the variable's name, the towers that have a copy, the first tower's among them; only variables with
            two copies and more.
    """

    def __init__(self, nodes: Nodes, towers: Towers) -> None:
        self._nodes = nodes
        self._towers = towers
        self._writing: dict[tuple[str, int], bool] = {}
        self._reader: dict[str, int] = {}  # a read without a device -> the tower that uses it
        self.variables = {name: node for name, node in nodes.by_name.items() if node.op == "VarHandleOp"}
        self.copies: dict[str, list[int]] = {}
        if towers.count > 1:
            self._find_copies()

    def _find_copies(self) -> None:
        self._find_readers()
        wanted: dict[str, set[int]] = {}
        together: list[list[str]] = []  # variables that one update changes or reads: a variable and its slots
        for node in self._nodes.by_name.values():
            names = [name for name in map(self._variable, node.input) if name is not None]
            if not names:
                continue
            tower = self.tower_of(node)
            if tower:
                for name in names:
                    if node.op in READS or not self.writes(node, name):
                        wanted.setdefault(name, set()).add(tower)
            if len(names) > 1 and repeated(node):
                together.append(names)
        changed = True
        while changed:
            changed = False
            for names in together:
                union = set().union(*(wanted.get(name, set()) for name in names))
                for name in names:
                    if union - wanted.get(name, set()):
                        wanted.setdefault(name, set()).update(union)
                        changed = True
        self.copies = {
            name: [0, *sorted(found)]
            for name, found in wanted.items()
            if found and self.variables[name].attr["dtype"].type in _FLOATS
        }

    def _find_readers(self) -> None:
        """A variable's value is read outside all device scopes (`ResourceVariable.value`): its tower is its user's."""
        for node in reversed(self._nodes.by_name.values()):
            tower = self.tower_of(node)
            if tower is None:
                continue
            for text in node.input:
                source = self._nodes.by_name[parse(text).node]
                if not source.device and source.op in (*READS, "Identity") and text[0] != "^":
                    self._reader[source.name] = tower

    def tower_of(self, node: Any) -> int | None:
        """The tower that a node belongs to; None for one outside the towers."""
        if node.device:
            return self._towers.of(node.device)
        return self._reader.get(node.name)

    def _variable(self, text: str) -> str | None:
        name = parse(text)
        return name.node if name.output == 0 and name.node in self.variables else None

    def writes(self, node: Any, variable: str) -> bool:
        """Whether a node may change a variable that it is given; what is not known to read is taken to write."""
        if node.op in READS:
            return False
        for index, text in enumerate(node.input):
            if self._variable(text) == variable and self._writes_argument(node, index):
                return True
        return False

    def _writes_argument(self, node: Any, index: int) -> bool:
        """Whether a node changes the resource of one of its inputs, looking into the functions that it calls."""
        if node.op in READS:
            return False
        if node.op == "Identity":
            return True  # an alias: not followed
        called: list[str] = []
        for attribute in _FUNCTION_ATTRIBUTES:
            value = node.attr[attribute] if attribute in node.attr else None
            if value is not None:
                called += [value.func.name] if value.func.name else [one.name for one in value.list.func]
        if not called:
            return True
        offset = 1 if node.op in ("If", "StatelessIf", "Case", "StatelessCase") else 0
        return any(self._function_writes(name, index - offset) for name in called)

    def _function_writes(self, function: str, argument: int) -> bool:
        key = (function, argument)
        if key in self._writing:
            return self._writing[key]
        self._writing[key] = False  # a recursive call adds nothing
        definition = self._nodes.functions.get(function)
        if definition is None or argument >= len(definition.signature.input_arg):
            self._writing[key] = True
            return True
        aliases = {definition.signature.input_arg[argument].name}
        found = False
        for node in definition.node_def:
            for index, text in enumerate(node.input):
                if text.partition(":")[0] not in aliases or text[0] == "^":
                    continue
                if node.op == "Identity":
                    aliases.add(node.name)
                elif node.op not in READS and self._writes_argument(node, index):
                    found = True
        self._writing[key] = found
        return found

    def home(self, variable: str) -> str:
        """The device of a variable's first copy."""
        if variable in self.copies:
            return self._towers.devices[0]
        node = self.variables[variable]
        device = device_here(node.device, self._towers)
        if place_of(node.device).job not in (None, "localhost"):
            return node.device  # type: ignore[no-any-return]
        if device:
            return device
        return self._towers.devices[0] if self._towers.devices and node.attr["dtype"].type in _FLOATS else HOST

    def apply(
        self, part: list[Any], reduced: Mapping[str, Sequence[str]], targets: Iterable[str], fetches: Iterable[str]
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
    def __init__(self, mirror: Mirror, towers: Towers, part: list[Any], reduced: Mapping[str, Sequence[str]]) -> None:
        self._mirror = mirror
        self._towers = towers
        self._part = part
        self._reduced = reduced
        self._by_name = {node.name: node for node in part}
        self._made: list[Any] = []
        self._handles: set[str] = set()
        self._on_tower: dict[tuple[str, int], str] = {}
        self._depends: set[str] = set(reduced)  # nodes computed from an all-reduced mean
        self._followers: dict[str, list[str]] = {}  # a write -> the operations that bring it to the other copies
        self._writers: dict[str, list[str]] = {}

    def result(self, targets: Iterable[str], fetches: Iterable[str]) -> tuple[list[Any], list[str]]:
        self._find_dependants()
        for node in self._part:
            if node.op == "VarHandleOp":
                node.device = self._mirror.home(node.name)
                continue
            variables = [(index, name) for index, text in enumerate(node.input) if (name := self._variable(text))]
            if variables:
                self._use(node, variables)
        self._wait_for_followers()
        self._read_last(fetches)
        extra = [name for target in [*targets, *fetches] for name in self._followers.get(target, ())]
        return self._made, extra

    def _variable(self, text: str) -> str | None:
        name = parse(text)
        node = self._by_name.get(name.node)
        return name.node if name.output == 0 and node is not None and node.op == "VarHandleOp" else None

    def _find_dependants(self) -> None:
        for node in self._part:
            if node.name not in self._depends and any(
                parse(text).node in self._depends and text[0] != "^" for text in node.input
            ):
                self._depends.add(node.name)

    def _use(self, node: Any, variables: list[tuple[int, str]]) -> None:
        copies = self._mirror.copies
        written_to = [name for _, name in variables if self._mirror.writes(node, name)]
        if not written_to:
            tower = self._mirror.tower_of(node) or 0
            for index, name in variables:
                chosen = tower if tower in copies.get(name, ()) else 0
                node.input[index] = self._handle(name, chosen)
            first = variables[0][1]
            if node.op in READS:
                chosen = tower if tower in copies.get(first, ()) else 0
                node.device = self._towers.devices[chosen] if first in copies else self._mirror.home(first)
            return
        for name in dict.fromkeys(written_to):
            self._writers.setdefault(name, []).append(node.name)
        if node.op in _ASSIGNMENTS or repeated(node):
            node.device = self._mirror.home(variables[0][1])
        mirrored = [name for _, name in variables if name in copies]
        if not mirrored:
            return
        if repeated(node) and len(mirrored) == len(variables):
            for tower in copies[mirrored[0]][1:]:
                self._repeat(node, tower)
        else:
            for name in dict.fromkeys(one for one in written_to if one in copies):
                self._broadcast(node, name)

    def _read_last(self, fetches: Iterable[str]) -> None:
        """A variable that is fetched itself is read after the run's writes: TF1 returned the memory they had changed.

        One on another machine was sent at once, before them.
        """
        for name in fetches:
            node = self._by_name.get(name)
            if node is None or node.op != "ReadVariableOp":
                continue
            variable = parse(node.input[0]).node.partition("/tower_")[0]
            if node.name != f"{variable}/Read/ReadVariableOp" or place_of(node.device).job not in (None, "localhost"):
                continue
            writers = [one for name in self._writers.get(variable, ()) for one in (name, *self._followers.get(name, ()))]
            node.input.extend(f"^{one}" for one in writers)

    def _handle(self, variable: str, tower: int) -> str:
        name = copy_name(variable, tower)
        if tower and name not in self._handles:
            self._handles.add(name)
            node = tf.compat.v1.NodeDef()
            node.CopyFrom(self._mirror.variables[variable])
            node.name, node.device = name, self._towers.devices[tower]
            node.attr["shared_name"].s = name.encode()
            self._made.append(node)
        return name

    def _repeat(self, node: Any, tower: int) -> None:
        """The same write on another tower's copy, with that tower's own all-reduced means."""
        made = tf.compat.v1.NodeDef()
        made.CopyFrom(node)
        made.name = f"{node.name}/tower_{tower}"
        made.device = self._towers.devices[tower]
        for index, text in enumerate(node.input):
            variable = self._variable(text)
            made.input[index] = self._handle(variable, tower) if variable else self._value_on(parse(text), tower)
        self._made.append(made)
        self._followers.setdefault(node.name, []).append(made.name)

    def _value_on(self, name: TensorName, tower: int) -> str:
        """A value as the tower itself has it: computed there from its all-reduced means; else the one there is."""
        if name.output < 0 or name.node not in self._depends:
            return written(name)
        if name.node in self._reduced:
            return self._reduced[name.node][tower]
        node = self._by_name[name.node]
        operation = self._operation(name.node)
        if operation is None or operation.op_def.is_stateful or node.op in ("Placeholder", "PlaceholderWithDefault"):
            return written(name)
        key = (name.node, tower)
        if key not in self._on_tower:
            made = tf.compat.v1.NodeDef()
            made.CopyFrom(node)
            made.name = f"{node.name}/tower_{tower}"
            made.device = self._towers.devices[tower]
            self._on_tower[key] = made.name
            for index, text in enumerate(node.input):
                made.input[index] = self._value_on(parse(text), tower)
            self._made.append(made)
        return written(TensorName(self._on_tower[key], name.output))

    def _operation(self, name: str) -> Any:
        try:
            return self._mirror._nodes.graph.get_operation_by_name(name)
        except KeyError:
            return None

    def _broadcast(self, node: Any, variable: str) -> None:
        """The first copy's value to the others, after a write that cannot be repeated."""
        dtype = self._mirror.variables[variable].attr["dtype"].type
        read = tf.compat.v1.NodeDef(
            name=f"{node.name}/{variable.replace('/', '.')}/written", op="ReadVariableOp",
            input=[variable, f"^{node.name}"], device=self._towers.devices[0],
        )  # fmt: skip
        read.attr["dtype"].type = dtype
        self._made.append(read)
        followers = self._followers.setdefault(node.name, [])
        followers.append(read.name)
        for tower in self._mirror.copies[variable][1:]:
            made = tf.compat.v1.NodeDef(
                name=f"{read.name}/tower_{tower}", op="AssignVariableOp",
                input=[self._handle(variable, tower), read.name], device=self._towers.devices[tower],
            )  # fmt: skip
            made.attr["dtype"].type = dtype
            self._made.append(made)
            followers.append(made.name)

    def _wait_for_followers(self) -> None:
        """What waits for a write waits for all copies; writes of one variable come in the order they were built.

        That order is one of those TF1 could have taken, and it is the same for all copies.
        """
        added: dict[str, list[str]] = {}
        for variable, names in self._writers.items():
            if variable not in self._mirror.copies:
                continue
            for before, after in zip(names, names[1:], strict=False):
                if before != after:
                    added.setdefault(after, []).extend([before, *self._followers.get(before, ())])
        for node in [*self._part, *self._made]:
            waits = [
                follower
                for source in dict.fromkeys(parse(text).node for text in node.input)
                if source in self._followers and node.name not in self._followers[source]
                for follower in self._followers[source]
            ]
            own = node.name.rpartition("/tower_")[0]
            waits += added.get(node.name, []) + (added.get(own, []) if own in self._followers else [])
            have = set(node.input)
            node.input.extend(f"^{name}" for name in dict.fromkeys(waits) if f"^{name}" not in have)
