"""`tf2towers compare` on scripts that report steps without training: no TensorFlow needed."""

import json
import signal
import socket
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from .conftest import FAKE, Start, Write, compared

STEPS = "for _ in range(5): step(0.001)"
CLUSTER = "if not job: tf.train.Server()\n"


def test_numbers_and_the_page(script: Write, start: Start, tmp_path: Path) -> None:
    """Arguments reach both; the page names the files and the date, and has no empty part."""
    body = "for _ in range(int(sys.argv[1])): step({})"
    pair = script("old/train.py", body.format(0.02)), script("new/train.py", body.format(0.01))
    found = compared(start, tmp_path, "--report", "out", *pair, "--", "60")
    for side, seconds in (("legacy", 0.02), ("modern", 0.01)):
        summary = found[side]
        assert summary["steps"] == len(summary["each_step"]) == 60
        assert sum(step["seconds"] for step in summary["each_step"]) <= summary["seconds"]
        assert summary["rate"]["high"] <= 1 / seconds
    assert "one after the other" in found["how"]
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count('<img src="data:') == 2
    assert "<h1>old/train.py and new/train.py, side by side</h1>" in page  # two files of one name
    assert "<header><p>old/train.py and new/train.py, 20" in page
    assert "http://" not in page and "cores" in page


def test_endless_trainings_are_compared_until_a_step(script: Write, start: Start, tmp_path: Path) -> None:
    endless = "while True: step(0.01{})"
    pair = script("one.py", endless.format(", loss=float('nan')")), script("two.py", endless.format(""))
    found = compared(start, tmp_path, "--steps", "12", *pair)
    assert [found[side]["steps"] for side in ("legacy", "modern")] == [12, 12]
    assert (found["legacy"]["final_loss"], found["modern"]["final_loss"]) == ("NaN", 1)


def test_what_a_script_writes_stays_in_scratch(script: Write, start: Start, tmp_path: Path) -> None:
    """What a script writes it reads back, and the disk has nothing of it."""
    (tmp_path / "kept.txt").write_text("real")
    body = """
        import tempfile
        open(sys.argv[1] + '/x', 'x')
        open(os.path.join(tempfile.gettempdir(), 'y'), 'x')
        assert open("kept.txt").read() == "real"
        os.remove("kept.txt")
        os.mkdir("made")
        open("made/log.txt", "w").write("one")
        assert open("made/log.txt").read() == "one"
        for _ in range(5): step(0.001)
    """
    compared(start, tmp_path, script("one.py", body), script("two.py", body), "--", "{scratch}", "--steps=3")
    assert (tmp_path / "kept.txt").read_text() == "real"
    assert not (tmp_path / "made").exists()


RESUMED = "report('resumed', step=200)\ntime.sleep(60)"
FAILURES = {
    "nothing": (STEPS, "print('nothing')", "modern.py ended and never trained"),
    "an error": (STEPS, "raise KeyError('here')", "modern.py ended with status 1; it wrote last:"),
    "a sentence": ("sys.exit('no data')", STEPS, "no data"),
    "a signal": (STEPS, "os.kill(os.getpid(), 9)", "modern.py was killed by SIGKILL"),
    "resumed": (
        STEPS, RESUMED, "after 200 steps of an earlier run, and trainings are compared from their beginning: give"
    ),
    "a program": (
        STEPS, "import subprocess\nsubprocess.run(['sed', '-i', 's,a,b,', 'x'])",
        "which may write anywhere; --allow-writes",
    ),
    "one cluster": (STEPS, "server = tf.train.Server(cluster)", "modern.py is a task of a cluster"),
    "a worker": (
        CLUSTER + STEPS, CLUSTER + "sys.exit('no data') if os.environ['TASK_INDEX'] == '1' else time.sleep(60)",
        "worker 1 of modern.py ended with status 1; it wrote last:\n  [worker 1] no data",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_a_side_that_fails(script: Write, start: Start, name: str) -> None:
    legacy, modern, said = FAILURES[name]
    process = start(script("legacy.py", legacy), script("modern.py", modern))
    out, errors = process.communicate(timeout=180)
    assert process.returncode == 2
    assert said in errors
    assert "modern/legacy" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one.py", "absent.py"], "absent.py: there is no such file"),
        (["--steps", "0", "one.py", "one.py"], "not a number from 1"),
        (["--timeout", "0.5", "one.py", "one.py"], "one.py: not over after 0.5 seconds: it has made 0 steps"),
        (["--legacy-python", "no-such-python", "one.py", "one.py"], "no-such-python: no such interpreter"),
        (["--ps=1", "--task-flags", "--job={who}", "server.py", "server.py"], "there is no {who}"),
    ],
)
def test_arguments_that_are_refused(script: Write, start: Start, arguments: list[str], said: str) -> None:
    script("one.py", "time.sleep(60)")
    script("server.py", CLUSTER)
    _, errors = (process := start(*arguments)).communicate(timeout=180)
    assert (process.returncode, said in errors) == (2, True), errors


