"""At which steps a hook saves checkpoints, as in TF1."""

from __future__ import annotations

from functools import wraps
from typing import Any

import tensorflow as tf


def hooks_save_at_tf1s_steps() -> None:
    """Lets a `CheckpointSaverHook` that counts steps look at the counter when its next save is due, not in each step.

    TensorFlow 1.15 took each run for one step: it read the counter anew only where the one from before the run, plus
    one, was due. TF 2 reads it behind every run. Runs that count twice (a GAN whose two optimizers both have the
    global step), and workers that others overtake, had their checkpoints at other steps; every other trainer had a
    session call more for each step.
    """
    hook = tf.compat.v1.train.CheckpointSaverHook
    begin = hook.__init__
    if hasattr(begin, "__wrapped__"):
        return

    @wraps(begin)
    def one_step_a_run(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        self._set_steps_per_run(1)

    hook.__init__ = one_step_a_run
