"""Searches a TF1 graph: the ops that an update depends on, ops that return inputs, random ops."""

import contextlib
import re
from typing import Any, Callable, Iterable, Iterator, List, Pattern, Set

from tf2towers.order.pairs import HELD

#: ops that return values from outside the graph; their own inputs are not searched
INPUT_OPS = re.compile(
    r"IteratorGetNext(Sync|AsOptional)?|.*QueueDequeue(Many|UpTo)?(V2)?|Reader(Read|ReadUpTo)(V2)?|Unstage|"
    r"(Eager)?PyFunc(Stateless)?|OrderedMapUnstage.*|MapUnstage.*|RecordInput"
)
#: ops whose results are random
RANDOM_OPS = re.compile(
    r"RandomUniform|RandomUniformInt|RandomStandardNormal|TruncatedNormal|ParameterizedTruncatedNormal|RandomShuffle|"
    r"Multinomial|RandomGamma|RandomPoisson(V2)?"
)
#: ops that draw random numbers, or run Python code, which may draw them
DRAWS = re.compile(RANDOM_OPS.pattern + r"|(Eager)?PyFunc(Stateless)?")


def ancestors(ops: Iterable[Any], stop_at_inputs: bool = True) -> Set[Any]:
    """The ops themselves and all ops that they depend on, by inputs and control inputs.

    Args:
        stop_at_inputs: whether to stop at INPUT_OPS.
    """

    def before(op: Any) -> Iterable[Any]:
        if not (stop_at_inputs and INPUT_OPS.fullmatch(op.type)):
            yield from (tensor.op for tensor in op.inputs)
            yield from op.control_inputs

    return _reached(ops, before)


def _reached(ops: Iterable[Any], before: Callable[[Any], Iterable[Any]]) -> Set[Any]:
    found = set(ops)
    waiting = list(found)
    while waiting:
        for other in before(waiting.pop()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


#: the scope of the ops that `order` adds: `gate`, which a run may feed, `passed`, which follows it, `end` of a branch
ORDER = "tf2towers_order"
GATE = re.compile(r"(?:^|/)%s(?:_\d+)?/gate(?:_\d+)?$" % ORDER)
END = re.compile(r"(?:^|/)%s(?:_\d+)?/end(?:_\d+)?$" % ORDER)


def needed(ops: Iterable[Any], fed: Any = frozenset()) -> Set[Any]:
    """The ops that a run needs, without those that it needs only because of gates.

    Args:
        fed: the names of the fed tensors.
    """

    def before(op: Any) -> Iterable[Any]:
        yield from (tensor.op for tensor in op.inputs if tensor.name not in fed)
        for other in op.control_inputs:
            if not (other.type == "Placeholder" and other.name + ":0" in fed) and not is_passed(other):
                yield other

    return _reached(ops, before)


def is_held(op: Any) -> bool:
    """True if an op waits for other workers, in the middle of a run."""
    return bool(HELD.search(op.name))


def is_passed(op: Any) -> bool:
    """True if an op is what `order` lets others wait for."""
    return bool(op.type == "Assert" and GATE.search(op.inputs[0].op.name))


def of_type(ops: Iterable[Any], pattern: Pattern[str]) -> List[Any]:
    """The ops of a type that can be fetched (outside loop bodies and branches), in the order of creation."""
    found = [op for op in ops if pattern.fullmatch(op.type) and not in_control_flow(op)]
    return sorted(found, key=creation)


def creation(op: Any) -> int:
    """An operation's position in the order of creation in its graph."""
    return int(op._id)


def in_control_flow(op: Any) -> bool:
    """True if an op is in the body of a `tf.while_loop` or a branch of a `tf.cond`, and may be without a value."""
    context = op._get_control_flow_context()
    if op.type in ("Exit", "RefExit"):  # TensorFlow counts a loop's outputs as part of the loop
        context = context and context.outer_context
    return context is not None


def in_loop(op: Any) -> bool:
    """True if an op was built in a `tf.while_loop`, or in a branch inside one."""
    context = op._get_control_flow_context()
    return context is not None and context.GetWhileContext() is not None


@contextlib.contextmanager
def beside(graph: Any, scope: str = "tf2towers/") -> Iterator[None]:
    """A context whose ops get a scope of their own, without control inputs or device; works in finalized graphs too."""
    from tensorflow.python.framework import ops

    closed = graph.finalized  # by a `MonitoredSession` or a `Supervisor`
    if closed:
        graph._unsafe_unfinalize()
    scopes = [graph.as_default(), ops.control_dependencies(None), ops.name_scope(scope)]  # type: List[Any]
    try:
        with contextlib.ExitStack() as stack:
            for context in scopes + [graph.colocate_with(None, ignore_existing=True)]:
                stack.enter_context(context)
            yield
    finally:
        if closed:
            graph.finalize()
