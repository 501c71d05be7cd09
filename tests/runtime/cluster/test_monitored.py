"""A monitored training in one process: no cluster at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.tensorflow


def trained(folder: Path, last_step: int, steps: int = 1, **options: Any) -> tuple[list[float], int]:
    """Losses of a training with momentum up to `last_step`, and the step it started at; `steps` to a round."""
    import tensorflow as tf

    from tf2towers.runtime import VariableStore
    from tf2towers.runtime.averaging import minimize
    from tf2towers.runtime.cluster import MonitoredTraining, StopAtStepHook, step

    v1 = tf.compat.v1
    variables = VariableStore(tf.distribute.get_strategy())
    with variables.scope():
        global_step = v1.get_variable("global_step", [], tf.int64, v1.zeros_initializer(), trainable=False)
    opt = v1.train.MomentumOptimizer(0.05, 0.9)

    @step(variables, input_signature=[tf.TensorSpec([None, 2], name="x")])
    def train_step(x: Any) -> Any:
        w = v1.get_variable("w", [2, 1], initializer=v1.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 3.0))
        v1.summary.scalar("loss", loss)
        return loss, minimize(opt, loss, global_step=global_step)

    losses = []
    with MonitoredTraining(
        variables, checkpoint_dir=folder, hooks=[StopAtStepHook(last_step=last_step), None], **options
    ) as session:
        start = session.global_step
        random = np.random.RandomState(start)
        while not session.should_stop():
            for _ in range(steps):
                loss, nothing = train_step(random.rand(4, 2))
                assert nothing is None
                losses.append(float(loss.numpy()))
    return losses, start


def test_resumed_training_goes_on_with_the_optimizer_as_it_was(tmp_path: Path) -> None:
    import tensorflow as tf

    first, start = trained(tmp_path / "a", 6, save_checkpoint_steps=4, save_summaries_steps=2)
    assert (start, len(first)) == (0, 6)
    saved = sorted(path.name for path in (tmp_path / "a").glob("*.index"))
    assert saved == ["model.ckpt-0.index", "model.ckpt-4.index", "model.ckpt-6.index"]
    assert tf.train.load_checkpoint(str(tmp_path / "a")).has_tensor("w/Momentum")
    events = next((tmp_path / "a").glob("events*"))
    steps = [event.step for event in tf.compat.v1.train.summary_iterator(str(events)) if event.summary.value]
    assert steps == [1, 3, 5]
    second, start = trained(tmp_path / "a", 8)
    assert (start, len(second)) == (6, 2)
    assert len(trained(tmp_path / "a", 8)[0]) == 1  # as in TF1, the hook looks after a step only


def test_no_step_is_run_when_a_hook_has_asked_to_stop(tmp_path: Path) -> None:
    assert len(trained(tmp_path / "a", 4, steps=2)[0]) == 4
    with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
        trained(tmp_path / "b", 3, steps=2)


def test_a_value_of_another_shape_is_refused(tmp_path: Path) -> None:
    import tensorflow as tf

    from tf2towers.runtime import VariableStore
    from tf2towers.runtime.cluster import step

    variables = VariableStore(tf.distribute.get_strategy())

    @step(variables, input_signature=[tf.TensorSpec([None, 2], name="x")])
    def double(x: Any) -> Any:
        return {"twice": 2 * x, "name": "double"}

    result = double(np.ones([1, 2]))
    assert result["name"] == "double"
    assert result["twice"].numpy().tolist() == [[2.0, 2.0]]
    with pytest.raises(ValueError, match="'x'"):
        double(np.ones([1, 3]))
    with pytest.raises(TypeError, match="takes 1"):
        double(1, 2)
