"""The places where a TF1 script tells TensorFlow what to train: optimizers, `tf.gradients`, sessions."""

from typing import Any

from .averages import Averages
from .session import SessionRecorder
from .training import Applied, Computed


def watch(tf: Any, recorder: SessionRecorder) -> None:
    """Lets the recorder see every gradient, update and session call of the program from now on.

    Args:
        tf: the TF1 module.
        recorder: what they are told to.
    """
    _watch_optimizer(tf.train.Optimizer, recorder)
    _watch_gradients(tf, recorder)
    _watch_sessions(tf, recorder)
    recorder.averages = Averages(tf)


def _watch_optimizer(optimizer: Any, recorder: SessionRecorder) -> None:
    compute, apply = optimizer.compute_gradients, optimizer.apply_gradients

    def compute_gradients(self: Any, loss: Any, *args: Any, **kwargs: Any) -> Any:
        with recorder.outermost() as outermost:
            pairs = compute(self, loss, *args, **kwargs)
        if outermost:
            recorder.computed.append(Computed(loss, list(pairs)))
        return pairs

    def apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        op = apply(self, pairs, *args, **kwargs)
        recorder.applied.append(Applied(self, getattr(op, "op", op), pairs))
        return op

    optimizer.compute_gradients, optimizer.apply_gradients = compute_gradients, apply_gradients


def _watch_gradients(tf: Any, recorder: SessionRecorder) -> None:
    """`tf.gradients(loss, variables)`, which some call in place of compute_gradients."""
    gradients = tf.gradients

    def recorded(ys: Any, xs: Any, *args: Any, **kwargs: Any) -> Any:
        with recorder.outermost() as outermost:
            found = gradients(ys, xs, *args, **kwargs)
        losses = ys if isinstance(ys, (list, tuple)) else [ys]
        sources = xs if isinstance(xs, (list, tuple)) else [xs]
        if outermost and len(losses) == 1 and losses[0].shape.ndims == 0:
            pairs = [(g, x) for g, x in zip(found, sources) if isinstance(x, tf.Variable)]
            if pairs:
                recorder.computed.append(Computed(losses[0], pairs))
        return found

    tf.gradients = recorded


def _watch_sessions(tf: Any, recorder: SessionRecorder) -> None:
    base = next(one for one in tf.Session.__mro__ if "run" in vars(one))
    run = base.run

    def recorded(self: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        return recorder.run(run, self, fetches, *args, **kwargs)

    base.run = recorded
