"""Clusters of processes on this machine, which a test starts, kills and waits for."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.runtime import tasks

ROOT = Path(__file__).parents[2]


def free_ports(count: int) -> list[str]:
    return [f"localhost:{port}" for port in tasks.free_ports(count)]


class Job:
    """Processes of one program, a script and what precedes its flags, with their output in files.

    A legacy program learns its task from flags, a modern one from TF_CONFIG.
    """

    def __init__(self, program: list[str], folder: Path, *flags: str, ps: int, workers: int) -> None:
        addresses = free_ports(ps + workers)
        self.jobs = {"ps": addresses[:ps], "worker": addresses[ps:]}
        self.command = [sys.executable, *program, f"--log_dir={folder}/log", *flags]
        self.by_flags = "legacy" in program[0]
        self.folder, self.processes = folder, {}

    def start(self, job: str, index: int) -> None:
        config = {"cluster": self.jobs, "task": {"type": job, "index": index}}
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_CONFIG": json.dumps(config)}
        flags = []
        if self.by_flags:
            del environment["TF_CONFIG"]
            flags = [f"--{name}_hosts={','.join(hosts)}" for name, hosts in self.jobs.items()]
            flags += [f"--job_name={job}", f"--task_index={index}"]
        with (self.folder / f"{job}{index}").open("w") as out:
            self.processes[job, index] = subprocess.Popen(
                [*self.command, *flags], cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT
            )

    def printed(self, job: str, index: int) -> str:
        return (self.folder / f"{job}{index}").read_text()

    def wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 180
        while not condition():
            assert time.monotonic() < deadline, {task: self.printed(*task) for task in self.processes}
            time.sleep(0.05)

    def wait_for_step(self, at_least: int) -> None:
        def reached() -> bool:
            steps = re.findall(r"training step (\d+) done", self.printed("worker", 0))
            return bool(steps) and int(steps[-1]) >= at_least

        self.wait(reached)

    def kill(self, job: str, index: int) -> None:
        self.processes[job, index].send_signal(signal.SIGKILL)
        self.processes[job, index].wait()

    def end(self) -> None:
        """Every process ends by itself, with status 0."""
        self.wait(lambda: all(process.poll() is not None for process in self.processes.values()))
        failed = {task: self.printed(*task) for task, process in self.processes.items() if process.returncode}
        assert not failed

    def __enter__(self) -> "Job":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
