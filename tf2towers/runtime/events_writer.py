"""The event file writer of TF1's `tensorflow.python.pywrap_tensorflow`, on TFRecordWriter."""

from __future__ import annotations

import socket
import time
from typing import Any

import tensorflow as tf


class EventsWriter:
    """Writes `tf.compat.v1.Event` protos to one file that TensorBoard reads.

    Args:
        prefix: the file's path up to '.out.tfevents.'; bytes or text. Time (whole seconds) and host
            follow.
    """

    def __init__(self, prefix: bytes | str) -> None:
        path = tf.compat.as_text(prefix)
        self._path = f"{path}.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}"
        self._records = tf.io.TFRecordWriter(self._path)
        self.WriteEvent(tf.compat.v1.Event(wall_time=time.time(), file_version="brain.Event:2"))

    def WriteEvent(self, event: Any) -> None:
        """Appends one event."""
        self._records.write(event.SerializeToString())

    def FileName(self) -> bytes:
        """The file's path."""
        return tf.compat.as_bytes(self._path)

    def Flush(self) -> bool:
        """Writes what is still in memory."""
        self._records.flush()
        return True

    def Close(self) -> bool:
        """Writes what is still in memory and closes the file."""
        self._records.close()
        return True
