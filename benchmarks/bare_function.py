"""The upper limit of speed: the arithmetic of `cifar10_towers.py` in one tf.function, without strategy, on one device.

    python benchmarks/bare_function.py --batch_size=128

It has the same network, loss, momentum and moving averages as the trainer, on the whole batch, and
nothing else. A program on a strategy can at best reach this speed if its devices share the
processors.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parents[1] / "legacy"))
import trainer_data as data

CONVOLUTIONS = ((5, 5, 3, 16), (16,), (5, 5, 16, 32), (32,))
DENSE = ((6 * 6 * 32, 96), (96,), (96, data.NUM_CLASSES), (data.NUM_CLASSES,))


def main() -> None:
    """Trains without end, or for `--max_steps`; prints a line for each step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--max_steps", type=int, default=0, help="0: without end")
    options, _ = parser.parse_known_args()
    random = np.random.RandomState(0)
    weights = [tf.Variable(random.normal(0, 0.05, shape).astype("f")) for shape in CONVOLUTIONS + DENSE]
    momenta = [tf.Variable(tf.zeros_like(weight), trainable=False) for weight in weights]
    averages = [tf.Variable(weight, trainable=False) for weight in weights]
    step_count = tf.Variable(0.0, trainable=False)

    def loss_of(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        kernel1, bias1, kernel2, bias2, dense3, bias3, dense4, bias4 = weights
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, kernel1, 1, "SAME"), bias1))
        x = tf.nn.max_pool2d(x, 3, 2, "SAME")
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel2, 1, "SAME"), bias2))
        x = tf.reshape(tf.nn.max_pool2d(x, 3, 2, "SAME"), [options.batch_size, -1])
        x = tf.nn.relu(tf.matmul(x, dense3) + bias3)
        logits = tf.matmul(x, dense4) + bias4
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(entropy) + 0.004 * tf.nn.l2_loss(dense3)

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(images, labels)
        gradients = tape.gradient(loss, weights)
        rate = 0.02 * tf.pow(0.1, tf.floor(step_count / 100.0))
        for weight, momentum, gradient in zip(weights, momenta, gradients, strict=True):
            tf.raw_ops.ResourceApplyMomentum(
                var=weight.handle, accum=momentum.handle, lr=rate, grad=gradient, momentum=0.9
            )
        decay = tf.minimum(0.999, (1.0 + step_count) / (10.0 + step_count))
        for average, weight in zip(averages, weights, strict=True):
            average.assign_sub((average - weight) * (1.0 - decay))
        step_count.assign_add(1.0)
        return loss

    images, labels = data.load("")
    dataset = tf.data.Dataset.from_generator(
        lambda: data.batches(images, labels, options.batch_size, 0),
        output_signature=(
            tf.TensorSpec([options.batch_size, data.IMAGE_SIZE, data.IMAGE_SIZE, 3], tf.float32),
            tf.TensorSpec([options.batch_size], tf.int32),
        ),
    )
    batches = iter(dataset.prefetch(2))
    for step in range(options.max_steps) if options.max_steps else itertools.count():
        start = time.time()
        loss = float(train_step(*next(batches)))
        duration = time.time() - start
        print(f"step {step}, loss = {loss:.4f} ({options.batch_size / duration:.1f} examples/sec)")


if __name__ == "__main__":
    main()
