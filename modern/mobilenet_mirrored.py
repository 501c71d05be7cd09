"""Train Keras's MobileNetV2 with MirroredStrategy, by `fit` or by a hand-written loop, and time its epochs.

Three configurations make the table: one device, all devices with the same total batch, all devices with that batch
each.

    python modern/mobilenet_mirrored.py                                           # the digits, 2 logical CPU devices
    python modern/mobilenet_mirrored.py --dataset=cats_vs_dogs,tf_flowers         # TensorFlow Datasets, all GPUs
    python modern/mobilenet_mirrored.py --data-dir=photos --configuration=scaled  # photos/KIND/*.jpg
    python modern/mobilenet_mirrored.py --loop=hand --devices=/gpu:0,/gpu:1 --all-reduce=hierarchical

The twin in towers: legacy/mobilenet_towers.py. Beside it stand devices.py, mobilenet_images.py, mobilenet_times.py and
trainer_data.py.
"""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import devices
import keras
import mobilenet_images
import mobilenet_times
import numpy as np
import tensorflow as tf
import trainer_data
from absl import app, flags, logging
from mobilenet_times import Times

FLAGS = flags.FLAGS
CONFIGURATIONS = ("one", "split", "scaled")
IMAGENET_CLASSES = 1000
ACCURACY = "sparse_categorical_accuracy"  # as Keras calls it
SUM = tf.distribute.ReduceOp.SUM


def define_flags() -> None:
    """The flags of devices.py, then those of the training. The defaults are the handbook's, but for the digits."""
    devices.define_flags()
    flags.DEFINE_list(
        "dataset", "digits", "digits, or names of TensorFlow Datasets: cats_vs_dogs,tf_flowers."
    )
    flags.DEFINE_string("data_dir", "", "A folder with a folder of JPEG files for each class, for --dataset.")
    flags.DEFINE_enum(
        "configuration", "all", ["all", *CONFIGURATIONS],
        "one: the first device, --batch_size images a step. split: all devices, --batch_size images in all. "
        "scaled: all devices, --batch_size images each. all: the three.",
    )  # fmt: skip
    flags.DEFINE_enum("loop", "fit", ["fit", "hand"], "Keras's fit, or the same steps written by hand.")
    flags.DEFINE_integer("num_epochs", 5, "How often to go through the images.", lower_bound=1)
    flags.DEFINE_integer(
        "batch_size", 64, "Images of a step; where scaled, of each replica's.", lower_bound=1
    )
    several = "Steps made in one call: this many, or the next smaller divisor of an epoch's."
    flags.DEFINE_integer("steps_per_call", 1, several, lower_bound=1)
    flags.DEFINE_float("learning_rate", 0.001, "Learning rate.")
    flags.DEFINE_integer("image_size", None, "Width of images; not set: 224, digits 32.", lower_bound=32)
    flags.DEFINE_float("alpha", None, "Width of the network; not set: 1.0, for the digits 0.35.")
    flags.DEFINE_string("weights", None, "imagenet, none, or a file; not set: imagenet, for the digits none.")
    flags.DEFINE_integer("max_images", 0, "Train on at most this many images. 0: all.")
    flags.DEFINE_float("validation_part", 0.0, "Evaluate on this part of the images; the digits have others.")
    where = "Where to write the table, and each training's model, summaries and checkpoints."
    flags.DEFINE_string("report_dir", "/tmp/mobilenet_mirrored", where)
    flags.DEFINE_integer("eval_every", 1, "Epochs between two evaluations, and checkpoints.", lower_bound=1)
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")
    for name in (
        "data_dir",
        "all_reduce",
        "batch_size",
        "num_epochs",
        "image_size",
        "max_images",
        "report_dir",
    ):
        flags.DEFINE_alias(name.replace("_", "-"), name)


def build_model(size: int, alpha: float, weights: str | None, classes: int) -> keras.Model:
    """MobileNetV2 of Keras; with the weights of ImageNet it keeps their 1000 classes."""
    rounded = FLAGS.precision != "float32"
    model = keras.applications.MobileNetV2(
        input_shape=(size, size, 3), alpha=alpha, weights=weights, classes=classes,
        classifier_activation=None if rounded else "softmax",
    )  # fmt: skip
    if not rounded:
        return model
    return keras.Model(model.inputs, keras.layers.Activation("softmax", dtype="float32")(model.outputs[0]))


