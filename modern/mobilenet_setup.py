"""What both trainers of MobileNetV2 begin with: their flags, the devices, the images, and Keras's model."""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import devices
import keras
import mobilenet_images
import precision
import tensorflow as tf
from absl import flags, logging

FLAGS = flags.FLAGS
ACCURACY = "sparse_categorical_accuracy"  # as Keras calls it


def define_flags(train_dir: str) -> None:
    """The flags of devices.py, then those of the training. The defaults are the handbook's, but for the digits."""
    devices.define_flags()
    kinds = ["NcclAllReduce", "HierarchicalCopyAllReduce", "ReductionToOneDevice"]
    flags.DEFINE_enum("all_reduce", None, kinds, "What adds up gradients. Not set: see devices.py.")
    flags.DEFINE_string("dataset", "digits", "digits, or a name of TensorFlow Datasets, as cats_vs_dogs.")
    flags.DEFINE_string("data_dir", "", "A folder with a folder of JPEG files for each class, for --dataset.")
    flags.DEFINE_integer("num_epochs", None, "Not set: 5, digits 30.", lower_bound=1)
    flags.DEFINE_integer("batch_size", 64, "Images a replica takes in one step.", lower_bound=1)
    flags.DEFINE_float("learning_rate", None, "Not set: 0.001; digits 0.006, which falls to 0 by a cosine.")
    flags.DEFINE_integer("image_size", None, "Width of images; not set: 224, digits 32.", lower_bound=32)
    flags.DEFINE_float("alpha", None, "Width of the network; not set: 1.0, digits 0.35.")
    flags.DEFINE_string("weights", None, "imagenet, none, or a file; not set: imagenet, digits none.")
    flags.DEFINE_integer("max_images", 0, "Train on at most this many images. 0: all.", lower_bound=0)
    flags.DEFINE_integer("eval_every", 1, "Epochs between two evaluations, each saved.", lower_bound=1)
    flags.DEFINE_float("validation_part", 0.0, "Evaluate on this part of the images; the digits have others.")
    flags.DEFINE_string("train_dir", train_dir, "Where to write the model, and what a training goes on from.")
    flags.DEFINE_integer("seed", 0, "The initial weights and the order of the images follow from it.")


def build_model(size: int, alpha: float, weights: str, classes: int) -> keras.Model:
    """MobileNetV2 of Keras; with the weights of ImageNet it keeps their 1000 classes."""
    model = keras.applications.MobileNetV2(
        (size, size, 3), alpha, weights=None if weights == "none" else weights,
        classes=1000 if weights == "imagenet" else classes, classifier_activation=None,
    )  # fmt: skip
    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.momentum = 0.9  # of Keras's 0.999, 115 steps would leave 89 % of the first statistics
    softmax = keras.layers.Activation("softmax", dtype="float32")  # in every precision
    return keras.Model(model.inputs, softmax(model.outputs[0]))


class Setup(NamedTuple):
    """What is trained, and for how long."""

    strategy: tf.distribute.Strategy
    model: keras.Model
    batches_from: Callable[[int], tf.data.Dataset]  # those that follow after so many steps
    validation: tf.data.Dataset | None
    steps: int  # of an epoch
    epochs: int


def from_flags(jit: bool = False) -> Setup:
    """Everything that the flags name."""
    logging.set_verbosity(logging.WARNING)
    chosen = devices.choose_devices(FLAGS.num_gpus, FLAGS.devices)
    if FLAGS.all_reduce == "NcclAllReduce" and "cpu" in "".join(chosen):
        raise SystemExit("--all_reduce=NcclAllReduce: NCCL is NVIDIA's, for GPUs alone")
    strategy = devices.mirrored(chosen, FLAGS.all_reduce and getattr(tf.distribute, FLAGS.all_reduce)())
    precision.set_policy(FLAGS.precision)
    small = FLAGS.dataset == "digits" and not FLAGS.data_dir
    size, epochs = FLAGS.image_size or (32 if small else 224), FLAGS.num_epochs or (30 if small else 5)
    images = mobilenet_images.load(FLAGS.dataset, FLAGS.data_dir, FLAGS.validation_part, FLAGS.max_images)
    batch_size = FLAGS.batch_size * len(chosen)
    if not (steps := len(images.train) // batch_size):
        raise SystemExit(f"{len(images.train)} images are less than one batch of {batch_size}")
    keras.utils.set_random_seed(FLAGS.seed)
    rate = FLAGS.learning_rate or 0.001
    if small and FLAGS.learning_rate is None:
        rate = keras.optimizers.schedules.CosineDecay(0.006, steps * epochs)
    with strategy.scope():  # 1: a copy of every variable on each device
        adam = keras.optimizers.Adam(rate)
        weights = FLAGS.weights or ("none" if small else "imagenet")
        model = build_model(size, FLAGS.alpha or (0.35 if small else 1.0), weights, images.classes)
        optimizer = precision.LossScaleOptimizer(adam) if FLAGS.precision == "float16" else adam
        # jit_compile="auto" may compile with XLA, which rounds otherwise
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=[ACCURACY], jit_compile=jit)
        model.optimizer.build(model.trainable_variables)
    batches_from = functools.partial(mobilenet_images.batches, images, size, batch_size, epochs, FLAGS.seed)
    shared = len(images.validation) // len(chosen) * len(chosen)  # the rest is left out
    held = mobilenet_images.batched(images.validation.take(shared), size, batch_size) if shared else None
    return Setup(strategy, model, batches_from, held, steps, epochs)


def line(epoch: int, seconds: float, logs: dict[str, float]) -> str:
    """What is printed of an epoch; without a finite loss the training ends."""
    if not math.isfinite(logs["loss"]):
        raise SystemExit(f"Model diverged with loss = {logs['loss']} in epoch {epoch + 1}")
    unseen = f", on other images {logs['val_' + ACCURACY]:.4f}" if f"val_{ACCURACY}" in logs else ""
    return f"epoch {epoch + 1}: {seconds:.2f} s, loss = {logs['loss']:.4f}, accuracy = {logs[ACCURACY]:.4f}{unseen}"
