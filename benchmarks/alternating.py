"""Measures training programs that take turns: each runs for a while, then stops while the next one runs.

All programs are started once and stopped (SIGSTOP) after their first steps; then they take turns of
a second or two. Other load on the machine affects all of them alike. A hundred steps of one program
are compared with a hundred steps of another a second later, not with a process that was started ten
seconds after it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Turn:
    """The measurements of one turn of a program.

    Attributes:
        rate: steps per second.
        cpu: seconds of CPU per step, of all its processes.
    """

    rate: float
    cpu: float


class Training:
    """A program that trains without end, and prints a line after each step, or after every few steps.

    Attributes:
        first: seconds from its start to its first step.
        memory: the peak memory of its processes, summed, in MiB.

    Args:
        command: the command, which is started in a new session of the system.
        line: a line about a step; its first group is the step's number.
        folder: the working folder.
        environment: additional environment variables.
        patience: the time limit for the first step, in seconds.
        rests: whether the program can be stopped for a while. The workers of a
            MultiWorkerMirroredStrategy exchange messages every few seconds, and end without them:
            such a program starts anew for each turn.
    """

    def __init__(
        self,
        command: Sequence[str],
        line: re.Pattern[str],
        folder: Path,
        environment: Mapping[str, str],
        patience: float = 300.0,
        rests: bool = True,
    ) -> None:
        self._command, self._folder, self._environment = command, folder, environment
        self._line, self._patience, self._rests = line, patience, rests
        self._start()
        if rests:
            self._signal(signal.SIGSTOP)
        else:
            self.memory = self._peak()
            self.end()

    def _start(self) -> None:
        self._lines: list[tuple[float, int]] = []
        self._tail: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        started = time.monotonic()
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "TF_CPP_MIN_LOG_LEVEL": "3", **self._environment},
            cwd=self._folder,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._wait_for(1, self._patience)
            self.first = self._lines[0][0] - started
            self._wait_for(3, self._patience)
        except BaseException:
            self.end()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = self._line.search(line)
            with self._news:
                self._tail = [*self._tail[-30:], line]
                if found:
                    self._lines.append((time.monotonic(), int(found[1])))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _wait_for(self, lines: int, seconds: float) -> None:
        """Waits until the program has printed this number of lines about steps.

        Raises:
            RuntimeError: the program ended before, or took too long; the message has its last
                output.
        """
        with self._news:
            self._news.wait_for(lambda: self._ended or len(self._lines) >= lines, seconds)
            if len(self._lines) < lines:
                raise RuntimeError(f"{' '.join(self._process.args)}\n{''.join(self._tail)}")  # type: ignore[arg-type]

    def _processes(self) -> list[psutil.Process]:
        try:
            parent = psutil.Process(self._process.pid)
            return [parent, *parent.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def _signal(self, number: int) -> None:
        for process in self._processes():
            try:
                process.send_signal(number)
            except psutil.NoSuchProcess:
                continue

    def turn(self, seconds: float) -> Turn:
        """Runs for some seconds; the first line, about a step that began before the stop, is not counted."""
        if self._rests:
            self._signal(signal.SIGCONT)
        else:
            self._start()
        before = len(self._lines)
        self._wait_for(before + 2, 60.0)
        cpu = self._cpu()
        begun = len(self._lines) - 1
        time.sleep(seconds)
        self._wait_for(begun + 2, 60.0)
        last = len(self._lines) - 1
        used = self._cpu() - cpu
        self.memory = self._peak()
        if self._rests:
            self._signal(signal.SIGSTOP)
        else:
            self.end()
        (start, first_step), (end, last_step) = self._lines[begun], self._lines[last]
        steps = last_step - first_step
        return Turn(steps / (end - start), used / steps)

    def _cpu(self) -> float:
        """Seconds of CPU that its processes have used."""
        used = 0.0
        for process in self._processes():
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            used += (int(fields[11]) + int(fields[12])) / TICK
        return used

    def _peak(self) -> float:
        """The most memory that its processes have held, summed, in MiB."""
        peaks = (
            re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
            for process in self._processes()
        )
        return sum(int(found[1]) / 1024 for found in peaks if found)

    def end(self) -> None:
        """Kills the program and all processes that it has started."""
        for process in reversed(self._processes()):
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self._process.wait()
        self._reader.join()


def alternate(programs: Mapping[str, Training], rounds: int, seconds: float) -> dict[str, list[Turn]]:
    """Runs the programs in turn, every other round in the reverse order; program -> its turns."""
    turns: dict[str, list[Turn]] = {what: [] for what in programs}
    for number in range(rounds):
        order = list(programs.items())
        for what, training in order if number % 2 == 0 else reversed(order):
            turns[what].append(training.turn(seconds))
    return turns
