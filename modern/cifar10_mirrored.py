"""Train the CIFAR-10 network on several GPUs: legacy/cifar10_towers.py's twin in TensorFlow 2 and Keras.

MirroredStrategy keeps a copy of the model on each device. Each step, every replica computes the loss and its
gradients on its part of the batch; the optimizer sums the gradients over the replicas, then applies them.

    python modern/cifar10_mirrored.py --num_gpus=2 --max_steps=200

Sections come in the order of the legacy script; comments marked "TF1:" name what a piece takes the place of.
Beside it stand cifar10_input.py, cifar10_network.py, devices.py and trainer_data.py.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import cifar10_input
import devices
import keras
import numpy as np
import tensorflow as tf
import trainer_data
from absl import app, flags, logging
from cifar10_network import NETWORKS, inference, tf1_names

FLAGS = flags.FLAGS
MOVING_AVERAGE_DECAY = 0.999  # for the moving average of the weights
LOSS_AVERAGE_DECAY = 0.9


def define_flags() -> None:
    """The legacy script's flags, those of devices.py, then some of our own."""
    devices.define_flags()
    flags.DEFINE_string("gpu_ids", "", "The GPUs to use, as 0,2, in place of --num_gpus.")
    flags.DEFINE_integer("batch_size", 32, "Images a replica takes in one step.")
    flags.DEFINE_integer("max_steps", 200, "Number of steps to run.")
    flags.DEFINE_float("learning_rate", 0.02, "Learning rate at the start.")
    flags.DEFINE_float("epochs_per_decay", 350.0, "Epochs after which the learning rate drops.")
    flags.DEFINE_integer("decay_steps", 0, "The same in steps. 0: epochs_per_decay says it.")
    flags.DEFINE_float("decay_rate", 0.1, "What the learning rate is multiplied by at each drop.")
    flags.DEFINE_float("momentum", 0.9, "Momentum. 0: plain gradient descent.")
    flags.DEFINE_boolean("batch_norm", False, "Train the variant with batch normalization.")
    flags.DEFINE_enum("network", "small", list(NETWORKS), "A small one, or one of the tutorial's size.")
    flags.DEFINE_string("split_by_speed", "", "Relative speeds of the GPUs, as 1,2. Empty: equal parts.")
    flags.DEFINE_boolean(
        "distort", None, "Distort the images at random. Not set: CIFAR-10 yes, the digits no."
    )
    flags.DEFINE_string("data_dir", "", "Directory of the binary CIFAR-10. Empty: the digits.")
    flags.DEFINE_alias("data-dir", "data_dir")
    flags.DEFINE_string("train_dir", "/tmp/cifar10_mirrored", "Where to write event logs and checkpoints.")
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")
    flags.DEFINE_integer("log_every", 10, "Steps between two log lines, and in one call.", lower_bound=1)
    flags.DEFINE_integer("summary_every", 100, "Steps between two summaries.", lower_bound=1)
    flags.DEFINE_integer("checkpoint_every", 1000, "Steps between two checkpoints.", lower_bound=1)
    flags.DEFINE_integer("eval_every", 1000, "Steps between two evaluations.", lower_bound=1)
    flags.DEFINE_boolean("log_device_placement", False, "Log where each op runs.")
    flags.DEFINE_boolean("resume", True, "Go on from the newest checkpoint in train_dir.")
    flags.DEFINE_string("init_checkpoint", "", "A legacy checkpoint to take the first weights from.")


