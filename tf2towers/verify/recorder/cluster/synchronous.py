"""`SyncReplicasOptimizer`: each worker hands in gradients, a thread of the chief's process applies their mean.

The update is part of no session call of the script's: operations beside it tell what it applies, and when it is made.
"""

import contextlib
import threading
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from ..training import name_of
from ..wrapping import wrap
from .worker_turns import Turns

_PATIENCE = 60.0  # seconds


class Synchronous(object):
    """Watches the optimizers of a worker's process, from now on.

    Args:
        turns: gradients are handed in in this worker's.

    Attributes:
        is_used: whether a SyncReplicasOptimizer has made an update.
        train_op: what the worker fetches, as an operation.
        token: the global step that comes with the leave to go on, a tensor.
        handed: (variable's name, gradient) of all that is handed in.
        optimizer: it.
        chiefs: the operations of the thread that makes the updates.
    """

    def __init__(self, tf: Any, worker: int, turns: Turns) -> None:
        self._tf = tf
        self._turns = turns
        self._device = "/job:worker/task:%d/device:CPU:0" % worker
        self._building = False
        self._applied: Dict[str, Any] = {}
        self._made = 0
        self._changed = threading.Condition()
        self.is_used = False
        self.train_op: Any = None
        self.token: Any = None
        self.handed: List[Tuple[str, Any]] = []
        self.optimizer: Any = None
        self.chiefs: List[Any] = []
        wrap(tf.train.Optimizer, "apply_gradients", self._apply)
        wrap(tf.train.SyncReplicasOptimizer, "apply_gradients", self._hand_in)

    def update(self, number: int) -> Dict[str, Any]:
        """What the update applied, by 'gradient|name', once it has been made with all that follows it in its thread.

        Args:
            number: of the update, 1 for the first; the one after it must not have begun.

        Raises:
            RuntimeError: it is not made.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._made >= number, _PATIENCE):
                raise RuntimeError("all gradients of update %d are there, and it is not made" % number)
        return self._applied

    def _apply(
        self, apply: Any, opt: Any, grads_and_vars: Any, global_step: Any = None, name: Any = None
    ) -> Any:
        pairs = list(grads_and_vars)
        if not self._building or isinstance(opt, self._tf.train.SyncReplicasOptimizer):
            return apply(opt, pairs, global_step, name)
        self._building = False  # what this one hands on to is part of it
        return self._noted(apply, opt, pairs, global_step, name)

    def _hand_in(self, apply: Any, opt: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        self.is_used, self._building, self.optimizer = True, True, opt
        self.handed = [(name_of(variable), gradient) for gradient, variable in pairs if gradient is not None]
        with self._handed_in_by_turns():
            made = apply(opt, pairs, *args, **kwargs)
        self.train_op = getattr(made, "op", made)
        self.token = self.train_op.inputs[1]  # local_step.assign(sync_token_queue.dequeue())
        self._note_the_end(opt.get_chief_queue_runner())
        return made

    def _noted(self, apply: Any, opt: Any, pairs: List[Any], global_step: Any, name: Any) -> Any:
        """The chief's update, with an operation before it that notes what it applies."""
        tf = self._tf
        names = ["gradient|" + name_of(variable) for gradient, variable in pairs if gradient is not None]
        gradients = [tf.convert_to_tensor(gradient) for gradient, _ in pairs if gradient is not None]

        def note(*values: Any) -> None:
            self._applied = {key: np.array(value) for key, value in zip(names, values)}

        with tf.device(self._device):
            noted = tf.py_func(note, gradients, [])
        with tf.control_dependencies([noted]):
            return apply(opt, pairs, global_step, name)

    def _note_the_end(self, runner: Any) -> None:
        """Lets the thread of this queue runner count its rounds: an update, the tokens, the moving averages."""

        def count() -> None:
            with self._changed:
                self._made += 1
                self._changed.notify_all()

        self.chiefs = list(runner.enqueue_ops)
        with self._tf.control_dependencies(self.chiefs), self._tf.device(self._device):
            counted = self._tf.py_func(count, [], [])
        runner._enqueue_ops = [counted]

    @contextlib.contextmanager
    def _handed_in_by_turns(self) -> Iterator[None]:
        """The accumulators that are given gradients in here are given them in this worker's turn, once a step."""
        tf, turns, device = self._tf, self._turns, self._device
        accumulators = [tf.ConditionalAccumulator, tf.SparseConditionalAccumulator]
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

        methods = [(accumulators[0], "apply_grad"), (accumulators[1], "apply_indexed_slices_grad")]
        originals = [(kind, name, getattr(kind, name)) for kind, name in methods]
        for kind, name, give in originals:
            setattr(kind, name, in_turn(give))
        try:
            yield
        finally:
            for kind, name, give in originals:
                setattr(kind, name, give)
