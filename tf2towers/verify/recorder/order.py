"""Orders accesses that a TF1 graph does not order, as they were built, so that each run of the original is the same.

Two accesses of one variable, of which one writes, may happen in any order unless a path of the graph connects them. The
same holds for two towers that dequeue from one queue or iterate one iterator. This module orders them:

    writes of one variable happen in the order in which they were built;
    a read that a write is computed from (not through gradients), or that waits for an op, happens in built order too;
    any other read happens before the writes;
    dequeues from one queue or iterator, and enqueues to one queue, happen in the order in which they were built.

The runtime of migrated scripts has the same order (`tf2towers.runtime.graph_session.order`). For a reference variable,
the op that computes with its memory counts as the read; `Identity` and similar ops only pass the memory on. A variable
on a parameter server is read when its value is sent, so a copy that is made there takes its place and is the read.

An op `later` gets a control dependency on a gate, a `PlaceholderWithDefault` that depends on `earlier`. A run that
needs `later` alone feeds the gate, so that TensorFlow prunes the ops before it and does not run `earlier`.

Not ordered: accesses in a `tf.while_loop`; a branch's reads of another task's variable; accesses of ops that have run
before the other op was built, if that one would have to be first.
"""

import contextlib
import heapq
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from . import graph as graphs
from .feeds import names_of
from .fetches import fetched_ops, mapped
from .session_runs import around_every_run
from .variables import READS, VARIABLES, begins

#: operations whose output is their first input's memory
_SAME_MEMORY = frozenset(
    "Identity RefIdentity Enter RefEnter Exit RefExit Switch RefSwitch Merge RefMerge NextIteration RefNextIteration "
    "RefSelect Reshape ExpandDims Squeeze StopGradient PreventGradient CheckNumerics EnsureShape IdentityN".split()
)
_ASKS = frozenset(["VarIsInitializedOp", "IsVariableInitialized", "VariableShape", "Shape", "Size", "Rank"])
#: resources besides variables that towers share, and the ops that use them; one pattern for each kind of use
_SHARED = re.compile(r"(\w*Queue(V2)?|\w*Iterator(V2|V3)?|\w*Reader(V2)?|IteratorFromStringHandle\w*)$")
_USES = (
    re.compile(r"(IteratorGetNext(Sync|AsOptional)?|Reader(Read|ReadUpTo)(V2)?)$"),
    re.compile(r"QueueDequeue(Many|UpTo)?(V2)?$"),
    re.compile(r"QueueEnqueue(Many)?(V2)?$"),
)
_READ, _WRITE, _USE = 0, 1, 2
#: ops that compute their new value from a gradient
_OPTIMIZER = re.compile(r"(Resource)?(Sparse)?Apply")
_OF_GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?/")


class Gate(NamedTuple):
    """A dependency that a run keeps or prunes."""

    tensor: Any
    earlier: Any
    later: Any
    shared: str


class Access(NamedTuple):
    """An op that reads, writes or uses a shared variable, queue or iterator."""

    op: Any
    kind: int
    waits: bool
    use: int


class Order(object):
    """Orders the graph of each session before its first run.

    Attributes:
        open: the ordered pairs that runs have needed: (name of the variable or queue, earlier op, later op).
    """

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self.open: Set[Tuple[str, str, str]] = set()
        self._graphs: Dict[Any, _Ordered] = {}

    def install(self) -> None:
        """From now on, orders every run of every session. Call it before other patches watch the runs."""
        from tensorflow.python.framework import ops

        with contextlib.suppress(KeyError):  # it is there already
            ops.RegisterGradient("DeepCopy")(lambda _, gradient: gradient)
        around_every_run(self._tf, self._run)

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, *options: Any) -> Any:
        ordered = self._ordered(session.graph)
        if ordered.copies:
            fetches = mapped(fetches, ordered.copy_of)
        cut = self._gates_to_feed(ordered, session, fetches, feed_dict)
        return run(session, fetches, {**(feed_dict or {}), **cut} if cut else feed_dict, *options)

    def _ordered(self, graph: Any) -> "_Ordered":
        if graph not in self._graphs:
            self._graphs[graph] = _Ordered(graph)
        self._graphs[graph].order_new()
        return self._graphs[graph]

    def _gates_to_feed(
        self, ordered: "_Ordered", session: Any, fetches: Any, feed_dict: Any
    ) -> Dict[Any, bool]:
        """The gates that a run of these fetches feeds."""
        if not ordered.gates:
            return {}
        ops = frozenset(fetched_ops(self._tf, session, fetches))
        fed = frozenset(names_of(session.graph, feed_dict))
        cut, kept = ordered.split_gates(ops, fed)
        self.open.update((gate.shared, gate.earlier.name, gate.later.name) for gate in kept)
        return {gate.tensor: True for gate in cut}


