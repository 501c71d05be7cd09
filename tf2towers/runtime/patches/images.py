"""Images: types and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "tf.image.per_image_standardization",
    source="ops/image_ops_impl.py, per_image_standardization",
    test="tests/runtime/test_old_arguments.py",
    serves=("image.per_image_standardization",),
)
def standardized_images_keep_their_type(changes: Patch) -> None:
    """Makes `tf.image.per_image_standardization` return the image's own dtype, as in TF 1.15.

    TF 2 returns float32 for all images. TF 1.15 first scales integers to 0..1, and then the result
    back to their range, which loses values below zero; it computes float16 in float16.
    """
    image_ops = changes.private("ops.image_ops")
    image_ops_impl = changes.private("ops.image_ops_impl")

    @changes.around(_v1.image, "per_image_standardization", image_ops, image_ops_impl)
    def standardize(plain: Any, image: Any) -> Any:
        image = tf.convert_to_tensor(image)
        kind = image.dtype
        if kind == tf.float32:
            return plain(image)
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


@patch(
    "tf.image.resize_images",
    source="TensorFlow 0.6: ops/image_ops.py, resize_images and random_crop",
    test="tests/runtime/test_old_arguments.py",
    serves=(
        "image.resize_images",
        "random_crop",
    ),
)
def image_sizes_may_be_old(changes: Patch) -> None:
    """Lets `resize_images` take (images, height, width), `random_crop` a size without channels.

    TensorFlow 0.x had these arguments. The text often cannot tell (images, height, width) from
    (images, size, method), but the values can: a height is a number, a size is a list. TF 1.15
    refuses a height, and a crop to two numbers.
    """
    image_ops = changes.private("ops.image_ops")
    image_ops_impl = changes.private("ops.image_ops_impl")

    @changes.around(_v1.image, "resize_images", image_ops, image_ops_impl)
    def resize_images(plain: Any, images: Any, size: Any, *arguments: Any, **options: Any) -> Any:
        if arguments and _is_number(size):
            size, arguments = [size, arguments[0]], arguments[1:]
        return plain(images, size, *arguments, **options)

    @changes.around(_v1, "random_crop", _v1.image)
    def random_crop(plain: Any, value: Any, size: Any, *arguments: Any, **options: Any) -> Any:
        image = tf.convert_to_tensor(value)
        if image.shape.rank == 3 and isinstance(size, list | tuple) and len(size) == 2:
            channels = image.shape[2]
            size = [*size, tf.shape(image)[2] if channels is None else channels]
        return plain(image, size, *arguments, **options)


def _is_number(value: Any) -> bool:
    if isinstance(value, int | np.integer | _v1.Dimension):
        return True
    shape = getattr(value, "shape", None)
    return shape is not None and tf.TensorShape(shape).rank == 0
