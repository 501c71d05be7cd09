"""Train Keras's MobileNetV2 with MirroredStrategy, by `fit` or by a hand-written loop, and time its epochs.

Three configurations make the table: one device, all with the same total batch, all with that batch each.

    python modern/mobilenet_mirrored.py                                           # the digits, 2 logical CPU devices
    python modern/mobilenet_mirrored.py --dataset=cats_vs_dogs,tf_flowers         # TensorFlow Datasets, all GPUs
    python modern/mobilenet_mirrored.py --data_dir=photos --configuration=scaled  # photos/KIND/*.jpg
    python modern/mobilenet_mirrored.py --loop=hand --devices=/gpu:0,/gpu:1 --all_reduce=hierarchical

The twin in towers: legacy/mobilenet_towers.py. Beside it stand devices.py, digits.py, mobilenet_images.py and
precision.py.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import importlib.util
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import devices
import keras
import mobilenet_images
import precision
import tensorflow as tf
from absl import app, flags, logging

FLAGS = flags.FLAGS
CONFIGURATIONS = ("one", "split", "scaled")
#: What may take the place of the default all-reduce. docs/mobilenet.md says when to choose which.
ALL_REDUCE = {
    "nccl": tf.distribute.NcclAllReduce,
    "hierarchical": tf.distribute.HierarchicalCopyAllReduce,
    "one-device": tf.distribute.ReductionToOneDevice,
}
ACCURACY = "sparse_categorical_accuracy"  # as Keras calls it


def define_flags() -> None:
    """The flags of devices.py, then those of the training. The defaults are the handbook's, but for the digits."""
    devices.define_flags()
    flags.DEFINE_enum(
        "all_reduce", None, list(ALL_REDUCE), "What adds up gradients. Not set: see devices.py."
    )
    flags.DEFINE_list(
        "dataset", "digits", "digits, or names of TensorFlow Datasets: cats_vs_dogs,tf_flowers."
    )
    flags.DEFINE_string("data_dir", "", "A folder with a folder of JPEG files for each class, for --dataset.")
    kinds = "one: the first device, --batch_size images. split: all devices, as many in all. scaled: as many each."
    flags.DEFINE_enum("configuration", "all", ["all", *CONFIGURATIONS], kinds)
    flags.DEFINE_enum("loop", "fit", ["fit", "hand"], "Keras's fit, or the same steps written by hand.")
    flags.DEFINE_integer("num_epochs", None, "Not set: 5, digits 30.", lower_bound=1)
    flags.DEFINE_integer(
        "batch_size", 64, "Images of a step; where scaled, of each replica's.", lower_bound=1
    )
    flags.DEFINE_float("learning_rate", None, "Not set: 0.001; digits 0.006, which falls to 0 by a cosine.")
    flags.DEFINE_integer("image_size", None, "Width of images; not set: 224, digits 32.", lower_bound=32)
    flags.DEFINE_float("alpha", None, "Width of the network; not set: 1.0, digits 0.35.")
    flags.DEFINE_string("weights", None, "imagenet, none, or a file; not set: imagenet, digits none.")
    flags.DEFINE_integer("max_images", 0, "Train on at most this many images. 0: all.", lower_bound=0)
    flags.DEFINE_float("validation_part", 0.0, "Evaluate on this part of the images; the digits have others.")
    flags.DEFINE_integer("eval_every", 1, "Epochs between two evaluations.", lower_bound=1)
    flags.DEFINE_string(
        "report_dir", "/tmp/mobilenet_mirrored", "Where to write the table and each training."
    )
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")


def build_model(size: int, alpha: float, weights: str | None, classes: int) -> keras.Model:
    """MobileNetV2 of Keras; with the weights of ImageNet it keeps their 1000 classes."""
    shape, classes = (size, size, 3), 1000 if weights == "imagenet" else classes
    model = keras.applications.MobileNetV2(
        shape, alpha, weights=weights, classes=classes, classifier_activation=None
    )
    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.momentum = 0.9  # of Keras's 0.999, 115 steps would leave 89 % of the first statistics
    softmax = keras.layers.Activation("softmax", dtype="float32")  # in every precision
    return keras.Model(model.inputs, softmax(model.outputs[0]))


