"""Lets a recorder see what a TF1 program builds and runs."""

from typing import Any, Callable

from .calls import CallRecorder


def watch(tf: Any, recorder: CallRecorder) -> None:
    """Lets the recorder see every update that is built, and every session call, from now on."""
    _watch_optimizer(tf.train.Optimizer, recorder)
    _watch_optimizer(tf.train.SyncReplicasOptimizer, recorder)  # which has its own apply_gradients
    base = next(one for one in tf.Session.__mro__ if "_run" in vars(one))
    run_it = base._run

    def recorded(self: Any, handle: Any, fetches: Any, feed_dict: Any, *more: Any) -> Any:
        return recorder.run(run_it, self, handle, fetches, feed_dict, *more)

    def make_callable(
        self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        def call(*fed: Any, **kwargs: Any) -> Any:
            return self.run(fetches, dict(zip(feed_list or (), fed)), **kwargs)

        return call

    base._run, base.make_callable = recorded, make_callable


def _watch_optimizer(optimizer: Any, recorder: CallRecorder) -> None:
    apply = optimizer.apply_gradients

    def apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        op = apply(self, pairs, *args, **kwargs)
        recorder.applying(getattr(op, "op", op), pairs)
        return op

    optimizer.apply_gradients = apply_gradients
