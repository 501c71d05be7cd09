"""`tf.contrib.image`: images that are turned."""

from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.keras import image_preprocessing

v1 = tf.compat.v1


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None) -> tf.Tensor:
    """Images turned counterclockwise about their middle, by an angle in radians, or one for each; 0 from outside.

    Images are ([batch,] height, width[, channels]); `interpolation` is "NEAREST" or "BILINEAR".

    Raises:
        TypeError, ValueError: images or angles of another rank, another interpolation.
    """
    with v1.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)
        each = tf.convert_to_tensor(angles, tf.float32)
        if (rank := images.shape.rank) not in (2, 3, 4) or each.shape.rank not in (0, 1):
            raise TypeError(f"rotate is not for {images} and {each}")
        if interpolation.upper() not in ("NEAREST", "BILINEAR"):
            raise ValueError(f"rotate does not know the interpolation {interpolation}")
        batch = images if rank == 4 else tf.expand_dims(images[..., tf.newaxis] if rank == 2 else images, 0)
        height, width = (tf.cast(tf.shape(batch)[axis], tf.float32) for axis in (1, 2))
        with v1.name_scope("transform"):
            transforms = image_preprocessing.get_rotation_matrix(tf.reshape(each, [-1]), height, width)
            turned = image_preprocessing.transform(batch, transforms, "constant", 0.0, interpolation)
            turned.set_shape(batch.shape)
            return turned if rank == 4 else turned[0, :, :, 0] if rank == 2 else turned[0]
