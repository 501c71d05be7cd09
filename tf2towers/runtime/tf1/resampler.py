"""`tf.contrib.resampler`: values of images at points between their pixels."""

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def resampler(data: Any, warp: Any, name: str = "resampler") -> tf.Tensor:
    """Bilinear samples of images (batch, height, width, channels) at points (batch, ..., 2).

    Pixels outside are 0. Gradients reach both the images and the points.

    Raises:
        ValueError: the images have another rank, or the points another batch.
    """
    with v1.name_scope(name, "resampler", [data, warp]):
        data, warp = tf.convert_to_tensor(data), tf.convert_to_tensor(warp)
        if data.shape.rank != 4 or warp.shape.rank is None or warp.shape.rank < 2:
            raise ValueError(f"resampler is not for {data} and {warp}")
        sizes = tf.shape(data)
        points = tf.reshape(warp, [sizes[0], -1, 2])
        corner = tf.floor(points)
        part = points - corner
        samples = tf.zeros([], data.dtype)
        for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
            x, y = (tf.cast(corner[..., axis], tf.int32) + step for axis, step in enumerate((right, down)))
            inside = (x >= 0) & (x < sizes[2]) & (y >= 0) & (y < sizes[1])
            at = tf.stack([tf.clip_by_value(y, 0, sizes[1] - 1), tf.clip_by_value(x, 0, sizes[2] - 1)], -1)
            weight = (part[..., 0] if right else 1 - part[..., 0]) * (
                part[..., 1] if down else 1 - part[..., 1]
            )
            weight *= tf.cast(inside, weight.dtype)
            samples += weight[..., tf.newaxis] * tf.gather_nd(data, at, batch_dims=1)
        samples = tf.reshape(samples, tf.concat([tf.shape(warp)[:-1], sizes[3:]], 0))
        samples.set_shape(warp.shape[:-1].concatenate(data.shape[3:]))
        return samples
