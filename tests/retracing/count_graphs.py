"""Runs a trainer and says, at each of its step lines, how many function graphs TensorFlow has built by then.

At the end it says how many it sees of functions that are traced in each step: none would mean that
it counts wrongly.

python count_graphs.py SCRIPT [ARGS ...]
"""

from __future__ import annotations

import contextlib
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.python.framework.func_graph import FuncGraph

built: list[str] = []
begin = FuncGraph.__init__


def count(graph: FuncGraph, *arguments: Any, **options: Any) -> None:
    """One more: a trace of a tf.function, or a run of a session that is made into a function."""
    begin(graph, *arguments, **options)
    built.append(graph.name)


class Lines:
    """Standard output, with the count after each step's line."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes it."""
        written: int = self._stream.write(
            re.sub(r"(step (\d+), loss.*)", rf"\1 [step \2: {len(built)} graphs]", text)
        )
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


FuncGraph.__init__ = count
sys.stdout = Lines(sys.stdout)
sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).parent))
with contextlib.suppress(SystemExit):  # `tf.app.run` ends so
    runpy.run_path(sys.argv[0], run_name="__main__")
before = len(built)
for step in range(6):
    tf.function(lambda x: 2.0 * x)(tf.constant(float(step)))
print(f"[control: {len(built) - before} graphs]")
