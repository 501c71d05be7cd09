"""What a run shows of its progress: one line that changes on a terminal, and one line at its end."""

from __future__ import annotations

import io
import json
import re
import time
from pathlib import Path

import numpy as np
import pytest

from tf2towers.verify.progress import show_progress


class Terminal(io.StringIO):
    """A stream that says of itself that it is a terminal."""

    def isatty(self) -> bool:
        return True


def record(folder: Path, number: int, trains: bool | None) -> None:
    """Writes the file of a session call, or of a training step where `trains` is None."""
    about = (
        {} if trains is None else {"about": np.frombuffer(json.dumps({"trains": trains}).encode(), np.uint8)}
    )
    np.savez(folder / f"step-{number:05}.npz", **about)


def test_on_a_pipe_one_line_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "original-again"
    workers = [folder / "worker-0", folder / "worker-1"]
    with show_progress(folder, 4):
        for worker in workers:
            worker.mkdir(parents=True)
            for number in range(3):
                record(worker, number, trains=number > 0)
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "original again: 6 session calls, 4 training steps, 0:00\n"


def test_on_a_terminal_a_line_that_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the run fails."""
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    folder = tmp_path / "migrated"
    folder.mkdir()
    with pytest.raises(ValueError, match="stopped"), show_progress(folder, 10):
        wait_for(shown, "migrated: starting, 0:0")
        record(folder, 0, trains=False)
        record(folder, 1, trains=True)
        wait_for(shown, "migrated: session call 2, training step 1 of 10, 0:0")
        raise ValueError("stopped")
    assert re.search(r"\r\x1b\[Kmigrated: 2 session calls, 1 training step, 0:\d\d\n$", shown.getvalue())


def test_training_steps_of_a_rewrite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(tmp_path / "migrated", 10):
        (tmp_path / "migrated").mkdir()
        record(tmp_path / "migrated", 0, None)
    assert capsys.readouterr().err == "migrated: 1 training step, 0:00\n"


def wait_for(shown: Terminal, words: str) -> None:
    until = time.monotonic() + 30
    while words not in shown.getvalue():
        assert time.monotonic() < until, shown.getvalue()
        time.sleep(0.01)
