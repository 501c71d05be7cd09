"""The towers of a graph: the GPUs that its operations name, and the strategy's devices.

On a machine without GPUs the towers share the CPU and one copy of the variables, as with soft
placement in TF1. Updating a second copy in the same memory would be wasted work
(docs/performance.md). TF2TOWERS_COLLECTIVES=always gives each tower a logical CPU device, a copy
and all-reduces there, too, so that tests on CPUs run the ops that GPUs run. `never` also makes the
copies, but keeps the script's own averages, in the order of their sums.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.devices import tower_devices

COLLECTIVES = "TF2TOWERS_COLLECTIVES"

_declared: weakref.WeakKeyDictionary[tf.Graph, tf.distribute.Strategy] = weakref.WeakKeyDictionary()


class Place(NamedTuple):
    """The parts of a device string in a graph; None and -1 stand for missing parts."""

    job: str | None
    task: int
    kind: str | None
    number: int


@cache
def place_of(device: str) -> Place:
    """The parts of a device: '/job:ps/task:0/device:GPU:1', '/gpu:1', '/device:CPU:*' or ''."""
    if not device:
        return Place(None, -1, None, -1)
    job = re.search(r"job:([A-Za-z0-9_]+)", device)
    task = re.search(r"task:(\d+)", device)
    kind = re.search(
        r"(?:^|/)(?:device:)?(CPU|GPU|TPU|XLA_CPU|XLA_GPU)(?::(\d+|\*))?\s*$", device, re.IGNORECASE
    )
    return Place(
        job.group(1) if job else None,
        int(task.group(1)) if task else -1,
        kind.group(1).upper() if kind else None,
        int(kind.group(2)) if kind and kind.group(2) and kind.group(2) != "*" else -1,
    )


def declare(graph: tf.Graph, strategy: tf.distribute.Strategy) -> None:
    """Declares the strategy of a graph's towers; only the first call for a graph counts."""
    _declared.setdefault(graph, strategy)


def collectives() -> str:
    """The user's choice on all-reduces: 'always', 'never', or '' for none.

    Raises:
        ValueError: TF2TOWERS_COLLECTIVES has any other value.
    """
    wanted = os.environ.get(COLLECTIVES, "")
    if wanted not in ("", "always", "never"):
        raise ValueError(f"{COLLECTIVES}={wanted}: must be always or never, or not be set.")
    return wanted


class Towers:
    """The towers of a graph, by the index of the GPU that the script named.

    Attributes:
        devices: the devices of the towers, without duplicates; empty if the graph names no GPU. If
            the graph names more GPUs than there are devices, its towers share them, as with soft
            placement.
    """

    def __init__(self, graph: tf.Graph, nodes: Iterable[Any]) -> None:
        named: list[int] = []
        for device in {node.device: None for node in nodes}:  # in the order they were first used
            place = place_of(device)
            if place.kind == "GPU" and place.job in (None, "localhost") and place.number not in named:
                named.append(place.number)
        strategy = _declared.get(graph)
        available = [] if not named else _available(named) if strategy is None else _devices_of(strategy)
        if not collectives() and all(place_of(device).kind == "CPU" for device in available):
            available = available[:1]
        self.devices: list[str] = available[: len(named)]
        self._tower = {index: order % len(available) for order, index in enumerate(named)}

    @cached_property
    def first(self) -> str:
        """The device on which TF1 placed ops without a device: the first GPU, if there is one."""
        gpus = [] if self.devices else tf.config.list_logical_devices("GPU")
        return self.devices[0] if self.devices else full_name(gpus[0].name if gpus else "/cpu:0")

    @property
    def count(self) -> int:
        """How many devices the towers have."""
        return len(self.devices)

    def of(self, device: str) -> int | None:
        """The tower of an operation with this device; None for one outside the towers."""
        place = place_of(device)
        if place.kind != "GPU" or place.job not in (None, "localhost"):
            return None
        return self._tower.get(place.number)


def _devices_of(strategy: tf.distribute.Strategy) -> list[str]:
    return [full_name(device) for device in strategy.extended.worker_devices]


def _available(named: Sequence[int]) -> list[str]:
    """The devices for a script without a strategy: its GPUs or logical CPU devices."""
    try:
        return [full_name(name) for name in tower_devices([f"/gpu:{max(index, 0)}" for index in named])]
    except RuntimeError:  # TensorFlow has started: the devices it has
        logical = [device.name for device in tf.config.list_logical_devices()]
        own = [name for name in logical if place_of(name).job in (None, "localhost")]
        gpus = [name for name in own if "/device:GPU:" in name]
        return [full_name(name) for name in gpus or own if gpus or "/device:CPU:" in name]


def full_name(device: str) -> str:
    """The full name of a device of this process."""
    place = place_of(device)
    return f"/job:localhost/replica:0/task:0/device:{place.kind or 'CPU'}:{max(place.number, 0)}"
