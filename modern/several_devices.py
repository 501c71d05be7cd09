"""The smallest case of several devices: the CPU holds the variables, each device computes something of its own.

The twin of legacy/several_devices.py. Where all devices do the same with other data, as in training, nobody names
devices any more: MirroredStrategy does it. See cifar10_mirrored.py and mobilenet_mirrored.py.

    python modern/several_devices.py
"""

from __future__ import annotations

import tensorflow as tf

NUM_RUNS = 3


def two_devices() -> tuple[str, str]:
    """The first two GPUs. Where they are not there, two logical devices of the CPU, so that both are real devices."""
    if len(tf.config.list_physical_devices("GPU")) >= 2:
        return "/gpu:0", "/gpu:1"
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    return "/cpu:0", "/cpu:1"


def main() -> None:
    """Make the variables, then run the function several times."""
    first, second = two_devices()  # before anything is made: TensorFlow takes its devices once
    with tf.device("/cpu:0"):
        w = tf.Variable(tf.fill((2, 2), 2.0), name="w")
        b = tf.Variable(tf.fill((2, 2), 5.0), name="b")

    @tf.function
    def sum_and_product() -> tuple[tf.Tensor, tf.Tensor]:
        """The two do not wait for each other: a tf.function orders what touches state, not what reads it."""
        with tf.device(first):
            addwb = w + b
        with tf.device(second):
            mutwb = w * b
        return addwb, mutwb

    for _ in range(NUM_RUNS):
        print([result.numpy() for result in sum_and_product()])


if __name__ == "__main__":
    main()
