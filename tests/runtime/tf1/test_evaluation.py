"""Evaluators that wait for checkpoints: slim's loop, and `tf.train.checkpoints_iterator`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


def test_evaluation_loop_and_evaluate_once(run_driver: Callable[..., str], tmp_path: Path) -> None:
    """Values and summaries are those that TensorFlow 1.15.5 printed for `drive_evaluation.py`."""
    looped, once = [4.666666507720947, 0.6666666865348816], [3.0, 0.7777777910232544]
    found, *events = run_driver("drive_evaluation.py", str(tmp_path)).splitlines()
    assert found == str([[*looped, 10.0], [*once, 5.0]])
    tags = ("mean_1", "accuracy_1")
    expected = ((10, looped), (5, once))
    assert [line for line in events if not line.endswith("[]")] == [
        f"{step} {list(zip(tags, values, strict=True))}" for step, values in expected
    ]


def test_an_evaluator_gets_the_checkpoints_that_come_later(tmp_path: Path) -> None:
    """`timeout_fn` is asked when no checkpoint comes, and not after each one, as TF 2 does."""
    from tf_slim.training.evaluation import checkpoints_iterator

    asked = []

    def end() -> bool:
        asked.append(len(seen))
        return True

    seen: list[str] = []
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("weights", initializer=1.0)
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver()
        saver.save(session, str(tmp_path / "model"), global_step=1)
        for path in checkpoints_iterator(str(tmp_path), timeout=1, timeout_fn=end):
            seen.append(Path(path).name)
            if len(seen) < 3:
                saver.save(session, str(tmp_path / "model"), global_step=len(seen) + 1)
    assert seen == ["model-1", "model-2", "model-3"]
    assert asked == [3]
