"""Runs scripts as clusters of processes, one script after the other: `python run_clusters.py MODE OUT SCRIPT...`.

MODE `original` or `migrated`, as in `run_many.py`. A script says in its first lines how many tasks
it has (`# tasks: 2 ps, 2 worker`); its arguments are a folder for all its tasks, the job, the
task's index, and the addresses of either job. TensorFlow is imported once: each task is a fork of
this process, before TensorFlow has done anything. OUT is a JSON object: script as named -> task
("worker 1") -> {"stdout", "error", "traceback"}, and "seconds".
"""

from __future__ import annotations

import atexit
import json
import os
import random
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from run_many import import_tensorflow, run_one

LONGEST = 120.0
#: the exit status of a task that ended with an error
FAILED = 9
TASKS = re.compile(r"^# tasks: (\d+) ps, (\d+) worker", re.MULTILINE)


def tasks_of(path: Path) -> dict[str, int]:
    """How many tasks each job of a script has."""
    found = TASKS.search("\n".join(path.read_text().splitlines()[:5]))
    assert found is not None, f"{path} does not say its tasks"
    return {"ps": int(found.group(1)), "worker": int(found.group(2))}


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at; all are held until all are found."""
    sockets = [socket.socket() for _ in range(count)]
    for held in sockets:
        held.bind(("localhost", 0))
    ports = [held.getsockname()[1] for held in sockets]
    for held in sockets:
        held.close()
    return ports


def run_cluster(mode: str, path: Path) -> dict:
    """All tasks of a script; parameter servers of the original are killed when the workers have ended.

    An original one of whose tasks called another before that listened is run again: TF1's own race,
    in which a worker ends with "failed to connect". A migrated one has a single run.
    """
    started = time.monotonic()
    for _ in range(3 if mode == "original" else 1):
        folder = Path(tempfile.mkdtemp())  # no TemporaryDirectory: each fork would remove it at its end
        try:
            results = _run(mode, path, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        errors = [str(row["error"]) for row in results.values()]
        if not any(error.startswith("UnavailableError") and "failed to connect" in error for error in errors):
            break
    return {**results, "seconds": round(time.monotonic() - started, 2)}


def _run(mode: str, path: Path, folder: Path) -> dict[str, dict]:
    (folder / "files").mkdir()
    jobs = tasks_of(path)
    ports = [f"localhost:{port}" for port in free_ports(sum(jobs.values()))]
    hosts = [",".join(ports[: jobs["ps"]]), ",".join(ports[jobs["ps"] :])]
    running: dict[str, int] = {}
    for job in ("ps", "worker"):
        for index in range(jobs[job]):
            arguments = [str(path), str(folder / "files"), job, str(index), *hosts]
            running[f"{job} {index}"] = _fork(mode, arguments, folder / f"{job} {index}.json")
    for_ever = set()  # TF1's parameter servers
    if mode == "original" and not _ends_by_itself(path):
        for_ever = {task for task in running if task.startswith("ps")}
    ended: dict[str, int] = {}
    limit = time.monotonic() + LONGEST
    while set(running) - for_ever - set(ended) and time.monotonic() < limit:
        time.sleep(0.05)
        for task in set(running) - set(ended):
            done, status = os.waitpid(running[task], os.WNOHANG)
            if done:
                ended[task] = os.waitstatus_to_exitcode(status)
    results = {}
    for task, child in running.items():
        if task not in ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        file = folder / f"{task}.json"
        row = {"stdout": "", "error": None, "traceback": ""}
        if file.exists():
            row = json.loads(file.read_text())
        if task not in for_ever and ended.get(task) not in (0, FAILED):
            row["error"] = f"exit status {ended[task]}" if task in ended else "has not ended"
        results[task] = row
    return results


def _ends_by_itself(path: Path) -> bool:
    """True if a script's parameter servers end without being killed."""
    return "# ps ends" in "\n".join(path.read_text().splitlines()[:5])


def _fork(mode: str, arguments: list[str], out: Path) -> int:
    """A task in a process of its own."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.chdir(arguments[1])
        status = _task(mode, arguments, out)
    finally:
        os._exit(status)


def _task(mode: str, arguments: list[str], out: Path) -> int:
    printed, errors = out.with_suffix(".txt"), out.with_suffix(".err")
    with printed.open("w+") as first, errors.open("w+") as second:
        os.dup2(first.fileno(), 1)
        os.dup2(second.fileno(), 2)
    sys.stdout = os.fdopen(os.dup(1), "w", buffering=1)
    random.seed(0)
    np.random.seed(0)
    row = run_one(arguments)
    sys.stdout.flush()
    text = printed.read_text()
    if mode == "migrated":  # parameter servers say what they do; TF1's said nothing
        text = re.sub(r"^ps \d+: (serving; )?the training .*\n", "", text, flags=re.MULTILINE)
    row |= {"stdout": text, "traceback": row["traceback"] or errors.read_text()[-1500:]}
    out.write_text(json.dumps(row))
    atexit._run_exitfuncs()  # what the runtime does at the end of a process
    return FAILED if row["error"] else 0


def prepare(mode: str) -> None:
    """Imports all that the tasks need, and starts nothing of TensorFlow."""
    import_tensorflow(mode)
    if mode == "migrated":
        import tf2towers.runtime.graph_session.cluster.server  # noqa: F401
        from tf2towers.runtime import Session  # noqa: F401


def main(arguments: list[str]) -> None:
    mode, out, *scripts = arguments
    prepare(mode)
    results = {}
    for script in scripts:
        results[script] = run_cluster(mode, Path(script).resolve())
        Path(out).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
