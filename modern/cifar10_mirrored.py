"""Train the CIFAR-10 network on several GPUs: legacy/cifar10_towers.py's twin in TensorFlow 2 and Keras 3.

MirroredStrategy keeps a copy of the model on each device. Each step, every replica computes the loss and its
gradients on its part of the batch; the optimizer sums the gradients over the replicas, then applies them.

    python modern/cifar10_mirrored.py --num_gpus=2 --max_steps=200

Sections come in the order of the legacy script; comments marked "TF1:" name what a piece takes the place of.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from absl import app, flags, logging
from tqdm import tqdm

from tf2towers import data
from tf2towers.runtime.memory import keep_freed_memory

FLAGS = flags.FLAGS
Batches = Iterator[tuple[np.ndarray, np.ndarray]]

MOVING_AVERAGE_DECAY = 0.999  # for the moving average of the weights


def define_flags() -> None:
    """The legacy script's flags, then two of our own."""
    flags.DEFINE_integer("num_gpus", 2, "How many GPUs to use.")
    flags.DEFINE_string("gpu_ids", "", "The GPUs to use, as 0,2. Empty: 0 to num_gpus - 1.")
    flags.DEFINE_integer("batch_size", 32, "Images a replica takes in one step.")
    flags.DEFINE_integer("max_steps", 200, "Number of steps to run.")
    flags.DEFINE_float("learning_rate", 0.02, "Learning rate at the start.")
    flags.DEFINE_integer("decay_steps", 100, "Steps after which the learning rate drops.")
    flags.DEFINE_float("decay_rate", 0.1, "What the learning rate is multiplied by at each drop.")
    flags.DEFINE_float("momentum", 0.9, "Momentum. 0: plain gradient descent.")
    flags.DEFINE_boolean("batch_norm", False, "Train the variant with batch normalization.")
    flags.DEFINE_string("split_by_speed", "", "Relative speeds of the GPUs, as 1,2. Empty: equal parts.")
    flags.DEFINE_enum("input", "dataset", ["dataset", "feed"], "Distributed tf.data, or NumPy batches.")
    flags.DEFINE_string("data_dir", "", "Directory of the binary CIFAR-10. Empty: the embedded digits.")
    flags.DEFINE_alias("data-dir", "data_dir")
    flags.DEFINE_string("train_dir", "/tmp/cifar10_mirrored", "Where to write event logs and checkpoints.")
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")
    flags.DEFINE_integer("log_every", 10, "Steps between two log lines.")
    flags.DEFINE_integer("summary_every", 100, "Steps between two summaries.")
    flags.DEFINE_integer("checkpoint_every", 1000, "Steps between two checkpoints.")
    flags.DEFINE_boolean("log_device_placement", False, "Log where each op runs.")
    flags.DEFINE_boolean("resume", True, "Go on from the newest checkpoint in train_dir.")
    flags.DEFINE_boolean("jit", False, "Compile what each replica computes with XLA, which rounds otherwise.")
    flags.DEFINE_enum(
        "precision", "float32", ["float32", "bfloat16"], "What layers compute in; weights stay float32."
    )
    flags.DEFINE_string("init_checkpoint", "", "A legacy checkpoint to take the first weights from.")


def choose_devices(num_gpus: int, gpu_ids: str) -> list[str]:
    """TF1: tf.device('/gpu:%d') with allow_soft_placement. Without the GPUs: as many logical CPU devices."""
    ids = [int(gpu) for gpu in gpu_ids.split(",")] if gpu_ids else list(range(num_gpus))
    found = len(tf.config.list_physical_devices("GPU"))
    if max(ids) < found:
        return [f"/gpu:{gpu}" for gpu in ids]
    print(f"GPUs {ids} wanted, {found} found: training on {len(ids)} logical CPU devices")
    cpu = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < len(ids):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * len(ids))
    return [f"/cpu:{device}" for device in range(len(ids))]


def mirrored(devices: list[str]) -> tf.distribute.Strategy:
    """A replica on each device.

    CPUs share one memory: a ring of copies, which is right between GPUs, would cost a tenth of a small step.
    """
    to_one = tf.distribute.ReductionToOneDevice() if devices[0].startswith("/cpu") else None
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=to_one)


