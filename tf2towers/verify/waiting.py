"""Says where each task of a cluster waits, from the stacks that the recorder leaves at SIGTERM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (\w+)$', re.MULTILINE)
_AT_TOKEN = re.compile(r'recorder/tokens\.py", line \d+ in wait$', re.MULTILINE)
#: the end of a file's path, a function in it, and what a task does there, most particular first
_DOING = (
    ("recorder/turns.py", "_wait", "waits for its turn"),
    ("", "wait_for_session", "waits for the chief to initialize the variables"),
    ("server_lib.py", "join", "serves"),
    ("server.py", "join", "serves"),
    ("session.py", "close", "closes its session, which waits for the other tasks"),
    ("session.py", "run", "waits in a session call"),
)


def waiting_tasks(folder: Path, script: Path) -> Iterator[str]:
    """Yields a sentence for each task, such as 'worker 0 waits in a session call (train.py, line 40)'.

    Args:
        folder: the folder with the tasks' stacks, as `worker-0.stack`.
    """
    for path in sorted(folder.glob("*.stack")):
        text = path.read_text(errors="replace")
        threads = re.split(r"^(?=(?:Current thread|Thread) )", text, flags=re.MULTILINE)
        main = next((text for text in threads if "recorder/__main__.py" in text), "")
        frames = _FRAME.findall(main)
        if not frames:
            continue
        doing = next(
            (
                words
                for end, name, words in _DOING
                if any(file.endswith(end) and function == name for file, _, function in frames)
            ),
            "runs",
        )
        if _AT_TOKEN.search(text):  # in a thread of TensorFlow
            doing = "waits in its step for a token of SyncReplicasOptimizer"
        own = str(script.resolve().parent) + "/"
        place = next(
            (f" ({file[len(own) :]}, line {line})" for file, line, _ in frames if file.startswith(own)), ""
        )
        yield f"{path.stem.replace('-', ' ')} {doing}{place}"
