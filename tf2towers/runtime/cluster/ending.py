"""How the tasks that only serve learn that the training is over.

TF1's parameter servers were killed from outside. Here worker 0 lets each other task write a small file on its own
machine, with worker 0's coordinator address in it; the task ends when nobody answers there any more. Worker 0 killed
writes none, so the others stay, and worker 0 started again finds them.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import threading
import time
from pathlib import Path

import tensorflow as tf

from tf2towers.runtime.cluster.addresses import Addresses
from tf2towers.runtime.cluster.waiting import answers

_v1 = tf.compat.v1
_LIMIT = 10.0  # seconds for a task to write its file; one that is dead at the end stays so


def marker(job: str, index: int, address: str) -> str:
    """The file that ends a task; both sides know its name."""
    return f"/tmp/tf2towers-{job}-{index}-{re.sub(r'[^0-9A-Za-z.]', '-', address)}.over"


def announce(addresses: Addresses, coordinator: str) -> None:
    """Tells every other task that the training is over; `coordinator` is this process's address as the chief."""

    def tell(job: str, index: int, address: str) -> None:
        if not answers(address):
            return
        # A session of its own: while a dead worker is waited for, eager operations on the others may block.
        alone = _v1.ConfigProto(device_filters=[f"/job:{job}/task:{index}"])
        with contextlib.suppress(tf.errors.OpError, RuntimeError), tf.Graph().as_default():
            with tf.device(f"/job:{job}/replica:0/task:{index}/device:CPU:0"):
                write = tf.io.write_file(marker(job, index, address), coordinator)
            with _v1.Session(f"grpc://{address}", config=alone) as session:
                session.run(write)

    tasks = [("ps", index, address) for index, address in enumerate(addresses.ps)]
    tasks += [("worker", index, address) for index, address in enumerate(addresses.workers) if index > 0]
    threads = [threading.Thread(target=tell, args=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _LIMIT
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    if not all(answers(address) for _, _, address in tasks):
        atexit.register(_leave_at_once)


def _leave_at_once() -> None:
    """Ends this process without TensorFlow's cleaning up, which waits for a dead task for ever."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if getattr(sys, "last_value", None) is not None else 0)


def clear(addresses: Addresses) -> Path:
    """Removes what an earlier training has left; the file to wait for."""
    path = Path(marker(addresses.job, addresses.index, addresses.own))
    path.unlink(missing_ok=True)
    return path


def serve_until_over(path: Path) -> None:
    """Returns when the training is over and its coordinator has left."""
    coordinator = ""
    while not coordinator:
        time.sleep(0.3)
        with contextlib.suppress(FileNotFoundError):
            coordinator = path.read_text(encoding="utf-8")
    while answers(coordinator):
        time.sleep(0.2)
    path.unlink(missing_ok=True)
