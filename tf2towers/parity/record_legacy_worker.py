"""Records a worker of a TF1 parameter-server trainer: operations beside its update note what goes in and comes out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.parity.turns import VARIABLE, Turns
from tf2towers.parity.updates import Update, WorkerRecording
from tf2towers.recorder import graph as graphs
from tf2towers.recorder.feeds import feeds_of, inputs_behind

_v1 = tf.compat.v1


class LegacyWorkerRecorder:
    """Watches `apply_gradients` and `Session.run` of `tf.compat.v1`.

    The update of a `SyncReplicasOptimizer` is made by the chief, in a thread: its operations note it there. Any other
    is made by the worker, in its own session call. Where there is a schedule, that call waits for its turn; of a
    synchronous one, the handing in of its gradients does, so that they are added in the order of the workers.

    Args:
        worker: the index of this worker.
    """

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._recording = WorkerRecording()
        self._synchronous = False
        self._token: Any = None
        self._local_step = 0
        self._losses: list[Any] = []
        self._handed: dict[str, Any] = {}  # a synchronous worker's part of the mean
        self._train_ops: set[Any] = set()
        schedule = os.environ.get(VARIABLE)
        self._turns = None if schedule is None else Turns(schedule, worker)
        self.on_step: Callable[[], object] = lambda: None
        self._device = f"/job:worker/task:{worker}/device:CPU:0"
        self._patch()

    def _patch(self) -> None:
        optimizer, synchronous = _v1.train.Optimizer, _v1.train.SyncReplicasOptimizer
        compute, apply, run = optimizer.compute_gradients, optimizer.apply_gradients, _v1.Session.run
        apply_synchronously = synchronous.apply_gradients
        recorder = self

        def compute_gradients(self: Any, loss: Any, *args: Any, **kwargs: Any) -> Any:
            recorder._losses.append(loss)
            return compute(self, loss, *args, **kwargs)

        def apply_gradients(self: Any, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
            return recorder._apply(apply, self, list(grads_and_vars), global_step, name)

        def apply_by_chief(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            recorder._synchronous = True
            pairs = list(grads_and_vars)
            recorder._handed = {v.op.name: tf.convert_to_tensor(g) for g, v in pairs if g is not None}
            with recorder._handed_in_by_turns() if recorder._turns is not None else contextlib.nullcontext():
                made = apply_synchronously(self, pairs, *args, **kwargs)
            recorder._train_ops = {_op(made)}
            recorder._token = _op(made).inputs[1]  # local_step.assign(sync_token_queue.dequeue())
            return made

        def session_run(self: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
            if not recorder._trains(self, fetches):
                return run(self, fetches, *args, **kwargs)
            return recorder._run(run, self, fetches, *args, **kwargs)

        manager = _v1.train.SessionManager
        begin = manager.__init__

        def look_every_second(self: Any, *args: Any, **kwargs: Any) -> None:
            begin(self, *args, **{**kwargs, "recovery_wait_secs": 1})

        manager.__init__ = look_every_second
        optimizer.compute_gradients, optimizer.apply_gradients = compute_gradients, apply_gradients
        synchronous.apply_gradients = apply_by_chief
        _v1.Session.run = session_run

    def _apply(self, apply: Any, opt: Any, pairs: list[Any], global_step: Any, name: Any) -> Any:
        present = [(g, v) for g, v in pairs if g is not None]
        names = [v.op.name for _, v in present]
        with tf.control_dependencies([_op(g) for g, _ in present]):
            weights = [v.read_value() for _, v in present]
        gradients = [tf.convert_to_tensor(g) for g, _ in present]

        def note_before(*values: Any) -> None:
            arrays = [np.array(value) for value in values]
            half = len(names)
            before, given = (dict(zip(names, part, strict=True)) for part in (arrays[:half], arrays[half:]))
            self._recording.updates.append(Update(before, given))

        with tf.device(self._device):
            noted = tf.numpy_function(note_before, [*weights, *gradients], [])
        with tf.control_dependencies([noted]):
            update = apply(opt, pairs, global_step, name)
        variables = [*(v for _, v in present), *opt.variables()]
        variables += [global_step] if global_step is not None else []
        after = [v.op.name for v in variables]

        def note_after(*values: Any) -> None:
            arrays = [np.array(value) for value in values]
            self._recording.updates[-1].after = dict(zip(after, arrays, strict=True))

        with tf.control_dependencies([update]):
            values = [v.read_value() for v in variables]
            with tf.device(self._device):
                done = tf.numpy_function(note_after, values, [])
        train_op = tf.group(update, done)
        self._train_ops.add(train_op)
        return train_op

    def _trains(self, session: Any, fetches: Any) -> bool:
        """Whether the update is fetched, or anything made behind it, such as moving averages."""
        ops = {_op(f) for f in tf.nest.flatten(_plain(fetches)) if not isinstance(f, str)} - {None}
        found = set(ops)
        while ops and not found & self._train_ops:
            ops = {one for op in ops for one in (*op.control_inputs, *(i.op for i in op.inputs))} - found
            found |= ops
        return bool(found & self._train_ops)

    def _run(self, run: Any, session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        waits = self._turns is not None and not self._synchronous
        inputs, draws = self._inputs_of(fetches), self._draws()
        with self._turns.turn() if self._turns is not None and waits else contextlib.nullcontext():
            own = [self._losses[0], inputs, draws, list(self._handed.values())]
            beside = [*own, [] if self._token is None else self._token]
            values, (loss, found, drawn, handed, token) = run(session, [fetches, beside], *args, **kwargs)
        if not self._was_used(token):
            return values
        given = dict(zip([tensor.name for tensor in inputs], found, strict=True))
        given |= feeds_of(session, args[0] if args else kwargs.get("feed_dict"))
        self._recording.inputs.append({name: np.array(value) for name, value in given.items()})
        self._recording.draws.append([np.array(value) for value in drawn])
        if self._synchronous:
            self._recording.losses.append(np.array(loss))
            self._recording.handed.append(dict(zip(self._handed, map(np.array, handed), strict=True)))
        else:
            self._recording.updates[-1].loss = np.array(loss)
        self.on_step()
        return values

    def _was_used(self, token: Any) -> bool:
        """Whether the step's gradients were of an update.

        Synchronous ones with the token of an update that has been made are dropped: the first tokens are there before
        it (`get_init_tokens_op`), so each worker's second step computes with variables that are, or soon are, old.

        Raises:
            RuntimeError: an update was made without this worker, as with more workers than gradients to wait for.
        """
        if not self._synchronous:
            return True
        number, updates = self._local_step, len(self._recording.inputs)
        self._local_step = int(token)
        if number > updates:
            raise RuntimeError(
                f"update {updates + 1} was made without the gradients of worker {self._worker}"
            )
        return number == updates

    def _inputs_of(self, fetches: Any) -> list[Any]:
        """The tensors of iterators and queues that bring in what the step computes with."""
        # what is fetched may hang on a queue of tokens, where the search ends: the loss, too, leads to the inputs
        found = [*tf.nest.flatten(_plain(fetches)), self._losses[0]]
        ops = [op for one in found if (op := _op(one)) is not None]
        return [one for one in inputs_behind(graphs.ancestors(ops)) if one is not self._token]

    def _draws(self) -> list[Any]:
        """The random numbers that the loss depends on, in the order of creation."""
        found = graphs.of_type(graphs.ancestors([self._losses[0].op]), graphs.RANDOM_OPS)
        return [op.outputs[0] for op in found]

    @contextlib.contextmanager
    def _handed_in_by_turns(self) -> Iterator[None]:
        """The accumulators that are given gradients in here are given them in this worker's turn, once a step."""
        accumulator, turns = _v1.ConditionalAccumulator, self._turns
        assert turns is not None
        give = accumulator.apply_grad
        with tf.device(self._device):
            begun = tf.numpy_function(turns.begin, [], [])
        given: list[Any] = []
        counted = {"step": 0}

        def count() -> None:
            counted["step"] += 1
            if counted["step"] == len(given):
                counted["step"] = 0
                turns.end()

        def apply_grad(self: Any, grad: Any, *args: Any, **kwargs: Any) -> Any:
            with tf.control_dependencies([begun]):
                op = give(self, grad, *args, **kwargs)
            given.append(op)
            with tf.control_dependencies([op]), tf.device(device):
                return tf.group(op, tf.numpy_function(count, [], []))

        device = self._device
        accumulator.apply_grad = apply_grad
        try:
            yield
        finally:
            accumulator.apply_grad = give

    @property
    def steps(self) -> int:
        """How many of this worker's steps are recorded, with the updates that it makes."""
        own = self._recording
        return min(len(own.losses), len(own.updates)) if own.losses and own.updates else len(own.inputs)

    def finish(self) -> WorkerRecording:
        """The recording."""
        return self._recording


def _op(fetch: Any) -> Any:
    if isinstance(fetch, tf.Operation):
        return fetch
    return getattr(fetch, "op", None)


def _plain(fetches: Any) -> Any:
    """Fetches with hooks' own ones, in dicts whose keys need not sort, as a list."""
    if isinstance(fetches, dict):
        return [_plain(one) for one in fetches.values()]
    return [_plain(one) for one in fetches] if isinstance(fetches, list | tuple) else fetches
