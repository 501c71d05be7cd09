"""Train the CIFAR-10 network on several GPUs: legacy/cifar10_towers.py's twin in TensorFlow 2 and Keras.

MirroredStrategy keeps a copy of the model on each device. Each step, every replica computes the loss and its
gradients on its part of the batch; the optimizer sums the gradients over the replicas, then applies them.

    python modern/cifar10_mirrored.py --num_gpus=2 --max_steps=200

Comments marked "TF1:" name what a piece takes the place of. Beside it stand cifar10_input.py, cifar10_network.py,
devices.py, digits.py and precision.py.
"""

import importlib.util
import math
import signal
from datetime import datetime
from typing import Any

import cifar10_input
import devices
import keras
import numpy as np
import precision
import tensorflow as tf
from absl import app, flags, logging
from cifar10_network import inference

FLAGS = flags.FLAGS


def define_flags() -> None:
    """The legacy script's flags, and those of devices.py."""
    devices.define_flags()
    flags.DEFINE_integer("batch_size", 32, "Images a replica takes in one step.", lower_bound=1)
    flags.DEFINE_integer("max_steps", 200, "Number of steps to run.", lower_bound=1)
    flags.DEFINE_integer("log_every", 10, "Steps between two log lines, and in one call.", lower_bound=1)
    flags.DEFINE_integer("summary_every", 100, "Steps between two summaries.", lower_bound=1)
    flags.DEFINE_integer("checkpoint_every", 1000, "Steps between two, with evaluations.", lower_bound=1)
    flags.DEFINE_integer("decay_steps", 0, "Steps, not epochs, after which the rate drops.", lower_bound=0)
    flags.DEFINE_float("learning_rate", 0.02, "Learning rate at the start.")
    flags.DEFINE_float("epochs_per_decay", 350.0, "Epochs after which the learning rate drops.")
    flags.DEFINE_float("decay_rate", 0.1, "What the learning rate is multiplied by at each drop.")
    flags.DEFINE_float("momentum", 0.9, "Momentum. 0: plain gradient descent.", lower_bound=0.0)
    flags.DEFINE_boolean("batch_norm", False, "Train the variant with batch normalization.")
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")
    flags.DEFINE_string("data_dir", "", "Directory of the binary CIFAR-10. Empty: the digits.")
    flags.DEFINE_string("train_dir", "/tmp/cifar10_mirrored", "Where to write event logs and checkpoints.")


class Trainer:
    """The training state, made once under strategy.scope(), and the step that changes it."""

    def __init__(self, strategy: tf.distribute.Strategy, options: Any, decay_steps: int) -> None:
        self.strategy = strategy
        # XLA compiles the computation of one replica; the sum over the replicas stays outside
        self.compute = tf.function(self.gradients, jit_compile=True) if options.jit else self.gradients
        with strategy.scope():  # TF1: tf.Graph().as_default(), tf.device('/cpu:0')
            self.model = inference(options.batch_norm)
            rate = keras.optimizers.schedules.ExponentialDecay(
                options.learning_rate, decay_steps, options.decay_rate, staircase=True
            )
            # TF1's momentum applies today's rate to a sum of gradients; Keras's sums steps, each at its own rate.
            sgd = keras.optimizers.SGD(rate, momentum=options.momentum)
            self.optimizer = precision.LossScaleOptimizer(sgd) if options.precision == "float16" else sgd
            self.optimizer.build(self.model.trainable_variables)
            # TF1: tf.train.ExponentialMovingAverage(0.999, global_step): a model of its own, which is evaluated
            self.averaged = keras.models.clone_model(self.model)
            self.averaged.set_weights(self.model.get_weights())
            self.averaged.compile(None, metrics=["sparse_categorical_accuracy"], jit_compile=False)

    def gradients(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """TF1: tower_loss, compute_gradients. A replica's shares of loss and gradients: their sum is the mean."""
        with tf.GradientTape() as tape:
            logits = tf.cast(self.model(images, training=True), tf.float32)  # float16 would overflow
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            losses = [tf.reduce_mean(cross_entropy), *self.model.losses]  # Keras collects the regularizers'
            share = tf.add_n(losses) / self.strategy.num_replicas_in_sync
            scaled = self.optimizer.scale_loss(share)
        return share, tape.gradient(scaled, self.model.trainable_variables)

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """One step of one replica. A tf.function keeps the lines' order; TF1: tf.control_dependencies."""
        share, gradients = self.compute(images, labels)
        self.optimizer.apply(gradients)  # TF1: average_gradients, apply_gradients
        step = tf.cast(self.optimizer.iterations, tf.float32)  # TF1: variable_averages.apply
        decay = tf.minimum(0.999, (1.0 + step) / (10.0 + step))
        pairs = zip(self.averaged.trainable_variables, self.model.trainable_variables, strict=True)
        for average, variable in pairs:
            average.assign_sub((average - tf.convert_to_tensor(variable)) * (1.0 - decay))
        return share

    def train_step(self, batches: Any) -> tf.Tensor:
        """TF1: sess.run([train_op, mean_loss])."""
        shares = self.strategy.run(self.replica_step, args=next(batches))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, shares, axis=None)

    @tf.function
    def train_steps(self, batches: Any, count: tf.Tensor) -> tf.Tensor:
        """Several steps in one call, which costs as much as a small step; the last one's loss."""
        loss = self.train_step(batches)
        for _ in tf.range(count - 1):
            loss = self.train_step(batches)
        return loss

    def settle(self) -> None:
        """Merge the replicas' batch-norm statistics before they are read. TF1 had the last tower's."""
        devices.merge_statistics(self.model, self.strategy)
        pairs = zip(self.averaged.non_trainable_variables, self.model.non_trainable_variables, strict=True)
        for own, merged in pairs:
            own.assign(merged.value)

    def evaluate(self, images: np.ndarray, labels: np.ndarray) -> float:
        """TF1: cifar10_eval. The share of the images that the averaged weights classify correctly."""
        batches = (
            tf.data.Dataset.from_tensor_slices((images, labels)).batch(256).map(cifar10_input.standardized)
        )
        return self.averaged.evaluate(batches, verbose=0, return_dict=True)["sparse_categorical_accuracy"]


