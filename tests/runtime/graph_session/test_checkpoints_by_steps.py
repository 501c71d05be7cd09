"""At which steps `CheckpointSaverHook` saves; the lists are TensorFlow 1.15.5's, with resource variables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _patched() -> Iterator[None]:
    from tf2towers.runtime.graph_session.patches import hooks_save_at_tf1s_steps

    hooks_save_at_tf1s_steps()
    hooks_save_at_tf1s_steps()
    yield
    hooks_save_at_tf1s_steps.undo()


def saved_at(folder: Path, counted: int, save_steps: int, runs: int) -> list[int]:
    """The steps of the checkpoints that so many runs leave, each of which counts so many steps."""
    seen = []

    class Listener(v1.train.CheckpointSaverListener):
        def before_save(self, session: object, global_step_value: int) -> None:
            seen.append(int(global_step_value))

    from tensorflow.python.training import training_util

    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        # the hook's read comes before the run counts: nothing else orders the two
        with tf.control_dependencies([training_util._get_or_create_global_step_read()]):
            count = v1.assign_add(step, counted)
        hook = v1.train.CheckpointSaverHook(str(folder), save_steps=save_steps, listeners=[Listener()])
        with v1.train.SingularMonitoredSession(hooks=[hook]) as session:
            for _ in range(runs):
                session.run(count)
    return seen


def test_a_run_that_counts_twice_saves_when_one_more_step_is_due(tmp_path: Path) -> None:
    assert saved_at(tmp_path, counted=2, save_steps=4, runs=8) == [0, 6, 12, 16]


def test_a_run_that_counts_once_saves_as_ever(tmp_path: Path) -> None:
    assert saved_at(tmp_path, counted=1, save_steps=3, runs=7) == [0, 3, 6, 7]


def test_a_subclass_saves_as_its_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(v1.train.CheckpointSaverHook):
        pass

    monkeypatch.setattr(v1.train, "CheckpointSaverHook", Own)
    assert saved_at(tmp_path, counted=2, save_steps=4, runs=8) == [0, 6, 12, 16]


def test_steps_that_a_script_sets_itself_hold() -> None:
    hook = v1.train.CheckpointSaverHook("none", save_steps=3)
    hook._set_steps_per_run(5)
    assert hook._steps_per_run == 5
