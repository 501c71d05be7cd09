"""Several programs in one process: starting TensorFlow costs more than a short training."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

#: runs each line as a program of its own, with flags of its own; says after each how it has ended
_EACH = """
import os, runpy, sys, traceback
import tensorflow
from absl import app, flags
app.define_help_flags()
own = set(flags.FLAGS)
for arguments in (line.split() for line in sys.stdin):
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(arguments[0]))
    status = 0
    try:
        runpy.run_path(arguments[0], run_name='__main__')
    except SystemExit as end:
        status = end.code or 0
        if isinstance(status, str):
            print(status)
            status = 1
    except Exception:
        traceback.print_exc(file=sys.stdout)
        status = 1
    print('END', status, flush=True)
    for name in set(flags.FLAGS) - own:
        delattr(flags.FLAGS, name)
"""


class OneProcess:
    """A process that runs programs of absl's flags one after the other. Modules that they import are imported once.

    Args:
        commands: of each program the script and its arguments, none of which has a space in it.
        folder: where they run.
    """

    def __init__(self, commands: Sequence[Sequence[str]], folder: Path) -> None:
        self._count = len(commands)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _EACH],
            cwd=folder, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert self._process.stdin
        self._process.stdin.write("".join(f"{' '.join(command)}\n" for command in commands))
        self._process.stdin.close()
        self._process.stdin = None

    def ended(self, seconds: float = 300) -> list[tuple[int, str]]:
        """Waits for all programs; the status of each, and what it wrote to both streams."""
        out, _ = self._process.communicate(timeout=seconds)
        *parts, rest = re.split(r"^END (\d+)\n", out, flags=re.MULTILINE)
        assert not rest and self._process.returncode == 0 and len(parts) == 2 * self._count, out
        return [(int(status), text) for text, status in zip(parts[::2], parts[1::2], strict=True)]
