"""Records the elements that a run takes from queues whose order depends on threads, and gives them to another run.

Where several threads fill a queue, or one fills a shuffling queue, TensorFlow does not fix which element is next. So
two runs of one program take different batches. Therefore the elements that the main thread takes are recorded. The
other program dequeues from its own queue as well, so that an empty one ends both, but is fed the recorded elements.

    FOLDER/queues/00012.npz     for the main thread's 13th call that takes elements: values by tensor

These queues are known only at the end (`Queues.facts`). A queue's order is random where
    several threads enqueue, or several dequeue;
    one thread other than the main one fills it, and it shuffles or sorts (the order depends on its elements then);
    its elements are made from those of such a queue, or from variables that the main thread's calls change;
    it is an iterator, and a parallel map of the graph's datasets draws random numbers, or one interleaves in any order.
The size of a queue that a thread fills also depends on time, and is given in the same way.
"""

import json
import os
import re
import threading
from typing import Any, Dict, Iterable, List, NamedTuple, Set

import numpy as np

from . import graph as graphs
from .calls.values import hex_digest
from .run_arguments import fetched_ops, is_number, names_of
from .session_runs import around_every_run
from .variables import VARIABLES, Effects

_TAKES = re.compile(r"QueueDequeue(Many|UpTo)?(V2)?$|IteratorGetNext(Sync)?$")
_PUTS = re.compile(r"QueueEnqueue(Many)?(V2)?$")
_SIZE = re.compile(r"QueueSize(V2)?$")
_ITERATOR = re.compile(r"(OneShot)?Iterator")
_PARALLEL = re.compile(r"Parallel(Map|Interleave)Dataset|MapAndBatchDataset")
_MIXES = re.compile(r"(RandomShuffle|Priority)Queue")
#: ops of an update; a queue filled after one holds tokens of `SyncReplicasOptimizer`, not batches
_UPDATES = re.compile(r"(Resource)?(Sparse)?(Apply|Accumulator)")


class Use(NamedTuple):
    """How a run uses queues: its ops that dequeue, enqueue, or ask for a size; and the variables that it changes."""

    takes: List[Any]
    puts: List[Any]
    sizes: List[Any]
    changed: Set[str]


