"""Decides the pairs of accesses that have to wait for each other."""

import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from tf2towers.order.branches import Branch, Branches, Path, never_together, to_leave
from tf2towers.order.loops import Loops
from tf2towers.order.operations import Operation, reach

READ, WRITE = "read", "write"
#: operations that take elements from a resource, or add elements to it; those of one kind are
#: ordered
USES = (
    re.compile(r"(IteratorGetNext(Sync|AsOptional)?|Reader(Read|ReadUpTo)(V2)?)$"),
    re.compile(r"QueueDequeue(Many|UpTo)?(V2)?$"),
    re.compile(r"QueueEnqueue(Many)?(V2)?$"),
    re.compile(r"(Resource|Sparse)?AccumulatorApplyGradient$"),
)
#: operations of `tf2towers.verify` at which a worker waits for others, which may change all that
#: they share meanwhile
HELD = re.compile(r"(^|/)tf2towers_order(_\d+)?/held(_\d+)?$")
#: operations that compute their new value from a gradient, and read the variable themselves
_OPTIMIZER = re.compile(r"(Resource)?(Sparse)?Apply")


def use_of(kind: str) -> Optional[str]:
    """What an operation of this type does with a queue, an iterator or a reader; or None."""
    return next((use.pattern for use in USES if use.match(kind)), None)


class Access(NamedTuple):
    """An operation that reads, writes or uses a variable, queue or iterator.

    Attributes:
        kind: READ, WRITE, or what `use_of` gives.
        at: the operation whose place in the graph is the access's own; None: `operation`. Of a
            variable that is memory, an operation reads long after the `tf.identity` that it reads
            by.
        waits: whether it was built to wait for something, by control inputs.
        last: whether it is a read that comes after all writes.
        sent: whether it reads what a parameter server sends at the start of a run.
        begins: whether it is a write of the initial value, for which only what waits itself has to
            wait.
        end: the operation that others wait for, where it is another one: the loop's end, of an
            access in a loop.
    """

    operation: str
    kind: str
    at: Optional[str] = None
    waits: bool = False
    last: bool = False
    sent: bool = False
    begins: bool = False
    end: Optional[str] = None


class Pair(NamedTuple):
    """Two operations, of which the later one waits for the earlier one.

    Attributes:
        leaving: the branches around the earlier one that the later one is not in, the outermost
            first: the later one waits for their end, since the earlier one may be dead.
        shared: what names the variable, queue or iterator.
    """

    earlier: str
    later: str
    leaving: Tuple[Branch, ...]
    shared: Any


class Decision(NamedTuple):
    """The pairs to set, and those left open, whose operations may not run."""

    pairs: List[Pair]
    left: List[Pair]


def decide(
    operations: Sequence[Operation],
    accesses: Mapping[Any, Sequence[Access]],
    whole: bool = False,
    may_wait: Callable[[str], bool] = lambda name: True,
) -> Decision:
    """Decides the order of the accesses that no path of the graph orders.

    Args:
        operations: those of a graph, or of the part of it that a run needs, in an order as of
            `sorted_operations`.
        accesses: those of each variable, queue and iterator, by what names it.
        whole: whether runs need parts of the operations only: then a pair stays that others imply.
        may_wait: whether an operation can still get a control input.
    """
    return _Rules(operations, accesses, whole, may_wait).decision()


