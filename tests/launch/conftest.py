"""Tiny scripts in a directory of their own, and the launcher as its users start it."""

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Write = Callable[[str], str]
Start = Callable[..., subprocess.Popen[str]]
Capture = pytest.CaptureFixture[str]
TASK = """\
import os, signal, subprocess, sys, time
job, index = os.environ["JOB_NAME"], int(os.environ["TASK_INDEX"])
me = f"{job} {index}"
def tell(text=me, name=f"{job}-{index}"):
    with open(f"{name}.part", "w") as out:
        out.write(str(text))
    os.rename(f"{name}.part", name)
def wait_for(*names):
    while not all(map(os.path.exists, names)):
        time.sleep(0.01)
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes train.py, which knows its job and index, in the directory of the test, which is the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(body: str) -> str:
        (tmp_path / "train.py").write_text(TASK + textwrap.dedent(body))
        return "train.py"

    return write


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `tf2towers launch` with these arguments; what still runs at the end of the test is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tf2towers", "launch", *arguments], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
