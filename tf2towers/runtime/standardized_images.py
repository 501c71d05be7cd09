"""`tf.image.per_image_standardization` as TF 1.15 has it: an image that is not float32 gets its own type back."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


def per_image_standardization(image: Any) -> Any:
    """Images less their mean, divided by their deviation.

    TF 2 returns float32 for all of them. TF 1.15 scales integers to 0..1 first, and the result back to their range,
    where what is below zero is lost; float16 is computed in float16.
    """
    image = tf.convert_to_tensor(image)
    kind = image.dtype
    if kind == tf.float32:
        return _v1.image.per_image_standardization(image)
    if image.shape.rank is not None and image.shape.rank < 3:
        raise ValueError("'image' must be at least three-dimensional.")
    with tf.name_scope("per_image_standardization"):
        if kind != tf.float16:
            image = tf.image.convert_image_dtype(image, tf.float32)
        axes = [-1, -2, -3]
        smallest = tf.math.rsqrt(tf.cast(tf.reduce_prod(tf.shape(image)[-3:]), image.dtype))
        deviation = tf.maximum(tf.math.reduce_std(image, axis=axes, keepdims=True), smallest)
        image = (image - tf.reduce_mean(image, axis=axes, keepdims=True)) / deviation
        return tf.image.convert_image_dtype(image, kind, saturate=True)


def per_image_whitening(image: Any) -> Any:
    """The same in TF 0.x, which made float32 of every image."""
    return _v1.image.per_image_standardization(image)