def split_sizes(split_by_speed: str, batch_size: int, replicas: int) -> list[int]:
    """How many images each replica takes: in proportion to the speeds, or equally."""
    if not split_by_speed:
        return [batch_size] * replicas
    speeds = [float(speed) for speed in split_by_speed.split(",")]
    if len(speeds) != replicas or min(speeds) <= 0:
        raise ValueError(f"--split_by_speed={split_by_speed}: need {replicas} positive numbers")
    bounds = np.rint(np.cumsum([0.0, *speeds]) / sum(speeds) * batch_size * replicas).astype(int)
    sizes = [int(size) for size in np.diff(bounds)]
    if min(sizes) < 1:
        raise ValueError(f"--split_by_speed={split_by_speed} leaves a replica without images: {sizes}")
    return sizes


def build_model(batch_norm: bool, seed: int) -> keras.Model:
    """TF1: cifar10_model.inference. Layers own variables and losses: no get_variable, reuse, collections."""
    normal = keras.initializers.TruncatedNormal  # of mean, stddev, seed

    def convolution(x: Any, filters: int, bias: float, number: int) -> Any:
        x = keras.layers.Conv2D(
            filters,
            kernel_size=5,
            padding="same",
            use_bias=not batch_norm,
            kernel_initializer=normal(0.0, 5e-2, seed + number),
            bias_initializer=keras.initializers.Constant(bias),
            name=f"conv{number}",
        )(x)
        if batch_norm:  # each replica normalizes with the statistics of its own part, as each tower did
            x = keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-3, name=f"conv{number}_norm")(x)
        x = keras.layers.ReLU()(x)
        return keras.layers.MaxPooling2D(3, 2, padding="same", name=f"pool{number}")(x)

    images = keras.Input((data.IMAGE_SIZE, data.IMAGE_SIZE, 3), name="images")
    x = convolution(images, 16, bias=0.0, number=1)
    x = convolution(x, 32, bias=0.1, number=2)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dense(
        96,
        activation="relu",
        kernel_initializer=normal(0.0, 0.04, seed + 3),
        bias_initializer=keras.initializers.Constant(0.1),
        kernel_regularizer=keras.regularizers.L2(0.004 / 2),  # TF1: 0.004 * l2_loss, and that is half the sum
        name="local3",
    )(x)
    last = normal(0.0, 1 / 96.0, seed + 4)
    logits = keras.layers.Dense(data.NUM_CLASSES, kernel_initializer=last, name="softmax_linear")(x)
    return keras.Model(images, logits)


def tf1_names(model: keras.Model) -> dict[str, Any]:
    """The model's variables by the names the legacy script gives them, as 'conv1/weights'."""
    renamed = {"kernel": "weights", "bias": "biases"}
    return {
        f"{layer.name.removesuffix('_norm')}/{renamed.get(variable.name, variable.name)}": variable
        for layer in model.layers
        for variable in layer.variables
    }