class Trainer:
    """The training state, made once under strategy.scope(), and the step that changes it."""

    def __init__(
        self, strategy: tf.distribute.Strategy, options: Any, global_batch_size: int, decay_steps: int
    ) -> None:
        self.strategy = strategy
        self.global_batch_size = global_batch_size
        # XLA compiles the computation of one replica; the sum over the replicas stays outside
        self.compute = tf.function(self.gradients, jit_compile=True) if options.jit else self.gradients
        with strategy.scope():  # TF1: tf.Graph().as_default(), tf.device('/cpu:0')
            self.model = inference(options.batch_norm, options.seed, options.network)
            self.schedule = keras.optimizers.schedules.ExponentialDecay(
                options.learning_rate, decay_steps, options.decay_rate, staircase=True
            )
            # Its `iterations` are the global_step. Its momentum is TF1's until the learning rate changes:
            # TF1 applies today's rate to a sum of gradients, Keras sums steps, each at its own rate.
            sgd = keras.optimizers.SGD(self.schedule, momentum=options.momentum)
            self.optimizer = devices.with_loss_scaling(sgd, options.precision)
            self.optimizer.build(self.model.trainable_variables)
        # TF1: tf.train.ExponentialMovingAverage(0.999, global_step): a model of its own, which is evaluated. It is
        # on one device, because no replica reads it.
        self.averaged = inference(options.batch_norm, options.seed, options.network)
        names = [f"{layer.name}/weight_loss" for layer in self.model.layers if layer.losses]
        self.loss_names = ["cross_entropy", *names, "total_loss"]
        self.loss_averages = tf.Variable(tf.zeros(len(self.loss_names)), trainable=False)

    def set_weights(self, array: Callable[[str], np.ndarray]) -> None:
        """Start from the weights of the legacy script: `array` returns a weight by its name there."""
        for model in (self.model, self.averaged):
            for name, variable in tf1_names(model).items():
                variable.assign(array(name))

    def tower_loss(self, images: tf.Tensor, labels: tf.Tensor) -> list[tf.Tensor]:
        """The losses of one replica, the total last; Keras collects the regularizers' in the model."""
        logits = tf.cast(self.model(images, training=True), tf.float32)  # float16 would overflow
        cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        losses = [tf.reduce_mean(cross_entropy), *self.model.losses]
        return [*losses, tf.add_n(losses)]

    def gradients(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """TF1: tower_loss and compute_gradients, what the loop built in each tower. Runs in each replica.

        Losses and gradients are this replica's share: their sum over the replicas is that of the whole batch.
        """
        # TF1's average_gradients took a mean, the optimizer takes a sum. With equal parts the share is
        # 1 / replicas; with unequal parts every image counts the same, where in TF1 every tower did.
        share = tf.cast(tf.shape(images)[0], tf.float32) / self.global_batch_size
        with tf.GradientTape() as tape:
            losses = self.tower_loss(images, labels)
            loss = devices.scaled(self.optimizer, losses[-1] * share)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        return tf.stack(losses) * share, devices.unscaled(self.optimizer, gradients)

    @tf.function
    def replica_gradients(self, images: Any, labels: Any) -> tuple[Any, list[Any]]:
        """The losses and gradients of all replicas; they are not applied."""

        def own(*part: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
            return self.compute(*part)

        return self.strategy.run(own, args=(images, labels))

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """One step of one replica. A tf.function keeps the lines' order; TF1: tf.control_dependencies."""
        losses, gradients = self.compute(images, labels)
        # Sums over the replicas, then applies. TF1: average_gradients, opt.apply_gradients.
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        # TF1 ran the last tower's UPDATE_OPS. Each replica has moved its own statistics: all take the mean.
        if statistics := self.model.non_trainable_variables:
            values = [tf.convert_to_tensor(variable) for variable in statistics]
            means = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, values)
            for variable, mean in zip(statistics, means, strict=True):
                variable.assign(mean)
        return losses

    def train_step(self, images: Any, labels: Any) -> tf.Tensor:
        """TF1: sess.run([train_op, mean_loss]). The losses, by loss_names."""
        shares = self.strategy.run(self.replica_step, args=(images, labels))
        losses = self.strategy.reduce(tf.distribute.ReduceOp.SUM, shares, axis=None)
        step = tf.cast(self.optimizer.iterations, tf.float32)  # TF1: variable_averages.apply
        decay = tf.minimum(MOVING_AVERAGE_DECAY, (1.0 + step) / (10.0 + step))
        pairs = zip(self.averaged.trainable_variables, self.model.trainable_variables, strict=True)
        for average, variable in pairs:
            average.assign_sub((average - tf.convert_to_tensor(variable)) * (1.0 - decay))
        self.loss_averages.assign_sub((self.loss_averages - losses) * (1.0 - LOSS_AVERAGE_DECAY))
        return losses

    def training_on(self, batches: Iterator[tuple[Any, Any]]) -> Callable[[int], tf.Tensor]:
        """A function that makes a number of steps on the next batches, and returns the losses of the last one."""

        @tf.function
        def one_step() -> tf.Tensor:
            return self.train_step(*next(batches))

        @tf.function
        def several_steps(count: tf.Tensor) -> tf.Tensor:
            losses = tf.zeros(len(self.loss_names))
            for _ in tf.range(count):
                losses = self.train_step(*next(batches))
            return losses

        return lambda count: one_step() if count == 1 else several_steps(tf.constant(count))

    def evaluate(self, images: tf.data.Dataset) -> float:
        """TF1: cifar10_eval. The share of the images that the averaged weights classify correctly."""
        pairs = zip(self.averaged.non_trainable_variables, self.model.non_trainable_variables, strict=True)
        for own, statistic in pairs:
            own.assign(tf.convert_to_tensor(statistic))
        hits = keras.metrics.SparseCategoricalAccuracy()
        for batch, labels in images.batch(256).map(cifar10_input.standardized, tf.data.AUTOTUNE).prefetch(1):
            hits.update_state(labels, self.averaged(batch, training=False))
        return float(hits.result())

    def summarise(self, step: int, losses: tf.Tensor, images: Any, labels: Any) -> None:
        """TF1: sess.run(summary_op), add_summary. The tags are the legacy script's."""
        for name, loss, average in zip(self.loss_names, losses, self.loss_averages.numpy(), strict=True):
            tf.summary.scalar(f"{name} (raw)", loss, step)
            tf.summary.scalar(name, average, step)
        tf.summary.scalar("learning_rate", self.schedule(step), step)
        names = {id(variable): name for name, variable in tf1_names(self.model).items()}
        statistics = [(variable, variable.numpy()) for variable in self.model.non_trainable_variables]
        _, shares = self.replica_gradients(images, labels)
        for variable, value in statistics:  # the call has changed them, by images that are not trained on
            variable.assign(value)
        for variable, share in zip(self.model.trainable_variables, shares, strict=True):
            gradient = self.strategy.reduce(tf.distribute.ReduceOp.SUM, share, axis=None)
            gradient /= devices.scale_left(self.optimizer)
            tf.summary.histogram(names[id(variable)], tf.convert_to_tensor(variable), step)
            tf.summary.histogram(f"{names[id(variable)]}/gradients", gradient, step)
        seen = [
            layer
            for layer in self.model.layers
            if layer.name.endswith("_relu") or layer.name[:5] in ("local", "softm")
        ]
        activations = keras.Model(self.model.inputs, [layer.output for layer in seen])
        some = self.strategy.experimental_local_results(images)[0]
        for layer, activation in zip(seen, activations(some, training=False), strict=True):
            name = layer.name.removesuffix("_relu")
            tf.summary.histogram(f"{name}/activations", activation, step)
            tf.summary.scalar(f"{name}/sparsity", tf.nn.zero_fraction(activation), step)


def next_stop(done: int, log_every: int, *periods: int) -> int:
    """How many steps are done when Python is needed again: after a step that is logged, or at the end of a period."""
    logged = done + 1 + -done % log_every  # step 0, as the first one, and every log_every from there
    return min(logged, *(done + period - done % period for period in periods))


def restored(trainer: Trainer) -> tf.train.CheckpointManager:
    """TF1: tf.train.Saver. The optimizer's momentum and step, and the averages, are in the checkpoint as well."""
    checkpoint = tf.train.Checkpoint(
        model=trainer.model, optimizer=trainer.optimizer,
        averages=trainer.averaged, loss_averages=trainer.loss_averages,
    )  # fmt: skip
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.train_dir, max_to_keep=5)
    if FLAGS.resume and manager.latest_checkpoint:
        try:
            checkpoint.restore(manager.latest_checkpoint).assert_consumed()
        except (AssertionError, ValueError):
            raise SystemExit(f"{manager.latest_checkpoint} is of another model; try --noresume") from None
    return manager


