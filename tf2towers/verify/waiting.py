"""Says where each task of a cluster waits, from the stacks that the recorder leaves at SIGTERM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (\w+)$', re.MULTILINE)
_AT_TOKEN = re.compile(r'recorder/calls/tokens\.py", line \d+ in wait$', re.MULTILINE)
#: the end of a file's path, a function in it, and what a task does there, most particular first
_DOING = (
    ("recorder/calls/turns.py", "_wait", "waits for its turn"),
    ("", "wait_for_session", "waits for the chief to initialize the variables"),
    ("server_lib.py", "join", "serves"),
    ("server.py", "join", "serves"),
    ("session.py", "close", "closes its session, which waits for the other tasks"),
    ("session.py", "run", "waits in a session call"),
)


def waiting_tasks(folder: Path, script: Path) -> Iterator[str]:
    """Yields a sentence for each task, such as 'worker 0 waits in a session call (train.py, line 40)'.

    Threads that the script has started have one each as well.

    Args:
        folder: the folder with the tasks' stacks, as `worker-0.stack`.
    """
    own = str(script.resolve().parent) + "/"
    for path in sorted(folder.glob("*.stack")):
        text, name = path.read_text(errors="replace"), path.stem.replace("-", " ")
        for thread in re.split(r"^(?=(?:Current thread|Thread) )", text, flags=re.MULTILINE):
            frames = _FRAME.findall(thread)
            is_main = "recorder/__main__.py" in thread
            place = next(
                (f" ({file[len(own) :]}, line {line})" for file, line, _ in frames if file.startswith(own)),
                "",
            )
            if not is_main and not place:
                continue
            doing = next((words for end, function, words in _DOING if _is_in(frames, end, function)), "runs")
            if is_main and _AT_TOKEN.search(text):  # in a thread of TensorFlow
                doing = "waits in its step for a token of SyncReplicasOptimizer"
            yield f"{name if is_main else f'a thread of {name}'} {doing}{place}"


def _is_in(frames: list[tuple[str, str, str]], end: str, name: str) -> bool:
    return any(file.endswith(end) and function == name for file, _, function in frames)