class FusedSGD(keras.optimizers.SGD):
    """Keras's SGD, with its momentum and its update in one operation a variable, where Keras has four."""

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Change one variable on one device. Keras calls this within `strategy.extended.update`."""
        if not self.momentum:
            super().update_step(gradient, variable, learning_rate)
            return
        tf.raw_ops.ResourceApplyKerasMomentum(
            var=variable.handle,
            accum=self.momentums[self._get_variable_index(variable)].value.handle,
            lr=tf.cast(learning_rate, variable.dtype),
            grad=gradient,
            momentum=tf.constant(self.momentum, variable.dtype),
        )


class Trainer:
    """The training state, made once under strategy.scope(), and the step that changes it."""

    def __init__(
        self, strategy: tf.distribute.Strategy, options: Any, global_batch_size: int, jit: bool = False
    ) -> None:
        self.strategy = strategy
        self.global_batch_size = global_batch_size
        # XLA compiles what is one replica's own; the sum over the replicas stays outside
        self.compute = tf.function(self.gradients, jit_compile=True) if jit else self.gradients
        with strategy.scope():  # TF1: tf.Graph().as_default(), tf.device('/cpu:0')
            self.model = build_model(options.batch_norm, options.seed)
            self.schedule = keras.optimizers.schedules.ExponentialDecay(
                options.learning_rate, options.decay_steps, options.decay_rate, staircase=True
            )
            # Its `iterations` are the global_step. Its momentum is TF1's until the learning rate changes:
            # TF1 applies today's rate to a sum of gradients, Keras sums steps, each at its own rate.
            self.optimizer = FusedSGD(self.schedule, momentum=options.momentum)
            self.optimizer.build(self.model.trainable_variables)
        # TF1: tf.train.ExponentialMovingAverage(0.999, global_step). No replica reads them: one copy, not mirrored.
        self.averages = [tf.Variable(v.numpy(), trainable=False) for v in self.model.trainable_variables]

    def set_weights(self, array: Callable[[str], np.ndarray]) -> None:
        """Start from the weights of the legacy script: `array` gives one by its name there."""
        for name, variable in tf1_names(self.model).items():
            variable.assign(array(name))
        for average, variable in zip(self.averages, self.model.trainable_variables, strict=True):
            average.assign(variable.value)

    def gradients(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """TF1: tower_loss and compute_gradients, what the loop built in each tower. Runs in each replica.

        Loss and gradients are this replica's share: their sum over the replicas is that of the whole batch.
        """
        with tf.GradientTape() as tape:
            logits = self.model(images, training=True)
            logits = tf.cast(logits, tf.float32)  # with --precision=bfloat16 they are not
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.add_n([tf.reduce_mean(cross_entropy), *self.model.losses])
            # TF1's average_gradients took a mean, the optimizer takes a sum. With equal parts the share is
            # 1 / replicas; with unequal parts every image counts the same, where in TF1 every tower did.
            loss *= tf.cast(tf.shape(images)[0], tf.float32) / self.global_batch_size
        return loss, tape.gradient(loss, [v.value for v in self.model.trainable_variables])

    def replica_step(self, images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """One step of one replica. A tf.function keeps the lines' order; TF1: tf.control_dependencies."""
        loss, gradients = self.compute(images, labels)
        # Sums over the replicas, then applies. TF1: average_gradients, opt.apply_gradients.
        self.optimizer.apply(gradients, self.model.trainable_variables)
        # TF1 ran the last tower's UPDATE_OPS. Each replica has moved its own statistics: all take the mean.
        if statistics := [v.value for v in self.model.non_trainable_variables]:
            means = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, statistics)
            for variable, mean in zip(statistics, means, strict=True):
                variable.assign(mean)
        return loss, gradients

    def update_averages(self) -> None:
        """TF1: variable_averages.apply. Once a step, of the first replica's variables."""
        step = tf.cast(self.optimizer.iterations.value, tf.float32)
        decay = tf.minimum(MOVING_AVERAGE_DECAY, (1.0 + step) / (10.0 + step))
        for average, variable in zip(self.averages, self.model.trainable_variables, strict=True):
            average.assign_sub((average - variable.value) * (1.0 - decay))

    @tf.function  # type: ignore[untyped-decorator]
    def train_step(self, images: Any, labels: Any) -> tuple[tf.Tensor, list[Any]]:
        """TF1: sess.run([train_op, mean_loss]). Also returns each replica's share of the gradients."""
        shares, gradients = self.strategy.run(self.replica_step, args=(images, labels))
        self.update_averages()
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, shares, axis=None), gradients

    def training_on(self, batches: Iterator[tuple[Any, Any]]) -> Callable[[], tf.Tensor]:
        """A function that makes a step on the next batch of a distributed dataset, and returns its loss.

        As iterator.get_next() of TF1, the taking is in the graph: no step waits for Python to hand out the pieces.
        Neither is the iterator handed in at each step, nor are the gradients handed out: that takes time as well.
        """

        def train_on_next() -> tf.Tensor:
            loss, _ = self.train_step(*next(batches))
            return loss

        function: Callable[[], tf.Tensor] = tf.function(train_on_next)
        return function

    def summarise(self, step: int, loss: float, gradients: list[Any]) -> None:
        """TF1: sess.run(summary_op), add_summary."""
        tf.summary.scalar("total_loss", loss, step=step)
        tf.summary.scalar("learning_rate", self.schedule(step), step=step)
        for name, variable in tf1_names(self.model).items():
            tf.summary.histogram(name, variable.numpy(), step=step)
        for variable, shares in zip(self.model.trainable_variables, gradients, strict=True):
            gradient = tf.add_n(self.strategy.experimental_local_results(shares))
            tf.summary.histogram(variable.path + "/gradients", gradient, step=step)


def distribute(strategy: tf.distribute.Strategy, batch: np.ndarray, sizes: list[int]) -> Any:
    """TF1: feed_dict and tf.split. Hands each replica its piece of a NumPy batch."""
    parts = np.split(batch, np.cumsum(sizes)[:-1])
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.convert_to_tensor(parts[context.replica_id_in_sync_group])
    )


