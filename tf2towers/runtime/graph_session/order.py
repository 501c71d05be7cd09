"""Orders a run's reads and writes of one variable, and ops on one queue, if the graph does not.

`tf2towers.order` has the rules; here is what it has to know of a run's nodes. Each copy of a
variable has an order of its own, the same on all. TF1's variables were memory, and here they are
resources:

    an op that waits for a write       computes with the written value, even by an earlier read
    a fetched variable                 is read after all writes, also from a `tf.cond`
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.order.branches import Branch
from tf2towers.order.operations import Operation, reach, sorted_operations
from tf2towers.order.pairs import HELD, READ, WRITE, Access, Pair, decide, use_of
from tf2towers.runtime.graph_session.graph_nodes import Nodes, TensorName, copy_name, copy_of, parse, written
from tf2towers.runtime.graph_session.kept_by_loops import Kept, kept_by_loops
from tf2towers.runtime.graph_session.left_by_loops import Left, left_by_loops
from tf2towers.runtime.graph_session.placement import HOST
from tf2towers.runtime.graph_session.same_memory import ALL_OF_IT, is_all_of_it, is_same_memory

_APART = "/apart"
#: operations whose memory is fetched after writes that they come before themselves
_AT_THEIR_TIME = frozenset({"Exit", "Print"})


class Read(NamedTuple):
    """A read of a variable's copy on a tower."""

    variable: str
    tower: int
    name: str


@dataclass
class Accesses:
    """The reads and writes of variables in a part of a graph.

    Attributes:
        reads: the reads that return a value, or rows of it.
        writers: variable -> the operations that write, or may write, its first copy.
        followers: a write -> its repetitions on the other copies, in the order of `copies`.
        copies: variable -> the towers that have a copy; only variables with two copies or more.
        elsewhere: variables on other machines.
    """

    reads: list[Read]
    writers: dict[str, list[str]]
    followers: Mapping[str, Sequence[str]]
    copies: Mapping[str, Sequence[int]]
    elsewhere: frozenset[str]

    def write_on(self, writer: str, variable: str, tower: int) -> str:
        """The operation that performs a write on a tower's copy."""
        towers = self.copies.get(variable, (0,))
        writes = [writer, *self.followers.get(writer, ())]
        index = towers.index(tower) if tower in towers else 0
        return writes[index] if index < len(writes) else writer

    def writes(self, writer: str) -> list[str]:
        """The operations that perform a write on all copies."""
        return [writer, *self.followers.get(writer, ())]


def settle_order(
    nodes: Nodes,
    part: Sequence[Any],
    made: dict[str, Any],
    others: Sequence[Any],
    accesses: Accesses,
    fetches: Iterable[str],
) -> None:
    """Adds control inputs that fix the order of a run's reads and writes.

    Args:
        nodes: the graph.
        part: the nodes that the run needs; their inputs are changed in place.
        made: the nodes that were added to the part, by name; further ones are added here.
        others: further nodes of the run, which are not changed.
        accesses: the reads and writes of the part's variables.
        fetches: the nodes whose values the run returns.
    """
    _Order(nodes, part, made, others, accesses).settle(fetches)


class _Memory(NamedTuple):
    """The nodes that return a variable's memory.

    Attributes:
        given: such a node -> the reads whose memory it may be.
        popped: those that take it from a gradient's stack.
        kept, left: what is known of those that take it from such a stack, or from a loop.
    """

    given: dict[str, set[str]]
    popped: set[str]
    kept: dict[str, Kept]
    left: dict[str, Left]


