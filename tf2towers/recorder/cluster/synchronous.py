"""`SyncReplicasOptimizer`: each worker hands in gradients, a thread of the chief's process applies their mean.

The update is noted by operations beside it, for it is part of no session call of the script's.
"""

import contextlib
import time
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from ..training import name_of
from .turns import Turns


class Synchronous(object):
    """Watches the optimizers of a worker's process, from now on.

    Args:
        tf: the TF1 module.
        worker: the index of this worker.
        turns: gradients are handed in in this worker's.
        write: called with each update, by 'kind|name', and when it was made (seconds, monotonic).

    Attributes:
        is_used: whether a SyncReplicasOptimizer has made an update.
        train_op: what the worker fetches, as an operation.
        token: the global step that comes with the leave to go on, a tensor.
        handed: (variable's name, gradient) of all that is handed in.
        optimizer: it.
        noted: the names of the variables that are noted behind an update.
    """

    def __init__(
        self, tf: Any, worker: int, turns: Turns, write: Callable[[Dict[str, Any], float], None]
    ) -> None:
        self._tf = tf
        self._turns = turns
        self._write = write
        self._device = "/job:worker/task:%d/device:CPU:0" % worker
        self._building = False
        self._update: Dict[str, Any] = {}
        self.is_used = False
        self.train_op: Any = None
        self.token: Any = None
        self.handed: List[Tuple[str, Any]] = []
        self.optimizer: Any = None
        self.noted: List[str] = []
        self._watch()

    def _watch(self) -> None:
        optimizer, synchronous = self._tf.train.Optimizer, self._tf.train.SyncReplicasOptimizer
        apply, apply_synchronously = optimizer.apply_gradients, synchronous.apply_gradients
        watcher = self

        def apply_gradients(self: Any, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
            pairs = list(grads_and_vars)
            if not watcher._building or isinstance(self, synchronous):
                return apply(self, pairs, global_step, name)
            watcher._building = False  # what this one hands on to is part of it
            return watcher._noted(apply, self, pairs, global_step, name)

        def hand_in(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            watcher.is_used, watcher._building, watcher.optimizer = True, True, self
            watcher.handed = [(name_of(v), g) for g, v in pairs if g is not None]
            with watcher._handed_in_by_turns():
                made = apply_synchronously(self, pairs, *args, **kwargs)
            watcher.train_op = getattr(made, "op", made)
            watcher.token = watcher.train_op.inputs[1]  # local_step.assign(sync_token_queue.dequeue())
            return made

        optimizer.apply_gradients, synchronous.apply_gradients = apply_gradients, hand_in

    def _noted(self, apply: Any, opt: Any, pairs: List[Any], global_step: Any, name: Any) -> Any:
        """The chief's update, with operations that note what it is made on, what it applies, what it leaves."""
        tf = self._tf
        present = [(g, v) for g, v in pairs if g is not None]
        names = [name_of(v) for _, v in present]
        gradients = [tf.convert_to_tensor(g) for g, _ in present]
        with tf.control_dependencies(gradients):
            weights = [v.read_value() for _, v in present]

        def note_before(*values: Any) -> None:
            arrays = [np.array(value) for value in values]
            self._update = {"variable|" + one: value for one, value in zip(names, arrays)}
            self._update.update(("gradient|" + one, value) for one, value in zip(names, arrays[len(names) :]))

        with tf.device(self._device):
            noted = tf.py_func(note_before, weights + gradients, [])
        with tf.control_dependencies([noted]):
            update = apply(opt, pairs, global_step, name)
        variables = [v for _, v in present] + list(opt.variables())
        variables += [global_step] if global_step is not None else []
        return tf.group(update, self._note_after(update, variables))

    def _note_after(self, update: Any, variables: List[Any]) -> Any:
        """An operation behind the update that notes these variables, and writes all of it."""
        names = [name_of(v) for v in variables]
        self.noted = names

        def note(*values: Any) -> None:
            self._update.update(("after|" + one, np.array(value)) for one, value in zip(names, values))
            self._write(self._update, time.monotonic())

        with self._tf.control_dependencies([update]):
            values = [v.read_value() for v in variables]
            with self._tf.device(self._device):
                return self._tf.py_func(note, values, [])

    @contextlib.contextmanager
    def _handed_in_by_turns(self) -> Iterator[None]:
        """The accumulators that are given gradients in here are given them in this worker's turn, once a step."""
        tf, turns, device = self._tf, self._turns, self._device
        kinds = [tf.ConditionalAccumulator, tf.SparseConditionalAccumulator]
        with tf.device(device):
            begun = tf.py_func(turns.begin, [], [])
        given = []  # type: List[Any]
        counted = {"step": 0}

        def count() -> None:
            counted["step"] += 1
            if counted["step"] == len(given):
                counted["step"] = 0
                turns.end()

        def in_turn(give: Any) -> Callable[..., Any]:
            def handed_in(self: Any, *args: Any, **kwargs: Any) -> Any:
                with tf.control_dependencies([begun]):
                    op = give(self, *args, **kwargs)
                given.append(op)
                with tf.control_dependencies([op]), tf.device(device):
                    return tf.group(op, tf.py_func(count, [], []))

            return handed_in

        methods = [(kinds[0], "apply_grad"), (kinds[1], "apply_indexed_slices_grad")]
        before = [(kind, name, getattr(kind, name)) for kind, name in methods]
        for kind, name, give in before:
            setattr(kind, name, in_turn(give))
        try:
            yield
        finally:
            for kind, name, give in before:
                setattr(kind, name, give)
