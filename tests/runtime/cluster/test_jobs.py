"""Whole migrated jobs, asynchronous and synchronous, on this machine. (Killed ones: tests/launch.)"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

spec = importlib.util.spec_from_file_location("jobs", Path(__file__).parent / "jobs.py")
jobs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(jobs)

pytestmark = pytest.mark.tensorflow
ALL = ("ps 0", "worker 0", "worker 1")


def steps_of(text: str) -> list[tuple[int, int, float]]:
    """(worker, global step, loss) of every line."""
    found = re.findall(r"worker (\d) step (\d+) loss (\S+)", text)
    return [(int(worker), int(step), float(loss)) for worker, step, loss in found]


def batches(worker: int, count: int) -> list[np.ndarray]:
    random = np.random.RandomState(worker)
    random.randn(1000)
    return [random.rand(4, 2).astype(np.float32) for _ in range(count)]


def updated(state: np.ndarray, inputs: list[np.ndarray]) -> tuple[np.ndarray, list[float]]:
    """Gradient descent (rate 0.1) on the mean of the workers' gradients, and the workers' losses before it."""
    gradients, losses = [], []
    for x in inputs:
        extended = np.concatenate([x, np.ones((4, 1), np.float32)], 1)
        error = extended @ state - 3 * x.sum(1)
        losses.append(float(np.mean(error**2)))
        gradients.append(2 * extended.T @ error / 4)
    return state - np.float32(0.1) * np.mean(gradients, 0), losses


def test_asynchronous_workers_in_turn_update_one_another_variables(tmp_path: Path) -> None:
    with jobs.job(tmp_path, "job_steps.py", False, "4", TF2TOWERS_SERIAL_SCHEDULE="1") as job:
        job.start(*ALL)
        assert [job.status(name) for name in ALL] == [0, 0, 0]
        seen = sorted(steps_of(job.output("worker 0")), key=lambda seen_step: seen_step[1])
        assert "nothing" not in job.output("ps 0")
    assert [(worker, step) for worker, step, _ in seen] == [(i % 2, i + 1) for i in range(8)]
    state = np.array([1, 1, 0], np.float32)
    feeds = [batches(0, 4), batches(1, 4)]
    for worker, step, loss in seen:
        state, losses = updated(state, [feeds[worker][(step - 1) // 2]])
        assert loss == pytest.approx(losses[0], rel=1e-5)


def test_synchronous_workers_apply_the_mean(tmp_path: Path) -> None:
    with jobs.job(tmp_path, "job_steps.py", True, "4") as job:
        job.start(*ALL)
        assert [job.status(name) for name in ALL] == [0, 0, 0]
        output = {name: job.output(name) for name in ALL}
    assert "nothing to do" in output["ps 0"]
    state = np.array([1, 1, 0], np.float32)
    feeds = [batches(0, 4), batches(1, 4)]
    for i in range(4):
        state, losses = updated(state, [feeds[0][i], feeds[1][i]])
        for worker in (0, 1):
            assert steps_of(output[f"worker {worker}"])[i][:2] == (worker, i + 1)
            assert steps_of(output[f"worker {worker}"])[i][2] == pytest.approx(losses[worker], rel=1e-5)
    given = [np.random.RandomState(worker).randn(1000).astype(np.float32) for worker in (0, 1)]
    mean = ((given[0] + given[1]) / np.float32(2)).tobytes().hex()
    for worker in (0, 1):
        assert f"worker {worker} mean {mean}" in output[f"worker {worker}"]


@pytest.mark.long
def test_synchronous_training_resumes_where_only_the_chief_has_the_checkpoint(tmp_path: Path) -> None:
    logs = str(tmp_path / "logs")
    for start, last in ((0, 6), (6, 9)):
        with jobs.job(tmp_path, "job_session.py", True, "supervisor", logs, str(last)) as job:
            job.start("worker 0", "worker 1")
            assert [job.status(name) for name in ALL[1:]] == [0, 0]
            assert f"worker 1 starts at {start}" in job.output("worker 1")
            assert [step for _, step, _ in steps_of(job.output("worker 1"))] == list(range(1, last + 1))


@pytest.mark.long
def test_a_worker_that_stays_dead_does_not_keep_the_job_from_ending(tmp_path: Path) -> None:
    with jobs.job(
        tmp_path, "job_session.py", False, "supervisor", str(tmp_path / "logs"), "30", "0.05"
    ) as job:
        job.start(*ALL)
        job.wait_for("worker 0", "step 10 ")
        job.kill("worker 1")
        assert [job.status(name) for name in ("worker 0", "ps 0")] == [0, 0]
        assert "model.ckpt-3" in job.output("worker 0").splitlines()[-1]