def distributed_dataset(strategy: tf.distribute.Strategy, batches: Batches, sizes: list[int]) -> Any:
    """TF1: iterator.get_next() and tf.split. Replicas take elements in turn: one element is one's piece."""
    whole = sum(sizes)
    image_spec = tf.TensorSpec([whole, data.IMAGE_SIZE, data.IMAGE_SIZE, 3], tf.float32)
    dataset = tf.data.Dataset.from_generator(
        lambda: batches, output_signature=(image_spec, tf.TensorSpec([whole], tf.int32))
    )
    equal = len(set(sizes)) == 1
    dataset = dataset.rebatch(sizes[0] if equal else sizes, drop_remainder=equal)
    return strategy.distribute_datasets_from_function(lambda context: dataset.prefetch(2))


def train() -> None:
    """Make the state, then run it until --max_steps."""
    devices = choose_devices(FLAGS.num_gpus, FLAGS.gpu_ids)
    sizes = split_sizes(FLAGS.split_by_speed, FLAGS.batch_size, len(devices))
    global_batch_size = sum(sizes)
    train_images, train_labels = data.load(FLAGS.data_dir)
    tf.debugging.set_log_device_placement(FLAGS.log_device_placement)

    if FLAGS.precision != "float32":
        keras.mixed_precision.set_global_policy(f"mixed_{FLAGS.precision}")
    strategy = mirrored(devices)
    trainer = Trainer(strategy, FLAGS, global_batch_size, FLAGS.jit)
    with_summaries = importlib.util.find_spec("tensorboard") is not None
    if not with_summaries:
        print("no summaries: TensorBoard is not installed (pip install tensorboard)")
    if FLAGS.init_checkpoint:
        trainer.set_weights(tf.train.load_checkpoint(FLAGS.init_checkpoint).get_tensor)

    # TF1: tf.train.Saver. The optimizer's momentum and step, and the averages, are in the checkpoint as well.
    checkpoint = tf.train.Checkpoint(
        model=trainer.model, optimizer=trainer.optimizer, averages=trainer.averages
    )
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.train_dir, max_to_keep=5)
    if FLAGS.resume and manager.latest_checkpoint:
        try:
            checkpoint.restore(manager.latest_checkpoint).assert_consumed()
        except (AssertionError, ValueError):
            raise SystemExit(f"{manager.latest_checkpoint} is of another model; try --noresume") from None
    first = int(trainer.optimizer.iterations.numpy())
    if first:
        print(f"resuming at step {first} of {FLAGS.max_steps} (--noresume: start anew)")

    batches = data.batches(train_images, train_labels, global_batch_size, FLAGS.seed, start=first)
    train_batches: Iterator[tuple[Any, Any]]
    if FLAGS.input == "feed":
        train_batches = ((distribute(strategy, x, sizes), distribute(strategy, y, sizes)) for x, y in batches)
    else:
        train_batches = iter(distributed_dataset(strategy, batches, sizes))
    train_on_next = trainer.training_on(train_batches)
    with tf.summary.create_file_writer(FLAGS.train_dir).as_default():  # TF1: tf.summary.FileWriter
        steps = range(first, FLAGS.max_steps)
        progress = tqdm(steps, initial=first, total=FLAGS.max_steps, unit="step", disable=None)
        for step in progress:
            start_time = time.time()
            with_gradients = with_summaries and (step + 1) % FLAGS.summary_every == 0
            loss, gradients = (
                trainer.train_step(*next(train_batches))
                if with_gradients or FLAGS.input == "feed"
                else (train_on_next(), [])
            )
            loss_value = float(loss)
            duration = time.time() - start_time
            if np.isnan(loss_value):
                raise FloatingPointError("Model diverged with loss = NaN")
            if step % FLAGS.log_every == 0:
                examples_per_sec = global_batch_size / duration
                progress.write(
                    f"{datetime.now()}: step {step}, loss = {loss_value:.4f} "
                    f"({examples_per_sec:.1f} examples/sec; {duration:.3f} sec/batch)"
                )
            if with_gradients:
                trainer.summarise(step, loss_value, gradients)
            if (step + 1) % FLAGS.checkpoint_every == 0 or step + 1 == FLAGS.max_steps:
                manager.save(checkpoint_number=step + 1)


def main(_: list[str]) -> None:
    """Train; without usable data, end with a message."""
    logging.set_verbosity(logging.WARNING)
    keep_freed_memory()  # on CPUs: else the pages of a step's tensors are mapped anew in each step
    try:
        train()
    except data.DataError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    define_flags()
    app.run(main)
