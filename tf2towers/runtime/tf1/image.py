"""`tf.contrib.image`: images that are turned, moved and transformed.

A transform is 8 numbers (a0, a1, a2, b0, b1, b2, c0, c1): the point (x, y) of the output has the value that the input
has at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), with k = c0 x + c1 y + 1, and 0 outside of it.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
_TYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> tf.Tensor:
    """Transformed images.

    Args:
        images: [batch, height, width, channels], [height, width, channels] or [height, width].
        transforms: [8], or [batch, 8].
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: height and width of the outputs, by default those of the images.
        name: of its operations.

    Raises:
        TypeError: images of another type.
        ValueError: a rank that is none of these.
    """
    with v1.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images, name="images")
        transforms = tf.convert_to_tensor(transforms, tf.float32, name="transforms")
        rank = images.shape.rank
        if images.dtype.base_dtype not in _TYPES:
            raise TypeError(f"Invalid dtype {images.dtype}.")
        if rank not in (2, 3, 4):
            raise TypeError("Images should have rank between 2 and 4.")
        if transforms.shape.rank not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        batch = images if rank == 4 else tf.expand_dims(images[..., tf.newaxis] if rank == 2 else images, 0)
        size = tf.shape(batch)[1:3] if output_shape is None else tf.convert_to_tensor(output_shape, tf.int32)
        transformed = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=transforms if transforms.shape.rank == 2 else transforms[tf.newaxis],
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
        first = {2: 0, 3: 0, 4: 1}.get(images.shape.rank)
        if first is None:
            raise TypeError("Images should have rank between 2 and 4.")
        height, width = (tf.cast(tf.shape(images)[first + axis], tf.float32) for axis in (0, 1))
        return transform(images, angles_to_projective_transforms(angles, height, width), interpolation)


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> tf.Tensor:
    """Images moved by (dx, dy), or by one for each image: [batch, 2]."""
    with v1.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> tf.Tensor:
    """The transforms, [batch, 8], that turn images of a size about their middle."""
    with v1.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, tf.float32)
        if angles.shape.rank not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = tf.reshape(angles, [-1])
        cos, sin = tf.cos(angles), tf.sin(angles)
        right, bottom = image_width - 1, image_height - 1
        x = (right - (cos * right - sin * bottom)) / 2.0
        y = (bottom - (sin * right + cos * bottom)) / 2.0
        none = tf.zeros_like(angles)
        return tf.stack([cos, -sin, x, sin, cos, y, none, none], axis=1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> tf.Tensor:
    """The transforms, [batch, 8], that move images by (dx, dy)."""
    with v1.name_scope(name, "translations_to_projective_transforms"):
        translations = tf.convert_to_tensor(translations, tf.float32)
        if translations.shape.rank not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        moved = -tf.reshape(translations, [-1, 2])
        none, one = tf.zeros_like(moved[:, 0]), tf.ones_like(moved[:, 0])
        return tf.stack([one, none, moved[:, 0], none, one, moved[:, 1], none, none], axis=1)
