"""`tf.contrib.image`: images that are turned and transformed.

A transform is 8 numbers, by rows those of a 3 x 3 matrix whose last one is 1. It takes a pixel of the output, as the
homogeneous column (x, y, 1), to the place in the input where its value is; outside of the input the value is 0.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.keras import image_preprocessing

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
        each = tf.reshape(transforms, [-1, 8])
        transformed = image_preprocessing.transform(batch, each, "constant", 0.0, interpolation, output_shape)
        if output_shape is None:
            transformed.set_shape(batch.shape)
        if rank == 4:
            return transformed
        return transformed[0, :, :, 0] if rank == 2 else transformed[0]


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None) -> tf.Tensor:
    """Images turned counterclockwise about their middle, by an angle in radians, or one for each; see `transform`."""
    with v1.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)
        first = {2: 0, 3: 0, 4: 1}[images.shape.rank]
        height, width = (tf.cast(tf.shape(images)[first + axis], tf.float32) for axis in (0, 1))
        each = tf.reshape(tf.convert_to_tensor(angles, tf.float32), [-1])
        return transform(images, image_preprocessing.get_rotation_matrix(each, height, width), interpolation)