class Progress(keras.callbacks.Callback):
    """Times each epoch, evaluates, prints a line, and saves a checkpoint. Both loops call it.

    `validation`: what to evaluate on, and the number of its steps; 0: there is nothing.
    """

    def __init__(self, title: str, manager: tf.train.CheckpointManager, validation: tuple[Any, int]) -> None:
        super().__init__()
        self.title, self.manager, self.validation = title, manager, validation
        self.epochs: list[tuple[float, float, float]] = []  # seconds, loss, accuracy

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Start the clock."""
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        """The training of an epoch is over: evaluation and checkpoints are not timed."""
        self.epochs.append((time.perf_counter() - self.start, logs["loss"], logs[ACCURACY]))
        seconds, loss, accuracy = self.epochs[-1]
        line = f"{self.title}, epoch {epoch + 1}: {seconds:.2f} s, "
        line += f"loss = {loss:.4f}, accuracy = {accuracy:.4f}"
        images, steps = self.validation
        if (epoch + 1) % FLAGS.eval_every == 0:
            if steps:
                found = self.model.evaluate(images, steps=steps, verbose=0, return_dict=True)
                logs |= {f"val_{name}": value for name, value in found.items()}
                line += f", on other images {found[ACCURACY]:.4f}"
            self.manager.save(checkpoint_number=epoch + 1)
        print(line, flush=True)


def train_by_fit(
    model: keras.Model, parts: Any, steps: int, done: int, progress: Progress, folder: Path
) -> None:
    """Keras finds the strategy that the model was made under."""
    callbacks = [progress]
    if importlib.util.find_spec("tensorboard") is not None:
        callbacks.append(keras.callbacks.TensorBoard(str(folder)))
    model.fit(
        parts, epochs=FLAGS.num_epochs, initial_epoch=done, steps_per_epoch=steps, verbose=0, shuffle=False,
        callbacks=callbacks,
    )  # fmt: skip


def make_train_step(
    strategy: tf.distribute.Strategy, model: keras.Model, jit: bool = False
) -> Callable[[Any, Any], tf.Tensor]:
    """A step of MirroredStrategy: the loss and the accuracy of a batch, before the weights change.

    The strategy makes six steps of it. The first is in `train`: a copy of the model on each device. The second is
    `mobilenet_images.cut`: each device gets its part of the batch. Here are the third to the fifth.
    """
    variables, optimizer = model.trainable_variables, model.optimizer
    share = 1.0 / strategy.num_replicas_in_sync

    def replica_gradients(images: tf.Tensor, labels: tf.Tensor) -> tuple[list[tf.Tensor], tf.Tensor]:
        """3: each device computes the gradients of its part of the batch, from its own copies of the variables.

        The mean loss of each part is divided by the number of parts. So the sum over the devices is the mean over the
        batch, of losses and of gradients. Each device normalizes by its own part, and keeps its own statistics.
        """
        with tf.GradientTape() as tape:
            probabilities = model(images, training=True)
            losses = keras.losses.sparse_categorical_crossentropy(labels, probabilities)
            loss = tf.reduce_mean(losses) * share
            scaled = devices.scaled(optimizer, loss)
        hits = keras.metrics.sparse_categorical_accuracy(labels, probabilities)
        gradients = devices.unscaled(optimizer, tape.gradient(scaled, variables))
        return gradients, tf.stack([loss, tf.reduce_mean(hits) * share])

    compute = tf.function(replica_gradients, jit_compile=True) if jit else replica_gradients

    def replica_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """Runs on every device."""
        gradients, results = compute(images, labels)
        # 4: all-reduce. The devices send their gradients to one another; then each has the sum of all.
        # 5: each device updates its own copies by that sum. So all copies stay equal, and no weights are sent.
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return results

    def train_step(images: Any, labels: Any) -> tf.Tensor:
        return strategy.reduce(SUM, strategy.run(replica_step, args=(images, labels)), axis=None)

    return train_step


def train_by_hand(
    model: keras.Model, parts: Any, steps: int, done: int, progress: Progress, at_once: int,
    strategy: tf.distribute.Strategy,
) -> None:  # fmt: skip
    """The same steps as in `fit`, with nothing hidden."""
    batches, train_step = iter(parts), make_train_step(strategy, model, FLAGS.jit)

    @tf.function
    def several_steps() -> tf.Tensor:
        """The sums of their losses and accuracies."""
        sums = tf.zeros(2)
        for _ in tf.range(at_once) if at_once > 1 else range(1):
            sums += train_step(
                *next(batches)
            )  # 6: the next step begins when all devices have updated their copies
        return sums

    progress.set_model(model)
    for epoch in range(done, FLAGS.num_epochs):
        progress.on_epoch_begin(epoch)
        sums = [several_steps() for _ in range(steps // at_once)]  # Python does not wait for them
        loss, accuracy = np.sum(sums, axis=0) / steps
        progress.on_epoch_end(epoch, {"loss": loss, ACCURACY: accuracy})


def restored(model: keras.Model, folder: Path) -> tuple[tf.train.CheckpointManager, int]:
    """Restore the newest checkpoint, if any; return its manager, and the number of epochs that are done."""
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    manager = tf.train.CheckpointManager(checkpoint, str(folder), max_to_keep=1)
    if not (newest := manager.latest_checkpoint):
        return manager, 0
    done = int(newest.rpartition("-")[2])
    try:
        checkpoint.restore(newest).assert_existing_objects_matched()
    except (AssertionError, ValueError):
        done = FLAGS.num_epochs
    if done >= FLAGS.num_epochs:
        raise SystemExit(f"{newest} is of another training; use another --report_dir")
    print(f"going on after epoch {done} of {FLAGS.num_epochs}")
    return manager, done


def train(dataset: str, configuration: str, strategy: tf.distribute.Strategy, first: str) -> Times:
    """One training from its first weights, timed."""
    small = dataset == "digits" and not FLAGS.data_dir
    weights = FLAGS.weights or ("none" if small else "imagenet")
    size, alpha = FLAGS.image_size or (32 if small else 224), FLAGS.alpha or (0.35 if small else 1.0)
    images = mobilenet_images.load(dataset, FLAGS.data_dir, FLAGS.validation_part, FLAGS.max_images)
    if configuration == "one":
        strategy = devices.alone(first)
    replicas = strategy.num_replicas_in_sync
    batch_size = FLAGS.batch_size * (replicas if configuration == "scaled" else 1)
    if batch_size % replicas:
        raise SystemExit(f"--batch_size={batch_size} is not a multiple of the number of replicas, {replicas}")
    steps = images.number // batch_size
    at_once = max(number for number in range(1, FLAGS.steps_per_call + 1) if steps % number == 0)

    random.seed(FLAGS.seed)  # Keras takes the seeds of its initializers from there
    with strategy.scope():  # 1: a copy of every variable on each device
        classes = IMAGENET_CLASSES if weights == "imagenet" else images.classes
        model = build_model(size, alpha, None if weights == "none" else weights, classes)
        model.compile(
            optimizer=devices.with_loss_scaling(keras.optimizers.Adam(FLAGS.learning_rate), FLAGS.precision),
            loss=keras.losses.sparse_categorical_crossentropy,
            metrics=[keras.metrics.sparse_categorical_accuracy],
            # some versions of Keras compile with XLA by themselves, which rounds otherwise
            jit_compile=FLAGS.jit and FLAGS.loop == "fit",
            steps_per_execution=at_once,
        )
        model.optimizer.build(model.trainable_variables)
    name = Path(FLAGS.data_dir).name if FLAGS.data_dir else dataset
    folder = Path(FLAGS.report_dir, f"{name}_{configuration}")
    folder.mkdir(parents=True, exist_ok=True)
    manager, done = restored(model, folder / "checkpoints")

    batches = mobilenet_images.batches(images, size, batch_size, FLAGS.num_epochs, FLAGS.seed, done)
    # the last few images, which the replicas could not share equally, are left out
    shared = int(images.validation.cardinality()) // replicas * replicas
    held = mobilenet_images.batched(images.validation.take(shared), size, batch_size)
    validation = mobilenet_images.cut(held, strategy), -(-shared // batch_size)
    progress = Progress(f"{name}, {configuration}", manager, validation)
    common = model, mobilenet_images.cut(batches, strategy), steps, done, progress
    if FLAGS.loop == "fit":
        train_by_fit(*common, folder)
    else:
        train_by_hand(*common, at_once, strategy)
    model.save(folder / "model.keras")
    if manager.checkpoints:
        tf.io.gfile.rmtree(str(folder / "checkpoints"))
    all_reduce = "" if configuration == "one" else FLAGS.all_reduce or "default"
    return Times(
        name, configuration, replicas, batch_size, all_reduce, FLAGS.loop, images.number,
        *map(list, zip(*progress.epochs, strict=True)),
    )  # fmt: skip


def main(_: list[str]) -> None:
    """Train in the configurations, then write their table."""
    logging.set_verbosity(logging.WARNING)
    chosen = devices.choose_devices(FLAGS.num_gpus, FLAGS.devices)
    print(f"devices: {', '.join(chosen)}")
    if FLAGS.configuration in ("split", "scaled"):
        devices.share_cores(chosen)
    strategy = devices.mirrored(chosen, FLAGS.all_reduce)
    devices.set_precision(FLAGS.precision)
    if FLAGS.jit and FLAGS.loop == "fit" and FLAGS.configuration != "one" and len(chosen) > 1:
        refused = (
            "--jit on several devices: Keras's fit compiles the sum over them as well, which XLA refuses"
        )
        raise SystemExit(f"{refused}; --loop=hand compiles what each device computes by itself")
    everything = []
    for dataset in FLAGS.dataset[:1] if FLAGS.data_dir else FLAGS.dataset:
        for configuration in CONFIGURATIONS if FLAGS.configuration == "all" else [FLAGS.configuration]:
            try:
                everything.append(train(dataset, configuration, strategy, chosen[0]))
            except trainer_data.DataError as error:
                raise SystemExit(str(error)) from error
            except Exception as error:  # what Keras raises where it cannot download ImageNet's weights
                if "URL fetch failure" not in str(error):
                    raise
                raise SystemExit(f"{error}; --weights=none: from random ones") from error
            keras.backend.clear_session()  # the last model's memory
    mobilenet_times.report(Path(FLAGS.report_dir), everything)


if __name__ == "__main__":
    define_flags()
    app.run(main)
