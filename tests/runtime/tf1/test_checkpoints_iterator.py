"""`tf.train.checkpoints_iterator` asks `timeout_fn` when no checkpoint comes, and not after each one, as TF 2 does."""

from __future__ import annotations

from pathlib import Path

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


def test_an_evaluator_gets_the_checkpoints_that_come_later(tmp_path: Path) -> None:
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