class _Ordered(object):
    """One graph, with the part that has been ordered so far.

    Attributes:
        copies: of each reference variable on a parameter server, the copy that a fetch of it returns.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self.copies: Dict[Any, Any] = {}
        self._made: Dict[Any, List[Any]] = {}  # operation -> the copies that precede it in built order
        self._version = -1
        self._seen = 0
        self.gates: List[Gate] = []
        self._uses: Dict[Any, Set[str]] = {}  # operation -> names of variables, queues and iterators
        self._split: Dict[Any, Tuple[List[Gate], List[Gate]]] = {}

    def order_new(self) -> None:
        """Orders the new ops of the graph."""
        if self._graph.version == self._version:
            return
        operations = self._in_built_order()
        new = self._graph.get_operations()[self._seen :]
        ranks = _ranked(operations)
        shared, sent = _accesses(sorted(operations, key=ranks.__getitem__))
        if self._copy(new, sent):
            new = self._graph.get_operations()[self._seen :]
            operations = self._in_built_order()
            ranks = _ranked(operations)
            shared, _ = _accesses(sorted(operations, key=ranks.__getitem__))
        for of, accesses in shared.items():
            for access in accesses:
                self._uses.setdefault(access.op, set()).add(of.name)
        shared = {key: found for key, found in shared.items() if any(access.op in new for access in found)}
        if shared:
            pairs = _open_pairs(shared, ranks, set(new))
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
                    both = names & self._uses.get(earlier, names)  # a `Merge` replaces an op in a branch
                    self.gates.append(Gate(op.outputs[0], earlier, later, min(both or names)))
        self._seen, self._version = len(everything), self._graph.version
        self._split.clear()

    def _in_built_order(self) -> List[Any]:
        """The graph's operations, each copy before the operation that takes it."""
        copies = {copy for made in self._made.values() for copy in made}
        operations = [op for op in self._graph.get_operations() if op not in copies]
        return [each for op in operations for each in self._made.get(op, []) + [op]]

    def _copy(self, new: List[Any], sent: List[Tuple[Any, int, Any]]) -> bool:
        """Puts copies where new ops are sent a variable of another task, and makes those that fetches return."""
        from tensorflow.python.framework import ops
        from tensorflow.python.ops import gen_array_ops

        def made(before: Any, tensor: Any, of: Any) -> Any:
            with ops.device(None), ops.device(of.device):
                copy = gen_array_ops.deep_copy(tensor)
            self._made.setdefault(before, []).append(copy.op)
            return copy

        sent = [read for read in sent if read[0] in set(new)]
        kept = [op for op in new if _is_served(op) and op.outputs[0].dtype._is_ref_dtype]
        with graphs.beside(self._graph, graphs.ORDER + "/"):
            for op, place, of in sent:
                op._update_input(place, made(op, op.inputs[place], of))
            self.copies.update((op, made(op, op.outputs[0], op)) for op in kept)
        return bool(sent or kept)

    def copy_of(self, fetch: Any) -> Any:
        """What is fetched in place of a fetch: the copy of a variable on a parameter server, or the fetch itself."""
        try:
            op = self._graph.as_graph_element(fetch, allow_operation=False).op
        except (TypeError, ValueError, KeyError):
            return fetch
        if op.type == "Identity" and not op.control_inputs:  # a reference variable's own read
            op = op.inputs[0].op
        return self.copies.get(op, fetch)

    def split_gates(self, ops: Any, fed: Any) -> Tuple[List[Gate], List[Gate]]:
        """The gates that a run prunes, and those that it keeps."""
        key = (ops, fed)
        if key not in self._split:
            needed = graphs.needed(ops, fed)
            here = [gate for gate in self.gates if gate.later in needed]
            self._split[key] = (
                [gate for gate in here if gate.earlier not in needed],
                [gate for gate in here if gate.earlier in needed],
            )
        return self._split[key]


