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

FLAGS = flags.FLAGS
CONFIGURATIONS = ("one", "split", "scaled")
IMAGENET_CLASSES = 1000
SUM = tf.distribute.ReduceOp.SUM


def define_flags() -> None:
    """The flags of devices.py, and the handbook's values as defaults; a small network is enough for the digits."""
    devices.define_flags()
    flags.DEFINE_list(
        "dataset", "digits", "digits, or names of TensorFlow Datasets, as cats_vs_dogs,tf_flowers."
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
        "batch_size", 64, "Images in a step, or where scaled in a step of a replica.", lower_bound=1
    )
    flags.DEFINE_float("learning_rate", 0.001, "Learning rate.")
    flags.DEFINE_integer(
        "image_size", None, "Width of the images; not set: 224, of the digits 32.", lower_bound=32
    )
    flags.DEFINE_float("alpha", None, "Width of the network; not set: 1.0, for the digits 0.35.")
    flags.DEFINE_string("weights", None, "imagenet, none, or a file; not set: imagenet, for the digits none.")
    flags.DEFINE_integer("max_images", 0, "Train on so many of the images. 0: all.")
    flags.DEFINE_float("validation_part", 0.0, "Evaluate on so much of the images; the digits have others.")
    where = "Where to write the table, and of each training its model, summaries, and what it goes on from."
    flags.DEFINE_string("report_dir", "/tmp/mobilenet_mirrored", where)
    flags.DEFINE_integer("eval_every", 1, "Epochs between two evaluations, and checkpoints.", lower_bound=1)
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")
    aliased = ["data_dir", "all_reduce", "batch_size", "num_epochs", "image_size", "max_images", "report_dir"]
    for name in aliased:
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
    """Notes seconds, loss and accuracy of each epoch, and saves some. `fit` and the hand-written loop call it."""

    def __init__(self, title: str, manager: tf.train.CheckpointManager) -> None:
        super().__init__()
        self.title, self.manager = title, manager
        self.seconds: list[float] = []
        self.losses: list[float] = []
        self.accuracies: list[float] = []

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Starts the clock."""
        self.start, self.end = time.perf_counter(), 0.0

    def on_test_begin(self, logs: dict[str, float] | None = None) -> None:
        """Stops the clock: an evaluation is no training."""
        self.end = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Prints the epoch's results; saves a checkpoint if one is due."""
        assert logs is not None
        self.seconds.append((self.end or time.perf_counter()) - self.start)
        self.losses.append(logs["loss"])
        self.accuracies.append(logs["sparse_categorical_accuracy"])
        evaluated = logs.get("val_sparse_categorical_accuracy")
        print(
            f"{self.title}, epoch {epoch + 1}: {self.seconds[-1]:.2f} s, "
            f"loss = {self.losses[-1]:.4f}, accuracy = {self.accuracies[-1]:.4f}"
            + (f", on other images {evaluated:.4f}" if evaluated is not None else ""),
            flush=True,
        )
        if (epoch + 1) % FLAGS.eval_every == 0:
            self.manager.save(checkpoint_number=epoch + 1)


def train_by_fit(
    model: keras.Model, parts: Any, validation: Any, steps: int, done: int, progress: Progress, folder: Path
) -> None:
    """Trains by `fit`, which takes the strategy under whose scope the model was made."""
    (held, held_steps), callbacks = validation, [progress]
    if importlib.util.find_spec("tensorboard") is not None:
        callbacks.append(keras.callbacks.TensorBoard(str(folder)))
    model.fit(
        parts, epochs=FLAGS.num_epochs, initial_epoch=done, steps_per_epoch=steps, verbose=0, shuffle=False,
        callbacks=callbacks, validation_data=held, validation_steps=held_steps, validation_freq=FLAGS.eval_every,
    )  # fmt: skip


