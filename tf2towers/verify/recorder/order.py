"""Orders the accesses that a graph of the original does not order, so that each run of it is the same.

`tf2towers.order` has the rules; here is what it has to know of a `tf.Graph`. For a reference variable, the op that
computes with its memory counts as the read; `Identity` and similar ops only pass the memory on. A variable on a
parameter server is read when its value is sent, so a copy that is made there takes its place and is the read. What
a loop keeps for its gradient is read in the gradient's loop.

An op `later` gets a control dependency on a gate, a `PlaceholderWithDefault` that depends on `earlier`, or on the end
of its branch. A run that needs `later` alone feeds the gate, so that TensorFlow prunes the ops before it and does not
run `earlier`. An op that has run before another one was built does not wait for it any more.
"""

import contextlib
import re
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from tf2towers.order.operations import Operation, sorted_operations
from tf2towers.order.pairs import READ, WRITE, Access, Pair, decide, use_of

from . import graph as graphs
from .run_arguments import fetched_ops, mapped, names_of
from .session_runs import around_every_run
from .variables import READS, VARIABLES, begins

#: operations whose output is their first input's memory
_SAME_MEMORY = frozenset(
    "Identity RefIdentity Enter RefEnter Exit RefExit Switch RefSwitch Merge RefMerge NextIteration RefNextIteration "
    "RefSelect Reshape ExpandDims Squeeze StopGradient PreventGradient CheckNumerics EnsureShape IdentityN".split()
)
_ASKS = frozenset(["VarIsInitializedOp", "IsVariableInitialized", "VariableShape", "Shape", "Size", "Rank"])
#: resources besides variables that towers share
_SHARED = re.compile(
    r"(\w*Queue(V2)?|\w*Iterator(V2|V3)?|\w*Reader(V2)?|IteratorFromStringHandle\w*|\w*ConditionalAccumulator)$"
)
#: ops that only take a variable's memory to where it is used
_ON_THE_WAY = ("Switch", "RefSwitch", "Enter", "RefEnter")
_OF_GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?/")


class Gate(NamedTuple):
    """A dependency that a run keeps or prunes."""

    tensor: Any
    earlier: Any
    later: Any
    shared: str


class Order(object):
    """Orders the graph of each session before its first run.

    Attributes:
        open: the ordered pairs that runs have needed: (name of the variable or queue, earlier op, later op).
    """

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self.open: Set[Tuple[str, str, str]] = set()
        self._graphs: Dict[Any, _Ordered] = {}

    @property
    def graphs(self) -> List[Any]:
        """The graphs that runs have used."""
        return list(self._graphs)

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
        self.open.update(
            (gate.shared, gate.earlier.name, gate.later.name)
            for gate in kept
            if not graphs.is_held(gate.later)
        )
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
        self._uses: Dict[str, Set[str]] = {}  # operation -> the variables, queues and iterators
        self._split: Dict[Any, Tuple[List[Gate], List[Gate]]] = {}

    def order_new(self) -> None:
        """Orders the new ops of the graph."""
        if self._graph.version == self._version:
            return
        new = self._graph.get_operations()[self._seen :]
        built, shared, sent = self._found()
        if self._copy(new, sent):
            new = self._graph.get_operations()[self._seen :]
            built, shared, _ = self._found()
        for of, accesses in shared.items():
            for access in accesses:
                self._uses.setdefault(access.operation, set()).add(of)
        names = {op.name for op in new}
        shared = {of: found for of, found in shared.items() if any(each.operation in names for each in found)}
        if shared:
            decision = decide(built, shared, whole=True, may_wait=names.__contains__)
            with graphs.beside(self._graph, graphs.ORDER + "/"):
                for pair in decision.pairs:
                    _put_gate(self._graph, pair)
        everything = self._graph.get_operations()
        for op in everything[self._seen :]:
            if graphs.GATE.search(op.name) and op.control_inputs:
                passed = op.outputs[0].consumers()
                for later in passed[0]._control_outputs if passed else ():
                    earlier = _ended_by(op.control_inputs[0])
                    uses = self._uses.get(later.name, {later.name})
                    both = uses & self._uses.get(earlier.name, uses)
                    self.gates.append(Gate(op.outputs[0], earlier, later, min(both or uses)))
        self._seen, self._version = len(everything), self._graph.version
        self._split.clear()

    def _found(self) -> Tuple[List[Operation], Dict[str, List[Access]], List[Tuple[Any, int, Any]]]:
        """The graph as the order sees it, with the accesses, and what another task is sent: see `_accesses`."""
        operations = self._in_built_order()
        built = sorted_operations([_seen(op, place) for place, op in enumerate(operations)])
        of_name = {op.name: op for op in operations}
        shared, sent = _accesses(of_name[operation.name] for operation in built)
        return built, shared, sent

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
            # as TensorFlow sends a reference when what its receiver waits for is done: `read_value()` on a worker
            if tensor.op is of and before is not of:
                waited = [other for other in before.control_inputs if not graphs.in_control_flow(other)]
                copy.op._add_control_inputs(waited)
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


