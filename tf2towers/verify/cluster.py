"""A script run as a cluster on this machine, each task under a recorder, until all that is wanted is recorded."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.launch.job import run_cluster
from tf2towers.launch.plan import Plan
from tf2towers.verify.process import RunFailed, last_lines
from tf2towers.verify.recorder.running import RECORDED
from tf2towers.verify.recorder.turns import AFTER_CHIEF, DONE, GO, HERE


class _AllRecorded(Exception):
    """Every worker's part is recorded."""


def run_recorded(
    title: str,
    python: str,
    recorder: Path,
    command: Sequence[str],
    shape: Shape,
    environment: Mapping[str, str],
    timeout: float,
) -> list[str]:
    """Runs it; the last lines of all tasks.

    Args:
        recorder: what each task runs.
        command: its settings, the script and the arguments, without the flags of the cluster.

    Raises:
        RunFailed: a task failed.
    """
    lines: list[str] = []
    recorded: set[str] = set()

    def look(task: str, line: str) -> None:
        lines.append(f"[{task}] {line}")
        del lines[:-200]
        if line.strip() == RECORDED:
            recorded.add(task)
            if len(recorded) == shape.workers:
                raise _AllRecorded

    try:
        plan = Plan(
            script=recorder, args=command, ps=shape.ps, workers=shape.workers, env=dict(environment), python=python,
            program=Path(command[1]), task_flags=shape.task_flags, timeout=timeout,
        )  # fmt: skip
        outcome, _ = run_cluster(plan, look)
    except _AllRecorded:
        return lines
    if outcome.status:
        raise RunFailed(f"{title} as a cluster: {outcome.reason}; it wrote last:\n{last_lines(lines)}")
    return lines


# -- a serialised schedule: one worker's step at a time, in the order 0, 1, .., 0, 1, ..; who has ended is left out ----
# The order of asynchronous updates changes their result, so two runs can be compared only where it is fixed. A round
# begins when all workers are there for it. Of synchronous ones, each then has the token of the round before. None can
# take another's: the tokens are alike, and a fast worker would make a slow one's step in its place.


def _line(connection: socket.socket) -> bytes:
    """The line that a worker begins with, and no byte of what it asks for next."""
    read = b""
    while not read.endswith(b"\n") and (byte := connection.recv(1)):
        read += byte
    return read


class Turnstile:
    """Gives the turns, in the process that starts the workers.

    Args:
        workers: how many there are. Nobody's turn is over before worker 0 has had one.
    """

    def __init__(self, workers: int) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self._there: dict[int, socket.socket] = {}
        self._arrived = threading.Condition()
        self._closed = False
        threading.Thread(target=self._admit, daemon=True).start()
        threading.Thread(target=self._give, args=(workers,), daemon=True).start()

    def _admit(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                line = _line(connection)
                with self._arrived:
                    if line:
                        self._there[int(line)] = connection
                    self._arrived.notify_all()

    def _give(self, workers: int) -> None:
        waiting = list(range(workers))
        while waiting:
            waiting = [worker for worker in waiting if self._is_here(worker)]
            if self._closed:
                return
            waiting = [worker for worker in waiting if self._has_had_its_turn(worker)]

    def _is_here(self, worker: int) -> bool:
        """Waits for it to ask for its turn; not, if it has ended."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._closed or worker in self._there)
        with contextlib.suppress(OSError):
            asked = b"" if self._closed else self._there[worker].recv(1)
            while asked == AFTER_CHIEF:  # worker 0 is asked first: it is here, or has ended
                self._there[worker].sendall(GO)
                asked = self._there[worker].recv(1)
            return asked == HERE
        return False

    def _has_had_its_turn(self, worker: int) -> bool:
        with contextlib.suppress(OSError):
            self._there[worker].sendall(GO)
            return self._there[worker].recv(1) == DONE
        return False

    def close(self) -> None:
        """Ends it; workers that wait for a turn get an error."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        self._server.close()
        for connection in self._there.values():
            connection.close()


@contextlib.contextmanager
def in_turns(workers: int) -> Iterator[dict[str, str]]:
    """What a recorder is given, so that its workers take their steps in turns as long as this lasts."""
    with contextlib.closing(Turnstile(workers)) as turnstile:
        yield {"turns": turnstile.address}
