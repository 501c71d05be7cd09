"""The migrated parameter-server trainers as their users run them: killed and started again, misused, launched."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tf2towers.cli.main import main

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).resolve().parents[2]
SUPERVISOR, MONITORED = "mnist_supervisor.py", "mnist_monitored.py"
ALL = ("ps 0", "worker 0", "worker 1")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both migrated trainers."""
    folder = tmp_path_factory.mktemp("migrated")
    scripts = [str(ROOT / "legacy" / script) for script in (SUPERVISOR, MONITORED)]
    assert main(["migrate", *scripts, "-o", str(folder)]) == 0
    return folder


class Cluster:
    """One trainer's processes, each started with the flags that its user would give it."""

    def __init__(self, script: Path, folder: Path, *arguments: str) -> None:
        self._folder, self._command = folder, [sys.executable, str(script), *arguments]
        parameter_server, *self.workers = free_addresses(3)
        self.ps = [parameter_server]
        self.environment = {**os.environ, **QUIET}
        self.environment.pop("TF_CONFIG", None)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._everything: list[subprocess.Popen[bytes]] = []

    def start(self, *names: str) -> None:
        """A task that is started again goes on in the same file of output."""
        hosts = [f"--ps_hosts={','.join(self.ps)}", f"--worker_hosts={','.join(self.workers)}"]
        for name in names:
            job, index = name.rsplit(" ", 1)
            flags = [*hosts, f"--job_name={job}", f"--task_index={index}"]
            with self._file(name).open("ab") as output:
                self.processes[name] = subprocess.Popen(
                    [*self._command, *flags], stdout=output, stderr=subprocess.STDOUT, env=self.environment
                )
            self._everything.append(self.processes[name])

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.txt"

    def output(self, name: str) -> str:
        return self._file(name).read_text(errors="replace")

    def all_output(self) -> str:
        return "\n".join(f"== {name}\n{self.output(name)[-3000:]}" for name in self.processes)

    def sigkill(self, *names: str) -> None:
        for name in names:
            assert self.processes[name].poll() is None, f"{name} has ended before: {self.all_output()}"
            self.processes[name].send_signal(signal.SIGKILL)
            assert self.processes[name].wait(10) == -signal.SIGKILL

    def status(self, name: str, seconds: float = 180) -> int:
        try:
            return self.processes[name].wait(seconds)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{name} has not ended: {self.all_output()}")

    def wait_for(self, condition: Callable[[], bool], seconds: float = 180) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.all_output()
            assert self.processes["worker 0"].poll() is None, self.all_output()
            time.sleep(0.05)

    def end(self) -> None:
        for process in self._everything:
            if process.poll() is None:
                process.kill()
            process.wait(10)


