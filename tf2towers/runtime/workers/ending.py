"""How the tasks that serve learn that the training is over: worker 0 writes a file on each of them.

A server of TF never ends by itself. The coordinator runs a `write_file` op on the other tasks' devices; each looks for
its own file. A coordinator that is killed writes none, so the others go on serving until it is started again.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import tensorflow as tf

_EVERY = 0.2  # seconds between two looks
_LIMIT = 5.0  # seconds to tell one task


def _mark(address: str) -> Path:
    """The file that ends the task at an address; both sides know it."""
    return Path("/tmp", f"tf2towers-{hashlib.sha256(address.encode()).hexdigest()[:16]}.over")


def forget(address: str) -> None:
    """Takes away what an earlier training left at this address."""
    with contextlib.suppress(OSError):
        _mark(address).unlink(missing_ok=True)


def serve_until_over(address: str) -> None:
    """Returns when worker 0 has said that the training is over."""
    while not _mark(address).exists():
        time.sleep(_EVERY)
    forget(address)


def tell(devices: Mapping[str, str]) -> None:
    """Tells tasks that the training is over.

    Args:
        devices: a task's device, '/job:worker/replica:0/task:1' -> its address. One that is gone is passed over.
    """

    def write(device: str, address: str) -> None:
        with contextlib.suppress(tf.errors.OpError, RuntimeError), tf.device(f"{device}/device:CPU:0"):
            tf.io.write_file(str(_mark(address)), "over")

    threads = [threading.Thread(target=write, args=pair, daemon=True) for pair in devices.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LIMIT)
