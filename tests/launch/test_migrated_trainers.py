"""The migrated parameter-server trainers as their users run them: killed and started again, misused, launched."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runtime.tasks import QUIET, Tasks, free_ports, run_python
from tf2towers.cli.main import main

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
SUPERVISOR, MONITORED = "mnist_supervisor.py", "mnist_monitored.py"


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both migrated trainers."""
    folder = tmp_path_factory.mktemp("migrated")
    scripts = [str(ROOT / "legacy" / script) for script in (SUPERVISOR, MONITORED)]
    assert main(["migrate", *scripts, "-o", str(folder)]) == 0
    return folder


class Cluster(Tasks):
    """One trainer's processes, each started with the flags that its user would give it."""

    def __init__(self, script: Path, folder: Path, *arguments: str) -> None:
        super().__init__(folder, script, arguments)
        parameter_server, *self.workers = (f"localhost:{port}" for port in free_ports(3))
        self.ps = [parameter_server]
        self.environment.pop("TF_CONFIG", None)

    def arguments(self, name: str) -> list[str]:
        job, index = name.split()
        hosts = [f"--ps_hosts={','.join(self.ps)}", f"--worker_hosts={','.join(self.workers)}"]
        return [*self.flags, *hosts, f"--job_name={job}", f"--task_index={index}"]


@pytest.fixture
def cluster(migrated: Path, tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    """Makes a cluster of a migrated trainer; nothing of it is left over."""
    made: list[Cluster] = []

    def make(script: str, *arguments: str) -> Cluster:
        folder = tmp_path / f"cluster {len(made)}"
        made.append(Cluster(migrated / script, folder, f"--log_dir={tmp_path / 'log'}", *arguments))
        return made[-1]

    yield make
    for cluster in made:
        cluster.close()


def test_a_parameter_server_that_does_not_answer(cluster: Callable[..., Cluster]) -> None:
    """Nobody has started it, or nobody can reach its host: a worker alone ends soon, and so do two.

    What else cannot be a cluster is tests/runtime/cluster/test_addresses.py's.
    """
    alone, unreachable = cluster(SUPERVISOR, "--issync=0"), cluster(MONITORED, "--issync=0")
    unreachable.ps[0] = "192.0.2.1:2222"  # reserved for documentation: no host has it
    tasks = ((alone, "worker 1"), (unreachable, "worker 0"), (unreachable, "worker 1"))
    start = time.monotonic()
    for job, name in tasks:
        job.environment["TF2TOWERS_CLUSTER_TIMEOUT"] = "3"
        job.start(name)
    for job, name in tasks:
        assert job.status(name, 60) != 0
        assert f"no answer from ps 0 ({job.ps[0]}) within 3 seconds" in job.output(name)[-1500:]
    assert time.monotonic() - start < 60


def test_the_wait_for_a_server_is_limited_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    from tf2towers.runtime.cluster import waiting

    monkeypatch.delenv(waiting.TIMEOUT, raising=False)
    assert waiting.time_limit() == 60


def newest_checkpoint(folder: Path) -> int:
    """The step in it; other workers may have updated it since the step that the file is named after was read."""
    import tensorflow as tf

    newest = tf.train.latest_checkpoint(str(folder))
    assert newest, f"no checkpoint in {folder}"
    step = int(tf.train.load_variable(newest, "global_step"))
    assert 0 <= step - int(newest.rpartition("-")[2]) <= 1
    return step


@pytest.mark.parametrize("side", ["legacy", pytest.param("migrated", marks=pytest.mark.long)])
def test_the_same_launch_command(migrated: Path, tmp_path: Path, side: str) -> None:
    folder = ROOT / "legacy" if side == "legacy" else migrated
    log = tmp_path / "log"
    arguments = ["--train_steps=60", "--issync=0", "--log_every=10", f"--log_dir={log}"]
    command = ["launch", "--ps", "1", "--workers", "2", "--", str(folder / SUPERVISOR), *arguments]
    out, _ = run_python("-m", "tf2towers", *command, folder=tmp_path, seconds=90, **QUIET)
    assert str(log) not in subprocess.check_output(["ps", "-eo", "args", "-ww"], text=True)
    # A migrated worker returns the global step as it was before its own update: both may have read
    # 59, and then each does one more. A TF1 worker fetches it before its update or after it, and
    # goes on where it cannot see the end.
    assert 60 <= newest_checkpoint(log) <= (64 if side == "legacy" else 63)
    assert out.count("After 60 training step(s), validation cross entropy = ") == 2


@pytest.mark.long
@pytest.mark.parametrize("filtered", [False, True], ids=["all tasks", "device_filters"])
def test_a_late_worker(migrated: Path, cluster: Callable[..., Cluster], filtered: bool) -> None:
    """A synchronous chief, to which tokens for two workers are given, waits for the other where no filter hides it."""
    script = migrated / "late" / SUPERVISOR
    text = (migrated / SUPERVISOR).read_text().replace("num_tokens=0)", "num_tokens=-1)")
    assert "num_tokens=-1)" in text and ", device_filters=['/job:ps', worker_device]" in text
    script.parent.mkdir(exist_ok=True)
    (script.parent / "trainer_data.py").write_bytes((migrated / "trainer_data.py").read_bytes())
    script.write_text(text if filtered else text.replace(", device_filters=['/job:ps', worker_device]", ""))
    job = cluster(f"late/{SUPERVISOR}", "--issync=1", "--train_steps=20", "--log_every=1")
    job.start("ps 0", "worker 0")
    if filtered:
        job.wait_for("worker 0", "training step 1 done")
        return
    job.wait_for("worker 0", r"waiting for worker 1 \(")
    assert "training step" not in job.output("worker 0")
    job.start("worker 1")
    for name in ("worker 0", "worker 1"):
        assert job.status(name) == 0
        assert "training step 1 done" in job.output(name)
