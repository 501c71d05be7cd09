"""What a run of a trainer leaves behind, as a folder that grows step by step, and as objects.

    DIR/meta.json        facts of the run (`Facts`)
    DIR/step-00000.npz   one file a step, keys "kind|name" (see `KINDS`)

A key that is absent is a thing that was not there. Written by `tf2towers.recorder` (which runs on Python 3.6 with
NumPy alone, and on the TF 1.15 of the original) and by `tf2towers.parity.migrated`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass
class Step:
    """One training step.

    Variables go by TF1 name ('conv1/weights', 'conv1/weights/Momentum'). A gradient that is a `tf.IndexedSlices` is
    two entries, 'NAME//values' and 'NAME//indices'.
    """

    variables: Arrays = field(default_factory=dict)  # before it: weights, slots, moving averages, statistics
    after: Arrays = field(default_factory=dict)
    gradients: Arrays = field(default_factory=dict)  # what the optimizer applied, by variable
    tower_gradients: list[Arrays] = field(default_factory=list)  # what each tower computed, in tower order
    losses: list[np.ndarray] = field(default_factory=list)  # one scalar a tower
    inputs: Arrays = field(default_factory=dict)  # values that crossed into the graph: feeds, iterators, queues
    draws: list[list[np.ndarray]] = field(default_factory=list)  # a tower's random numbers, in order of creation
    fetched: list[np.ndarray] = field(default_factory=list)  # what the script fetched beside, numbers only
    summaries: Arrays = field(default_factory=dict)  # scalar summaries that it fetched, by tag
    #: per tower: the forward pass, layer by layer in order of creation; a digest each: float64 [crc32 of the bytes,
    #: sum, sum of absolute values, sum of squares, number of elements]
    layers: list[Arrays] = field(default_factory=list)


@dataclass
class Facts:
    """What is said of a whole run in meta.json."""

    side: str = ""  # 'legacy' or 'migrated'
    tensorflow: str = ""
    python: str = ""
    towers: int = 1
    trainable: list[str] = field(default_factory=list)  # variables that the optimizer was given, in its order
    without_gradient: list[str] = field(default_factory=list)  # of those, whose gradient was None
    optimizer: dict[str, Any] = field(default_factory=dict)  # {"class": "MomentumOptimizer", "momentum": 0.9, ..}
    layer_types: dict[str, str] = field(default_factory=dict)  # layer name -> op type
    notes: list[str] = field(default_factory=list)  # sentences for the reader
    batch_size: int | None = None  # rows of the whole batch, where one number is known


@dataclass
class Recording:
    """The training steps of a run."""

    steps: list[Step] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)

    @property
    def final(self) -> Arrays:
        """The variables at the end."""
        return self.steps[-1].after if self.steps else {}
