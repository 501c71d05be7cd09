"""The smallest case: variables on one device, what is computed from them on another.

The twin of legacy/single_device.py. Without a tf.device TensorFlow puts both on the first GPU, if there is one;
variables too large for its memory stay on the CPU, as here.

    python modern/single_device.py
"""

from __future__ import annotations

import tensorflow as tf

with tf.device("/cpu:0"):  # a variable has its value when it is made: no initializer to run
    w = tf.Variable(tf.fill((2, 2), 2.0), name="w")
    b = tf.Variable(tf.fill((2, 2), 5.0), name="b")


@tf.function
def sum_and_product() -> tuple[tf.Tensor, tf.Tensor]:
    """TF1: the graph below the variables. It is built by the first call; a call takes the place of sess.run."""
    with tf.device("/gpu:0"):  # without a GPU, on the CPU: TF 2 places softly by default
        return w + b, w * b


if __name__ == "__main__":
    for result in sum_and_product():
        print(result.numpy())