class Queues(object):
    """Watches the queues of all sessions of a program.

    Args:
        folder: the folder of the recording.
        given: the folder of another run's recording, whose values this run gets; empty: this run is recorded.
    """

    def __init__(self, tf: Any, folder: str, given: str = "") -> None:
        self._tf = tf
        self.restart(folder, given)

    def restart(self, folder: str, given: str = "") -> None:
        """Begins again, for another task, or in a process that was forked; see the class."""
        self._folder = os.path.join(given or folder, "queues")
        self._is_given = bool(given)
        if given:
            with open(os.path.join(given, "meta.json")) as stream:
                analysis = json.load(stream)["queues"]
            self._chance, self._filled = frozenset(analysis["chance"]), frozenset(analysis["filled"])
        self._main = threading.current_thread()
        self._lock = threading.RLock()
        self._calls = 0
        self._uses: Dict[Any, Use] = {}
        self._kinds: Dict[str, str] = {}
        self._graphs: Dict[str, Any] = {}
        self._threads: Dict[str, Dict[str, Set[Any]]] = {"put": {}, "take": {}}  # queue -> its threads
        self._made_of: Dict[str, Set[Any]] = {}  # queue -> the ops that enqueue its elements
        self._datasets: Dict[Any, str] = {}
        self._changed: Set[str] = set()
        self._lost: Set[str] = set()
        if not given:
            os.makedirs(self._folder, exist_ok=True)

    def install(self) -> None:
        """From now on, watches every run. Call it before the recorders watch the runs."""
        around_every_run(self._tf, self._run)

    def facts(self) -> Dict[str, Any]:
        """The facts on the run's queues for meta.json.

        "chance": the queues with a random order, and why; "filled": those that threads fill; "lost": those whose
        elements could not be recorded or given; "constants": digests of constants that fill the first ones, by name.
        """
        with self._lock:
            chance = self._random_queues()
            filled = [name for name, who in self._threads["put"].items() if who - {self._main}]
            lost = self._lost if self._is_given else {name for name in self._lost if name in chance}
            constants = self._constants(self._chance if self._is_given else chance)
            return {
                "chance": chance, "filled": sorted(filled), "lost": sorted(lost), "constants": constants,
            }  # fmt: skip

    # -- a run

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, *options: Any) -> Any:
        use = self._use(session, fetches, feed_dict)
        is_main = threading.current_thread() is self._main
        self._note(use, is_main)
        if not is_main or not (use.takes or use.sizes):
            return run(session, fetches, feed_dict, *options)
        asked = [op for op in use.takes + use.sizes if _is_recordable(op)]
        self._note_lost(op for op in use.takes if op not in asked)
        if not asked:
            return run(session, fetches, feed_dict, *options)
        path = os.path.join(self._folder, "%05d.npz" % self._calls)
        self._calls += 1
        if self._is_given:
            fed = dict(feed_dict or {})
            fed.update(self._recorded_values(run, session, dict(fed), asked, path))
            return run(session, fetches, fed, *options)
        tensors = [tensor for op in asked if self._may_be_random(op) for tensor in op.outputs]
        if not tensors:
            return run(session, fetches, feed_dict, *options)
        result, values = run(session, [fetches, tensors], feed_dict, *options)
        np.savez(path, **{tensor.name: value for tensor, value in zip(tensors, values)})
        return result

    def _may_be_random(self, op: Any) -> bool:
        """True if an op's values have to be recorded; for a queue, later threads may decide it."""
        if not _ITERATOR.match(_queue(op).type):
            return True
        key = op.graph, op.graph.version
        if key not in self._datasets:
            self._datasets[key] = _why_random(op.graph)
        return bool(self._datasets[key])

    def _recorded_values(self, run: Any, session: Any, feeds: Any, asked: Any, path: str) -> Dict[Any, Any]:
        """The values that this run is fed; its own elements are dequeued and dropped."""
        asked = [
            op for op in asked if queue_of(op) in (self._filled if _SIZE.match(op.type) else self._chance)
        ]
        if not os.path.exists(path):
            self._note_lost(op for op in asked if _TAKES.match(op.type))
            return {}
        with np.load(path, allow_pickle=True) as found:
            kept = {name: found[name] for name in found.files}
        fed: Dict[Any, Any] = {}
        takes = []
        for op in asked:
            if any(tensor.name not in kept for tensor in op.outputs) or _has_other_effects(op):
                self._note_lost([op] if _TAKES.match(op.type) else [])
            elif all(tensor.shape.is_compatible_with(kept[tensor.name].shape) for tensor in op.outputs):
                fed.update((tensor, kept[tensor.name]) for tensor in op.outputs)
                takes += [op] if _TAKES.match(op.type) else []
        if takes:
            run(session, takes, feeds, None, None)  # a batch's size may be fed
        return fed

    def _note_lost(self, ops: Iterable[Any]) -> None:
        with self._lock:
            self._lost |= {name for name in map(queue_of, ops) if not self._is_given or name in self._chance}

    def _use(self, session: Any, fetches: Any, feed_dict: Any) -> Use:
        ops = frozenset(fetched_ops(self._tf, session, fetches))
        fed = frozenset(names_of(session.graph, feed_dict))
        if (ops, fed) not in self._uses:
            needed = sorted(graphs.needed(ops, fed), key=graphs.creation)
            fetchable = [op for op in needed if not any(tensor.name in fed for tensor in op.outputs)]
            takes, puts, sizes = (
                [op for op in fetchable if kind.match(op.type)] for kind in (_TAKES, _PUTS, _SIZE)
            )
            effects = Effects(ops, set())
            self._uses[ops, fed] = Use(takes, puts, sizes, effects.written & effects.used)
        return self._uses[ops, fed]

    # -- which queues have a random order

    def _note(self, use: Use, is_main: bool) -> None:
        with self._lock:
            if is_main:
                self._changed |= use.changed
            for side, ops in (("take", use.takes), ("put", use.puts)):
                for op in ops:
                    name = queue_of(op)
                    self._threads[side].setdefault(name, set()).add(threading.current_thread())
                    if name not in self._kinds:
                        self._kinds[name] = _queue(op).type
                        self._graphs[name] = op.graph
                    if side == "put":
                        self._made_of.setdefault(name, set()).add(op)

    def _random_queues(self) -> Dict[str, str]:
        found: Dict[str, str] = {}
        sources: Dict[str, Set[str]] = {}
        for name, kind in self._kinds.items():
            others = self._threads["put"].get(name, set()) - {self._main}
            takers = len(self._threads["take"].get(name, ()))
            made_of = graphs.needed(self._made_of.get(name, ()))
            if _ITERATOR.match(kind):
                why = _why_random(self._graphs[name])
                if why:
                    found[name] = why
                continue
            if any(_UPDATES.match(op.type) for op in made_of):
                continue
            sources[name] = {queue_of(op) for op in made_of if _TAKES.match(op.type)}
            changed = {op.name for op in made_of if op.type in VARIABLES} & self._changed
            if len(others) > 1:
                found[name] = "%d threads fill it" % len(others)
            elif takers > 1:
                found[name] = "%d threads take from it" % takers
            elif _MIXES.match(kind) and others:
                found[name] = "it shuffles while a thread fills it"
            elif changed and others:
                found[name] = "a thread fills it from %s, which the training changes" % sorted(changed)[0]
        for _ in sources:  # along a chain of queues
            for name, before in sources.items():
                if name not in found and before & set(found):
                    found[name] = "it is filled from %s" % sorted(before & set(found))[0]
        return found

    def _constants(self, names: Iterable[str]) -> Dict[str, str]:
        """Digests of the constants that fill these queues, by the names of their operations."""
        from tensorflow.python.framework import tensor_util

        found: Dict[str, str] = {}
        for op in graphs.needed(op for name in names for op in self._made_of.get(name, ())):
            if op.type == "Const" and is_number(op.outputs[0]):
                found[op.name] = hex_digest(tensor_util.MakeNdarray(op.get_attr("value")))
        return found


