"""Records a synchronous worker of any TF2 program: each process makes the same update, on a batch of its own."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tf2towers.parity.cluster.merging import OWN, UPDATES, own_steps
from tf2towers.parity.migrated.functions import FunctionRecorder
from tf2towers.parity.recording import Arrays, read_facts, read_step, read_steps
from tf2towers.recorder.writing import Writer

_OF_UPDATES = ("variable|", "after|", "gradient|")


class FunctionWorkerRecorder:
    """Lets a `FunctionRecorder` see the process: it is given what this worker of the original had.

    Args:
        worker: the index of this worker.
        settings: see `migrated_task`.
    """

    def __init__(self, worker: int, settings: dict[str, Any]) -> None:
        folder = Path(settings["out"], f"worker-{worker}")
        given = None
        if settings["replay"] is not None:
            given = folder / "given"
            _write_given(worker, settings, given)
        if settings["tower_order"]:
            _add_in_order()
        self.on_step: Callable[[], object] = lambda: None
        self._writer = _Split(folder, worker)
        self._recorder = FunctionRecorder(
            self._writer, settings["steps"], given, settings["lockstep"], False, {}, self._wait_for_the_end
        )

    @property
    def steps(self) -> int:
        """How many are recorded."""
        return self._writer.steps

    @property
    def records_all(self) -> bool:
        """Each worker records its own."""
        return False

    def finish(self) -> None:
        """Writes what is to be said of the run."""
        import tensorflow as tf

        from tf2towers.recorder.running import versions

        self._writer.facts({**self._recorder.facts(), **versions(tf)})

    def _wait_for_the_end(self) -> None:
        """The cluster is stopped when every worker has its steps; without this one, another's last step would fail."""
        self.on_step()
        time.sleep(3600)


def _add_in_order() -> None:
    """Dense sums over the replicas are made in their order, as the original's gradients are handed in (`turns`)."""
    import tensorflow as tf

    from tf2towers.runtime.towers import gather_towers

    context = tf.distribute.ReplicaContext
    all_reduce = context.all_reduce

    def ordered(self: Any, reduce_op: Any, value: Any, options: Any = None) -> Any:
        leaves = tf.nest.flatten(value)
        is_sum = reduce_op in (tf.distribute.ReduceOp.SUM, "SUM", "sum")
        if not is_sum or any(isinstance(leaf, tf.IndexedSlices) for leaf in leaves):
            return all_reduce(self, reduce_op, value, options)
        towers = gather_towers(tuple(map(tf.convert_to_tensor, leaves)))
        sums = [functools.reduce(tf.add, parts) for parts in zip(*towers, strict=True)]
        return tf.nest.pack_sequence_as(value, sums)

    context.all_reduce = ordered


class _Split(Writer):
    """Writes a step in two parts: what is this worker's own, and the update, which worker 0 alone writes."""

    def __init__(self, folder: Path, worker: int) -> None:
        super().__init__(str(folder / OWN))
        self._updates = Writer(str(folder / UPDATES)) if worker == 0 else None

    def step(self, arrays: Arrays) -> None:
        """Writes the next step."""
        if self._updates is not None:
            update = {key: value for key, value in arrays.items() if key.startswith(_OF_UPDATES)}
            self._updates.step({**update, "when|": np.float64(time.monotonic())})
        super().step({key: value for key, value in arrays.items() if key.startswith(("loss|", "input|", "summary|"))})


def _write_given(worker: int, settings: dict[str, Any], folder: Path) -> None:
    """The original's steps as this worker has to make them: the update's variables, its own batches and draws."""
    own = own_steps(Path(settings["inputs"]))[worker] if settings["inputs"] else []
    writer = Writer(str(folder))
    for place, step in enumerate(read_steps(Path(settings["replay"]))):
        mine = read_step(own[place]) if place < len(own) else None
        none: list[list[np.ndarray]] = [[]] * worker
        draws = none + (mine.draws if mine else [])  # by the number of the replica
        given = dataclasses.replace(step, inputs=mine.inputs if mine else {}, draws=draws)
        writer.step(given.flat())
    writer.facts(dataclasses.asdict(read_facts(Path(settings["replay"]))))
