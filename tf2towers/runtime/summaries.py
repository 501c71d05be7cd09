"""`tf.summary.FileWriter` on TF2's event writer, for the summary protos that TF1 summary ops make."""

from __future__ import annotations

import warnings
from typing import Any

import tensorflow as tf

# The v1 summary ops stay (same protos, same names); their advice to install a default writer does not apply.
warnings.filterwarnings("ignore", message="Cannot activate TF2 compatibility support for TF1 summary ops")


class FileWriter:
    """Writes serialized summaries to an event file.

    Args:
        logdir: the folder of the event file.
    """

    def __init__(self, logdir: str, *_graph: Any, **_options: Any) -> None:
        self._logdir = str(logdir)
        self._writer = tf.summary.create_file_writer(self._logdir)

    def get_logdir(self) -> str:
        """The folder of the event file."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a `Summary` proto, or its serialized bytes (a NumPy scalar or an eager string tensor).

        None is nothing to write: of synchronous workers TensorFlow lets the first alone make summaries
        (`summary_op_util.skip_summary`), so `merge_all` gives None in the others.
        """
        if summary is None:
            return
        if hasattr(summary, "SerializeToString"):
            summary = summary.SerializeToString()
        if hasattr(summary, "item"):
            summary = summary.item()
        step = 0 if global_step is None else int(global_step)
        with self._writer.as_default(step=step):
            tf.summary.experimental.write_raw_pb(summary, step=step)

    def flush(self) -> None:
        """Writes what is buffered to disk."""
        self._writer.flush()

    def close(self) -> None:
        """Flushes and closes the event file."""
        self._writer.close()
