"""Starts a process that records trainers, and reads its steps one by one."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import tf2towers
from tf2towers.parity.recording import Step

PACKAGE = Path(tf2towers.__file__).parent.parent


@dataclass(frozen=True)
class Run:
    """One training to record.

    Attributes:
        script: the program.
        flags: its command line.
        tower_order: average in tower order (`tf2towers.runtime.in_tower_order`); for migrated programs.
    """

    script: Path
    flags: tuple[str, ...] = ()
    tower_order: bool = False


class TrainerFailed(RuntimeError):
    """A recorded program ended with an error, which the message has."""


class Trainers:
    """A process of its own that runs trainers one after another, at the pace of who reads `steps()`.

    Args:
        kind: 'legacy' or 'migrated': how the programs are watched.
        runs: what to run, in order.
        log: a file for all they print.

    oneDNN is off: it gives a Session graph and a tf.function different kernels, a last bit apart; see
    docs/semantics.md. A context manager: leaving it ends the process.
    """

    def __init__(
        self, kind: str, runs: Sequence[Run], log: Path, environment: dict[str, str] | None = None
    ) -> None:
        self._log = log
        jobs = [{**dataclasses.asdict(run), "script": str(run.script.resolve())} for run in runs]
        path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "2", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": path}
        with log.open("wb") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tf2towers.parity.child", kind],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                env={**os.environ, **quiet, **(environment or {})},
            )  # fmt: skip
        assert self._process.stdin is not None
        with self._process.stdin as stdin:
            stdin.write(json.dumps(jobs).encode())

    def steps(self) -> Iterator[Step]:
        """The steps of the next run, as it makes them.

        Raises:
            TrainerFailed: the program ended with an error, or the process with it.
        """
        assert self._process.stdout is not None
        while True:
            try:
                message = pickle.load(self._process.stdout)
            except EOFError:
                raise TrainerFailed(
                    f"the process ended with status {self._process.wait()}: {self._tail()}"
                ) from None
            if isinstance(message, Step):
                yield message
            elif message is None:
                return
            else:
                raise TrainerFailed(str(message))

    def _tail(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-20:])

    def __enter__(self) -> Trainers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdout is not None
        self._process.stdout.close()
        if self._process.poll() is None:
            if kind is not None:
                self._process.terminate()
            self._process.wait()
