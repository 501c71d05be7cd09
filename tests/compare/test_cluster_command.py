"""`tf2towers compare` on clusters whose tasks tell of steps without training: no TensorFlow needed."""

import json
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from .conftest import Start

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")

TASK = """\
import json, os, sys, time
job, index = os.environ["JOB_NAME"], os.environ["TASK_INDEX"]
def tell(event, **entries):
    line = json.dumps({"event": event, "task": job + " " + index, **entries}) + "\\n"
    pipe = os.open(os.environ["TF2TOWERS_STEPS"], os.O_WRONLY)
    os.write(pipe, line.encode())
    os.close(pipe)
def step(seconds, **more):
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        time.sleep(0.001)
    tell("step", begin=begin, end=time.monotonic(), loss=1.0, examples=8, peak=5, **more)
def server():
    tf.train.Server()
if job == "ps":
    tell("memory", memory=1, peak=2)
    time.sleep(60)
"""
NOT_OF_CLUSTER = "import sys"


def write(folder: Path, name: str, body: str, task: str = TASK) -> str:
    (folder / name).write_text(f"{task}\n{body}\n")
    return name


def ended(number: int) -> bool:
    """Whether a process has: what nobody has asked after yet counts."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize(("together", "steps", "examples"), [("{}", 80, 8), ("{'together': 2}", 40, 16)])
def test_turns(start: Start, tmp_path: Path, together: str, steps: int, examples: int) -> None:
    """Workers are held together; parameter servers, which go on for ever, are stopped."""
    body = "for _ in range(40): step({}, **{})"
    pair = [
        write(tmp_path, name, body.format(seconds, together))
        for name, seconds in (("one.py", 0.02), ("two.py", 0.01))
    ]
    began = time.monotonic()
    process = start("--turns", "0.3", "--json", "numbers.json", *pair, "--", "{scratch}")
    out, errors = process.communicate(timeout=180)
    assert (process.returncode, errors) == (0, "")
    seconds = time.monotonic() - began
    found = json.loads((tmp_path / "numbers.json").read_text())
    assert found["legacy"]["seconds"] + found["modern"]["seconds"] < seconds
    for side in ("legacy", "modern"):
        summary = found[side]
        assert (summary["steps"], summary["examples"]) == (steps, examples)
        assert summary["peak"] > 10 * 2**20 + 2 + 2 * 5  # the watcher's own lines are real
        assert any(step["interrupted"] for step in summary["each_step"])
        assert summary["command"].startswith("tf2towers launch --ps=1 --workers=2")
    assert "a cluster of 1 parameter server and 2 workers" in out


def test_until_a_step(start: Start, tmp_path: Path) -> None:
    pair = [write(tmp_path, name, "while True: step(0.01)") for name in ("one.py", "two.py")]
    process = start(
        "--at-once", "--steps", "30", "--ps", "0", "--workers", "3", "--json", "numbers.json", *pair
    )
    out, errors = process.communicate(timeout=180)
    assert (process.returncode, errors) == (0, "")
    found = json.loads((tmp_path / "numbers.json").read_text())
    assert [found[side]["steps"] for side in ("legacy", "modern")] == [30, 30]
    assert "0 parameter servers and 3 workers" in out


@pytest.mark.parametrize(
    ("modern", "task", "arguments", "said"),
    [
        ("sys.exit('no data') if index == '0' else time.sleep(60)", TASK, [], "[worker 0] no data"),
        (
            "os.kill(os.getpid(), 9) if index == '1' else time.sleep(60)",
            TASK,
            [],
            "worker 1 was killed by SIGKILL",
        ),
        ("", TASK, [], "two.py ended and never trained"),
        ("time.sleep(60)", TASK, ["--timeout", "2"], "not over after 2 seconds"),
        ("", NOT_OF_CLUSTER, [], "one.py is a task of a cluster, and two.py is a program of one process"),
        ("", TASK, ["--task-flags", "--job={who}"], "there is no {who}"),
        ("", TASK, ["--python", "no-such-python"], "no-such-python: no such interpreter"),
    ],
)
def test_failures(
    start: Start, tmp_path: Path, modern: str, task: str, arguments: list[str], said: str
) -> None:
    pair = [
        write(tmp_path, "one.py", "for _ in range(9): step(0.01)"),
        write(tmp_path, "two.py", modern, task),
    ]
    _, errors = (process := start("--at-once", *arguments, *pair)).communicate(timeout=180)
    assert (process.returncode, said in errors) == (2, True), errors


def test_ctrl_c(start: Start, tmp_path: Path) -> None:
    """All tasks end, those that are held too, and what they have started in sessions of their own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        body = f"""
import socket, subprocess
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
with socket.create_connection(("127.0.0.1", {server.getsockname()[1]})) as told:
    told.sendall(f"{{os.getpid()}} {{child.pid}}".encode())
while True: step(0.01)
"""
        process = start("--turns", "0.3", *(write(tmp_path, name, body) for name in ("one.py", "two.py")))
        numbers = []
        for _ in range(4):
            with server.accept()[0] as told, told.makefile() as text:
                numbers += [int(word) for word in text.read().split()]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=180)
    assert (process.returncode, "interrupted" in errors) == (130, True)
    assert len(numbers) == 8
    assert all(map(ended, numbers))
