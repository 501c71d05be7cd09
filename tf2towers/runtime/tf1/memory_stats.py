"""`tf.contrib.memory_stats`: bytes that a GPU uses; 0 on a CPU, which counts none."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.private import private


def BytesInUse() -> tf.Tensor:
    """The bytes in use on the operation's device when it runs, int64."""
    return _number(lambda gpu: tf.config.experimental.get_memory_info(gpu)["current"])


def MaxBytesInUse() -> tf.Tensor:
    """The most bytes that were in use there so far, int64."""
    return _number(lambda gpu: tf.config.experimental.get_memory_info(gpu)["peak"])


def BytesLimit() -> tf.Tensor:
    """The bytes that TensorFlow may use there, int64."""
    return _number(_limit)


def _number(of_gpu: Callable[[str], int]) -> tf.Tensor:
    device = tf.DeviceSpec.from_string(tf.constant(0).device)

    def now() -> np.int64:
        gpus = tf.config.list_logical_devices("GPU")
        index = device.device_index or 0
        if (device.device_type or "GPU").upper() != "GPU" or index >= len(gpus):
            return np.int64(0)
        return np.int64(of_gpu(f"GPU:{index}"))

    with tf.device("/cpu:0"):
        number = tf.numpy_function(now, [], tf.int64)
    number.set_shape([])
    return number


def _limit(gpu: str) -> int:
    devices = private("client.device_lib.list_local_devices", "BytesLimit")()
    return next((each.memory_limit for each in devices if each.name.endswith(gpu)), 0)
