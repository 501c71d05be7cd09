"""What a TF1 graph leaves the order of open is done as it was built: each run of the original then has one outcome.

Two accesses of one variable, of which one writes, may come in any order where no path of the graph leads from one to
the other: TF1 takes what happens. So it is with two towers that take from one queue or iterator. Here

    writes of one variable come in the order they were built in;
    a read that a write is computed from, gradients aside, and one that waits for something, come where they were built;
    any other read comes before the writes;
    takings from one queue or iterator, and givings to one, come in the order they were built in.

The runtime of migrated scripts has the same order (`tf2towers.runtime.graph_session.order`). On a reference variable
what counts as a read is the operation that computes with its memory; `Identity` and its like hand that on.

How: an operation `later` gets a control dependency on a gate, a `PlaceholderWithDefault` that depends on `earlier`.
A run that needs `later` alone feeds the gate, so that TensorFlow cuts off what is before it and does not run `earlier`.

Left open: accesses in a `tf.while_loop`; reads by another task or another machine's device, which happen when the value
is sent; those of operations that have been in a run before their rival was built, where that would have to come first.
"""

import heapq
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from . import graph as graphs
from .feeds import names_of
from .fetches import fetched_ops
from .session_runs import around_every_run
from .variables import READS, VARIABLES, begins

#: operations that hand on their first input's memory
_SAME_MEMORY = frozenset(
    "Identity RefIdentity Enter RefEnter Exit RefExit Switch RefSwitch Merge RefMerge NextIteration RefNextIteration "
    "RefSelect Reshape ExpandDims Squeeze StopGradient PreventGradient CheckNumerics EnsureShape IdentityN".split()
)
_ASKS = frozenset(["VarIsInitializedOp", "IsVariableInitialized", "VariableShape", "Shape", "Size", "Rank"])
#: what towers share beside variables, and how it is used; one list a kind of use
_SHARED = re.compile(r"(\w*Queue(V2)?|\w*Iterator(V2|V3)?|\w*Reader(V2)?|IteratorFromStringHandle\w*)$")
_USES = (
    re.compile(r"(IteratorGetNext(Sync|AsOptional)?|Reader(Read|ReadUpTo)(V2)?)$"),
    re.compile(r"QueueDequeue(Many|UpTo)?(V2)?$"),
    re.compile(r"QueueEnqueue(Many)?(V2)?$"),
)
_READ, _WRITE, _USE = 0, 1, 2
#: they compute what they write from a gradient
_OPTIMIZER = re.compile(r"(Resource)?(Sparse)?Apply")
_OF_GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?/")


class Gate(NamedTuple):
    """A dependency that a run keeps or cuts off."""

    tensor: Any
    earlier: Any
    later: Any
    shared: str


class Access(NamedTuple):
    """An operation that reads, writes or uses what others use as well."""

    op: Any
    kind: int
    waits: bool
    use: int


class Order(object):
    """Orders the graphs of sessions, each before its first run.

    Attributes:
        open: of what runs have needed: (name of the variable or queue, earlier, later operation).
    """

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self.open: Set[Tuple[str, str, str]] = set()
        self._graphs: Dict[Any, _Ordered] = {}

    def install(self) -> None:
        """Orders every run of every session, from now on. To be called before others watch the runs."""
        around_every_run(self._tf, self._run)

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, *options: Any) -> Any:
        cut = self._cut(session, fetches, feed_dict)
        return run(session, fetches, {**(feed_dict or {}), **cut} if cut else feed_dict, *options)

    def _cut(self, session: Any, fetches: Any, feed_dict: Any) -> Dict[Any, bool]:
        """The gates that a run of these fetches feeds."""
        graph = session.graph
        if graph not in self._graphs:
            self._graphs[graph] = _Ordered(graph)
        ordered = self._graphs[graph]
        ordered.look()
        if not ordered.gates:
            return {}
        ops = frozenset(fetched_ops(self._tf, session, fetches))
        fed = frozenset(names_of(graph, feed_dict))
        cut, kept = ordered.parted(ops, fed)
        self.open.update((gate.shared, gate.earlier.name, gate.later.name) for gate in kept)
        return {gate.tensor: True for gate in cut}