# -- the accesses of each variable, queue and iterator -----------------------------------------------------------------


def _ranked(operations: List[Any]) -> Dict[Any, int]:
    """A rank for each op: higher than those of its inputs, otherwise in the order of building."""
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
    for op in operations:  # ops in a cycle outside TensorFlow's loops
        ranks.setdefault(op, len(ranks))
    return ranks


def _accesses(operations: Iterable[Any]) -> Tuple[Dict[Any, List[Access]], List[Tuple[Any, int, Any]]]:
    """The accesses of each variable, queue and iterator, in the order in which they were built.

    Args:
        operations: those of a graph, each after its inputs.

    Returns:
        The accesses, and what another task is sent: (op, number of its input, reference variable).
    """
    # tensor -> the variable whose memory it is, and whether a control input came before
    memory: Dict[Any, Tuple[Any, bool]] = {}
    found: Dict[Any, List[Access]] = {}
    sent: List[Tuple[Any, int, Any]] = []
    for op in operations:
        # ops of the recorder, and of savers, are in no training run
        if op.name.startswith("tf2towers/") or op.type.startswith("Save"):
            continue
        if op.type in VARIABLES or _SHARED.match(op.type):
            memory.update((tensor, (op, False)) for tensor in op.outputs)
            continue
        for place, tensor in enumerate(op.inputs):
            if tensor not in memory or op.type in _ASKS:
                continue
            of, waited = memory[tensor]
            if _is_served(of) and _task(op.device) != _task(of.device) and of.outputs[0].dtype._is_ref_dtype:
                if not _contexts(tensor.op):
                    sent.append((op, place, of))
                continue
            waits = (waited or bool(op.control_inputs)) and op.type != "DeepCopy"
            if op.type in _SAME_MEMORY and (place == 0 or op.type in ("Merge", "RefMerge", "IdentityN")):
                same = [output for output in op.outputs if output.dtype.base_dtype == tensor.dtype.base_dtype]
                memory.update(dict.fromkeys(same, (of, waits)))
                continue
            access = _access(op, place, tensor, of, waits)
            if access is not None and not _in_loop(op):
                found.setdefault(of, []).append(access)
            if access is not None and access.kind == _WRITE:  # its output is the variable's memory
                memory.update((output, (of, True)) for output in op.outputs if output.dtype._is_ref_dtype)
    return found, sent


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


def _is_served(op: Any) -> bool:
    """Whether a variable is on a parameter server."""
    return op.type in VARIABLES and "/job:ps" in op.device


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


# -- pairs of accesses that the graph does not order -------------------------------------------------------------------


def _open_pairs(
    shared: Dict[Any, List[Access]], ranks: Dict[Any, int], new: Set[Any]
) -> List[Tuple[Any, Any]]:
    """The pairs of ops that no path of the graph orders, as (earlier, later)."""
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
    """A function that tells whether one of these ops is an ancestor of another one.

    Args:
        skipped: tells whether paths through an op do not count.
        controls: returns the ops that an op depends on besides its inputs.
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
    """The op to wait for: for one in a branch of a `tf.cond`, the `Merge` after it, because the branch may be dead."""
    contexts, own = _contexts(earlier), _contexts(later)
    outside = [context for context in contexts if context not in own]
    if not outside:
        return earlier
    outermost = outside[-1]
    if any(getattr(context, "pred", None) is outermost.pred for context in own if hasattr(context, "pred")):
        return None  # ops of the other branch never run with it
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
    """Whether `end` depends on `start`, also by the dependencies that will be added.

    Args:
        floor: no op with a lower rank depends on `start`.
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
        # of the ops with an input and no output, only Assert is kept unchanged by graph rewriting
        passed = gen_logging_ops._assert(gate, [gate], name="passed")
    gate.op._add_control_input(earlier)
    later._add_control_input(passed)