def free_addresses(count: int) -> list[str]:
    """All held until the last is found: a port that was let go may be given again."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("", 0))
        return [f"localhost:{probe.getsockname()[1]}" for probe in probes]


@pytest.fixture
def cluster(migrated: Path, tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    """Makes a cluster of a migrated trainer; nothing of it is left over."""
    made: list[Cluster] = []

    def make(script: str, *arguments: str) -> Cluster:
        made.append(Cluster(migrated / script, tmp_path, f"--log_dir={tmp_path / 'log'}", *arguments))
        return made[-1]

    yield make
    for cluster in made:
        cluster.end()


def newest_checkpoint(folder: Path) -> int:
    """The step in it; other workers may have updated it since the step that the file is named after was read."""
    import tensorflow as tf

    newest = tf.train.latest_checkpoint(str(folder))
    assert newest, f"no checkpoint in {folder}"
    step = int(tf.train.load_variable(newest, "global_step"))
    assert 0 <= step - int(newest.rpartition("-")[2]) <= 1
    return step


# -- what cannot be --------------------------------------------------------------------------------------------------


def refused(*tasks: tuple[Cluster, str, tuple[str, ...]], seconds: float = 60) -> None:
    """Each task ends by itself, soon, with a status that is not 0, and its last words name what is wrong.

    Args:
        tasks: (its cluster, its name, the words); all are started at once.
    """
    start = time.monotonic()
    for job, name, _ in tasks:
        job.start(name)
    for job, name, words in tasks:
        assert job.status(name, seconds) != 0
        end = job.output(name)[-1500:]
        assert all(word in end for word in words), end
    assert time.monotonic() - start < seconds


def test_what_cannot_be_a_cluster(cluster: Callable[..., Cluster]) -> None:
    """An unknown job, an index out of range, one address for two tasks, a host that nobody knows."""
    twice, unknown = cluster(SUPERVISOR), cluster(SUPERVISOR)
    twice.workers[1] = twice.ps[0]
    unknown.ps[0] = "no-such-host.invalid:2222"  # it may get an address, as a pod that starts late does
    unknown.environment["TF2TOWERS_CLUSTER_TIMEOUT"] = "3"
    refused(
        (cluster(SUPERVISOR), "wroker 0", ("job_name='wroker'", "'worker' (2)")),
        (cluster(MONITORED), "wroker 1", ("--job_name is 'wroker'",)),  # the script's own check
        (cluster(SUPERVISOR), "worker 2", ("task_index=2", "from 0 to 1")),
        (cluster(MONITORED, "--issync=1"), "ps 1", ("task_index=1", "from 0 to 0")),
        (twice, "worker 0", (twice.ps[0], "more than one task")),
        (unknown, "worker 1", ("ps 0 (no-such-host.invalid:2222, no such host)", "within 3")),
    )


def test_a_port_in_use(cluster: Callable[..., Cluster]) -> None:
    with contextlib.ExitStack() as stack:
        tasks = []
        for issync, name in ((0, "ps 0"), (0, "worker 0"), (1, "worker 1")):
            job, other = cluster(MONITORED, f"--issync={issync}"), stack.enter_context(socket.socket())
            other.bind(("", 0))
            other.listen()
            address = f"localhost:{other.getsockname()[1]}"
            (job.ps if name == "ps 0" else job.workers)[int(name[-1])] = address
            tasks.append((job, name, (address, "in use")))
        refused(*tasks)


def test_a_server_that_nobody_has_started(cluster: Callable[..., Cluster]) -> None:
    """A worker alone in its cluster ends, and names the server that does not answer."""
    alone = cluster(SUPERVISOR, "--issync=0")
    alone.environment["TF2TOWERS_CLUSTER_TIMEOUT"] = "3"
    alone.start("worker 1")
    assert alone.status("worker 1", 60) != 0
    assert f"no answer from ps 0 ({alone.ps[0]}) within 3 seconds" in alone.output("worker 1")[-1500:]


def test_an_unreachable_parameter_server(cluster: Callable[..., Cluster]) -> None:
    """Both workers are there; they end, too, where the parameter server's host does not answer."""
    job = cluster(MONITORED, "--issync=0")
    job.environment["TF2TOWERS_CLUSTER_TIMEOUT"] = "3"
    job.ps[0] = "192.0.2.1:2222"  # reserved for documentation: no host has it
    start = time.monotonic()
    job.start("worker 0", "worker 1")
    assert 0 not in [job.status(name, 30) for name in ("worker 0", "worker 1")]
    assert time.monotonic() - start < 30
    for name in ("worker 0", "worker 1"):
        assert "no answer from ps 0 (192.0.2.1:2222) within 3 seconds" in job.output(name)


def test_the_wait_is_limited_without_being_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    from tf2towers.runtime.cluster import waiting

    monkeypatch.delenv(waiting.TIMEOUT, raising=False)
    assert waiting.time_limit() == 60


# -- launched --------------------------------------------------------------------------------------------------------


def processes_with(word: str) -> list[str]:
    """Command lines that have this word in them."""
    lines = subprocess.run(
        ["ps", "-eo", "pid,args", "-ww"], capture_output=True, text=True, check=True
    ).stdout
    return [line for line in lines.splitlines() if word in line]


@pytest.mark.parametrize("side", ["legacy", pytest.param("migrated", marks=pytest.mark.long)])
def test_the_same_launch_command(migrated: Path, tmp_path: Path, side: str) -> None:
    folder = ROOT / "legacy" if side == "legacy" else migrated
    log = tmp_path / "log"
    arguments = ["--train_steps=60", "--issync=0", "--log_every=10", f"--log_dir={log}"]
    command = ["launch", "--ps", "1", "--workers", "2", "--", str(folder / SUPERVISOR), *arguments]
    done = subprocess.run(
        [sys.executable, "-m", "tf2towers", *command],
        cwd=tmp_path, env={**os.environ, **QUIET}, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert processes_with(str(log)) == []
    # A migrated worker returns the global step as it was before its own update: both may have read 59, and then each
    # does one more. A TF1 worker fetches it before its update or after it, and goes on where it cannot see the end.
    assert 60 <= newest_checkpoint(log) <= (64 if side == "legacy" else 63)
    assert done.stdout.count("After 60 training step(s), validation cross entropy = ") == 2
