"""`tf.contrib.image`: images that are turned and transformed.

A transform is 8 numbers, `a0, a1, a2, b0, b1, b2, c0, c1`. The point `(x, y)` of the output has the value that the
input has at `((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`, with `k = c0 x + c1 y + 1`, and 0 outside of it.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

# the look at tf_keras comes before tf_keras
# isort: off
from tf2towers.runtime.tf1 import keras as _keras  # noqa: F401

from tf_keras.src.layers.preprocessing.image_preprocessing import get_rotation_matrix

# isort: on

v1 = tf.compat.v1


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> tf.Tensor:
    """Transformed images ([batch,] height, width[, channels]), by transforms [8], or [batch, 8].

    `interpolation` is "NEAREST" or "BILINEAR", `output_shape` the outputs' height and width, by default the images'.

    Raises:
        TypeError: images of another type, or a rank that is none of these.
    """
    with v1.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images, name="images")
        transforms = tf.convert_to_tensor(transforms, tf.float32, name="transforms")
        rank = images.shape.rank
        if rank not in (2, 3, 4) or transforms.shape.rank not in (1, 2):
            raise TypeError(f"transform is not for {images} by {transforms}")
        batch = images if rank == 4 else tf.expand_dims(images[..., tf.newaxis] if rank == 2 else images, 0)
        size = tf.shape(batch)[1:3] if output_shape is None else tf.convert_to_tensor(output_shape, tf.int32)
        transformed = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=tf.reshape(transforms, [-1, 8]),
            output_shape=size,
            interpolation=interpolation.upper(),
        )
        if output_shape is None:
            transformed.set_shape(batch.shape)
        if rank == 4:
            return transformed
        return transformed[0, :, :, 0] if rank == 2 else transformed[0]


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None) -> tf.Tensor:
    """Images turned counterclockwise about their middle, by an angle in radians or one for each image."""
    with v1.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)
        first = {2: 0, 3: 0, 4: 1}[images.shape.rank]
        height, width = (tf.cast(tf.shape(images)[first + axis], tf.float32) for axis in (0, 1))
        return transform(images, angles_to_projective_transforms(angles, height, width), interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> tf.Tensor:
    """The transforms, [batch, 8], that turn images of a size about their middle: tf_keras has them."""
    each = tf.reshape(tf.convert_to_tensor(angles, tf.float32), [-1])
    return get_rotation_matrix(each, image_height, image_width, name or "angles_to_projective_transforms")