def _seen(op: Any, place: int) -> Operation:
    """An op as the order sees it."""
    inputs = tuple((tensor.op.name, tensor.value_index) for tensor in op.inputs)
    controls = tuple(other.name for other in op.control_inputs)
    of_gradient = op._original_op is not None or bool(_OF_GRADIENTS.search(op.name))
    return Operation(op.name, op.type, inputs, controls, place, of_gradient)


def _accesses(operations: Iterable[Any]) -> Tuple[Dict[str, List[Access]], List[Tuple[Any, int, Any]]]:
    """The accesses of each variable, queue and iterator, by the name of its op.

    Args:
        operations: those of a graph, each after its inputs.

    Returns:
        The accesses, and what another task is sent: (op, number of its input, reference variable).
    """
    # tensor -> the variable whose memory it is, and the first op that the script passed it on by
    memory: Dict[Any, Tuple[Any, Any]] = {}
    found: Dict[str, List[Access]] = {}
    sent: List[Tuple[Any, int, Any]] = []
    held: List[Any] = []
    pushed: Dict[Any, Any] = {}  # a stack -> what a loop keeps there for its gradient
    for op in operations:
        # ops of the recorder, and of savers, are in no training run
        if op.name.startswith("tf2towers/") or op.type.startswith("Save"):
            continue
        if graphs.is_held(op):
            held.append(op)
        if op.type in VARIABLES or _SHARED.match(op.type):
            memory.update((tensor, (op, None)) for tensor in op.outputs)
            continue
        if op.type == "StackPopV2" and pushed.get(_stack(op)) in memory:
            memory[op.outputs[0]] = memory[pushed[_stack(op)]]
            continue
        if op.type == "StackPushV2":
            pushed[_stack(op)] = op.inputs[1]
            continue
        for place, tensor in enumerate(op.inputs):
            if tensor not in memory or op.type in _ASKS:
                continue
            of, by = memory[tensor]
            if _is_served(of) and _task(op.device) != _task(of.device) and of.outputs[0].dtype._is_ref_dtype:
                if not graphs.in_control_flow(tensor.op):
                    sent.append((op, place, of))
                elif _is_if_initialized(tensor.op):
                    found.setdefault(of.name, []).append(Access(op.name, READ, op.name, sent=True))
                continue
            if op.type in _SAME_MEMORY and (place == 0 or op.type in ("Merge", "RefMerge", "IdentityN")):
                if by is None and of.type != "VarHandleOp" and not _is_on_the_way(op, of):
                    by = op
                same = [output for output in op.outputs if output.dtype.base_dtype == tensor.dtype.base_dtype]
                memory.update(dict.fromkeys(same, (of, by)))
                continue
            access = _access(op, place, tensor, of, by)
            if access is not None:
                found.setdefault(of.name, []).append(access)
            if access is not None and access.kind == WRITE:  # its output is the variable's memory
                memory.update((output, (of, None)) for output in op.outputs if output.dtype._is_ref_dtype)
    # what follows may change all variables on parameter servers: other workers do so meanwhile
    for of in {of for of, _ in memory.values() if held and _is_served(of)}:
        found.setdefault(of.name, []).extend(Access(op.name, WRITE) for op in held)
    return found, sent


