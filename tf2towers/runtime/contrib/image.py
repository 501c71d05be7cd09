# Copyright 2015 The TensorFlow Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# From tensorflow/contrib/image/python/ops/image_ops.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings.
# mypy: ignore-errors
"""`tf.contrib.image`: images rotated, translated and transformed by projective transforms."""

from __future__ import annotations

import tensorflow as tf2
import tensorflow.compat.v1 as tf

_IMAGE_DTYPES = frozenset({tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64})


def rotate(images, angles, interpolation="NEAREST", name=None):
    """Images rotated counterclockwise by angles in radians; what comes into sight is zero."""
    with tf.name_scope(name, "rotate"):
        given, images = _of_rank_four(tf.convert_to_tensor(images))
        height = tf.cast(tf.shape(images)[1], tf.float32)[None]
        width = tf.cast(tf.shape(images)[2], tf.float32)[None]
        transforms = angles_to_projective_transforms(angles, height, width)
        return _as_given(given, transform(images, transforms, interpolation=interpolation))


def translate(images, translations, interpolation="NEAREST", name=None):
    """Images moved by [dx, dy], or by one for each image."""
    with tf.name_scope(name, "translate"):
        transforms = translations_to_projective_transforms(translations)
        return transform(images, transforms, interpolation=interpolation)


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """The transforms (number of angles, 8) that `transform` takes."""
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, name="angles", dtype=tf.float32)
        if len(angles.get_shape()) == 0:
            angles = angles[None]
        elif len(angles.get_shape()) != 1:
            raise TypeError("Angles should have rank 0 or 1.")
        x_offset = (
            (image_width - 1) - (tf.cos(angles) * (image_width - 1) - tf.sin(angles) * (image_height - 1))
        ) / 2.0
        y_offset = (
            (image_height - 1) - (tf.sin(angles) * (image_width - 1) + tf.cos(angles) * (image_height - 1))
        ) / 2.0
        values = [
            tf.cos(angles)[:, None],
            -tf.sin(angles)[:, None],
            x_offset[:, None],
            tf.sin(angles)[:, None],
            tf.cos(angles)[:, None],
            y_offset[:, None],
            tf.zeros((tf.shape(angles)[0], 2), tf.float32),
        ]
        return tf.concat(values=values, axis=1)


def translations_to_projective_transforms(translations, name=None):
    """The transforms (number of translations, 8) that `transform` takes."""
    with tf.name_scope(name, "translations_to_projective_transforms"):
        translations = tf.convert_to_tensor(translations, name="translations", dtype=tf.float32)
        if translations.get_shape().ndims is None:
            raise TypeError("translation_or_translations rank must be statically known")
        if len(translations.get_shape()) == 1:
            translations = translations[None]
        elif len(translations.get_shape()) != 2:
            raise TypeError("Translations should have rank 1 or 2.")
        count = tf.shape(translations)[0]
        values = [
            tf.ones((count, 1), tf.float32),
            tf.zeros((count, 1), tf.float32),
            -translations[:, 0, None],
            tf.zeros((count, 1), tf.float32),
            tf.ones((count, 1), tf.float32),
            -translations[:, 1, None],
            tf.zeros((count, 2), tf.float32),
        ]
        return tf.concat(values=values, axis=1)


def transform(images, transforms, interpolation="NEAREST", output_shape=None, name=None):
    """Images of which each point is taken from where its transform maps it; zero where that is outside."""
    with tf.name_scope(name, "transform"):
        given, images = _of_rank_four(tf.convert_to_tensor(images, name="images"))
        transforms = tf.convert_to_tensor(transforms, name="transforms", dtype=tf.float32)
        if output_shape is None:
            output_shape = tf.shape(images)[1:3]
            known = tf.get_static_value(output_shape)
            output_shape = output_shape if known is None else known
        output_shape = tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
        if not output_shape.get_shape().is_compatible_with([2]):
            raise ValueError("output_shape must be a 1-D Tensor of 2 elements: new_height, new_width")
        if transforms.get_shape().ndims is None:
            raise TypeError("transform_or_transforms rank must be statically known")
        if len(transforms.get_shape()) == 1:
            transforms = transforms[None]
        elif len(transforms.get_shape()) != 2:
            raise TypeError("Transforms should have rank 1 or 2.")
        output = tf2.raw_ops.ImageProjectiveTransformV2(
            images=images,
            transforms=transforms,
            output_shape=output_shape,
            interpolation=interpolation.upper(),
        )
        return _as_given(given, output)


def compose_transforms(*transforms):
    """One transform that does what these do, one after the other."""
    assert transforms, "transforms cannot be empty"
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for other in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(other))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms):
    """Transforms (N, 8), or one, as matrices (N, 3, 3)."""
    with tf.name_scope("flat_transforms_to_matrices"):
        transforms = tf.convert_to_tensor(transforms, name="transforms")
        if transforms.shape.ndims not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        transforms = tf.reshape(transforms, tf.constant([-1, 8]))
        ones = tf.ones([tf.shape(transforms)[0], 1])
        return tf.reshape(tf.concat([transforms, ones], axis=1), tf.constant([-1, 3, 3]))


def matrices_to_flat_transforms(transform_matrices):
    """Matrices (N, 3, 3), or one, as transforms (N, 8)."""
    with tf.name_scope("matrices_to_flat_transforms"):
        transform_matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if transform_matrices.shape.ndims not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {transform_matrices}")
        transforms = tf.reshape(transform_matrices, tf.constant([-1, 9]))
        transforms /= transforms[:, 8:9]
        return transforms[:, :8]


def _of_rank_four(images):
    """The rank that images were given with, and they as (batch, rows, columns, channels)."""
    if images.dtype.base_dtype not in _IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    rank = images.get_shape().ndims
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank == 2:
        return rank, images[None, :, :, None]
    if rank == 3:
        return rank, images[None, :, :, :]
    if rank == 4:
        return rank, images
    raise TypeError("Images should have rank between 2 and 4.")


def _as_given(rank, output):
    return {2: lambda: output[0, :, :, 0], 3: lambda: output[0, :, :, :]}.get(rank, lambda: output)()
