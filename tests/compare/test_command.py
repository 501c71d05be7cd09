"""`tf2towers compare` on scripts that tell of steps without training: no TensorFlow needed."""

import json
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import Start, Write


def compared(start: Start, folder: Path, *arguments: str) -> dict[str, Any]:
    out, errors = start("--json", "numbers.json", *arguments).communicate(timeout=180)
    assert not errors, errors
    assert "modern/legacy" in out
    found = json.loads((folder / "numbers.json").read_text())
    assert isinstance(found, dict)
    return found


def test_turns(script: Write, start: Start, tmp_path: Path) -> None:
    """Time in which a side was held counts nowhere, and arguments reach both."""
    body = "for _ in range(int(sys.argv[1])): step({})"
    pair = script("old/train.py", body.format(0.02)), script("new/train.py", body.format(0.01))
    began = time.monotonic()
    found = compared(start, tmp_path, "--turns", "0.2", "--report", "out", *pair, "--", "60")
    assert found["legacy"]["seconds"] + found["modern"]["seconds"] < time.monotonic() - began
    for side, seconds in (("legacy", 0.02), ("modern", 0.01)):
        summary = found[side]
        assert summary["steps"] == len(summary["each_step"]) == 60
        assert any(step["interrupted"] for step in summary["each_step"])
        assert sum(step["seconds"] for step in summary["each_step"]) <= summary["seconds"]
        assert summary["step_seconds"]["low"] >= seconds
    assert found["unit"] == "examples"
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count('<img src="data:') == 2
    assert "<h1>old/train.py and new/train.py, side by side</h1>" in page  # two files of one name
    assert "http://" not in page
    assert "cores" in page


def test_at_once_until_a_step(script: Write, start: Start, tmp_path: Path) -> None:
    pair = (
        script("one.py", "while True: step(0.01, loss=float('nan'))"),
        script("two.py", "while True: step(0.01)"),
    )
    found = compared(start, tmp_path, "--at-once", "--steps", "12", *pair)
    assert [found[side]["steps"] for side in ("legacy", "modern")] == [12, 12]
    assert (found["legacy"]["final_loss"], found["modern"]["final_loss"]) == (None, 1)


def test_scratch(script: Write, start: Start, tmp_path: Path) -> None:
    body = "\nimport tempfile\nfor n in range(9): step(0.001)\nprint('accuracy: 0.%s' % len(sys.argv))\n"
    body += "open(sys.argv[1] + '/x', 'x')\nopen(os.path.join(tempfile.gettempdir(), 'y'), 'x')"
    pair = script("one.py", body), script("two.py", body)
    found = compared(start, tmp_path, *pair, "--", "{scratch}", "--steps=3")
    assert (found["legacy"]["accuracy"], found["modern"]["accuracy"]) == (0.3, 0.3)


STEPS = "for _ in range(5): step(0.001)"
RESUMED = """
os.write(int(os.environ["TF2TOWERS_STEPS"]), b'{"event": "resumed", "step": 200}\\n')
flags = ["--train_dir"]
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("legacy", "modern", "said"),
    [
        (STEPS, "print('nothing')", "modern.py ended and never trained"),
        (STEPS, "raise KeyError('here')", "modern.py ended with status 1; it wrote last:"),
        ("sys.exit('no data')", "time.sleep(60)", "no data"),
        (STEPS, "os.kill(os.getpid(), 9)", "ended with status 137"),
        (
            STEPS,
            "flags = ['--log_dir']",
            "after an earlier run: --log_dir={scratch} gives it an empty folder; it",
        ),
        (
            STEPS,
            RESUMED,
            "after 200 steps of an earlier run, and trainings are compared from their beginning: --train_d",
        ),
        (
            STEPS,
            "import subprocess\nsubprocess.run(['sed', '-i', 's,a,b,', 'x'])",
            "which may write anywhere; --allow-writes",
        ),
        (STEPS, "server = tf.train.Server(cluster)", "modern.py is a task of a cluster"),
    ],
)
def test_failures(script: Write, start: Start, legacy: str, modern: str, said: str) -> None:
    out, errors = (process := start(script("legacy.py", legacy), script("modern.py", modern))).communicate(
        timeout=180
    )
    assert process.returncode == 2
    assert said in errors
    assert "modern/legacy" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one.py", "absent.py"], "absent.py: no such file"),
        (["--steps", "0", "one.py", "one.py"], "not a number from 1"),
        (["--turns", "1", "--at-once", "one.py", "one.py"], "not allowed with"),
        (["--timeout", "0.5", "one.py", "one.py"], "not over after 0.5 seconds: one.py has made 0 steps"),
        (["--python", "no-such-python", "--at-once", "one.py", "one.py"], "cannot start no-such-python"),
    ],
)
def test_refused(script: Write, start: Start, arguments: list[str], said: str) -> None:
    script("one.py", "time.sleep(60)")
    _, errors = (process := start(*arguments)).communicate(timeout=180)
    assert (process.returncode, said in errors) == (2, True), errors


def test_ctrl_c(script: Write, start: Start) -> None:
    """Both end, the held one too, and what they have started."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        body = f"""
            import socket, subprocess
            child = subprocess.Popen(["sleep", "60"], start_new_session=True)
            with socket.create_connection(("127.0.0.1", {server.getsockname()[1]})) as told:
                told.sendall(f"{{os.getpid()}} {{child.pid}}".encode())
            while True: step(0.01)
        """
        process = start("--turns", "0.2", script("one.py", body), script("two.py", body))
        pids = []
        for _ in range(2):
            with server.accept()[0] as told, told.makefile() as text:
                pids += [int(word) for word in text.read().split()]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=180)
    assert (process.returncode, "interrupted" in errors) == (130, True)
    assert len(pids) == 4
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                raise ProcessLookupError


def test_no_trace(script: Write, start: Start, tmp_path: Path) -> None:
    """What a script writes it reads back, and the disk has nothing of it."""
    (tmp_path / "kept.txt").write_text("real")
    body = """
        assert open("kept.txt").read() == "real"
        os.remove("kept.txt")
        os.mkdir("made")
        open("made/log.txt", "w").write("one")
        assert open("made/log.txt").read() == "one"
        for _ in range(5): step(0.001)
    """
    compared(start, tmp_path, script("one.py", body), script("two.py", body))
    assert (tmp_path / "kept.txt").read_text() == "real"
    assert not (tmp_path / "made").exists()
