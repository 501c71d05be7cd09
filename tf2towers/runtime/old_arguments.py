"""Functions whose arguments TensorFlow 0.x or TF1 took otherwise: called as they were then; the values tell."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf


def resize_images(images: Any, *arguments: Any, **options: Any) -> Any:
    """TF1's function for (images, size, method, align_corners) and for (images, height, width, method, align_corners).

    Which one it is, the second argument says: a height is a number, a size is a list.
    """
    if "new_height" in options or "new_width" in options:
        sizes = [options.pop(name) for name in ("new_height", "new_width") if name in options]
        sizes = [*arguments[: 2 - len(sizes)], *sizes]
        arguments = (sizes, *arguments[2:])
    elif len(arguments) > 1 and _is_number(arguments[0]):
        arguments = ([*arguments[:2]], *arguments[2:])
    return tf.compat.v1.image.resize_images(images, *arguments, **options)


def random_crop(value: Any, size: Any, *arguments: Any, **options: Any) -> Any:
    """TF1's function; an image of three axes may be cropped to [height, width], as until TensorFlow 0.6.

    Source: `tf.image.random_crop` of TensorFlow 0.6 kept the channels; `tf.random_crop` of 0.7 takes their number.
    """
    image = tf.convert_to_tensor(value)
    if image.shape.rank == 3 and len(size) == 2:
        channels = image.shape[2]
        size = [*size, tf.shape(image)[2] if channels is None else channels]
    return tf.compat.v1.random_crop(image, size, *arguments, **options)


def nce_loss(weights: Any, biases: Any, labels: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
    """TF1's function; `inputs` may come before `labels`, as until TensorFlow 0.12.

    Source: the release notes of TensorFlow 1.0 ("switch the inputs, labels to labels, inputs parameters").
    """
    labels, inputs = _in_todays_order(labels, inputs)
    return tf.compat.v1.nn.nce_loss(weights, biases, labels, inputs, *arguments, **options)


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, *arguments: Any, **options: Any
) -> Any:
    """TF1's function; `inputs` may come before `labels`, as for `nce_loss`."""
    labels, inputs = _in_todays_order(labels, inputs)
    return tf.compat.v1.nn.sampled_softmax_loss(weights, biases, labels, inputs, *arguments, **options)


def uniform_unit_scaling_initializer(
    factor: float = 1.0, seed: int | None = None, dtype: Any = tf.float32, full_shape: Any = None
) -> Any:
    """TF1's initializer, which scales by `full_shape` instead of the variable's own: a shard of a larger matrix.

    So it was until TensorFlow 0.12 (`init_ops.uniform_unit_scaling_initializer`).
    """
    initializer = tf.compat.v1.uniform_unit_scaling_initializer(factor, seed, dtype)
    if full_shape is None:
        return initializer
    whole = SimpleNamespace(full_shape=full_shape)

    def initialize(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> tf.Tensor:
        del partition_info
        return initializer(shape, dtype, partition_info=whole)

    return initialize


def waiting_tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """TF1's `tf.tuple`; among `control_inputs` may be what an assignment gives, which was a tensor, and variables."""
    waited_for = [getattr(given, "op", given) for given in control_inputs or ()]
    return tf.compat.v1.tuple(tensors, name, waited_for)


def _in_todays_order(labels: Any, inputs: Any) -> tuple[Any, Any]:
    """Labels, and inputs: TF1 takes no whole numbers for the inputs, so these are labels."""
    labels, inputs = tf.convert_to_tensor(labels), tf.convert_to_tensor(inputs)
    swapped = labels.dtype.is_floating and inputs.dtype.is_integer
    return (inputs, labels) if swapped else (labels, inputs)


def _is_number(value: Any) -> bool:
    if isinstance(value, int | np.integer | tf.compat.v1.Dimension):
        return True
    shape = getattr(value, "shape", None)
    return shape is not None and tf.TensorShape(shape).rank == 0