def train() -> None:
    """Make the state, then run it until --max_steps."""
    tf.debugging.set_log_device_placement(FLAGS.log_device_placement)
    names = FLAGS.devices or [f"/gpu:{gpu}" for gpu in FLAGS.gpu_ids.split(",") if gpu]
    strategy = devices.mirrored(devices.choose_devices(FLAGS.num_gpus, names), FLAGS.all_reduce)
    devices.set_precision(FLAGS.precision)
    sizes = cifar10_input.split_sizes(FLAGS.split_by_speed, FLAGS.batch_size, strategy.num_replicas_in_sync)
    test_images, _ = cifar10_input.examples(FLAGS.data_dir, "test")
    _, number = cifar10_input.examples(FLAGS.data_dir, "train")
    decay_steps = FLAGS.decay_steps or max(1, int(number / sum(sizes) * FLAGS.epochs_per_decay))
    trainer = Trainer(strategy, FLAGS, sum(sizes), decay_steps)
    with_summaries = importlib.util.find_spec("tensorboard") is not None
    if not with_summaries:
        print("no summaries: TensorBoard is not installed (pip install tensorboard)")
    if FLAGS.init_checkpoint:
        trainer.set_weights(tf.train.load_checkpoint(FLAGS.init_checkpoint).get_tensor)

    manager = restored(trainer)
    done = int(trainer.optimizer.iterations.numpy())
    if done:
        print(f"resuming at step {done} of {FLAGS.max_steps} (--noresume: start anew)")

    distort = bool(FLAGS.data_dir) if FLAGS.distort is None else FLAGS.distort
    batches = cifar10_input.training_batches(strategy, FLAGS.data_dir, sizes, FLAGS.seed, done, distort)
    train_steps = trainer.training_on(batches)
    sample = next(
        cifar10_input.training_batches(strategy, FLAGS.data_dir, sizes, FLAGS.seed, 0, False)
    )  # for summaries
    stopping = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    with tf.summary.create_file_writer(FLAGS.train_dir).as_default():  # TF1: tf.summary.FileWriter
        while done < FLAGS.max_steps and not stopping:
            start, started = time.time(), done
            periods = FLAGS.summary_every, FLAGS.checkpoint_every, FLAGS.eval_every
            done = min(FLAGS.max_steps, next_stop(done, FLAGS.log_every, *periods))
            losses = train_steps(done - started)
            if (done - 1) % FLAGS.log_every == 0:
                loss = float(losses[-1])  # waits for the steps
                duration = (time.time() - start) / (done - started)
                if np.isnan(loss):
                    raise FloatingPointError("Model diverged with loss = NaN")
                print(
                    f"{datetime.now()}: step {done - 1}, loss = {loss:.4f} "
                    f"({sum(sizes) / duration:.1f} examples/sec; {duration:.3f} sec/batch)", flush=True,
                )  # fmt: skip
            if with_summaries and done % FLAGS.summary_every == 0:
                trainer.summarise(done - 1, losses, *sample)
            if done % FLAGS.eval_every == 0 or done == FLAGS.max_steps:
                accuracy = trainer.evaluate(test_images)
                print(f"After {done} steps: accuracy = {accuracy:.4f} on the test images", flush=True)
                if with_summaries:
                    tf.summary.scalar("accuracy", accuracy, done - 1)
            if done % FLAGS.checkpoint_every == 0 or done == FLAGS.max_steps or stopping:
                manager.save(checkpoint_number=done)
    if stopping:
        raise SystemExit(f"stopped by a signal after step {done - 1}, which is saved in {FLAGS.train_dir}")
    trainer.averaged.save(os.path.join(FLAGS.train_dir, "model.keras"))  # noqa: PTH118 - train_dir may be gs://


def main(_: list[str]) -> None:
    """Train; without usable data, end with a message."""
    logging.set_verbosity(logging.WARNING)
    try:
        train()
    except trainer_data.DataError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    define_flags()
    app.run(main)
