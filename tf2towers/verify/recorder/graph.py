"""Reading a TF1 graph: what an update depends on, where values come in, which ops belong to a tower."""

import contextlib
import re
from typing import Any, Callable, Iterable, Iterator, List, Pattern, Set

#: ops that bring values into the graph from outside; what they depend on is not looked at
INPUT_OPS = re.compile(
    r"IteratorGetNext(Sync|AsOptional)?|.*QueueDequeue(Many|UpTo)?(V2)?|Reader(Read|ReadUpTo)(V2)?|Unstage|"
    r"(Eager)?PyFunc(Stateless)?|OrderedMapUnstage.*|MapUnstage.*|RecordInput"
)
#: ops whose results are random
RANDOM_OPS = re.compile(
    r"RandomUniform|RandomUniformInt|RandomStandardNormal|TruncatedNormal|ParameterizedTruncatedNormal|RandomShuffle|"
    r"Multinomial|RandomGamma|RandomPoisson(V2)?"
)
#: ops that draw, or run Python's code, which may
DRAWS = re.compile(RANDOM_OPS.pattern + r"|(Eager)?PyFunc(Stateless)?")


def ancestors(ops: Iterable[Any], stop_at_inputs: bool = True) -> Set[Any]:
    """The ops themselves and all that they depend on, by data and by control.

    Args:
        stop_at_inputs: stop at ops that bring values in.
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


#: the scope of what `order` adds: of a `gate`, and of what `passed` it, that a run may cut off
ORDER = "tf2towers_order"
GATE = re.compile(r"(?:^|/)%s(?:_\d+)?/gate(?:_\d+)?$" % ORDER)


def needed(ops: Iterable[Any], fed: Any = frozenset()) -> Set[Any]:
    """What a run needs, without what waits at gates alone.

    Args:
        fed: the names of the tensors that are fed.
    """

    def before(op: Any) -> Iterable[Any]:
        yield from (tensor.op for tensor in op.inputs if tensor.name not in fed)
        for other in op.control_inputs:
            if not (other.type == "Placeholder" and other.name + ":0" in fed) and not _is_passed(other):
                yield other

    return _reached(ops, before)


def _is_passed(op: Any) -> bool:
    return bool(op.type == "Assert" and GATE.search(op.inputs[0].op.name))


def of_type(ops: Iterable[Any], pattern: Pattern[str]) -> List[Any]:
    """Those of a type that can be fetched (not in a loop's body or a branch), in the order of creation."""
    found = [op for op in ops if pattern.fullmatch(op.type) and not in_control_flow(op)]
    return sorted(found, key=creation)


def creation(op: Any) -> int:
    """The place of an operation in the order of creation in its graph."""
    return int(op._id)


def in_control_flow(op: Any) -> bool:
    """Whether it is in the body of a `tf.while_loop` or a branch of a `tf.cond`: fetched, it may have no value."""
    context = op._get_control_flow_context()
    if op.type in ("Exit", "RefExit"):  # what comes out of a loop, which TensorFlow counts to it
        context = context and context.outer_context
    return context is not None


@contextlib.contextmanager
def beside(graph: Any, scope: str = "tf2towers/") -> Iterator[None]:
    """Operations made in here have a scope of their own, and depend on nothing; also where the graph is finalized."""
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
