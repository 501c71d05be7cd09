"""The lines that a watched process writes: one JSON object each.

    {"event": "step", "steps": 1, "begin": 12.5, "end": 12.6, "loss": 2.3, "examples": 64, "memory": .., "peak": ..}
    {"event": "facts", "python": "3.7.5", "tensorflow": "1.15.5", "towers": 2}
    {"event": "accuracy", "value": 0.93}
    {"event": "note", "text": "a sentence for the reader"}
    {"event": "resumed", "step": 200}                the first step is not of the training: a checkpoint was read
    {"event": "aside", "begin": 12.5, "end": 12.6}   what only a watched process does: off the clock

Times are `time.monotonic()`, one clock for all processes of the machine, so that the parent can take off what it
held the process for. `loss` and `examples` may be null. Any program may write them, to the descriptor in VARIABLE.

In a cluster VARIABLE is the path of a FIFO, which all tasks of a side write to, and each line says whose it is:

    {"event": "memory", "task": "ps 0", "memory": .., "peak": ..}
    {"event": "step", "task": "worker 1", "together": 2, ..}   an update that 2 workers make together: each reports it
"""

import json
import os
import threading
from typing import Any, Optional

VARIABLE = "TF2TOWERS_STEPS"
ALLOWED = "TF2TOWERS_ALLOWED_WRITES"  # folders that the script may write to, as in PATH
WRITES = "TF2TOWERS_WRITES"  # the folder that stands for the disk where the script writes; its parent is left alone
INITIAL_WEIGHTS = "TF2TOWERS_INITIAL_WEIGHTS"  # perhaps the folder of the legacy program's recording


class Lines:
    """Writes them.

    Args:
        descriptor: where to; None: nowhere.
        task: of a cluster, such as 'worker 0'; None: there is no cluster.
    """

    def __init__(self, descriptor: Optional[int], task: Optional[str] = None) -> None:
        self._descriptor = descriptor
        self.task = task
        self._lock = threading.Lock()

    @classmethod
    def from_environment(cls) -> "Lines":
        """To the descriptor that the environment names. The script may use it too; its own children do not get it."""
        given = os.environ.get(VARIABLE, "")
        if not given:
            return cls(None)
        if not given.isdigit():
            return cls(_open_fifo(given), "%s %s" % (os.environ["JOB_NAME"], os.environ["TASK_INDEX"]))
        os.set_inheritable(int(given), False)
        return cls(int(given))

    def write(self, event: str, **entries: Any) -> None:
        """Writes one. Where nobody reads any more, nothing."""
        if self.task is not None:
            entries["task"] = self.task
        line = json.dumps(dict(entries, event=event)) + "\n"
        with self._lock:
            try:
                if self._descriptor is not None:
                    os.write(self._descriptor, line.encode("ascii"))
            except OSError:
                self._descriptor = None


def _open_fifo(fifo: str) -> Optional[int]:
    """The end of a FIFO that is written to; None where nobody reads."""
    try:
        descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None
    os.set_blocking(descriptor, True)
    return descriptor
