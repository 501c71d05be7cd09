"""Orders a run's reads and writes of one variable, and ops on one queue, where the graph leaves their order open.

TF1 ran them as their inputs became ready. Here the order is one that TF1 could have taken, and the same in every run:

    a read that waits for nothing      before all writes: a run computes with the values from before it
    writes                             one after the other, in the order they were built
    a read that belongs to a write     (`v.assign(f(v))`, a moving average, a scatter of gathered rows) after the writes
                                       that were built before it, so that the updates of all towers count
    a read that waits for something    after the writes that were built before it, before the others
    an op that waits for a write       computes with the written value, even by an earlier read: it was TF1's memory
    a fetched variable                 after all writes: TF1 returned the variable's memory, also from a `tf.cond`

A read does not belong to a write that it reaches through a gradient. Towers that train one variable side by side
compute their gradients with the values from before the run. Ops in a loop keep the order that the graph sets.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.graph_session.nodes import Nodes, copy_of, parse, written
from tf2towers.runtime.graph_session.placement import HOST
from tf2towers.runtime.graph_session.same_memory import is_same_memory

#: the ops of `cond(is_variable_initialized(v), v.read_value, lambda: initial_value)`
_READ_IF_INITIALIZED = frozenset(
    {"Const", "Identity", "Merge", "ReadVariableOp", "Switch", "VarHandleOp", "VarIsInitializedOp"}
)
#: ops that compute the written value from a gradient, and read the variable themselves
_OPTIMIZERS = ("ResourceApply", "ResourceSparseApply")
_APART = "/apart"
#: ops that take elements from a resource, or add elements to it; ops of one kind are ordered
_INPUT_OPS = (
    re.compile(r"IteratorGetNext(Sync|AsOptional)?|Reader(Read|ReadUpTo)(V2)?"),
    re.compile(r"QueueDequeue(Many|UpTo)?(V2)?"),
    re.compile(r"QueueEnqueue(Many)?(V2)?"),
)


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


class Branch(NamedTuple):
    """A branch of a `tf.cond`: the predicate's tensor, and the value of it for which the branch runs (1 or 0)."""

    predicate: str
    taken: int


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
        self._rank: dict[str, int] = {}
        self._branches: dict[str, list[Branch] | None] = {}
        self._before: dict[str, int] = {}  # a node -> the writes it waits for
        self._bits: dict[str, int] = {}  # a variable -> its writes

    def settle(self, fetches: Iterable[str]) -> None:
        late = {} if self._nodes.own_resources else self._find_fetched_reads(fetches)
        if_initialized = self._find_reads_if_initialized(set(late))
        if self._accesses.writers:
            order = self._topological_order()
            self._rank = {node.name: rank for rank, node in enumerate(order)}
            self._find_writes_before(order)
            self._order_writes()
            waiting = self._order_belonging_reads(order, late)
            self._read_first_if_initialized(if_initialized, waiting)
            settled = waiting.union(late, *(reads for _, _, reads in if_initialized))
            self._order_waiting_reads(order, settled)
            if not self._nodes.own_resources:
                self._read_when_used(order, late)
            self._read_first(late, waiting)
        self._read_last(late)

    # the order that the graph sets

    def _all(self) -> Iterator[Any]:
        return itertools.chain(self._part, self._made.values(), self._others)

    def _node(self, name: str) -> Any:
        return self._by_name.get(name) or self._made.get(name)

    def _topological_order(self) -> list[Any]:
        """The nodes in topological order, and otherwise in the order they were built."""
        built = {node.name: index for index, node in enumerate(self._part)}
        by_name = {node.name: node for node in self._all()}
        users: dict[str, list[str]] = {}
        missing: dict[str, int] = {}
        key: dict[str, int] = {}
        for name, node in by_name.items():
            key[name] = built.get(name.removesuffix(_APART), 0)
            sources = {parse(text).node for text in node.input}
            sources = {
                source for source in sources if source in by_name and not _is_back_edge(by_name[source], node)
            }
            missing[name] = len(sources)
            for source in sources:
                users.setdefault(source, []).append(name)
        ready = [(key[name], name) for name, count in missing.items() if not count]
        heapq.heapify(ready)
        order = []
        while ready:
            at, name = heapq.heappop(ready)
            order.append(by_name[name])
            for user in users.get(name, ()):
                missing[user] -= 1
                key[user] = max(key[user], at)
                if not missing[user]:
                    heapq.heappush(ready, (key[user], user))
        return order

    def _find_writes_before(self, order: Sequence[Any]) -> None:
        writers = self._accesses.writers
        numbers = {name: 1 << number for number, name in enumerate(itertools.chain(*writers.values()))}
        self._bits = {
            variable: sum(map(numbers.__getitem__, set(names))) for variable, names in writers.items()
        }
        reached = self._reached(order, numbers, through_gradients=True)
        self._before = {name: bits & ~numbers.get(name, 0) for name, bits in reached.items()}

    def _writes_before(self, name: str, variable: str) -> int:
        """The writes of a variable that a node waits for in the script's graph, as bits."""
        return self._before.get(name, 0) & self._bits[variable]

    def _branches_of(self, name: str) -> list[Branch] | None:
        """The branches around a read or a write, the outermost first; None if it is in a loop."""
        if name not in self._branches:
            self._branches[name] = self._find_branches(name.removesuffix(_APART))
        return self._branches[name]

    def _find_branches(self, name: str) -> list[Branch] | None:
        if not self._nodes.in_control_flow(name):
            return []
        found: list[Branch] = []
        for text in self._nodes.by_name[name].input:
            source = parse(text)
            node = self._by_name.get(source.node)
            while node is not None and node.op in ("Identity", "Switch"):
                if node.op == "Switch":
                    found.insert(0, Branch(node.input[1], source.output))
                source = parse(node.input[0])
                node = self._by_name.get(source.node)
            if node is not None and node.op == "VarHandleOp":
                return found if found and not self._nodes.in_loop(name) else None
            found.clear()
        return None

    # edges

    def _wait(self, name: str, waits: Iterable[str]) -> None:
        node = self._node(name)
        have = set(node.input)
        node.input.extend(f"^{wait}" for wait in dict.fromkeys(waits) if f"^{wait}" not in have)

    def _node_to_wait_for(self, name: str, waiting: str) -> tuple[str | None, bool]:
        """Finds the node that the operation `waiting` has to wait for, to run after the operation `name`.

        Returns:
            The node to wait for; None if only one of the two runs, or one is in a loop. And whether `name` always runs
            if `waiting` does, so that `waiting` also runs after all that `name` waits for.
        """
        first, second = self._branches_of(name), self._branches_of(waiting)
        if first is None or second is None:
            return None, False
        level = 0
        while level < min(len(first), len(second)) and first[level] == second[level]:
            level += 1
        if level < min(len(first), len(second)) and first[level].predicate == second[level].predicate:
            return None, False
        if level == len(first):
            return name, True
        return self._end(name, first, level), False

    def _end(self, name: str, branches: Sequence[Branch], level: int) -> str:
        """A node outside the branches from `level` on, which runs when an operation in them has run or will not run."""
        done = name
        for depth in range(len(branches) - 1, level - 1, -1):
            predicate, taken = branches[depth]
            prefix = f"{name}/end_{depth}"
            if prefix not in self._made:
                switch = self._make(f"{prefix}/switch", "Switch", [predicate, predicate])
                sides = [f"{switch}:1" if side else switch for side in (taken, 1 - taken)]
                ran = self._make(f"{prefix}/ran", "Identity", [sides[0], f"^{done}"])
                self._make(prefix, "Merge", [ran, sides[1]])
                self._made[prefix].attr["N"].i = 2
            done = prefix
        return done

    def _make(self, name: str, op: str, inputs: Sequence[str]) -> str:
        node = tf.compat.v1.NodeDef(name=name, op=op, input=inputs, device=HOST)
        node.attr["T"].type = tf.bool.as_datatype_enum
        self._made[name] = node
        return name

    def _wait_for_writes_before(self, name: str, earlier: Sequence[str], on: Read | None) -> bool:
        """Makes an operation wait for earlier writes, starting with the last; returns whether it waits for any.

        Args:
            on: the read that waits; None for a write, which waits on all copies.
        """
        waits = False
        for writer in reversed(earlier):
            wait, always = self._node_to_wait_for(writer, name)
            if wait is not None:
                waits = True
                copies = (
                    self._accesses.writes(writer) if on is None
                    else [self._accesses.write_on(writer, on.variable, on.tower)]
                )  # fmt: skip
                for own in [name] if on is not None else self._accesses.writes(name):
                    self._wait(own, copies if wait == writer else [wait])
            if always:
                break
        return waits

    def _make_writes_wait(self, read: Read, later: Sequence[str]) -> None:
        """Makes later writes wait for a read, starting with the first write."""
        for writer in later:
            wait, _ = self._node_to_wait_for(read.name, writer)
            if wait is not None:
                self._wait(self._accesses.write_on(writer, read.variable, read.tower), [wait])
            branches = self._branches_of(writer)
            if branches is not None and branches == (self._branches_of(read.name) or [])[: len(branches)]:
                break  # this write always runs if the read does, and the later writes wait for it

    # the rules

    def _order_writes(self) -> None:
        """Makes writes of one variable run in the order they were built, on all copies."""
        for names in self._accesses.writers.values():
            names.sort(key=self._rank.__getitem__)
            for index in range(1, len(names)):
                self._wait_for_writes_before(names[index], names[:index], None)

    def _order_belonging_reads(self, order: Sequence[Any], late: Mapping[str, str]) -> set[str]:
        """Makes a read that belongs to a write run after the writes built before it; returns the reads that wait."""
        repeated = {name for name, writers in self._accesses.writers.items() if len(writers) > 1}
        reads = [read for read in self._accesses.reads if read.variable in repeated and read.name not in late]
        bits = {read.name: 1 << index for index, read in enumerate(reads)}
        waiting: set[str] = set()
        if not bits:
            return waiting
        of_variable: dict[str, int] = {}
        for read in reads:
            of_variable[read.variable] = of_variable.get(read.variable, 0) | bits[read.name]
        reached = self._reached(order, bits, through_gradients=False)
        belonging = 0
        for variable in repeated:
            for writer in self._accesses.writers[variable]:
                if not self._node(writer).op.startswith(_OPTIMIZERS):
                    belonging |= reached.get(writer, 0) & of_variable.get(variable, 0)
        for read in reads:
            if belonging & bits[read.name]:
                writers = self._accesses.writers[read.variable]
                at = sum(self._rank[writer] < self._rank[read.name] for writer in writers)
                if self._wait_for_writes_before(read.name, writers[:at], read):
                    waiting.add(read.name)
                    self._make_writes_wait(read, writers[at:])
        return waiting

    def _reached(
        self, order: Sequence[Any], bits: Mapping[str, int], *, through_gradients: bool
    ) -> dict[str, int]:
        """The reads (or writes, as bits) that each node is computed from; with gradients, also those it waits for."""
        reached: dict[str, int] = {}
        for node in order:
            if not through_gradients and self._nodes.is_gradient(node.name):
                continue
            found = bits.get(node.name, 0)
            for text in node.input:
                if through_gradients or text[0] != "^":
                    found |= reached.get(parse(text).node, 0)
            if found:
                reached[node.name] = found
        return reached

    def _order_waiting_reads(self, order: Sequence[Any], settled: set[str]) -> None:
        """Makes a read that waits for something run before the writes that were built after it.

        If it waits for a write of the variable, or has control inputs, it also runs after the writes built before it.
        """
        reads = [
            read
            for read in self._accesses.reads
            if read.variable in self._accesses.writers
            and read.name not in settled
            and not self._waits_for_nothing(read.name)
        ]
        if not reads:
            return
        bits = {read.name: 1 << index for index, read in enumerate(reads)}
        reached = self._reached(order, bits, through_gradients=True)
        for read in reads:
            writers = self._accesses.writers[read.variable]
            at = sum(self._rank[writer] < self._rank[read.name] for writer in writers)
            waits = any(text[0] == "^" for text in self._node(read.name).input)
            waits = waits or bool(self._writes_before(read.name, read.variable))
            if waits and read.variable not in self._accesses.elsewhere:
                self._wait_for_writes_before(read.name, writers[:at], read)
            if at < len(writers) and not reached.get(writers[at], 0) & bits[read.name]:
                self._make_writes_wait(read, writers[at:])

    def _read_first(self, late: Mapping[str, str], waiting: set[str]) -> None:
        """Makes a read that waits for nothing run before the run's writes.

        TF1 left their order open, and most often read first. Such a read depends on no op that waits for a write, so no
        cycle can arise. The same holds for reads of rows, if no input of theirs waits for a write. A variable on a
        parameter server is read first even if it is fetched: the worker requested it at once.
        """
        early = [
            read for read in self._accesses.reads
            if read.variable in self._accesses.writers and read.name not in late and read.name not in waiting
        ]  # fmt: skip
        plain = {read.name for read in early if self._waits_for_nothing(read.name)}
        gathers = {
            read.name for read in early
            if read.name not in plain
            and self._node(read.name).op != "ReadVariableOp"
            and not self._nodes.in_control_flow(read.name)
        }  # fmt: skip
        if gathers:
            plain |= gathers - self._after_writes()
        for read in early:
            if read.name in plain:
                writers = self._accesses.writers[read.variable]
                self._make_writes_wait(read, [name for name in writers if name != f"{read.variable}/Assign"])

    def _after_writes(self) -> set[str]:
        """The nodes that wait for a write or for an op in a branch or a loop, with the writes and these ops."""
        users: dict[str, list[str]] = {}
        for node in self._all():
            for text in node.input:
                users.setdefault(parse(text).node, []).append(node.name)
        found: set[str] = set()
        waiting = [name for names in self._accesses.writers.values() for name in names]
        waiting += [node.name for node in self._part if self._nodes.in_control_flow(node.name)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += users.get(name, ())
        return found

    def _waits_for_nothing(self, name: str) -> bool:
        """True if a read's only input is the variable itself."""
        node = self._node(name)
        handle = self._nodes.by_name.get(parse(node.input[0]).node) or self._made[parse(node.input[0]).node]
        return (
            node.op == "ReadVariableOp"
            and len(node.input) == 1
            and handle.op == "VarHandleOp"
            and not handle.input
            and not self._nodes.in_control_flow(name.removesuffix(_APART))
        )

    def _find_reads_if_initialized(self, fetches: set[str]) -> list[tuple[str, str, set[str]]]:
        """Finds the reads of variables in a branch "if initialized": the `Merge`, the variable, the nodes before it."""
        found = []
        for node in self._part if self._accesses.writers else ():
            if node.op == "Merge" and not self._nodes.in_control_flow(node.name):
                variable, needed = self._read_if_initialized(node, fetches)
                if variable in self._accesses.writers:
                    found.append((node.name, variable, needed))
        return found

    def _read_if_initialized(self, merge: Any, fetches: set[str]) -> tuple[str, set[str]]:
        """The variable whose value, or a constant, a `Merge` returns, and its nodes; '' for any other `Merge`."""
        found = {merge.name}
        waiting, variables = [merge], set()
        while waiting:
            node = waiting.pop()
            if node is None or node.op not in _READ_IF_INITIALIZED or node.name in fetches - {merge.name}:
                return "", set()
            if node.op == "VarHandleOp":
                variables.add(node.name)
            sources = {parse(text).node for text in node.input} - found
            found |= sources
            waiting += [self._by_name.get(name) for name in sources]
        return (variables.pop(), found) if len(variables) == 1 else ("", set())

    def _read_first_if_initialized(
        self, reads: Sequence[tuple[str, str, set[str]]], waiting: set[str]
    ) -> None:
        """Makes a read "if initialized" run before the run's writes: hooks read the global step in this way.

        No op can wait for a branch, but for the `Merge` after it. On a parameter server, too, TF1's hooks got the step
        from before the update, which waits for gradients (TF 1.15: 200 of 200 runs).
        """
        for merge, variable, needed in reads:
            if needed & waiting:
                continue  # it belongs to a write
            for name in self._accesses.writers[variable]:
                if name != f"{variable}/Assign" and not self._nodes.in_control_flow(name):
                    for write in self._accesses.writes(name):
                        self._wait(write, [merge])

    # ops that return the variable's memory

    def _read_when_used(self, order: Sequence[Any], late: Mapping[str, str]) -> None:
        """Makes an op that waits for a write compute with the written value, also if its read was built before.

        In TF1 `tf.identity(v)`, an assignment, and a `tf.cond` of these are the variable's memory. So the sum of the
        towers' assignments was a multiple of the value that the last one wrote. On a GPU it was a copy.
        """
        reads = {
            read.name: read
            for read in self._accesses.reads
            if self._is_written_here(read.variable)
            and read.name not in late
            and not self._nodes.in_loop(read.name)
        }
        given: dict[str, set[str]] = {}  # a node -> the reads whose memory it returns
        for node in order:
            sources = {parse(text).node for text in node.input if text[0] != "^"} & given.keys()
            if node.name in reads and node.op == "ReadVariableOp":
                given[node.name] = {node.name}
            elif not sources:
                continue
            elif handed_on := sources.intersection(self._memory_of(node)):
                given[node.name] = set().union(*map(given.__getitem__, handed_on))
            elif "GPU" not in node.device and not self._nodes.in_control_flow(node.name):
                taken = {
                    name: reads[name]
                    for source in sources
                    for name in given[source]
                    if self._writes_before(node.name, reads[name].variable)
                    & ~self._writes_before(name, reads[name].variable)
                }
                self._copy_reads_for(node, taken, given)

    def _copy_reads_for(self, user: Any, taken: Mapping[str, Read], given: Mapping[str, set[str]]) -> None:
        """Gives a node its own copies of the reads in `taken`, and of the nodes between them and it."""
        suffix = f"/as_used_by/{user.name}"
        waiting = [user]
        while waiting:
            node = waiting.pop()
            for place, text in enumerate(node.input):
                source = parse(text)
                if text[0] != "^" and not taken.keys().isdisjoint(given.get(source.node, ())):
                    made = f"{source.node}{suffix}"
                    node.input[place] = written(source._replace(node=made))
                    if made not in self._made:
                        waiting.append(self._copy(source.node, made))
        for name, read in taken.items():
            own = read._replace(name=f"{name}{suffix}")
            self._branches[own.name] = self._branches_of(name)
            writers = self._accesses.writers[read.variable]
            at = sum(self._rank[writer] < self._rank[user.name] for writer in writers)
            self._wait_for_writes_before(own.name, writers[:at], own)
            self._make_writes_wait(own, writers[at:])

    def _copy(self, name: str, made: str) -> Any:
        copied = copy_of(self._node(name))
        copied.name = made
        self._made[made] = copied
        return copied

    def _find_fetched_reads(self, fetches: Iterable[str]) -> dict[str, str]:
        """Finds the reads of fetched variables, which run after the run's writes: read -> its variable.

        In TF1 `tf.identity(w)`, `w.value()`, `w.read_value()` and `w[:]` were the variable's memory, as `w` itself
        was: fetching them returned the value after the run's writes. Other ops of the run that use these nodes get
        copies of them, with ordinary reads.
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
        """True if a node returns a variable's memory, in some branch; if so, adds to `late` and `chains`.

        `late` gets the reads and `chains` the nodes in between. A `tf.cond` returns the memory that its branch returns.
        """
        if node.name in chains:
            return True
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
        """The nodes whose memory a node returns; for the `Merge` of a `tf.cond`, the memory of one of its branches."""
        inputs = [parse(text).node for text in node.input if text[0] != "^"]
        if self._nodes.in_loop(node.name):
            return []
        if node.op == "Merge":
            return inputs
        handed_on = node.op == "Switch" or is_same_memory(node.op, self._nodes.operation(node.name))
        return inputs[:1] if handed_on else []

    def _is_written_here(self, variable: str) -> bool:
        return variable in self._accesses.writers and variable not in self._accesses.elsewhere

    def _read_last(self, late: Mapping[str, str]) -> None:
        """Makes the reads of fetched variables run after the run's writes: TF1 returned the memory they had changed.

        `late` is without variables on other machines: these were sent at once, before the writes.
        """
        of_read = {read.name: read for read in self._accesses.reads}
        for name, variable in late.items():
            self._wait_for_writes_before(name, self._accesses.writers[variable], of_read[name])


def _is_back_edge(source: Any, node: Any) -> bool:
    """True if an edge of the graph leads to the next round of a loop."""
    return bool(node.op.endswith("Merge") and source.op.endswith("NextIteration"))


def _use_copies(user: Any, chains: Mapping[str, Any]) -> set[str]:
    """Makes a node use copies of the nodes in `chains`; returns the names of those that it uses."""
    taken = set()
    for place, text in enumerate(user.input):
        source = parse(text)
        if source.node in chains:
            user.input[place] = written(source._replace(node=f"{source.node}{_APART}"))
            taken.add(source.node)
    return taken


def order_input_ops(nodes: Nodes, part: Sequence[Any]) -> None:
    """Makes ops that take from one iterator, queue or reader, or add to one queue, run in the order they were built.

    TF 1 left the order of the towers open, so each run of a script had different batches in its towers. This is one of
    the possible orders, and the same in every run (`tf2towers.verify.recorder.order` sets it in originals as well). Ops
    in branches and loops are not changed.

    Args:
        part: the nodes of a run, in the order they were built; inputs are changed in place.
    """
    by_name = {node.name: node for node in part}
    last: dict[tuple[str, int], str] = {}
    for node in part:
        kind = next((place for place, kind in enumerate(_INPUT_OPS) if kind.fullmatch(node.op)), None)
        if kind is None or not node.input or nodes.in_control_flow(node.name):
            continue
        source = parse(node.input[0]).node
        while source in by_name and by_name[source].op == "Identity":
            source = parse(by_name[source].input[0]).node
        before = last.get((source, kind))
        if before is not None and f"^{before}" not in node.input:
            node.input.append(f"^{before}")
        last[source, kind] = node.name
