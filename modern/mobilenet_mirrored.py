"""Train Keras's MobileNetV2 with MirroredStrategy, by `fit` or by a hand-written loop, and time its epochs.

Three configurations make the table: one device without a strategy, all devices with the same total batch, all
devices with that batch each.

    python modern/mobilenet_mirrored.py                                           # the digits, 2 logical CPU devices
    python modern/mobilenet_mirrored.py --dataset=cats_vs_dogs,tf_flowers         # TensorFlow Datasets, all GPUs
    python modern/mobilenet_mirrored.py --data-dir=photos --configuration=scaled  # photos/KIND/*.jpg
    python modern/mobilenet_mirrored.py --loop=hand --devices=/gpu:0,/gpu:1 --all-reduce=hierarchical

The twin in towers: legacy/mobilenet_towers.py.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import mobilenet_images
import mobilenet_times
import numpy as np
import tensorflow as tf
from absl import app, flags, logging
from tqdm import tqdm

from tf2towers import data
from tf2towers.runtime.memory import keep_freed_memory

FLAGS = flags.FLAGS

CONFIGURATIONS = ("one", "split", "scaled")
IMAGENET_CLASSES = 1000
SUM = tf.distribute.ReduceOp.SUM

# What adds up the gradients. TensorFlow's own choice is CollectiveAllReduce: NCCL where all devices are GPUs, for it
# sends from GPU to GPU without the host, each getting all gradients at the cost of sending its own about twice;
# a ring through the host's memory where they are CPU devices; one device where they are mixed.
ALL_REDUCE: dict[str, Callable[[], tf.distribute.CrossDeviceOps]] = {
    "nccl": tf.distribute.NcclAllReduce,
    "hierarchical": tf.distribute.HierarchicalCopyAllReduce,  # for links as in a DGX-1: within groups, then between
    "one-device": tf.distribute.ReductionToOneDevice,  # all to one device, and back: what towers did
}


def define_flags() -> None:
    """The defaults are the values of the handbook's experiment; for the digits a small network is enough."""
    flags.DEFINE_list(
        "dataset", "digits", "digits, or names of TensorFlow Datasets, as cats_vs_dogs,tf_flowers."
    )
    flags.DEFINE_string("data_dir", "", "A folder with a folder of JPEG files for each class, for --dataset.")
    flags.DEFINE_enum(
        "configuration", "all", ["all", *CONFIGURATIONS],
        "one: one device, no strategy, --batch_size images a step. split: all devices, --batch_size images in all. "
        "scaled: all devices, --batch_size images each. all: the three.",
    )  # fmt: skip
    flags.DEFINE_list(
        "devices", "", "As /gpu:0,/gpu:1. Empty: all GPUs; if there is none, 2 logical CPU devices."
    )
    flags.DEFINE_integer("num_gpus", None, "The first so many GPUs: the same as --devices=/gpu:0,/gpu:1,...")
    flags.DEFINE_enum(
        "all_reduce", None, list(ALL_REDUCE), "What adds up gradients; not set: TensorFlow chooses."
    )
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
    flags.DEFINE_string(
        "report_dir", "/tmp/mobilenet_mirrored", "Where to write times.txt, times.csv, times.png."
    )
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


def choose_devices(names: list[str]) -> list[str]:
    """The devices to train on. Where a GPU is not there, and where there is none, logical CPU devices."""
    gpus = len(tf.config.list_physical_devices("GPU"))
    names = names or [f"/gpu:{number}" for number in range(gpus)] or ["/cpu:0", "/cpu:1"]
    numbers = [int(name.rpartition(":")[2]) for name in names]
    if all("gpu" in name.lower() for name in names):
        if max(numbers) < gpus:
            return names
        print(f"{', '.join(names)} wanted, {gpus} GPUs found: training on {len(names)} logical CPU devices")
        numbers = list(range(len(names)))
    cpu = tf.config.list_physical_devices("CPU")[0]
    wanted = max(numbers) + 1
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < wanted:
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * wanted)
    return [f"/cpu:{number}" for number in numbers]