class _Ordered(object):
    """One graph, as far as it has been looked at."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._version = -1
        self._seen = 0
        self.gates: List[Gate] = []
        self._uses: Dict[Any, Set[str]] = {}  # operation -> names of variables, queues and iterators
        self._parted: Dict[Any, Tuple[List[Gate], List[Gate]]] = {}

    def look(self) -> None:
        """Puts what is new in the graph in order."""
        if self._graph.version == self._version:
            return
        operations = self._graph.get_operations()
        new = set(operations[self._seen :])
        ranks = _ranked(operations)
        shared = _accesses(sorted(operations, key=ranks.__getitem__))
        for of, accesses in shared.items():
            for access in accesses:
                self._uses.setdefault(access.op, set()).add(of.name)
        shared = {key: found for key, found in shared.items() if any(access.op in new for access in found)}
        if shared:
            pairs = _open_pairs(shared, ranks, new)
            with graphs.beside(self._graph, graphs.ORDER + "/"):
                for earlier, later in pairs:
                    _put_gate(earlier, later)
        everything = self._graph.get_operations()
        for op in everything[self._seen :]:
            if graphs.GATE.search(op.name) and op.control_inputs:
                passed = op.outputs[0].consumers()
                for later in passed[0]._control_outputs if passed else ():
                    earlier = op.control_inputs[0]
                    names = self._uses.get(later, {later.name})
                    both = names & self._uses.get(earlier, names)  # a `Merge` stands for what is in a branch
                    self.gates.append(Gate(op.outputs[0], earlier, later, min(both or names)))
        self._seen, self._version = len(everything), self._graph.version
        self._parted.clear()

    def parted(self, ops: Any, fed: Any) -> Tuple[List[Gate], List[Gate]]:
        """The gates that a run cuts off, and those it keeps."""
        key = (ops, fed)
        if key not in self._parted:
            needed = graphs.needed(ops, fed)
            here = [gate for gate in self.gates if gate.later in needed]
            self._parted[key] = (
                [gate for gate in here if gate.earlier not in needed],
                [gate for gate in here if gate.earlier in needed],
            )
        return self._parted[key]


# -- who uses what -----------------------------------------------------------------------------------------------------


def _ranked(operations: List[Any]) -> Dict[Any, int]:
    """A place for each operation: after all that it needs, and else in the order they were built in."""
    order = {op: place for place, op in enumerate(operations)}
    missing: Dict[Any, int] = {}
    users: Dict[Any, List[Any]] = {}
    for op in operations:
        sources = {tensor.op for tensor in op.inputs} | set(op.control_inputs)
        sources = {source for source in sources if source.type not in ("NextIteration", "RefNextIteration")}
        missing[op] = len(sources)
        for source in sources:
            users.setdefault(source, []).append(op)
    ready = [order[op] for op in operations if not missing[op]]
    heapq.heapify(ready)
    ranks: Dict[Any, int] = {}
    while ready:
        op = operations[heapq.heappop(ready)]
        ranks[op] = len(ranks)
        for user in users.get(op, ()):
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, order[user])
    for op in operations:  # of a circle that no loop of TensorFlow's makes
        ranks.setdefault(op, len(ranks))
    return ranks


def _accesses(operations: Iterable[Any]) -> Dict[Any, List[Access]]:
    """The accesses of each variable, queue and iterator, in the order that they were built in.

    Args:
        operations: of a graph, each after what it needs.
    """
    # tensor -> whose memory it is, whether that waited for something
    memory: Dict[Any, Tuple[Any, bool]] = {}
    found: Dict[Any, List[Access]] = {}
    for op in operations:
        # the recorder's own; of no training run
        if op.name.startswith("tf2towers/") or op.type.startswith("Save"):
            continue
        if op.type in VARIABLES or _SHARED.match(op.type):
            memory.update((tensor, (op, False)) for tensor in op.outputs)
            continue
        for place, tensor in enumerate(op.inputs):
            if tensor not in memory or op.type in _ASKS:
                continue
            of, waited = memory[tensor]
            waits = waited or bool(op.control_inputs)
            if op.type in _SAME_MEMORY and (place == 0 or op.type in ("Merge", "RefMerge", "IdentityN")):
                same = [output for output in op.outputs if output.dtype.base_dtype == tensor.dtype.base_dtype]
                memory.update(dict.fromkeys(same, (of, waits)))
                continue
            access = _access(op, place, tensor, of, waits)
            if access is not None and not _in_loop(op):
                found.setdefault(of, []).append(access)
            if access is not None and access.kind == _WRITE:  # what it gives is the variable's memory
                memory.update((output, (of, True)) for output in op.outputs if output.dtype._is_ref_dtype)
    return found


def _access(op: Any, place: int, tensor: Any, of: Any, waits: bool) -> Optional[Access]:
    if of.type not in VARIABLES:
        return next(
            (Access(op, _USE, waits, use) for use, kind in enumerate(_USES) if kind.match(op.type)), None
        )
    if begins(op):
        return None
    if of.type == "VarHandleOp":
        kind = _READ if op.type in READS else _WRITE
    else:
        kind = _WRITE if tensor.dtype._is_ref_dtype and _takes_reference(op, place) else _READ
    if kind == _READ and _task(op.device) != _task(of.device):
        return None
    return Access(op, kind, waits, 0)


def _takes_reference(op: Any, place: int) -> bool:
    """Whether an input is declared as a reference."""
    declared: List[bool] = []
    for argument in op.op_def.input_arg:
        count = op.get_attr(argument.number_attr) if argument.number_attr else 1
        if argument.type_list_attr:
            count = len(op.get_attr(argument.type_list_attr))
        declared += [argument.is_ref] * int(count)
    return place < len(declared) and declared[place] and op.type not in READS


def _task(device: str) -> List[str]:
    return [part for part in str(device).split("/") if part.startswith(("job:", "replica:", "task:"))]


def _contexts(op: Any) -> List[Any]:
    context, found = op._get_control_flow_context(), []
    while context is not None:
        found.append(context)
        context = context.outer_context
    return found


def _in_loop(op: Any) -> bool:
    return any(context.IsWhileContext() for context in _contexts(op))


# -- what is open ------------------------------------------------------------------------------------------------------


def _open_pairs(
    shared: Dict[Any, List[Access]], ranks: Dict[Any, int], new: Set[Any]
) -> List[Tuple[Any, Any]]:
    """Pairs of operations, the first of which is to come first, that no path of the graph orders."""
    ops = {access.op for found in shared.values() for access in found}
    is_ancestor = _reach(ops, ranks, lambda op: False, lambda op: op.control_inputs)
    made_of = _reach(ops, ranks, _is_gradient, lambda op: ())
    pairs: List[Tuple[Any, Any]] = []
    for accesses in shared.values():
        found = sorted(accesses, key=lambda access: ranks[access.op])
        writes = [access.op for access in found if access.kind == _WRITE]
        reads = {
            access.op: access.waits for access in found if access.kind == _READ and access.op not in writes
        }
        for use in range(len(_USES)):
            uses = [access.op for access in found if access.kind == _USE and access.use == use]
            pairs += [(one, other) for place, one in enumerate(uses) for other in uses[place + 1 :]]
        for place, write in enumerate(writes):
            pairs += [(write, other) for other in writes[place + 1 :]]
        own = [write for write in writes if not _OPTIMIZER.match(write.type)]
        for read, waits in reads.items():
            in_order = waits or any(made_of(read, write) for write in own)
            for write in writes:
                before = in_order and ranks[write] < ranks[read]
                pairs.append((write, read) if before else (read, write))
    result: List[Tuple[Any, Any]] = []
    added: Dict[Any, List[Any]] = {}
    floor = len(ranks)
    pairs.sort(key=lambda pair: (ranks[pair[0]] > ranks[pair[1]], ranks[pair[1]], ranks[pair[0]]))
    for earlier, later in pairs:
        if later not in new or earlier is later or is_ancestor(earlier, later) or is_ancestor(later, earlier):
            continue
        source = _after_branch(earlier, later)
        if source is None:
            continue
        if ranks[source] >= ranks[later]:
            floor = min(floor, ranks[later])
            if _leads(later, source, added, ranks, floor):
                continue
        added.setdefault(later, []).append(source)
        result.append((source, later))
    return list(dict.fromkeys(result))


def _reach(ops: Set[Any], ranks: Dict[Any, int], skipped: Any, controls: Any) -> Any:
    """A function that says whether one of some operations is an ancestor of another one.

    Args:
        skipped: whether paths through an operation do not count.
        controls: what beside its inputs an operation depends on.
    """
    bits = {op: 1 << place for place, op in enumerate(sorted(ops, key=ranks.__getitem__))}
    masks: Dict[Any, int] = {}
    for op in sorted(ranks, key=ranks.__getitem__):
        mask = bits.get(op, 0)
        if not skipped(op):
            for tensor in op.inputs:
                mask |= masks.get(tensor.op, 0)
            for other in controls(op):
                mask |= masks.get(other, 0)
            masks[op] = mask
    return lambda earlier, later: bool(masks.get(later, 0) & bits[earlier])


def _is_gradient(op: Any) -> bool:
    return op._original_op is not None or bool(_OF_GRADIENTS.search(op.name))


def _after_branch(earlier: Any, later: Any) -> Optional[Any]:
    """What to wait for: of an operation in a branch of a `tf.cond` the `Merge` after it, for the branch may be dead."""
    mine, its = _contexts(earlier), _contexts(later)
    outside = [context for context in mine if context not in its]
    if not outside:
        return earlier
    outermost = outside[-1]
    if any(getattr(context, "pred", None) is outermost.pred for context in its if hasattr(context, "pred")):
        return None  # the other branch
    waiting, seen = [earlier], {earlier}
    while waiting:
        op = waiting.pop(0)
        for user in [user for tensor in op.outputs for user in tensor.consumers()] + list(
            op._control_outputs
        ):
            if user.type in ("Merge", "RefMerge") and outermost not in _contexts(user):
                return user
            if user not in seen and outermost in _contexts(user):
                seen.add(user)
                waiting.append(user)
    return None


def _leads(start: Any, end: Any, added: Dict[Any, List[Any]], ranks: Dict[Any, int], floor: int) -> bool:
    """Whether `end` needs `start`, with the dependencies that are to be added.

    Args:
        floor: no dependency leads from `start` to an operation whose rank is lower.
    """
    waiting, seen = [end], {end}
    while waiting:
        op = waiting.pop()
        if op is start:
            return True
        for other in [tensor.op for tensor in op.inputs] + list(op.control_inputs) + added.get(op, []):
            if other not in seen and ranks[other] >= floor:
                seen.add(other)
                waiting.append(other)
    return False


def _put_gate(earlier: Any, later: Any) -> None:
    from tensorflow.python.framework import constant_op, ops
    from tensorflow.python.ops import array_ops, gen_logging_ops

    with ops.device(None), ops.device(later.device):
        gate = array_ops.placeholder_with_default(constant_op.constant(True), [], name="gate")
        # of what takes a value and gives none, this is all that graph rewriting leaves as it is
        passed = gen_logging_ops._assert(gate, [gate], name="passed")
    gate.op._add_control_input(earlier)
    later._add_control_input(passed)
