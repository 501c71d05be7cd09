"""`tf.contrib.nccl` and `tensorflow.python.ops.nccl_ops`: sums over devices, each made where its result is wanted.

TF 1's operations had kernels for GPUs alone, and hung where a part of the results was fetched. These are plain
additions in the order of the tensors: the same numbers on every device, and gradients as those of TF 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def all_sum(tensors: list[Any]) -> list[tf.Tensor]:
    """For each tensor the sum of all, on its device."""
    return _on_each(tensors, tf.add_n)


def all_prod(tensors: list[Any]) -> list[tf.Tensor]:
    """For each tensor the product of all, on its device."""
    return _on_each(tensors, lambda all_of: _folded(all_of, tf.multiply))


def all_min(tensors: list[Any]) -> list[tf.Tensor]:
    """For each tensor the smallest values of all, on its device."""
    return _on_each(tensors, lambda all_of: _folded(all_of, tf.minimum))


def all_max(tensors: list[Any]) -> list[tf.Tensor]:
    """For each tensor the greatest values of all, on its device."""
    return _on_each(tensors, lambda all_of: _folded(all_of, tf.maximum))


def reduce_sum(tensors: list[Any]) -> tf.Tensor:
    """The sum of all, on the device that is current."""
    return tf.add_n(_checked(tensors))


def broadcast(tensor: Any) -> tf.Tensor:
    """The tensor, which operations on other devices may take."""
    (checked,) = _checked([tensor])
    with v1.device(checked.device):
        return tf.identity(checked)


def _on_each(tensors: list[Any], made: Callable[[list[tf.Tensor]], tf.Tensor]) -> list[tf.Tensor]:
    checked = _checked(tensors)
    found = []
    for tensor in checked:
        with v1.device(tensor.device):
            found.append(made(checked))
    return found


def _checked(tensors: list[Any]) -> list[tf.Tensor]:
    if not tensors:
        raise ValueError("Must pass >0 tensors to all reduce operations")
    for tensor in tensors:
        if not isinstance(tensor, tf.Tensor):
            raise ValueError("tensors must be a list of Tensors")
        if not tensor.device:
            raise ValueError("Device assignment required for nccl collective ops")
    return list(tensors)


def _folded(tensors: list[tf.Tensor], of: Callable[[Any, Any], tf.Tensor]) -> tf.Tensor:
    result = tf.identity(tensors[0])
    for tensor in tensors[1:]:
        result = of(result, tensor)
    return result
