"""Clusters trained by TF1's sessions and by the runtime's: the same values; and what happens when a task dies."""

import re
from pathlib import Path

import pytest
import tensorflow as tf

from tests.runtime.graph_session.clusters import cluster

pytestmark = pytest.mark.tensorflow


def test_taking_turns_every_value_is_tf1s(tmp_path: Path) -> None:
    """Asynchronous, in a fixed order: two parameter servers, partitioned and local variables, queues, averages."""
    with (
        cluster(tmp_path / "original", "job_serial.py", "original", 2, 2) as original,
        cluster(tmp_path / "functions", "job_serial.py", "functions", 2, 2) as functions,
    ):
        functions.start()
        # a TF1 parameter server that looks for the other one too early fails the first step that needs it
        original.start("ps 0", "ps 1")
        original.wait_until_serving("ps 0", "ps 1")
        original.start("worker 0", "worker 1")
        for name in ("worker 0", "worker 1", "ps 1"):
            assert original.status(name) == 0, original.output(name)
            assert functions.status(name) == 0, functions.output(name)
            assert functions.lines(name) == original.lines(name)
        assert functions.lines("ps 1") == ["done [0, 1]"]
        assert functions.status("ps 0", 60) == 0  # it ends with the training, where TF1's had to be killed
        assert len(functions.lines("worker 1")) == 10


def test_synchronous_every_value_is_tf1s(tmp_path: Path) -> None:
    """SyncReplicasOptimizer with its hooks and its queue runner in a MonitoredTrainingSession.

    Not compared: the global step beside a loss: the chief's queue counts it up while a worker reads it, in any order.
    """
    with (
        cluster(
            tmp_path / "original", "job_train.py", "original", 1, 2, "1", "12", str(tmp_path / "first")
        ) as original,
        cluster(
            tmp_path / "functions", "job_train.py", "functions", 1, 2, "1", "12", str(tmp_path / "second")
        ) as functions,
    ):
        original.start()
        functions.start()
        for name in ("worker 0", "worker 1"):
            assert functions.status(name) == 0, functions.output(name)
            assert original.status(name) == 0, original.output(name)
            losses = [line.split()[1] for line in functions.lines(name) if "0x" in line]
            assert losses == [line.split()[1] for line in original.lines(name) if "0x" in line]
            assert len(losses) == 12
        assert functions.status("ps 0", 60) == 0


def test_tasks_that_die(tmp_path: Path) -> None:
    """A dead worker leaves the other training, and comes back; a dead parameter server ends the job, which resumes."""
    folder = tmp_path / "checkpoints"
    with cluster(
        tmp_path / "first", "job_train.py", "functions", 1, 2, "0", "100000", str(folder), "0.05"
    ) as job:
        job.start()
        job.wait_for("worker 1", r"> \d+ 0x")
        job.kill("worker 1")
        reached = int(job.lines("worker 0")[-1].split()[0])
        job.wait_for("worker 0", rf"> {reached + 10} 0x")
        job.start("worker 1")
        job.wait_for("worker 1", r"(?s)begins at.*begins at (?!0\n)\d+\n> \d+ 0x")
        job.kill("ps 0")
        for name in ("worker 0", "worker 1"):
            assert job.status(name) == 1, job.output(name)
            assert re.search(
                r"lost ps 0 \(localhost:\d+\), and the variables on it\. Start the whole job",
                job.output(name),
            )
        newest = tf.train.latest_checkpoint(str(folder))
        saved = int(tf.train.load_checkpoint(newest).get_tensor("global_step"))
        # it is named after the step at which saving began: the other worker may have made more by then, as in TF1
        assert saved >= int(newest.rpartition("-")[2]) > 0
    with cluster(
        tmp_path / "again", "job_train.py", "functions", 1, 1, "0", str(saved + 5), str(folder)
    ) as job:
        job.start()
        assert job.status("worker 0") == 0, job.output("worker 0")
        assert job.lines("worker 0")[0] == f"begins at {saved}"
        assert job.status("ps 0", 60) == 0
