"""`tf.contrib.training`'s train operation, and its loop over a `MonitoredTrainingSession`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tf2towers.runtime.graph_session.managed import MonitoredTrainingSession
from tf2towers.runtime.slim.learning import add_gradients_summaries, clip_gradient_norms, multiply_gradients
from tf2towers.runtime.slim.learning import train_op_of as create_train_op


def clip_gradient_norms_fn(max_norm: float) -> Callable[[Sequence[Any]], list[Any]]:
    """A `transform_grads_fn` that clips each gradient to a norm."""
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def train(
    train_op: Any,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: int | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: int = 7200,
    run_metadata: Any = None,
) -> Any:
    """Runs the train operation until a hook stops it; the last loss.

    Raises:
        ValueError: there is no `logdir`, and checkpoints or summaries are to be written.
    """
    if logdir is None and is_chief:
        for name, asked in (
            ("save_summaries_steps", save_summaries_steps), ("save_checkpoint_secs", save_checkpoint_secs)
        ):  # fmt: skip
            if asked:
                raise ValueError(f"logdir cannot be None when {name} is not None")
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss


__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "multiply_gradients",
    "train",
]