class _Rules(object):
    def __init__(
        self,
        operations: Sequence[Operation],
        accesses: Mapping[Any, Sequence[Access]],
        whole: bool,
        may_wait: Callable[[str], bool],
    ) -> None:
        self._whole, self._may_wait = whole, may_wait
        self._of_name = {operation.name: operation for operation in operations}
        self._rank = {operation.name: rank for rank, operation in enumerate(operations)}
        self._branches = Branches(operations)
        self._loops: Optional[Loops] = None
        self._accesses = {shared: self._outside(found, operations) for shared, found in accesses.items()}
        every = [access for found in self._accesses.values() for access in found]
        names = {name for access in every for name in (access.operation, access.end or access.operation)}
        names = {name for name in names if name in self._rank}
        self._bits = {
            name: 1 << number for number, name in enumerate(sorted(names, key=self._rank.__getitem__))
        }
        self._before = reach(operations, self._bits, controls=True)
        self._made_of = reach(
            operations, self._bits, controls=False, passes=lambda operation: not operation.gradient
        )
        self._waits: Dict[str, List[str]] = {}  # operation -> those that it waits for by a pair
        self._waited: Dict[str, int] = {}  # operation -> those that it comes after by pairs, as bits
        self._known: Set[Tuple[str, Any, bool]] = set()  # where these are complete

    def decision(self) -> Decision:
        """The pairs to set and those left open."""
        wanted: List[Tuple[str, str, Any]] = []
        for shared, accesses in self._accesses.items():
            wanted += [(one, other, shared) for one, other in self._wanted(accesses) if one != other]
        rank = self._rank
        # first those in the order of the graph: they cannot make a cycle
        wanted.sort(key=lambda pair: (rank[pair[0]] > rank[pair[1]], rank[pair[1]], -rank[pair[0]]))
        decision = Decision([], [])
        seen: Set[Tuple[str, str]] = set()
        lowest = len(rank)
        for earlier, later, shared in wanted:
            if (earlier, later) in seen or not self._may_wait(later) or self._is_ordered(earlier, later):
                continue
            seen.add((earlier, later))
            before, after = self._branches.around(earlier), self._branches.around(later)
            if before is not None and after is not None and never_together(before, after):
                continue
            if not self._whole and self._is_implied(earlier, later, shared, after):
                continue
            if before is None:
                decision.left.append(Pair(earlier, later, (), shared))
                continue
            if rank[earlier] > rank[later]:
                lowest = min(lowest, rank[later])
                if self._leads(later, earlier, lowest):
                    continue
            self._waits.setdefault(later, []).append(earlier)
            self._waited[later] = self._waited.get(later, 0) | self._bits[earlier]
            if self._runs_with(earlier, after):
                self._waited[later] |= self._waited.get(earlier, 0) | self._before.get(earlier, 0)
            decision.pairs.append(Pair(earlier, later, tuple(to_leave(before, after or ())), shared))
        return decision

    def _outside(self, accesses: Sequence[Access], operations: Sequence[Operation]) -> List[Access]:
        """The accesses, with loops in the place of what they use; uses in loops are left out.

        An optimizer's update waits for the loops that its gradient was computed in.
        """
        in_loop = self._branches.in_loop
        found = [access for access in accesses if not in_loop(access.operation)]
        inside = [access for access in accesses if access.kind in (READ, WRITE) and in_loop(access.operation)]
        outside = [access for access in found if access.kind == WRITE and self._sets(access.operation)]
        if not inside or not (outside or any(access.kind == WRITE for access in inside)):
            return found
        self._loops = self._loops or Loops(operations)
        for access in inside:
            ends = self._loops.around(access.operation)
            if ends is not None:
                at = access.at or access.operation
                found.append(access._replace(operation=ends.begin, end=ends.end, at=at))
        return found

    # the rules

    def _wanted(self, accesses: Sequence[Access]) -> List[Tuple[str, str]]:
        """The pairs (earlier, later) of the accesses of one variable, queue or iterator."""
        pairs: List[Tuple[str, str]] = []
        written = sorted((access for access in accesses if access.kind == WRITE), key=self._place)
        writes = [access.end or access.operation for access in written]
        pairs += _in_turn([(access.operation, end) for access, end in zip(written, writes)])
        for use in USES:
            used = sorted((access for access in accesses if access.kind == use.pattern), key=self._place)
            pairs += _in_turn([(access.operation, access.operation) for access in used])
        for read in accesses:
            if read.kind != READ or (read.end or read.operation) in writes:
                continue
            if read.last:
                pairs += [(write, read.operation) for write in writes]
                continue
            place, in_order = self._place_of_read(read, writes), self._in_order(read, writes)
            end = read.end or read.operation
            for write, written_at in zip(written, writes):
                if read.sent and (HELD.search(write.operation) or self._user_waits(read, written_at)):
                    pairs.append((end, write.operation))
                elif in_order and self._place(write) < place:
                    pairs.append((written_at, read.operation))
                elif in_order or not write.begins:
                    pairs.append((end, write.operation))
        return pairs

    def _place(self, access: Access) -> int:
        return self._rank[access.at or access.operation]

    def _place_of_read(self, read: Access, writes: Sequence[str]) -> int:
        """Where a read happens: what waits for a write sees it, even by an earlier identity."""
        if read.at is not None and self._after(read.operation, writes) & ~self._after(read.at, writes):
            return self._rank[read.operation]
        return self._place(read)

    def _in_order(self, read: Access, writes: Sequence[str]) -> bool:
        """True if a read happens in built order, not before all writes."""
        own = [write for write in writes if self._sets(write)]
        if any(self._made_of.get(write, 0) & self._bits[read.operation] for write in own):
            return True
        if read.sent:
            return False
        return read.waits or bool(self._after(read.operation, writes) | self._after(read.at or "", writes))

    def _sets(self, write: str) -> bool:
        """True if a write is an assignment: no optimizer's update, and none of other workers."""
        return not (_OPTIMIZER.match(self._of_name[write].type) or HELD.search(write))

    def _user_waits(self, read: Access, write: str) -> bool:
        """True if a read's user waits for a write, and the read does not: it was sent before."""
        return read.at is not None and bool(
            self._after(read.at, [write]) & ~self._after(read.operation, [write])
        )

    def _after(self, name: str, writes: Sequence[str]) -> int:
        """The writes that an operation depends on, as bits."""
        return self._before.get(name, 0) & sum(self._bits[write] for write in writes)

    # what is ordered already

    def _is_ordered(self, one: str, other: str) -> bool:
        """True if one of two operations depends on the other in the graph."""
        bits = self._before
        return bool(bits.get(other, 0) & self._bits[one] or bits.get(one, 0) & self._bits[other])

    def _is_implied(self, earlier: str, later: str, shared: Any, after: Optional[Path]) -> bool:
        """True if accesses between the two, which always run, bring them in order already."""
        stage = (later, shared, self._rank[earlier] > self._rank[later])
        if stage not in self._known:
            known = self._before.get(later, 0) | self._waited.get(later, 0)
            others = {access.operation for access in self._accesses[shared]} - {later}
            for other in sorted(others, key=self._rank.__getitem__, reverse=True):
                if known & self._bits[other] and self._runs_with(other, after):
                    known |= self._before.get(other, 0) | self._waited.get(other, 0)
            self._known.add(stage)
            self._waited[later] = known
        return bool(self._waited[later] & self._bits[earlier])

    def _runs_with(self, name: str, path: Optional[Path]) -> bool:
        """True if an operation runs whenever one in the branches `path` does."""
        own = self._branches.around(name)
        return own is not None and not to_leave(own, path or ())

    def _leads(self, start: str, end: str, lowest: int) -> bool:
        """True if `end` depends on `start`, also by the pairs so far.

        Args:
            lowest: no operation of a lower rank depends on `start`.
        """
        waiting, seen = [end], {end}
        while waiting:
            name = waiting.pop()
            if name == start:
                return True
            operation = self._of_name[name]
            for source in [source for source, _ in operation.inputs] + list(operation.controls):
                if source not in seen and self._rank.get(source, -1) >= lowest:
                    seen.add(source)
                    waiting.append(source)
            for source in self._waits.get(name, ()):
                if source not in seen and self._rank[source] >= lowest:
                    seen.add(source)
                    waiting.append(source)
        return False


def _in_turn(ends: Sequence[Tuple[str, str]]) -> List[Tuple[str, str]]:
    """The pairs that bring accesses in a row.

    Args:
        ends: of each access, the operation that waits for others, and the one that others wait for.
    """
    return [(end, begin) for place, (_, end) in enumerate(ends) for begin, _ in ends[place + 1 :]]