def train(strategy: tf.distribute.Strategy) -> None:
    """Make the state, then run it until --max_steps."""
    images, test_images = (cifar10_input.load(FLAGS.data_dir, split) for split in ("train", "test"))
    whole = FLAGS.batch_size * strategy.num_replicas_in_sync
    decay_steps = FLAGS.decay_steps or max(1, int(len(images[1]) / whole * FLAGS.epochs_per_decay))
    keras.utils.set_random_seed(FLAGS.seed)
    trainer = Trainer(strategy, FLAGS, decay_steps)
    # TF1: tf.train.Saver. The optimizer's momentum and step, and the averages, are in the checkpoint as well.
    parts = {"model": trainer.model, "optimizer": trainer.optimizer, "averages": trainer.averaged}
    checkpoint = tf.train.Checkpoint(**parts)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.train_dir, max_to_keep=5)
    if newest := manager.latest_checkpoint:
        try:
            checkpoint.restore(newest).assert_existing_objects_matched()
        except (AssertionError, ValueError):
            raise SystemExit(f"{newest} is of another model; use another --train_dir") from None
        print(f"resuming at step {precision.steps_made(trainer.optimizer)} of {FLAGS.max_steps}")
    done = precision.steps_made(trainer.optimizer)
    distort = bool(FLAGS.data_dir)  # the digits are not: a flipped 2 is not a 2
    batches = cifar10_input.training_batches(strategy, images, FLAGS.batch_size, FLAGS.seed, done, distort)
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    stop = False  # a signal after the decision to save ends the next call
    while done < FLAGS.max_steps and not stop:
        start, first = datetime.now(), done
        logged = done + 1 + -done % FLAGS.log_every  # step 0, as the first one, then every log_every
        saved, summarised = (done + n - done % n for n in (FLAGS.checkpoint_every, FLAGS.summary_every))
        done = min(FLAGS.max_steps, logged, saved, summarised)
        loss = float(trainer.train_steps(batches, tf.constant(done - first)))
        if not math.isfinite(loss):
            raise SystemExit(f"Model diverged with loss = {loss} at step {done - 1}")
        scalars = {"total_loss": loss, "learning_rate": trainer.optimizer.learning_rate}
        if done == logged:
            duration = (datetime.now() - start).total_seconds() / (done - first)
            speed = f"{whole / duration:.1f} examples/sec; {duration:.3f} sec/batch"
            print(f"{datetime.now()}: step {done - 1}, loss = {loss:.4f} ({speed})", flush=True)
        if (stop := bool(stopping)) or done in (saved, FLAGS.max_steps):
            trainer.settle()
            manager.save(checkpoint_number=done)
            scalars["accuracy"] = trainer.evaluate(*test_images)
            print(f"After {done} steps: accuracy = {scalars['accuracy']:.4f} on the test images", flush=True)
        if importlib.util.find_spec("tensorboard") and (done == summarised or "accuracy" in scalars):
            for name, value in scalars.items():  # TF1: tf.summary.FileWriter
                tf.summary.scalar(name, value, done - 1)
    if done < FLAGS.max_steps:
        raise SystemExit(f"stopped by a signal after step {done - 1}, which is saved in {FLAGS.train_dir}")
    trainer.averaged.save(f"{FLAGS.train_dir}/model.keras")


def main(_: list[str]) -> None:
    """Train on the devices that the flags name."""
    logging.set_verbosity(logging.WARNING)
    strategy = devices.mirrored(devices.choose_devices(FLAGS.num_gpus, FLAGS.devices))
    precision.set_policy(FLAGS.precision)
    with tf.summary.create_file_writer(FLAGS.train_dir).as_default():
        train(strategy)


if __name__ == "__main__":
    define_flags()
    app.run(main)