class _Order:
    def __init__(
        self,
        nodes: Nodes,
        part: Sequence[Any],
        made: dict[str, Any],
        others: Sequence[Any],
        accesses: Accesses,
    ) -> None:
        self._nodes = nodes
        self._part = part
        self._made = made
        self._others = others
        self._accesses = accesses
        self._by_name = {node.name: node for node in part}

    def settle(self, fetches: Iterable[str]) -> None:
        late: dict[str, str] = {}
        if self._accesses.writers and not self._nodes.own_resources:
            late = self._read_after_all(fetches)
            late.update(self._find_fetched_reads(fetches))
        operations = self._operations()
        used: dict[str, str] = {}  # a copy of a read -> the operation that it was made for
        if self._accesses.writers and not self._nodes.own_resources:
            used = self._read_when_used(operations, late)
            operations = self._operations() if used else operations
        accesses = {**self._of_variables(late, used), **self._of_inputs()}
        for pair in decide(operations, accesses).pairs if accesses else ():
            self._wait(pair)

    # the run as the order sees it

    def _all(self) -> Iterator[Any]:
        return itertools.chain(self._part, self._made.values(), self._others)

    def _node(self, name: str) -> Any:
        return self._by_name.get(name) or self._made.get(name)

    def _operations(self) -> list[Operation]:
        """The nodes, each after those it depends on; what was added is right after its inputs."""
        built = {node.name: index for index, node in enumerate(self._part)}
        # with one write, a read that it is computed from comes before it in any case
        repeated = any(len(writers) > 1 for writers in self._accesses.writers.values())
        found = []
        for node in self._all():
            inputs = [parse(text) for text in node.input]
            found.append(
                Operation(
                    node.name,
                    node.op,
                    tuple((source.node, source.output) for source in inputs if source.output >= 0),
                    tuple(source.node for source in inputs if source.output < 0),
                    built.get(node.name.removesuffix(_APART), 0),
                    repeated and self._nodes.is_gradient(node.name),
                )
            )
        return sorted_operations(found)

    def _of_variables(
        self, late: Mapping[str, str], used: Mapping[str, str]
    ) -> dict[tuple[str, int], list[Access]]:
        """The accesses of each copy of a variable that is written, in the run or by others."""
        accesses = self._accesses
        found: dict[tuple[str, int], list[Access]] = {}
        held = [Access(node.name, WRITE) for node in self._part if HELD.search(node.name)]
        if held:
            found = {(variable, 0): list(held) for variable in accesses.elsewhere}
        for variable, writers in accesses.writers.items():
            for tower in accesses.copies.get(variable, (0,)):
                found.setdefault((variable, tower), []).extend(
                    Access(
                        accesses.write_on(name, variable, tower),
                        WRITE,
                        at=name,
                        begins=name == f"{variable}/Assign",
                    )
                    for name in writers
                )
        for read in accesses.reads:
            if (read.variable, read.tower) in found:
                found[read.variable, read.tower].append(
                    Access(
                        read.name,
                        READ,
                        at=used.get(read.name),
                        waits=any(text[0] == "^" for text in self._node(read.name).input),
                        last=read.name in late,
                        sent=read.variable in accesses.elsewhere,
                    )
                )
        return found

    def _of_inputs(self) -> dict[tuple[str, int], list[Access]]:
        """The uses of each queue, iterator and reader."""
        found: dict[tuple[str, int], list[Access]] = {}
        for node in self._part:
            use = use_of(node.op)
            if use is None or not node.input:
                continue
            source = parse(node.input[0]).node
            while source in self._by_name and self._by_name[source].op in ("Identity", "Switch"):
                source = parse(self._by_name[source].input[0]).node
            found.setdefault((source, 0), []).append(Access(node.name, use))
        return {source: uses for source, uses in found.items() if len(uses) > 1}

    # edges

    def _wait(self, pair: Pair) -> None:
        node, wait = self._node(pair.later), f"^{self._end(pair.earlier, pair.leaving)}"
        if wait not in node.input:
            node.input.append(wait)

    def _end(self, name: str, leaving: Sequence[Branch]) -> str:
        """A node outside these branches, which runs once an operation in them has run or cannot."""
        done = name
        for depth, branch in enumerate(reversed(leaving)):
            prefix = f"{name}/end_{depth}"
            if prefix not in self._made:
                predicate = written(TensorName(*branch.predicate))
                switch = self._add_node(f"{prefix}/switch", "Switch", [predicate, predicate])
                sides = [f"{switch}:1" if side else switch for side in (branch.taken, 1 - branch.taken)]
                ran = self._add_node(f"{prefix}/ran", "Identity", [sides[0], f"^{done}"])
                self._add_node(prefix, "Merge", [ran, sides[1]])
                self._made[prefix].attr["N"].i = 2
            done = prefix
        return done

    def _add_node(self, name: str, op: str, inputs: Sequence[str]) -> str:
        return self._new_node(name, op, inputs, HOST, tf.bool.as_datatype_enum).name

    # ops that return the variable's memory

    def _read_when_used(self, operations: Sequence[Operation], late: Mapping[str, str]) -> dict[str, str]:
        """Makes an op that waits for a write compute with the new value, also by an earlier read.

        In TF1 `tf.identity(v)`, an assignment, and a `tf.cond` of these are the variable's memory.
        So the sum of the towers' assignments was a multiple of the value that the last one wrote.
        On a GPU it was a copy.

        Returns:
            A copy of a read -> the operation that it was made for.
        """
        writers = self._accesses.writers
        numbers = {name: 1 << number for number, name in enumerate(itertools.chain(*writers.values()))}
        before = self._reach(operations, numbers)
        of_variable = {name: sum({numbers[writer] for writer in names}) for name, names in writers.items()}
        reads = {
            read.name: read
            for read in self._accesses.reads
            if self._is_written_here(read.variable) and read.name not in late
        }
        in_loops = {read.variable for read in reads.values() if self._is_written_in_loop(read.variable)}
        memory = self._memory(operations, reads)
        given = memory.given
        used: dict[str, str] = {}
        for operation in operations:
            sources = {name for name, _ in operation.inputs} & given.keys()
            hands_on = operation.name in given and operation.type != "Print"
            if not sources or hands_on or (node := self._node(operation.name)) is None:
                continue
            inside = self._nodes.in_loop(node.name)
            taken = {
                name: reads[name]
                for source in sources
                for name in given[source]
                if (
                    before.get(node.name, 0) & ~before.get(name, 0) & of_variable[reads[name].variable]
                    or (inside and reads[name].variable in in_loops)
                )
                and self._is_where(node, reads[name].variable)
            }
            in_its_rounds = any(
                self._nodes.in_loop(name) or read.variable in in_loops for name, read in taken.items()
            )
            if inside and in_its_rounds and not sources & memory.popped:
                used.update(self._read_in_loop(node, taken, given))
            elif taken:
                used.update(self._copy_reads_for(node, taken, memory))
        return used

    def _memory(self, operations: Sequence[Operation], reads: Mapping[str, Read]) -> _Memory:
        """Finds the nodes that return the memory that these reads return."""
        memory = _Memory({}, set(), kept_by_loops(self._all()), left_by_loops(self._all()))
        given = memory.given
        for operation in operations:
            name = operation.name
            if name in reads and operation.type == "ReadVariableOp":
                given[name] = {name}
                continue
            if name in memory.kept:
                sources = [memory.kept[name].source]
                memory.popped.add(name)
            elif name in memory.left and self._nodes.returns_outside(name, branches=True):
                sources = memory.left[name].sources
            elif (node := self._node(name)) is not None:
                sources = self._memory_of(node)
            else:
                continue
            if found := set().union(*(given.get(source, ()) for source in sources)):
                given[name] = found
                memory.popped.update([name] if memory.popped.intersection(sources) else [])
        return memory

    def _reach(self, operations: Sequence[Operation], numbers: Mapping[str, int]) -> dict[str, int]:
        """The writes that each operation comes after, as bits, also those in earlier rounds of its loops."""
        marks = dict(numbers)
        before = reach(operations, marks, controls=True)
        merges = [operation for operation in operations if operation.type == "Merge"]
        changed = any(map(self._nodes.in_loop, numbers))
        while changed:
            changed = False
            for merge in merges:
                bits = functools.reduce(operator.or_, (before.get(name, 0) for name, _ in merge.inputs), 0)
                if bits & ~before.get(merge.name, 0):
                    marks[merge.name], changed = bits, True
            before = reach(operations, marks, controls=True) if changed else before
        return before

    def _read_in_loop(
        self, user: Any, taken: Mapping[str, Read], given: Mapping[str, set[str]]
    ) -> dict[str, str]:
        """Makes an operation in a loop read what it uses of `taken` when its other inputs are there.

        Returns:
            As `_read_when_used`.
        """
        waits = [f"^{name}" for name in dict.fromkeys(parse(text).node for text in user.input)]
        found: dict[int, tuple[str, str, str, bool]] = {}
        for place, text in enumerate(user.input):
            source = parse(text)
            if source.output < 0 or taken.keys().isdisjoint(given.get(source.node, ())):
                continue
            made = f"{source.node}/as_used_by/{user.name}"
            handle = self._handle_of(text, made)
            if handle is None:  # some of its rows
                continue
            found[place] = (source.node, made, *handle)
        used = {}
        for place, (source_name, made, handle_text, reshaped) in found.items():
            names = taken.keys() & given[source_name]
            read = self._node(min(names))
            value = tf.compat.v1.NodeDef(name=made, op="ReadVariableOp", device=read.device)
            value.input.extend([handle_text, *waits])
            value.attr["dtype"].type = dtype = read.attr["dtype"].type
            self._made[made] = value
            user.input[place] = made
            if reshaped:
                shape = self._new_node(f"{made}/shape", "Shape", [source_name], user.device, dtype)
                self._new_node(f"{made}/reshaped", "Reshape", [made, shape.name], user.device, dtype)
                user.input[place] = f"{made}/reshaped"
            self._accesses.reads += [taken[name]._replace(name=made) for name in names]
            used[made] = user.name
        return used

    def _handle_of(self, text: str, made: str) -> tuple[str, bool] | None:
        """The handle of the variable whose memory a tensor is, brought to where the tensor is.

        Args:
            made: what begins the names of the nodes that bring it.

        Returns:
            The handle, and whether the tensor may have another shape; None if it is not the whole
            of it.
        """
        source = parse(text)
        node = self._node(source.node)
        if node is None:
            return None
        if node.op == "ReadVariableOp":
            return node.input[0], False
        if node.op not in ("Switch", "Merge", "Enter"):
            whole = is_all_of_it(node.op, self._nodes.operation(node.name))
            given = self._handle_of(node.input[0], made) if whole else None
            return None if given is None else (given[0], given[1] or node.op != "Identity")
        if node.op == "Enter" and not node.attr["is_constant"].b:
            return None
        brought = copy_of(node)
        brought.name = f"{made}/handle/{node.name}"
        brought.attr["T"].type = tf.resource.as_datatype_enum
        reshaped = False
        for place in range(len(self._memory_of(node))):
            handle = self._handle_of(node.input[place], made)
            if handle is None:
                return None
            brought.input[place], reshaped = handle[0], reshaped or handle[1]
        self._made[brought.name] = brought
        return written(source._replace(node=brought.name)), reshaped

    def _take_memory(self, pop: str, kept: Kept, made: str, device: str) -> Any:
        """Makes, in a gradient's loop, what takes a variable's memory where `pop` took what a round kept.

        Args:
            pop: the `StackPopV2`.
            kept: what is known of it.
            made: the name of the node that is made in its place.
            device: of the nodes that are made.

        Returns:
            The `Enter` that brings the memory into the loop; its input is still what the loop took
            it from.
        """
        begin, dtype = copy_of(kept.enter), self._node(pop).attr["elem_type"].type
        begin.name, begin.device = f"{made}/memory", device
        begin.attr["T"].type, begin.input[0] = dtype, kept.memory
        self._made[begin.name] = begin
        entered = begin.name
        if kept.reshaped:
            shape = self._new_node(f"{made}/shape", "Shape", [pop], device, dtype)
            entered = self._new_node(f"{made}/reshaped", "Reshape", [entered, shape.name], device, dtype).name
        if kept.always:
            self._new_node(made, "Identity", [entered], device, dtype)
            return begin
        number = kept.count.attr["T"].type
        is_last = f"{made}/is_last"
        self._new_node(is_last, "Equal", kept.count.input[:2], kept.count.device, number)
        self._new_node(f"{made}/last", "Switch", [entered, is_last], device, dtype)
        self._new_node(f"{made}/others", "Switch", [pop, is_last], device, dtype)
        # no Select: the first round's value may have another shape than those of the others
        merged = self._new_node(made, "Merge", [f"{made}/others", f"{made}/last:1"], device, dtype)
        merged.attr["N"].i = 2
        return begin

    def _new_node(self, name: str, op: str, inputs: Sequence[str], device: str, dtype: int) -> Any:
        node = tf.compat.v1.NodeDef(name=name, op=op, input=inputs, device=device)
        node.attr["T"].type = dtype
        self._made[name] = node
        return node

    def _take_left(self, left: Left, made: str, device: str, taken: Callable[[str], bool]) -> list[Any]:
        """Makes, after a loop, what takes a variable's memory where the loop returned it.

        Args:
            left: what is known of the `Exit`.
            made: the name of the node that is made in its place.
            device: of the nodes that are made.
            taken: whether the memory of a node is to be taken.

        Returns:
            The nodes that take the memory; their input is still what the loop took it from.
        """
        dtype = left.enter.attr["T"].type
        computed = self._new_node(f"{made}/computed", "Identity", [left.exit], device, dtype)
        taking = []

        def returned(side: str, text: str | None) -> str:
            if text is None or not taken(parse(text).node):
                return str(computed.name)
            taking.append(self._new_node(f"{made}/{side}", "Identity", [text], device, dtype))
            taking[-1].input.append(f"^{left.exit}")
            if not left.reshaped:
                return f"{made}/{side}"
            shape = self._new_node(f"{made}/{side}/shape", "Shape", [computed.name], device, dtype)
            inputs = [f"{made}/{side}", shape.name]
            return str(self._new_node(f"{made}/{side}/reshaped", "Reshape", inputs, device, dtype).name)

        begin = returned("begin", left.enter.input[0])
        if left.always:
            self._new_node(made, "Identity", [begin], device, dtype)
            return taking
        again, any_round = returned("again", left.again), self._any_round(left, f"{made}/any_round")
        self._new_node(f"{made}/none", "Switch", [begin, any_round], device, dtype)
        self._new_node(f"{made}/some", "Switch", [again, any_round], device, dtype)
        merged = self._new_node(made, "Merge", [f"{made}/none", f"{made}/some:1"], device, dtype)
        merged.attr["N"].i = 2
        return taking

    def _any_round(self, left: Left, made: str) -> str:
        """Makes a loop variable that is true after a round: returns its `Exit`."""
        device, boolean = left.switch.device, tf.bool.as_datatype_enum

        def constant(value: bool, after: str) -> str:
            node = tf.compat.v1.NodeDef(
                name=f"{made}/{value}", op="Const", input=[f"^{after}"], device=device
            )
            node.attr["dtype"].type = boolean
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.bool))
            self._made[node.name] = node
            return str(node.name)

        entered = self._new_node(
            f"{made}/before", "Identity", left.enter.input[:1], device, left.enter.attr["T"].type
        )
        enter = self._copy(left.enter.name, f"{made}/enter")
        enter.input[0], enter.attr["T"].type = constant(False, entered.name), boolean
        merge = self._new_node(f"{made}/merge", "Merge", [enter.name, f"{made}/next"], device, boolean)
        merge.attr["N"].i = 2
        self._new_node(f"{made}/switch", "Switch", [merge.name, left.switch.input[1]], device, boolean)
        body = self._new_node(f"{made}/body", "Identity", [f"{made}/switch:1"], device, boolean)
        self._new_node(f"{made}/next", "NextIteration", [constant(True, body.name)], device, boolean)
        return str(self._new_node(made, "Exit", [f"{made}/switch"], device, boolean).name)

    def _copy_reads_for(self, user: Any, taken: Mapping[str, Read], memory: _Memory) -> dict[str, str]:
        """Gives a node its own copies of the reads in `taken`, and of the nodes up to them.

        Returns:
            As `_read_when_used`.
        """
        suffix = f"/as_used_by/{user.name}"

        def is_taken(name: str) -> bool:
            return not taken.keys().isdisjoint(memory.given.get(name, ()))

        waiting = [user]
        while waiting:
            node = waiting.pop()
            for place, text in enumerate(node.input):
                source = parse(text)
                if text[0] != "^" and is_taken(source.node):
                    made = f"{source.node}{suffix}"
                    node.input[place] = written(source._replace(node=made))
                    if made in self._made:
                        continue
                    if source.node in memory.kept:
                        kept = memory.kept[source.node]
                        waiting.append(self._take_memory(source.node, kept, made, user.device))
                    elif source.node in memory.left:
                        waiting += self._take_left(memory.left[source.node], made, user.device, is_taken)
                    else:
                        waiting.append(self._copy(source.node, made))
                    if self._nodes.in_loop(source.node) and source.node in taken:
                        self._read_outside(made, taken[source.node])
        copies = {f"{name}{suffix}": read for name, read in taken.items()}
        copies = {made: read._replace(name=made) for made, read in copies.items() if made in self._made}
        self._accesses.reads += copies.values()
        return dict.fromkeys(copies, user.name)

    def _read_outside(self, name: str, read: Read) -> None:
        """Makes a copy of a read in a loop one that is outside."""
        copied = self._made[name]
        del copied.input[:]
        copied.input.append(copy_name(read.variable, read.tower))

    def _copy(self, name: str, made: str) -> Any:
        copied = copy_of(self._node(name))
        copied.name = made
        self._made[made] = copied
        if copied.op == "Print":  # printed once
            self._make_identity(copied, [copied.input[0], f"^{name}"])
        return copied

    def _make_identity(self, node: Any, inputs: Sequence[str]) -> None:
        dtype = node.attr["T"].type
        node.op = "Identity"
        del node.input[:]
        node.input.extend(inputs)
        node.attr.clear()
        node.attr["T"].type = dtype

    def _read_after_all(self, fetches: Iterable[str]) -> dict[str, str]:
        """Makes fetched `Exit`s and `Print`s that return a variable's memory return it after the run's writes.

        They themselves run when they would: a loop may come before the writes, and so may what is
            printed.

        Returns:
            As `_find_fetched_reads`.
        """
        fetched = [name for name in dict.fromkeys(fetches) if name in self._by_name]
        if not any(self._returns_later(name) for name in fetched):
            return {}
        reads = {read.name: read for read in self._accesses.reads if self._is_written_here(read.variable)}
        memory = self._memory(self._operations(), reads)
        late: dict[str, str] = {}
        for name in fetched:
            if name not in memory.given or not self._returns_later(name):
                continue
            node, apart = self._by_name[name], copy_of(self._by_name[name])
            apart.name = f"{name}{_APART}"
            self._made[apart.name] = apart
            for user in (*self._part, *self._made.values()):
                if user is not apart:
                    _use_copies(user, {name: node})
            if name in memory.left:
                memory.left[apart.name] = memory.left[name]._replace(exit=apart.name)
            if node.op in _AT_THEIR_TIME:
                memory.given[apart.name] = memory.given[name]
                self._make_identity(node, [apart.name])
            taken = {read: reads[read] for read in memory.given[name]}
            copies = self._copy_reads_for(node, taken, memory)
            late.update((read.name, read.variable) for read in self._accesses.reads if read.name in copies)
        return late

    def _returns_later(self, name: str) -> bool:
        """True if a node outside loops and branches is an `Exit` or a `Print`, or hands one on."""
        node = self._by_name.get(name)
        while node is not None and node.op in ALL_OF_IT - _AT_THEIR_TIME:
            node = self._by_name.get(parse(node.input[0]).node)
        return (
            node is not None
            and node.op in _AT_THEIR_TIME
            and self._nodes.returns_outside(name, branches=False)
        )

    def _find_fetched_reads(self, fetches: Iterable[str]) -> dict[str, str]:
        """Finds the reads of fetched variables, which run after the writes: read -> variable.

        In TF1 `tf.identity(w)`, `w.value()`, `w.read_value()` and `w[:]` were the variable's
        memory, as `w` itself was: fetching them returned the value after the run's writes. Other
        ops of the run that use these nodes get copies of them, with ordinary reads.
        """
        accesses = self._accesses
        of_read = {read.name: read for read in accesses.reads}
        late: dict[str, str] = {}
        chains: dict[str, Any] = {}  # name -> node between a late read and a fetch
        for name in dict.fromkeys(fetches):
            if name in self._by_name and not self._nodes.in_control_flow(name):
                self._follow_memory(self._by_name[name], of_read, late, chains)
        taken = set()
        for user in (*self._part, *self._made.values()):
            if user.name not in chains:
                taken |= _use_copies(user, chains)
        while taken:
            name = taken.pop()
            if f"{name}{_APART}" in self._made:
                continue
            copied = self._copy(name, f"{name}{_APART}")
            taken |= _use_copies(copied, chains)
            if name in late:
                accesses.reads.append(of_read[name]._replace(name=copied.name))
        return late

    def _follow_memory(
        self, node: Any, of_read: Mapping[str, Read], late: dict[str, str], chains: dict[str, Any]
    ) -> bool:
        """True if a node returns a variable's memory in some branch: adds it to `late`, `chains`.

        `late` gets the reads and `chains` the nodes in between. A `tf.cond` returns the memory that
        its branch returns.
        """
        if node.name in chains:
            return True
        if node.op == "Print":
            return False
        if node.op == "ReadVariableOp":
            read = of_read.get(node.name)
            found = (
                read is not None
                and self._is_written_here(read.variable)
                and not self._nodes.in_loop(node.name)
            )
            if found:
                late[node.name] = of_read[node.name].variable
        else:
            sources = [self._by_name.get(source) for source in self._memory_of(node)]
            given = [
                self._follow_memory(source, of_read, late, chains) for source in sources if source is not None
            ]
            found = any(given)
        if found:
            chains[node.name] = node
        return found

    def _memory_of(self, node: Any) -> list[str]:
        """The nodes whose memory a node returns; of a `tf.cond`'s `Merge`, one branch's."""
        inputs = [parse(text).node for text in node.input if text[0] != "^"]
        if node.op == "Merge" or (node.op == "Enter" and node.attr["is_constant"].b):
            return inputs
        handed_on = node.op == "Switch" or is_same_memory(node.op, self._nodes.operation(node.name))
        return inputs[:1] if handed_on else []

    def _is_where(self, node: Any, variable: str) -> bool:
        """True if a node is on its variable's GPU, or on none: elsewhere it takes a copy."""
        return "GPU" not in node.device or node.device == self._nodes.operation(variable).device

    def _is_written_in_loop(self, variable: str) -> bool:
        return any(map(self._nodes.in_loop, self._accesses.writers[variable]))

    def _is_written_here(self, variable: str) -> bool:
        return variable in self._accesses.writers and variable not in self._accesses.elsewhere


def _use_copies(user: Any, chains: Mapping[str, Any]) -> set[str]:
    """Makes a node use copies of the nodes in `chains`; returns the names of those that it uses."""
    taken = set()
    for place, text in enumerate(user.input):
        source = parse(text)
        if source.node in chains:
            user.input[place] = written(source._replace(node=f"{source.node}{_APART}"))
            taken.add(source.node)
    return taken