def test_a_notebook_and_python_2(script: Write, start: Start, tmp_path: Path) -> None:
    """Cells are one program, without magics; an original in Python 2 runs as `migrate --python3` writes it."""
    script(
        "legacy.py",
        dedent("""\
        for _ in xrange(4):
            step(0.01)
        print 'legacy'
        """),
    )
    cells = [
        FAKE,
        "%matplotlib inline\nimport time",
        "for _ in range(4):\n    step(0.01)\nget_ipython().system('ls')",
    ]
    notebook = {
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (tmp_path / "modern.ipynb").write_text(json.dumps(notebook))
    numbers = compared(start, tmp_path, "legacy.py", "modern.ipynb")
    legacy, modern = (numbers[side] for side in ("legacy", "modern"))
    assert legacy["steps"] == modern["steps"] == 4
    assert numbers["notes"][0].startswith("legacy: the original is Python 2")
    assert "modern: left out of the notebook: 1 magic: %matplotlib inline (cell 2)" in numbers["notes"]


@pytest.mark.parametrize(("together", "steps"), [("", 80), (", together=2", 40)])
def test_clusters_are_compared(
    script: Write, start: Start, tmp_path: Path, together: str, steps: int
) -> None:
    """Parameter servers, which go on for ever, are stopped."""
    body = CLUSTER + "for _ in range(40): step({}" + together + ")"
    pair = script("one.py", body.format(0.02)), script("two.py", body.format(0.01))
    found = compared(start, tmp_path, *pair)
    for side in ("legacy", "modern"):
        summary = found[side]
        assert summary["steps"] == steps
        assert summary["peak"] > 10 * 2**20 + 2 * 5  # the watcher's own lines are real
        assert summary["command"].startswith("tf2towers launch --ps=1 --workers=2")
    assert "a cluster of 1 parameter server and 2 workers" in found["how"]


def ended(number: int) -> bool:
    """True if a process has: what nobody has asked after yet counts."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
@pytest.mark.parametrize(("cluster", "count"), [("", 2), (CLUSTER, 4)])
def test_ctrl_c(script: Write, start: Start, cluster: str, count: int) -> None:
    """All tasks end, and what they have started in sessions of their own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        body = f"""
import socket, subprocess
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
with socket.create_connection(("127.0.0.1", {server.getsockname()[1]})) as listener:
    listener.sendall(f"{{os.getpid()}} {{child.pid}}".encode())
while True: step(0.01)
"""
        process = start(script("one.py", cluster + body), script("two.py", cluster + body))
        numbers: list[int] = []
        while len(numbers) < count:
            with server.accept()[0] as connection, connection.makefile() as text:
                numbers += [int(word) for word in text.read().split()]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=180)
    assert (process.returncode, "interrupted" in errors) == (130, True)
    assert all(map(ended, numbers))
