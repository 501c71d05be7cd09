"""Shows how far a run has come: on a terminal in one line that changes, and anywhere in one line at its end."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tf2towers.report.paths import counted

_PAUSE = 0.2  # seconds between two looks at the recording
_CLEARED = "\r\x1b[K"  # a terminal's line, cleared


@contextlib.contextmanager
def show_progress(folder: Path, wanted: int) -> Iterator[None]:
    """A context for the run that records into a folder; the folder's name is the stage's.

    Args:
        wanted: the number of training steps that the run makes, of all workers together.
    """
    run, ended = _Run(folder, wanted), threading.Event()

    def draw() -> None:
        shown = ""
        while not ended.wait(_PAUSE):
            run.look()
            line = run.so_far()[: shutil.get_terminal_size().columns - 1]
            if line != shown:
                shown = line
                print(f"{_CLEARED}{line}", end="", file=sys.stderr, flush=True)

    drawing = threading.Thread(target=draw, daemon=True)
    terminal = sys.stderr.isatty()
    if terminal:
        drawing.start()
    try:
        yield
    finally:
        ended.set()
        if terminal:
            drawing.join()
        run.look()
        print(f"{_CLEARED if terminal else ''}{run.in_all()}", file=sys.stderr, flush=True)


class _Run:
    """What a run has recorded so far."""

    def __init__(self, folder: Path, wanted: int) -> None:
        self._folder, self._wanted = folder, wanted
        self._stage, self._began = folder.name.replace("-", " "), time.monotonic()
        self._seen: set[Path] = set()
        self._calls = self._steps = 0

    def look(self) -> None:
        """Counts what has been recorded since the last look."""
        for path in {*self._folder.glob("**/step-*.npz")} - self._seen:
            self._seen.add(path)
            with np.load(path) as values:
                about = json.loads(values["about"].tobytes()) if "about" in values.files else {}
            self._calls += bool(about)
            self._steps += about.get("trains", True)

    def so_far(self) -> str:
        """'original: session call 12, training step 5 of 10, 0:23'."""
        if not self._seen:
            return f"{self._stage}: starting, {self._time()}"
        call = f"session call {self._calls}, " if self._calls else ""
        return f"{self._stage}: {call}training step {self._steps} of {self._wanted}, {self._time()}"

    def in_all(self) -> str:
        """'original: 24 session calls, 10 training steps, 0:41'."""
        calls = f"{counted(self._calls, 'session call')}, " if self._calls else ""
        return f"{self._stage}: {calls}{counted(self._steps, 'training step')}, {self._time()}"

    def _time(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        return f"{minutes}:{seconds:02}"
