"""The chief's checkpoint for every worker of synchronous training, over the workers' own all-reduce.

Each worker keeps a copy of the variables, and only the chief may have the folder: Supervisor's logdir was often a
temporary one. So the files' bytes are summed over the workers, to which all but the chief give zeros.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.saver import Saver
from tf2towers.runtime.variable_store import VariableStore

_PIECE = 4_000_000  # numbers of 4 bytes in one all-reduce


@contextlib.contextmanager
def share_checkpoint(variables: VariableStore, restored: str | None, is_chief: bool) -> Iterator[str | None]:
    """The prefix of the chief's checkpoint, here, for as long as the context lasts; None where it has none.

    Args:
        variables: the store.
        restored: the chief's: the checkpoint it has restored; '' to send the variables as they are; None for nothing.
        is_chief: whether this is the chief.
    """
    total = _summing(variables.strategy)
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "shared")
        if is_chief and restored == "":
            restored = Saver(variables, max_to_keep=0).save(prefix)
        files = sorted(Path(restored).parent.glob(Path(restored).name + ".*")) if restored else []
        files = [file for file in files if ".index" in file.name or ".data-" in file.name]
        count = int(total(np.array([len(files)], np.int32))[0])
        for place in range(count):
            name = files[place].name[len(Path(str(restored)).name) :].encode() if files else b""
            received = _bytes(total, name).decode()
            content = _bytes(total, files[place].read_bytes() if files else b"")
            if not is_chief:
                Path(prefix + received).write_bytes(content)
        yield None if not count else restored if is_chief else prefix


def _bytes(total: Any, content: bytes) -> bytes:
    """The chief's `content`, of any length; the others give b''."""
    size = int(total(np.array([len(content)], np.int32))[0])
    numbers = -(-size // 4)
    mine = np.frombuffer(content.ljust(numbers * 4, b"\0"), np.int32)
    parts = [total(mine[start : start + _PIECE]) for start in range(0, numbers, _PIECE)]
    return np.concatenate([np.zeros(0, np.int32), *parts]).tobytes()[:size]


def _summing(strategy: Any) -> Any:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int32)])  # type: ignore[untyped-decorator]
    def total(numbers: Any) -> Any:
        def replica(own: Any) -> Any:
            return tf.distribute.get_replica_context().all_reduce(
                tf.distribute.ReduceOp.SUM, tf.identity(own)
            )

        results = strategy.run(replica, args=(numbers,))
        return strategy.experimental_local_results(results)[0]

    return lambda numbers: total(numbers).numpy()
