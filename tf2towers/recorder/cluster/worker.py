"""What one worker of a TF1 cluster computes, recorded: its own steps, and the updates that it makes."""

import os
import time
from typing import Any, Callable, Dict, FrozenSet, List, Optional

from .. import graph as graphs
from ..feeds import entries_of, feeds_of, inputs_behind
from ..fetches import fetched_ops
from ..session import SessionRecorder
from ..training import Training, name_of
from ..writing import Writer
from .synchronous import Synchronous
from .turns import Turns

#: kinds of what an update is recorded with; the rest is of the worker's own step
_OF_UPDATES = ("variable|", "after|", "gradient|", "tower gradient|", "loss|", "summary|")


class WorkerRecorder(SessionRecorder):
    """Watches optimizers and sessions of a worker's process.

    Asynchronous, a session call that trains waits for this worker's turn, so that nobody else changes the variables
    while it is recorded. Synchronous, the gradients are handed in in this worker's turn, so that they are added in the
    order of the workers, and the chief's update is recorded where it is made (`synchronous`).

    Args:
        tf: the TF1 module.
        folder: where the recording goes.
        worker: the index of this worker.
        turns: the schedule.
    """

    reads_are_sent = True

    def __init__(self, tf: Any, folder: str, worker: int, turns: Turns) -> None:
        own = Writer(os.path.join(folder, "own"))
        SessionRecorder.__init__(self, tf, own, 0)
        self._own = own
        self._updates = Writer(os.path.join(folder, "updates"))
        self._worker = worker
        self._turns = turns
        self._local_step = 0
        self._planned: Dict[FrozenSet[Any], Optional[Training]] = {}
        self.on_step: Callable[[], object] = lambda: None
        self.synchronous = Synchronous(tf, worker, turns, self._write_update)

    @property
    def steps(self) -> int:
        """How many of this worker's steps are recorded, with the updates that it makes."""
        if self.synchronous.is_used and self._worker == 0:
            return min(self._own.steps, self._updates.steps)
        return self._own.steps

    def facts(self) -> Dict[str, Any]:
        """What meta.json says."""
        found = SessionRecorder.facts(self)
        if self.synchronous.is_used:
            noted = set(self.synchronous.noted)
            names = [name_of(v) for v in self._tf.global_variables()]
            found["not_recorded"] = sorted(set(names) - noted)
        return found

    def write_facts(self, facts: Dict[str, Any]) -> None:
        """Writes them beside its own steps."""
        self._own.facts(facts)

    def _training(self, session: Any, fetches: Any) -> Optional[Training]:
        if not self.synchronous.is_used:
            return SessionRecorder._training(self, session, fetches)
        ops = fetched_ops(self._tf, session, fetches)
        key = frozenset(ops)
        if key not in self._planned:
            trains = self.synchronous.train_op in graphs.ancestors(ops, stop_at_inputs=False)
            self._planned[key] = self._of_synchronous_step(ops) if trains else None
        return self._planned[key]

    def _of_synchronous_step(self, ops: List[Any]) -> Training:
        """What to fetch beside the handing in of gradients."""
        training, loss = Training(), self.computed[0].loss
        loss = loss() if callable(loss) else loss
        training.optimizer = self.synchronous.optimizer
        training.trainable = [name for name, _ in self.synchronous.handed]
        training.add("loss|0", loss)
        for name, gradient in self.synchronous.handed:
            training.add_gradient("gradient|" + name, gradient)
        # what is fetched may hang on the queue of tokens, where the search ends: the loss, too, leads to the inputs
        for tensor in inputs_behind(graphs.ancestors(list(ops) + [loss.op])):
            if tensor is not self.synchronous.token:
                training.add("input|%06d|%s" % (graphs.creation(tensor.op), tensor.name), tensor)
        for place, op in enumerate(graphs.of_type(graphs.ancestors([loss.op]), graphs.RANDOM_OPS)):
            training.add("draw|0|%d" % place, op.outputs[0])
        return training

    def _train(
        self,
        training: Training,
        run: Callable[..., Any],
        session: Any,
        fetches: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        step = entries_of(session, feeds_of(session, args[0] if args else kwargs.get("feed_dict")))
        self._last = training
        if self.synchronous.is_used:
            beside = [training.tensors, self.synchronous.token]
            values, (found, token) = run(session, [fetches, beside], *args, **kwargs)
            if not self._was_used(int(token)):
                return values
            step.update(zip(training.names, found))
        else:
            with self._turns.turn():
                before = self._values(run, session)
                values, found = run(session, [fetches, training.tensors], *args, **kwargs)
                after, when = self._values(run, session), time.monotonic()
            step.update(zip(training.names, found))
            step.update(("variable|" + name, value) for name, value in before.items())
            step.update(("after|" + name, value) for name, value in after.items())
            update = {name: value for name, value in step.items() if name.startswith(_OF_UPDATES)}
            self._write_update(update, when)
            step = {name: value for name, value in step.items() if name not in update}
        self._own.step(step)
        self.on_step()
        return values

    def _write_update(self, update: Dict[str, Any], when: float) -> None:
        update["when|"] = when
        self._updates.step(update)
        if self.synchronous.is_used:
            self.on_step()

    def _was_used(self, token: int) -> bool:
        """Whether the step's gradients were of an update.

        Synchronous ones with the token of an update that has been made are dropped: the first tokens are there before
        it (`get_init_tokens_op`), so each worker's second step computes with variables that are, or soon are, old.

        Raises:
            RuntimeError: an update was made without this worker, as with more workers than gradients to wait for.
        """
        number, updates = self._local_step, self._own.steps
        self._local_step = token
        if number > updates:
            raise RuntimeError(
                "update %d was made without the gradients of worker %d" % (updates + 1, self._worker)
            )
        return number == updates
