"""The devices the towers run on, with logical CPU devices where the GPUs are missing."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Sequence

import tensorflow as tf

_logger = logging.getLogger("tf2towers")


def tower_devices(towers: int | Sequence[str | int]) -> list[str]:
    """The devices for `tf.distribute.MirroredStrategy`, one for each tower.

    Args:
        towers: their number; or the devices that the TF1 loop passed to `tf.device`, e.g.
            ['/gpu:0', '/gpu:1']; or the indices of the GPUs, as numbers or strings.

    Returns:
        The named GPUs, if this machine has all of them; else as many logical CPU devices, with a
        warning. In TF1, `allow_soft_placement=True` moved such towers to the CPU.

    Raises:
        ValueError: the list of towers is empty, outside a graph.
        RuntimeError: TensorFlow has started already with too few logical CPU devices: make the
            strategy before any op.
    """
    several = range(towers) if isinstance(towers, int) else towers
    names = [f"/gpu:{tower}" if str(tower).isdigit() else str(tower) for tower in several]
    if not names:
        if not tf.executing_eagerly():  # in a graph, a loop over no towers builds nothing
            return _logical_cpus(1)
        raise ValueError("no towers: the list of devices is empty")
    gpus = len(tf.config.list_physical_devices("GPU"))
    wanted = [_gpu_index(name) for name in names]
    if all(index is not None and index < gpus for index in wanted) and len(set(wanted)) == len(wanted):
        return names
    _warn_of_cpu(tuple(names), gpus)
    return _logical_cpus(len(names))


@functools.cache
def _warn_of_cpu(names: tuple[str, ...], gpus: int) -> None:
    """Warns once for each list of devices: layers that loop over towers ask for it often."""
    _logger.warning(
        "%d tower(s) want %s; this machine has %d GPU(s): training on the CPU instead",
        len(names), ", ".join(names), gpus,
    )  # fmt: skip


def _gpu_index(name: str) -> int | None:
    found = re.search(r"gpu:(\d+)\s*$", name, re.IGNORECASE)
    return int(found.group(1)) if found else None


def _logical_cpus(count: int) -> list[str]:
    cpu = tf.config.list_physical_devices("CPU")[0]
    configured = tf.config.get_logical_device_configuration(cpu) or []
    if len(configured) < count:
        try:
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
        except RuntimeError as error:
            raise RuntimeError(
                f"{count} logical CPU devices are needed for {count} towers, and TensorFlow has started with "
                f"{max(len(configured), 1)}: make the TowerStrategy before the first TensorFlow op"
            ) from error
    return [f"/cpu:{index}" for index in range(count)]