def _access(op: Any, place: int, tensor: Any, of: Any, by: Any) -> Optional[Access]:
    """How an op uses an input that is a variable's memory, a queue or an iterator; None if it does not.

    Args:
        by: the op that the script passed the memory on by, such as a `tf.identity`; None: the op itself takes it.
    """
    if of.type not in VARIABLES:
        use = use_of(op.type)
        return None if use is None else Access(op.name, use)
    if begins(op):
        return None
    if of.type == "VarHandleOp":
        kind = READ if op.type in READS else WRITE
    else:
        kind = WRITE if tensor.dtype._is_ref_dtype and _takes_reference(op, place) else READ
    if kind == READ and _task(op.device) != _task(of.device):
        return None
    first = by or op
    waits = any(not graphs.is_passed(other) for other in first.control_inputs)
    is_sent = op.type == "DeepCopy"
    users = [user.name for user in op.outputs[0].consumers()] if is_sent else []
    return Access(op.name, kind, users[0] if len(users) == 1 else first.name, waits, sent=is_sent)


def _is_on_the_way(op: Any, of: Any) -> bool:
    """True if an op only takes a variable's memory to where it is used, as TensorFlow's own and those in loops."""
    return op.type in _ON_THE_WAY or op.name == of.name + "/read" or graphs.in_loop(op)


def _stack(op: Any) -> Any:
    """The stack that an op in a loop uses."""
    tensor = op.inputs[0]
    return tensor.op.inputs[0] if tensor.op.type == "Enter" else tensor


def _takes_reference(op: Any, place: int) -> bool:
    """True if an input is declared as a reference."""
    declared: List[bool] = []
    for argument in op.op_def.input_arg:
        count = op.get_attr(argument.number_attr) if argument.number_attr else 1
        if argument.type_list_attr:
            count = len(op.get_attr(argument.type_list_attr))
        declared += [argument.is_ref] * int(count)
    return place < len(declared) and declared[place] and op.type not in READS


def _is_if_initialized(op: Any) -> bool:
    """True for the `Switch` of `cond(is_variable_initialized(v), v.read_value, ...)`: hooks read the step by it."""
    if op.type not in ("Switch", "RefSwitch"):
        return False
    predicate = op.inputs[1].op
    while predicate.type == "Identity":
        predicate = predicate.inputs[0].op
    return predicate.type in ("IsVariableInitialized", "VarIsInitializedOp")


def _is_served(op: Any) -> bool:
    """True if a variable is on a parameter server."""
    return op.type in VARIABLES and "/job:ps" in op.device


def _task(device: str) -> List[str]:
    return [part for part in str(device).split("/") if part.startswith(("job:", "replica:", "task:"))]


# -- gates -------------------------------------------------------------------------------------------------------------


def _put_gate(graph: Any, pair: Pair) -> None:
    from tensorflow.python.framework import constant_op, ops
    from tensorflow.python.ops import array_ops, gen_control_flow_ops, gen_logging_ops

    done, later = graph.get_operation_by_name(pair.earlier), graph.get_operation_by_name(pair.later)
    for branch in reversed(pair.leaving):
        predicate = graph.get_tensor_by_name("%s:%d" % branch.predicate)
        with ops.device(None), ops.device(predicate.op.device):
            sides = gen_control_flow_ops.switch(predicate, predicate)
            with ops.control_dependencies([done]):
                ran = array_ops.identity(sides[branch.taken], name="ran")
            done = gen_control_flow_ops.merge([ran, sides[1 - branch.taken]], name="end").output.op
    with ops.device(None), ops.device(later.device):
        gate = array_ops.placeholder_with_default(constant_op.constant(True), [], name="gate")
        # of the ops with an input and no output, only Assert is kept unchanged by graph rewriting
        passed = gen_logging_ops._assert(gate, [gate], name="passed")
    gate.op._add_control_input(done)
    later._add_control_input(passed)


def _ended_by(op: Any) -> Any:
    """The op that a gate depends on, where it depends on the end of the op's branch."""
    while op.type == "Merge" and graphs.END.search(op.name):
        op = op.inputs[0].op.control_inputs[0]
    return op
