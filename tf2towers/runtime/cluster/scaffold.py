"""`tf.train.Scaffold` where there is no graph to build: which saver to use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Scaffold:
    """What a MonitoredTraining is told about the variables. Without a saver, all of them are saved."""

    saver: Any = None
