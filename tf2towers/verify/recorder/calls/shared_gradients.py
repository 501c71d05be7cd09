"""The order in which a cluster's workers add their gradients to the accumulators that they share.

An accumulator adds gradients as they come, and the sum of three or more depends on their order. So where one takes the
mean of as many gradients as there are workers, each worker adds its gradient of a round after the workers before it.
"""

import re
import time
from typing import Any, Dict, FrozenSet, List, Tuple

from .. import graph as graphs
from ..run_arguments import fetched_ops
from ..session_runs import around_every_run
from ..variables import adds_for_others
from .recording import Alone
from .tokens import TAKES, SyncReplicas
from .turns import LOOK, InTurns, Turns, poll_chief

_LONGEST = 30.0  # seconds after which a worker no longer waits for the others' gradients: some may add none


def take_turns(
    tf: Any, recorder: Any, turns: Turns, sync: SyncReplicas, task: str, manager: Any, target: str = ""
) -> None:
    """From now on, a worker's calls take turns with the others'.

    Args:
        recorder: the worker's (`recording.CallRecorder`).
        sync: that of the process.
        task, target: as of `SharedGradients`.
        manager: the class of objects that wait for the chief; None for another worker of the same process.
    """
    recorder.schedule = InTurns(turns, sync)
    SharedGradients(tf, recorder.schedule, turns, task, target).install()
    if manager is not None:
        sync.install()
        poll_chief(manager, turns)


class SharedGradients(object):
    """Orders what a worker adds to accumulators on parameter servers, in each graph before its first run.

    Args:
        schedule: becomes that of synchronous workers where the program has such accumulators.
        task: the worker's, such as 'worker-1'.
        target: that of the worker's server, where its process has several.
    """

    def __init__(self, tf: Any, schedule: Alone, turns: Turns, task: str, target: str = "") -> None:
        self._tf, self._schedule, self._turns = tf, schedule, turns
        self._target = target.encode()
        self._device = "/job:%s/task:%s/cpu:0" % tuple(task.rsplit("-", 1))
        self._seen: Dict[Any, Tuple[int, int]] = {}  # of each graph, the version and the number of ops
        self._rounds: Dict[Any, _Rounds] = {}  # by the ops that add gradients
        self._added: Dict[Any, List[_Rounds]] = {}  # by the ops that a run fetches
        self._running: List[
            Tuple[_Rounds, int]
        ] = []  # those of the last run, and how many were made before it

    def install(self) -> None:
        """From now on, watches every run. Call it after the order of an original is installed."""
        around_every_run(self._tf, self._run)

    def _run(self, run: Any, session: Any, fetches: Any, *rest: Any) -> Any:
        if self._target and session.sess_str != self._target:
            return run(session, fetches, *rest)
        graph = session.graph
        version, count = self._seen.get(graph, (-1, 0))
        if graph.version != version:
            adds = [op for op in graph.get_operations()[count:] if _adds_by_hand(op)]
            self._schedule.by_hand = self._schedule.by_hand or bool(adds)
            self._hold(graph, list(filter(self._is_of_all_workers, adds)))
            self._seen[graph] = graph.version, len(graph.get_operations())
        if not self._rounds:
            return run(session, fetches, *rest)
        ops = frozenset(fetched_ops(self._tf, session, fetches))
        if ops not in self._added:
            found = graphs.needed(ops) & set(self._rounds)
            self._added[ops] = list({self._rounds[op] for op in found})
        if self._added[ops]:
            self._running = [(rounds, rounds.made) for rounds in self._added[ops]]
        return run(session, fetches, *rest)

    def note_end(self) -> None:
        """Notes that a step's run has ended: where nothing in it waited for the accumulators, they were not noted."""
        for rounds, made in self._running:
            if rounds.made == made:
                rounds.note()

    def _is_of_all_workers(self, op: Any) -> bool:
        """True if an op adds a gradient to an accumulator that takes the mean of one of each worker."""
        from tensorflow.python.framework import tensor_util

        taken = [user.inputs[1] for user in op.inputs[0].consumers() if TAKES.match(user.type)]
        return any(tensor_util.constant_value(number) == self._turns.workers for number in taken)

    def _hold(self, graph: Any, adds: List[Any]) -> None:
        """Makes ops wait, when their gradients are computed, for the workers before; notes when they are done."""
        alike: Dict[FrozenSet[Any], List[Any]] = {}  # by the ops that wait for them: these are in one run
        for op in adds:
            alike.setdefault(frozenset(op._control_outputs) or frozenset([op]), []).append(op)
        if adds:
            self._schedule.synchronous, self._schedule.shared = True, self
        for users, together in alike.items():
            rounds = _Rounds(self._turns, min(op.inputs[0].op.name for op in together))
            with graphs.beside(graph, graphs.ORDER + "/"), graph.device(self._device):
                before = [tensor.op for op in together for tensor in list(op.inputs)[1:]]
                before += [op for op in _of_hooks(graph) if not graphs.ancestors([op], False) & set(together)]
                with graph.control_dependencies(before):
                    held = self._tf.py_func(rounds.wait, [], self._tf.bool, name="held").op
                with graph.control_dependencies(together):
                    noted = self._tf.py_func(rounds.note, [], self._tf.bool).op
            for op in together:
                op._add_control_input(held)
                self._rounds[op] = rounds
            for op in users - set(together) - graphs.ancestors(together, stop_at_inputs=False):
                op._add_control_input(noted)


def _of_hooks(graph: Any) -> List[Any]:
    """The ops by which hooks read the step: the chief's update for all may follow what the last worker adds."""
    return [tensor.op for tensor in graph.get_collection("global_step_read_op_cache")]


def _adds_by_hand(op: Any) -> bool:
    """True if an op adds a gradient for other workers, outside a `SyncReplicasOptimizer` (`tokens`)."""
    held = any(map(graphs.is_held, op.control_inputs))
    return adds_for_others(op) and not graphs.in_control_flow(op) and not held


class _Rounds(object):
    """The rounds in which the workers add to some accumulators, each worker once in a round.

    Args:
        name: the same for all workers.
    """

    def __init__(self, turns: Turns, name: str) -> None:
        self._turns = turns
        self._event = "gradients-" + re.sub(r"\W", "_", name)
        self._waits = True
        self.made = 0

    def wait(self) -> bool:
        """Returns when the workers before this one have added theirs of this round."""
        end = time.monotonic() + _LONGEST
        while self._waits and not self._turns.is_next(self._event):
            time.sleep(LOOK)
            self._waits = time.monotonic() < end
        return True

    def note(self) -> bool:
        """Notes that this worker has added its own."""
        self.made += 1
        self._turns.note(self._event)
        return True