def make_train_step(
    strategy: tf.distribute.Strategy, model: keras.Model, jit: bool = False
) -> Callable[..., Any]:
    """MirroredStrategy's step, in six parts. 1: `train`, a copy of the model a device. 2: `mobilenet_images.cut`."""
    variables, optimizer = model.trainable_variables, model.optimizer
    share = 1.0 / strategy.num_replicas_in_sync

    def replica_gradients(
        images: tf.Tensor, labels: tf.Tensor
    ) -> tuple[list[tf.Tensor], tf.Tensor, tf.Tensor]:
        """3: every device computes the gradients of its own part of the batch, on its own copies of the variables.

        Its loss is the mean over its part of the batch by the number of parts. The sum over the devices is the mean
        over the batch, and so are the gradients. Batch norm, too, sees this part alone, and each device moves
        statistics of its own.
        """
        with tf.GradientTape() as tape:
            probabilities = model(images, training=True)
            losses = keras.losses.sparse_categorical_crossentropy(labels, probabilities)
            loss = tf.reduce_mean(losses) * share
            scaled = devices.scaled(optimizer, loss)
        hits = keras.metrics.sparse_categorical_accuracy(labels, probabilities)
        gradients = devices.unscaled(optimizer, tape.gradient(scaled, variables))
        return gradients, loss, tf.reduce_mean(hits) * share

    compute = tf.function(replica_gradients, jit_compile=True) if jit else replica_gradients

    def replica_step(images: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Runs on every device."""
        gradients, loss, hits = compute(images, labels)
        # 4: all-reduce. The devices exchange the gradients; then each has the sum of all of them.
        # 5: every device updates its own copies by its own sum. They stay equal without being sent.
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss, hits

    @tf.function
    def train_step(images: Any, labels: Any) -> tuple[tf.Tensor, tf.Tensor]:
        losses, hits = strategy.run(replica_step, args=(images, labels))
        return strategy.reduce(SUM, losses, axis=None), strategy.reduce(SUM, hits, axis=None)

    return train_step


def train_by_hand(
    model: keras.Model, parts: Any, validation: Any, steps: int, done: int, progress: Progress,
    strategy: tf.distribute.Strategy,
) -> None:  # fmt: skip
    """The same steps as in `fit`, with nothing hidden."""
    train_step = make_train_step(strategy, model, FLAGS.jit)
    (held, held_steps), batches = validation, iter(parts)
    for epoch in range(done, FLAGS.num_epochs):
        progress.on_epoch_begin(epoch)
        # 6: the next step reads what this one has written, on each device: all have been updated before it.
        results = [train_step(*next(batches)) for _ in range(steps)]
        loss, accuracy = np.mean(results, axis=0)
        logs = {"loss": loss, "sparse_categorical_accuracy": accuracy}
        progress.on_test_begin()
        if held_steps and (epoch + 1) % FLAGS.eval_every == 0:
            evaluated = model.evaluate(held, steps=held_steps, verbose=0, return_dict=True)
            logs["val_sparse_categorical_accuracy"] = evaluated["sparse_categorical_accuracy"]
        progress.on_epoch_end(epoch, logs)


def restored(model: keras.Model, folder: Path) -> tuple[tf.train.CheckpointManager, int]:
    """The checkpoint manager, and the number of whole epochs that an earlier, interrupted training has made."""
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


def train(
    dataset: str, configuration: str, strategy: tf.distribute.Strategy, first: str
) -> mobilenet_times.Times:
    """One training from its first weights, timed."""
    small = dataset == "digits" and not FLAGS.data_dir
    weights = FLAGS.weights or ("none" if small else "imagenet")
    size, alpha = FLAGS.image_size or (32 if small else 224), FLAGS.alpha or (0.35 if small else 1.0)
    images = mobilenet_images.load(dataset, FLAGS.data_dir, FLAGS.validation_part)
    if FLAGS.max_images and FLAGS.max_images < images.number:
        images = images._replace(dataset=images.dataset.take(FLAGS.max_images), number=FLAGS.max_images)

    if configuration == "one":
        strategy = devices.alone(first)
    replicas = strategy.num_replicas_in_sync
    batch_size = FLAGS.batch_size * (replicas if configuration == "scaled" else 1)
    if batch_size < replicas:
        raise SystemExit(f"--batch_size={batch_size} leaves one of {replicas} replicas without images")
    batches = mobilenet_images.batches(images, size, batch_size, FLAGS.num_epochs, FLAGS.seed)
    steps = images.number // batch_size
    validation = None, 0
    if images.validation and int(images.validation.cardinality()) >= replicas:
        resized = images.validation.map(mobilenet_images.resize(size), tf.data.AUTOTUNE)
        validation = mobilenet_images.cut_equally(resized, batch_size, strategy)

    random.seed(FLAGS.seed)  # Keras takes the seeds of its initializers from there
    with strategy.scope():  # 1: a copy of every variable on each device
        classes = IMAGENET_CLASSES if weights == "imagenet" else images.classes
        try:
            model = build_model(size, alpha, None if weights == "none" else weights, classes)
        except Exception as error:  # Keras raises this if it cannot download
            if "URL fetch failure" not in str(error):
                raise
            raise SystemExit(f"{error}; --weights=none: from random ones") from error
        model.compile(
            optimizer=devices.with_loss_scaling(keras.optimizers.Adam(FLAGS.learning_rate), FLAGS.precision),
            loss=keras.losses.sparse_categorical_crossentropy,
            metrics=[keras.metrics.sparse_categorical_accuracy],
            # some versions of Keras compile with XLA by themselves, which rounds otherwise
            jit_compile=FLAGS.jit and FLAGS.loop == "fit",
        )
        model.optimizer.build(model.trainable_variables)
    name = Path(FLAGS.data_dir).name if FLAGS.data_dir else dataset
    all_reduce = "" if configuration == "one" else FLAGS.all_reduce or "default"
    folder = Path(FLAGS.report_dir, f"{name}_{configuration}")
    folder.mkdir(parents=True, exist_ok=True)
    manager, done = restored(model, folder / "checkpoints")
    progress = Progress(f"{name}, {configuration}", manager)
    parts = mobilenet_images.cut(batches.skip(done * steps), batch_size, strategy)
    common = model, parts, validation, steps, done, progress
    if FLAGS.loop == "fit":
        train_by_fit(*common, folder)
    else:
        train_by_hand(*common, strategy)
    model.save(folder / "model.keras")
    if manager.checkpoints:
        tf.io.gfile.rmtree(str(folder / "checkpoints"))
    return mobilenet_times.Times(
        name, configuration, replicas, batch_size, all_reduce, FLAGS.loop, images.number,
        progress.seconds, progress.losses, progress.accuracies,
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
        raise SystemExit(
            "--jit on several devices: Keras's fit compiles the sum over them as well, which XLA refuses; "
            "--loop=hand compiles what each device computes by itself"
        )
    everything = []
    for dataset in FLAGS.dataset[:1] if FLAGS.data_dir else FLAGS.dataset:
        for configuration in CONFIGURATIONS if FLAGS.configuration == "all" else [FLAGS.configuration]:
            try:
                everything.append(train(dataset, configuration, strategy, chosen[0]))
            except trainer_data.DataError as error:
                raise SystemExit(str(error)) from error
            keras.backend.clear_session()  # frees the memory of the last model
    report = Path(FLAGS.report_dir)
    text = mobilenet_times.table(everything)
    (report / "times.txt").write_text(text + "\n", encoding="utf-8")
    mobilenet_times.write_csv(report / "times.csv", everything)
    pictured = mobilenet_times.write_picture(report / "times.png", everything)
    print(text)
    print(f"{report}: times.txt, times.csv{', times.png' if pictured else '; no picture without Matplotlib'}")


if __name__ == "__main__":
    define_flags()
    app.run(main)