def share_cores(replicas: int) -> None:
    """Gives each replica on the CPU its part of the cores: operations as small as these lose by more threads."""
    with contextlib.suppress(RuntimeError):  # TensorFlow has started, and keeps the threads it has
        tf.config.threading.set_intra_op_parallelism_threads(max(1, (os.cpu_count() or 1) // replicas))


def make_strategy(devices: list[str], all_reduce: str | None) -> tf.distribute.Strategy:
    """One for all trainings: two on the same devices would mix up their messages."""
    if all_reduce == "nccl" and not all("gpu" in device.lower() for device in devices):
        raise SystemExit("--all-reduce=nccl: NCCL is NVIDIA's, for GPUs alone")
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=all_reduce and ALL_REDUCE[all_reduce]())


def build_model(size: int, alpha: float, weights: str | None, classes: int) -> keras.Model:
    """The network as Keras has it; with the weights of ImageNet its 1000 classes stay."""
    return keras.applications.MobileNetV2(
        input_shape=(size, size, 3), alpha=alpha, weights=weights, classes=classes
    )


class Progress(keras.callbacks.Callback):
    """A bar over all steps; the seconds, loss and accuracy of each epoch. `fit` calls it, and so does the loop."""

    def __init__(self, title: str, steps: int) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self.losses: list[float] = []
        self.accuracies: list[float] = []
        self.title = title
        self.bar = tqdm(desc=title, total=steps, unit="step", disable=None)  # none where there is no terminal

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Start the clock."""
        self.start = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        """One step more. What it returns is not waited for."""
        self.bar.update()

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Stop the clock, and tell."""
        assert logs is not None
        self.seconds.append(time.perf_counter() - self.start)
        self.losses.append(logs["loss"])
        self.accuracies.append(logs["sparse_categorical_accuracy"])
        self.bar.write(
            f"{self.title}, epoch {epoch + 1}: {self.seconds[-1]:.2f} s, "
            f"loss = {self.losses[-1]:.4f}, accuracy = {self.accuracies[-1]:.4f}"
        )


def train_by_fit(
    model: keras.Model, batches: tf.data.Dataset, epochs: int, steps: int, progress: Progress
) -> None:
    """Keras finds the strategy that the model was made under, and cuts and distributes the batches itself."""
    model.fit(batches, epochs=epochs, steps_per_epoch=steps, verbose=0, shuffle=False, callbacks=[progress])


def make_train_step(strategy: tf.distribute.Strategy, model: keras.Model) -> Callable[..., Any]:
    """What MirroredStrategy does in a step, one by one. 1: every device has a copy of the model, see `train`."""
    variables, optimizer = model.trainable_variables, model.optimizer
    share = 1.0 / strategy.num_replicas_in_sync

    def replica_gradients(
        images: tf.Tensor, labels: tf.Tensor
    ) -> tuple[list[tf.Tensor], tf.Tensor, tf.Tensor]:
        """Runs on every device, on its own copies of the variables.

        Its loss is the mean over its part of the batch by the number of parts: the sum over the devices is the mean
        over the batch, and so are the gradients. Batch norm, too, sees this part alone, and each device moves
        statistics of its own.
        """
        with tf.GradientTape() as tape:
            probabilities = model(images, training=True)
            losses = keras.losses.sparse_categorical_crossentropy(labels, probabilities)
            loss = tf.reduce_mean(losses) * share
        hits = keras.metrics.sparse_categorical_accuracy(labels, probabilities)
        return tape.gradient(loss, [v.value for v in variables]), loss, tf.reduce_mean(hits) * share

    @tf.function  # type: ignore[untyped-decorator]
    def train_step(images: Any, labels: Any) -> tuple[tf.Tensor, tf.Tensor]:
        # 3: every device computes the gradients of its own part of the batch.
        gradients, losses, hits = strategy.run(replica_gradients, args=(images, labels))
        # 4: all-reduce. The devices exchange the gradients; then each has the sum of all of them.
        sums = strategy.extended.batch_reduce_to(
            SUM, [(gradient, variable.value) for gradient, variable in zip(gradients, variables, strict=True)]
        )
        # 5: every device updates its own copies by its own sum. They stay equal without being sent.
        optimizer.apply(sums, variables)
        return strategy.reduce(SUM, losses, axis=None), strategy.reduce(SUM, hits, axis=None)

    return train_step


def train_by_hand(
    strategy: tf.distribute.Strategy,
    model: keras.Model,
    batches: tf.data.Dataset,
    epochs: int,
    steps: int,
    progress: Progress,
) -> None:
    """The same as `fit`, with nothing hidden."""
    train_step = make_train_step(strategy, model)
    # 2: each batch is cut into as many parts as there are devices, and each part is sent to its device.
    parts = iter(strategy.experimental_distribute_dataset(batches))
    for epoch in range(epochs):
        progress.on_epoch_begin(epoch)
        results = []
        for step in range(steps):
            # 6: the next step reads what this one has written, on each device: all have been updated before it.
            results.append(train_step(*next(parts)))
            progress.on_train_batch_end(step)
        loss, accuracy = np.mean(results, axis=0)
        progress.on_epoch_end(epoch, {"loss": loss, "sparse_categorical_accuracy": accuracy})


def train(dataset: str, configuration: str, strategy: tf.distribute.Strategy) -> mobilenet_times.Times:
    """One training from its first weights, timed."""
    small = dataset == "digits" and not FLAGS.data_dir
    weights = FLAGS.weights or ("none" if small else "imagenet")
    size, alpha = FLAGS.image_size or (32 if small else 224), FLAGS.alpha or (0.35 if small else 1.0)
    images = mobilenet_images.load(dataset, FLAGS.data_dir)
    if FLAGS.max_images and FLAGS.max_images < images.number:
        images = images._replace(dataset=images.dataset.take(FLAGS.max_images), number=FLAGS.max_images)

    if configuration == "one":
        strategy = tf.distribute.get_strategy()  # the one that stands for none
    replicas = strategy.num_replicas_in_sync
    batch_size = FLAGS.batch_size * (replicas if configuration == "scaled" else 1)
    if batch_size < replicas:
        raise SystemExit(f"--batch_size={batch_size} leaves one of {replicas} replicas without images")
    batches = mobilenet_images.batches(images, size, batch_size, FLAGS.num_epochs, FLAGS.seed)
    steps = images.number // batch_size

    random.seed(FLAGS.seed)  # Keras takes the seeds of its initializers from there
    with strategy.scope():  # 1: a copy of every variable on each device
        classes = IMAGENET_CLASSES if weights == "imagenet" else images.classes
        try:
            model = build_model(size, alpha, None if weights == "none" else weights, classes)
        except Exception as error:  # what Keras raises where it cannot download
            if "URL fetch failure" not in str(error):
                raise
            raise SystemExit(f"{error}; --weights=none: from random ones") from error
        model.compile(
            optimizer=keras.optimizers.Adam(FLAGS.learning_rate),
            loss=keras.losses.sparse_categorical_crossentropy,
            metrics=[keras.metrics.sparse_categorical_accuracy],
            jit_compile=False,  # some versions of Keras compile with XLA by themselves; it rounds otherwise
        )
        model.optimizer.build(model.trainable_variables)
    name = Path(FLAGS.data_dir).name if FLAGS.data_dir else dataset
    all_reduce = "" if configuration == "one" else FLAGS.all_reduce or "default"
    progress = Progress(f"{name}, {configuration}", FLAGS.num_epochs * steps)
    with contextlib.closing(progress.bar):
        if FLAGS.loop == "fit":
            train_by_fit(model, batches, FLAGS.num_epochs, steps, progress)
        else:
            train_by_hand(strategy, model, batches, FLAGS.num_epochs, steps, progress)
    return mobilenet_times.Times(
        name, configuration, replicas, batch_size, all_reduce, FLAGS.loop, images.number,
        progress.seconds, progress.losses, progress.accuracies,
    )  # fmt: skip


def main(_: list[str]) -> None:
    """Train in the configurations, then write their table."""
    logging.set_verbosity(logging.WARNING)
    keep_freed_memory()  # on CPUs: else the pages of a step's tensors are mapped anew in each step
    devices = choose_devices(FLAGS.devices or [f"/gpu:{number}" for number in range(FLAGS.num_gpus or 0)])
    print(f"devices: {', '.join(devices)}")
    if FLAGS.configuration != "one" and "cpu" in devices[0].lower():
        share_cores(len(devices))
    strategy = make_strategy(devices, FLAGS.all_reduce)
    everything = []
    for dataset in FLAGS.dataset[:1] if FLAGS.data_dir else FLAGS.dataset:
        for configuration in CONFIGURATIONS if FLAGS.configuration == "all" else [FLAGS.configuration]:
            try:
                everything.append(train(dataset, configuration, strategy))
            except data.DataError as error:
                raise SystemExit(str(error)) from error
            keras.backend.clear_session()  # the last model's memory
    report = Path(FLAGS.report_dir)
    report.mkdir(parents=True, exist_ok=True)
    text = mobilenet_times.table(everything)
    (report / "times.txt").write_text(text + "\n", encoding="utf-8")
    mobilenet_times.write_csv(report / "times.csv", everything)
    pictured = mobilenet_times.write_picture(report / "times.png", everything)
    print(text)
    print(f"{report}: times.txt, times.csv{', times.png' if pictured else '; no picture without Matplotlib'}")


if __name__ == "__main__":
    define_flags()
    app.run(main)