def _queue(op: Any) -> Any:
    source = op.inputs[0].op
    while not source.type.endswith(("Queue", "QueueV2")) and source.inputs:
        source = source.inputs[0].op
    return source


def queue_of(op: Any) -> str:
    """The name of the queue that an operation uses."""
    return str(_queue(op).name)


def _why_random(graph: Any) -> str:
    """Why the order of a graph's datasets is random; empty where it is not."""
    graph_def = graph.as_graph_def()
    functions = {function.signature.name: function.node_def for function in graph_def.library.function}
    drawing: Set[str] = set()
    for _ in functions:  # also the functions that call one that draws
        for name, nodes in functions.items():
            if any(graphs.DRAWS.fullmatch(node.op) or _called(node) & drawing for node in nodes):
                drawing.add(name)
    for nodes in [graph_def.node] + list(functions.values()):
        true = {
            node.name
            for node in nodes
            if node.op == "Const" and list(node.attr["value"].tensor.bool_val) == [True]
        }
        for node in nodes:
            if not _PARALLEL.search(node.op):
                continue
            if _called(node) & drawing:
                return "a parallel map draws random numbers"
            any_order = node.attr["sloppy"].b or node.attr["deterministic"].s == b"false"
            given = {name.partition(":")[0] for name in node.input} if "Interleave" in node.op else set()
            if any_order or true & given:
                return "it is interleaved in any order"
    return ""


def _called(node: Any) -> Set[str]:
    return {attr.func.name for attr in node.attr.values() if attr.WhichOneof("value") == "func"}


def _is_recordable(op: Any) -> bool:
    """True if the values that an op takes can be fetched and stored."""
    kept = all(is_number(tensor) or tensor.dtype.name == "string" for tensor in op.outputs)
    return kept and not graphs.in_control_flow(op)


def _has_other_effects(op: Any) -> bool:
    """True if running a dequeue op alone has another effect than taking an element."""
    before = {other for other in graphs.needed([op]) if other not in (op, _queue(op))}
    return any(
        other.op_def.is_stateful or any(argument.is_ref for argument in other.op_def.input_arg)
        for other in before
    )