class Watch(keras.callbacks.BackupAndRestore):
    """Saves after each epoch, and after the step in which a SIGTERM comes; times the epochs and prints a line of each.

    Both loops call it. It restores as it is made, because the batches to come depend on the steps that are made.
    """

    def __init__(self, title: str, folder: Path, model: keras.Model, strategy: Any, steps: int) -> None:
        super().__init__(str(folder), delete_checkpoint=False)
        self.title, self.strategy, self.steps, self.signals = title, strategy, steps, []
        signal.signal(signal.SIGTERM, lambda number, _: self.signals.append(number))
        self.set_model(model)
        self.on_train_begin()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Start the clock."""
        self.start = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Of an epoch the last one counts. After a signal, save the whole epochs; the optimizer counts steps."""
        self.seconds = time.perf_counter() - self.start
        if self.signals:
            made = precision.steps_made(self.model.optimizer)
            devices.merge_statistics(self.model, self.strategy)
            super().on_epoch_end(made // self.steps - 1)
            raise SystemExit(f"stopped by a signal after step {made}, which is saved in {self.backup_dir}")

    def on_test_begin(self, logs: Any = None) -> None:
        """An evaluation reads the statistics."""
        devices.merge_statistics(self.model, self.strategy)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Save; evaluation and backup are not timed."""
        logs["seconds"] = self.seconds
        unseen = f", on other images {logs['val_' + ACCURACY]:.4f}" if f"val_{ACCURACY}" in logs else ""
        line = f"{self.title}, epoch {epoch + 1}: {self.seconds:.2f} s, loss = {logs['loss']:.4f}"
        print(f"{line}, accuracy = {logs[ACCURACY]:.4f}{unseen}", flush=True)
        devices.merge_statistics(self.model, self.strategy)
        super().on_epoch_end(epoch, logs)


def make_train_step(
    strategy: tf.distribute.Strategy, model: keras.Model, jit: bool
) -> Callable[..., tf.Tensor]:
    """A step of MirroredStrategy: the loss and the accuracy of a batch, before the weights change.

    The strategy makes six steps of it. The first is in `train`: a copy of the model on each device. The second is
    `mobilenet_images.cut`: each device gets its part of the batch.
    """
    variables, optimizer = model.trainable_variables, model.optimizer

    def gradients_and_results(images: tf.Tensor, labels: tf.Tensor) -> tuple[list[tf.Tensor], tf.Tensor]:
        """3: each device computes the gradients of its part of the batch, from its own copies of the variables."""
        with tf.GradientTape() as tape:
            probabilities = model(images, training=True)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, probabilities))
            # The optimizer adds up the devices' gradients, where TF1's average_gradients took a mean: of shares the
            # sum is the mean.
            share = loss / strategy.num_replicas_in_sync
            scaled = optimizer.scale_loss(share)
        hits = tf.reduce_mean(keras.metrics.sparse_categorical_accuracy(labels, probabilities))
        return tape.gradient(scaled, variables), tf.stack([loss, hits])

    compute = tf.function(gradients_and_results, jit_compile=True) if jit else gradients_and_results

    def replica_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        gradients, results = compute(images, labels)
        # 4: all-reduce. The devices send their gradients to one another; then each has the sum of all.
        # 5: each device updates its own copies by that sum. So all copies stay equal, and no weights are sent.
        optimizer.apply(gradients, variables)
        return results

    @tf.function
    def train_step(batches: Any) -> tf.Tensor:
        results = strategy.run(replica_step, args=next(batches))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, results, axis=None)

    return train_step


def fit_by_hand(
    model: keras.Model, batches: Any, initial_epoch: int, epochs: int, steps_per_epoch: int, validation_data: Any,
    validation_steps: int, validation_freq: int, callbacks: list[Any], verbose: int, shuffle: bool = False,
) -> None:  # fmt: skip
    """The same as `model.fit`, with nothing hidden."""
    batches, train_step = iter(batches), make_train_step(model.distribute_strategy, model, FLAGS.jit)
    watch = keras.callbacks.CallbackList(
        callbacks, add_progbar=verbose > 0, model=model, epochs=epochs, steps=steps_per_epoch, verbose=verbose
    )
    watch.on_train_begin()
    for epoch in range(initial_epoch, epochs):
        watch.on_epoch_begin(epoch)
        sums = tf.zeros(2)
        for step in range(steps_per_epoch):
            sums += train_step(batches)  # 6: the next step begins when all devices have updated their copies
            watch.on_train_batch_end(step)
        logs = dict(zip(("loss", ACCURACY), (sums / steps_per_epoch).numpy().tolist(), strict=True))
        if validation_data is not None and (epoch + 1) % validation_freq == 0:
            options = {"steps": validation_steps, "verbose": 0, "callbacks": watch, "return_dict": True}
            found = model.evaluate(validation_data, **options)
            logs |= {f"val_{name}": value for name, value in found.items()}
        watch.on_epoch_end(epoch, logs)
    watch.on_train_end()


def train(dataset: str, configuration: str, strategy: tf.distribute.Strategy, first: str) -> None:
    """One training from its first weights, or from where it was cut off."""
    small = dataset == "digits" and not FLAGS.data_dir
    weights = FLAGS.weights or ("none" if small else "imagenet")
    size, alpha = FLAGS.image_size or (32 if small else 224), FLAGS.alpha or (0.35 if small else 1.0)
    images = mobilenet_images.load(dataset, FLAGS.data_dir, FLAGS.validation_part, FLAGS.max_images)
    if (
        configuration == "one"
    ):  # without copies and sums; where there is nothing to choose, without a strategy
        only = first == "/cpu:0" and not tf.config.list_physical_devices("GPU")
        strategy = tf.distribute.get_strategy() if only else tf.distribute.OneDeviceStrategy(first)
    replicas = strategy.num_replicas_in_sync
    batch_size = FLAGS.batch_size * (replicas if configuration == "scaled" else 1)
    if batch_size % replicas:
        raise SystemExit(f"--batch_size={batch_size} is not a multiple of the number of replicas, {replicas}")

    epochs = FLAGS.num_epochs or (30 if small else 5)
    steps = mobilenet_images.steps_of(images, batch_size)
    rate = FLAGS.learning_rate or 0.001
    if small and FLAGS.learning_rate is None:
        rate = keras.optimizers.schedules.CosineDecay(0.006, steps * epochs)
    keras.utils.set_random_seed(FLAGS.seed)
    with strategy.scope():  # 1: a copy of every variable on each device
        model = build_model(size, alpha, None if weights == "none" else weights, images.classes)
        model.compile(
            optimizer=precision.with_loss_scaling(keras.optimizers.Adam(rate), FLAGS.precision),
            loss=keras.losses.sparse_categorical_crossentropy,
            metrics=[keras.metrics.sparse_categorical_accuracy],
            jit_compile=FLAGS.jit
            and FLAGS.loop == "fit",  # "auto" may compile with XLA, which rounds otherwise
        )
        model.optimizer.build(model.trainable_variables)
    name = Path(FLAGS.data_dir).name if FLAGS.data_dir else dataset
    folder = Path(FLAGS.report_dir, f"{name}_{configuration}")
    try:
        watch = Watch(f"{name}, {configuration}", folder / "backup", model, strategy, steps)
    except (KeyError, ValueError):
        raise SystemExit(f"{folder} is of another training; use another --report_dir") from None
    made, whole = precision.steps_made(model.optimizer), steps * epochs
    if made >= whole and (folder / "model.keras").exists():
        print(f"{folder} is done already; another --report_dir trains anew")
        return
    if made:
        print(f"going on after step {made} of {whole}")

    # the last few images, which the replicas could not share equally, are left out
    shared = int(images.validation.cardinality()) // replicas * replicas
    held = mobilenet_images.batched(images.validation.take(shared), size, batch_size)
    folder.mkdir(parents=True, exist_ok=True)
    callbacks = [watch, keras.callbacks.CSVLogger(folder / "epochs.csv", append=True)]
    if importlib.util.find_spec("tensorboard"):
        callbacks.append(keras.callbacks.TensorBoard(folder))
    fit = model.fit if FLAGS.loop == "fit" else functools.partial(fit_by_hand, model)
    for until in (-(-made // steps) * steps, whole):  # an epoch that has been begun, then the others
        if made < until:
            batches = mobilenet_images.batches(images, size, batch_size, epochs, FLAGS.seed, made)
            fit(
                mobilenet_images.cut(batches, strategy), initial_epoch=made // steps, epochs=-(-until // steps),
                steps_per_epoch=min(steps, until - made), shuffle=False, verbose=int(sys.stdout.isatty()),
                validation_data=mobilenet_images.cut(held, strategy) if shared else None,
                validation_steps=-(-shared // batch_size), validation_freq=FLAGS.eval_every, callbacks=callbacks,
            )  # fmt: skip
            made = until
    keras.Model(model.inputs, model.outputs).save(folder / "model.keras")  # without what it was compiled with


def table(folder: Path) -> str:
    """Seconds an epoch of each training: the median after the first one, which builds the graphs; and the speed-up."""
    found: dict[str, dict[str, float]] = {}
    for path in sorted(folder.glob("*/epochs.csv")):
        name, _, configuration = path.parent.name.rpartition("_")
        seconds = [float(row["seconds"]) for row in csv.DictReader(path.read_text().splitlines())]
        found.setdefault(name, {})[configuration] = statistics.median(seconds[1:] or seconds)
    rows = [["data set", *CONFIGURATIONS]]
    for name, times in found.items():
        gains = {other: f", x{times['one'] / own:.2f}" for other, own in times.items() if "one" in times}
        cells = {
            kind: f"{own:.3g} s/epoch{gains.get(kind, '') * (kind != 'one')}" for kind, own in times.items()
        }
        rows.append([name, *(cells.get(kind, "") for kind in CONFIGURATIONS)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(" | ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main(_: list[str]) -> None:
    """Train in the configurations, then write their table."""
    logging.set_verbosity(logging.WARNING)
    chosen = devices.choose_devices(FLAGS.num_gpus, FLAGS.devices)
    print(f"devices: {', '.join(chosen)}")
    if FLAGS.configuration in ("split", "scaled") and "cpu" in chosen[0]:  # logical devices share the cores
        with contextlib.suppress(RuntimeError):  # something has been computed
            tf.config.threading.set_intra_op_parallelism_threads(max(1, (os.cpu_count() or 1) // len(chosen)))
    if FLAGS.all_reduce == "nccl" and any("cpu" in device for device in chosen):
        raise SystemExit("--all_reduce=nccl: NCCL is NVIDIA's, for GPUs alone")
    strategy = devices.mirrored(chosen, FLAGS.all_reduce and ALL_REDUCE[FLAGS.all_reduce]())
    precision.set_policy(FLAGS.precision)
    if FLAGS.jit and FLAGS.loop == "fit" and FLAGS.configuration != "one" and len(chosen) > 1:
        raise SystemExit(
            "--jit on several devices: fit compiles the sum over them as well, which XLA refuses"
        )
    for dataset in FLAGS.dataset[:1] if FLAGS.data_dir else FLAGS.dataset:
        for configuration in CONFIGURATIONS if FLAGS.configuration == "all" else [FLAGS.configuration]:
            train(dataset, configuration, strategy, chosen[0])
            keras.backend.clear_session()  # the last model's memory
    text = table(Path(FLAGS.report_dir))
    Path(FLAGS.report_dir, "times.txt").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    define_flags()
    app.run(main)
