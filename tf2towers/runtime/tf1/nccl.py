"""`tf.contrib.nccl` and `nccl_ops`: sums over devices, made where they are wanted.

TF 1's operations had kernels for GPUs alone, and hung where a part of the results was fetched.
These are plain additions in the order of the tensors: the same numbers on every device, and
gradients as those of TF 1.
"""

from typing import Any

import tensorflow as tf


def all_sum(tensors: list[Any]) -> list[tf.Tensor]:
    """For each tensor the sum of all, on its device; a ValueError if none, or no device."""
    if not tensors or not all(isinstance(tensor, tf.Tensor) and tensor.device for tensor in tensors):
        raise ValueError(f"all_sum needs tensors that have a device each, and these are {tensors}")
    sums = []
    for tensor in tensors:
        with tf.compat.v1.device(tensor.device):
            sums.append(tf.add_n(tensors))
    return sums


def reduce_sum(tensors: list[Any]) -> tf.Tensor:
    """The sum of all, where it is wanted; a ValueError for no tensors."""
    if not tensors:
        raise ValueError("reduce_sum needs tensors")
    return tf.add_n(tensors)


def broadcast(tensor: Any) -> tf.Tensor:
    """The tensor, for operations on any device."""
    return tf.identity(tensor)
