"""What one worker of a TF1 cluster computes, recorded: its own steps, and the updates that it makes."""

import time
from typing import Any, Callable, Dict, FrozenSet, List, Optional

from .. import graph as graphs
from ..feeds import entries_of, feeds_of
from ..fetches import fetched_ops, fetched_values
from ..moving_averages import moves
from ..session import Run, SessionRecorder
from ..training import Training, is_behind
from ..writing import Writer
from .synchronous import Synchronous
from .worker_turns import Turns

Step = Dict[str, Any]  # arrays by 'kind|name', or values by name


class WorkerRecorder(SessionRecorder):
    """Watches optimizers and sessions of a worker's process.

    Asynchronous, a session call that trains waits for this worker's turn, so that nobody else changes the variables
    while it is recorded. Synchronous, the gradients are handed in in this worker's turn, so that they are added in the
    order of the workers; then each waits for the others, and the chief reads the variables, which nobody changes now.

    Args:
        steps: how many of this worker's are recorded at least.
    """

    reads_are_sent = True

    def __init__(self, tf: Any, folder: str, steps: int, worker: int, turns: Turns) -> None:
        SessionRecorder.__init__(self, tf, Writer(folder), steps)
        self._worker = worker
        self._turns = turns
        self._local_step = 0
        self._planned: Dict[FrozenSet[Any], Optional[Training]] = {}
        self.synchronous = Synchronous(tf, worker, turns)

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
        training = Training()
        training.optimizer = self.synchronous.optimizer
        training.trainable = [name for name, _ in self.synchronous.handed]
        for name, gradient in self.synchronous.handed:
            training.add_gradient("tower gradient|0|" + name, gradient)
        losses = self._losses_handed_in()
        for number, loss in enumerate(losses):
            training.add_of_tower(number, loss)
        # what is fetched may hang on the queue of tokens, where the search ends: the losses, too, lead to the inputs
        behind = graphs.ancestors(list(ops) + [loss.op for loss in losses])
        training.add_inputs(behind, but=self.synchronous.token)
        own = graphs.ancestors(ops, stop_at_inputs=False)
        for name, (value, rate) in sorted(moves(own).items()):
            training.add("moved to|0|" + name, value)
            training.add("rate|0|" + name, rate)
        if self.averages is not None:
            beside = graphs.ancestors(self.synchronous.chiefs, stop_at_inputs=False)
            training.unordered = self.averages.unordered(own | beside, [], self.reads_are_sent)
        return training

    def _losses_handed_in(self) -> List[Any]:
        """Those whose gradients are: one, or one for each tower of this worker."""
        handed = graphs.ancestors(
            [getattr(gradient, "values", gradient).op for _, gradient in self.synchronous.handed]
        )
        losses = [tower.loss for tower in self.computed if is_behind(tower, handed)]
        return [loss() if callable(loss) else loss for loss in losses]

    def _train(
        self, training: Training, run: Run, session: Any, fetches: Any, feed_dict: Any, *options: Any
    ) -> Any:
        step = entries_of(session, feeds_of(session, feed_dict))
        self._last = training

        def call(beside: List[Any]) -> Any:
            """What the script fetches, and what is fetched beside it."""
            return run(session, [fetches, beside], feed_dict, *options)

        take = self._hand_in if self.synchronous.is_used else self._update
        return take(training, step, call, lambda: self._values(run, session))

    def _update(self, training: Training, step: Step, call: Run, read: Callable[[], Step]) -> Any:
        """An asynchronous step: all of it, in this worker's turn."""
        with self._turns.turn():
            before = read()
            values, found = call(training.tensors)
            after, when = read(), time.monotonic()
        self._write(training, step, found, values, _made(before, after, when))
        return values

    def _hand_in(self, training: Training, step: Step, call: Run, read: Callable[[], Step]) -> Any:
        """A synchronous step: gradients are handed in, the chief makes the update, and reads what all have changed."""
        before = self._read_when_all_are_here(read)
        values, (found, token) = call([training.tensors, self.synchronous.token])
        used = self._was_used(int(token))
        applied = self.synchronous.update(self.writer.steps + 1) if used and self._is_chief else {}
        self._values_before = None
        after = self._read_when_all_are_here(read)
        if used:
            step["together|"] = True
            made = dict(applied, **_made(before, after, time.monotonic())) if self._is_chief else {}
            self._write(training, step, found, values, made)
        return values

    def _write(self, training: Training, step: Step, found: List[Any], values: Any, made: Step) -> None:
        """Adds what was fetched beside, what the script fetched, and the update that was made."""
        step.update(zip(training.names, found))
        step.update(fetched_values(self._tf, values))
        self.writer.step(dict(step, **made))
        if self.writer.steps >= self._wanted:
            self.on_enough()

    @property
    def _is_chief(self) -> bool:
        return self._worker == 0

    def _read_when_all_are_here(self, read: Callable[[], Step]) -> Step:
        """Every variable, for the chief: while it reads, no worker is in a step.

        What it has read since the last step is read again only if it has changed something itself (see `run`).
        """
        with self._turns.turn():
            if self._values_before is None:
                self._values_before = read() if self._is_chief else {}
            return self._values_before

    def _was_used(self, token: int) -> bool:
        """Whether the step's gradients were of an update.

        Synchronous ones with the token of an update that has been made are dropped: the first tokens are there before
        it (`get_init_tokens_op`), so each worker's second step computes with variables that are, or soon are, old.

        Raises:
            RuntimeError: an update was made without this worker, as with more workers than gradients to wait for.
        """
        number, updates = self._local_step, self.writer.steps
        self._local_step = token
        if number > updates:
            raise RuntimeError(
                "update %d was made without the gradients of worker %d" % (updates + 1, self._worker)
            )
        return number == updates


def _made(before: Step, after: Step, when: float) -> Step:
    """An update: the variables on both sides of it, and its moment."""
    found = {"variable|" + name: value for name, value in before.items()}
    found.update(("after|" + name, value) for name, value in after.items())
    return dict(found, **{"when|": when})
