"""Scripts that report steps without training, and the command as its users start it."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FAKE = """\
import json, os, sys, time
job = os.environ.get("JOB_NAME")
def report(event, **entries):
    os.write(1, ("\\ntf2towers-watch " + json.dumps({"event": event, **entries}) + "\\n").encode())
def step(seconds, **more):
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        time.sleep(0.001)
    report("step", **{"begin": begin, "end": time.monotonic(), "loss": 1.0, "peak": 5, **more})
if job == "ps":
    time.sleep(60)
"""
Write = Callable[[str, str], str]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def script(tmp_path: Path) -> Write:
    """Writes a script that may call `step(seconds)`."""

    def write(name: str, body: str) -> str:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(FAKE + textwrap.dedent(body))
        return name

    return write


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `tf2towers compare` with these arguments; its scratch folders have to be gone at the end."""
    started: list[subprocess.Popen[str]] = []
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def begin(*arguments: str, cwd: Path = tmp_path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tf2towers", "compare", *arguments], cwd=cwd, text=True,
            env={**os.environ, "TMPDIR": str(temporary), "TF_CPP_MIN_LOG_LEVEL": "3"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
    assert not list(temporary.glob(f"{tempfile.gettempprefix()}*compare*"))
    assert not list(temporary.glob("tf2towers-compare-*"))


def compared(start: Start, folder: Path, *arguments: str) -> dict[str, Any]:
    """The numbers of a comparison that has to succeed."""
    out, errors = start("--json", "numbers.json", "--timeout", "180", *arguments).communicate()
    assert not errors, errors
    assert "modern/legacy" in out
    found = json.loads((folder / "numbers.json").read_text())
    assert isinstance(found, dict)
    return found
