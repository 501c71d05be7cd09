"""`tf.contrib.gan.eval.sliced_wasserstein_distance` (Karras et al., 2018, 1710.10196).

Patches of each level of a Laplacian pyramid are compared by their projections. NumPy draws the
patches, as in TensorFlow 1.12.
"""

from typing import Any

import numpy as np
import tensorflow as tf

_BINOMIAL = np.array([1, 4, 6, 4, 1], np.float32)
_BLUR = (np.outer(_BINOMIAL, _BINOMIAL) / 256).reshape([5, 5, 1, 1])


def sliced_wasserstein_distance(
    real_images: Any,
    fake_images: Any,
    resolution_min: int = 16,
    patches_per_image: int = 64,
    patch_size: int = 7,
    random_sampling_count: int = 1,
    random_projection_dim: int = 7 * 7 * 3,
    use_svd: bool = False,
) -> list[tuple[Any, Any]]:
    """Distances of real from real and from generated images [batch, size, size, 3], by level."""
    size = int(real_images.shape[1])
    real_images.shape.assert_is_compatible_with([None, None, size, 3])
    fake_images.shape.assert_is_compatible_with(real_images.shape)
    levels = int(np.log2(size)) - int(np.log2(min(resolution_min, size))) + 1

    def patches(level: Any) -> Any:
        drawn = tf.compat.v1.py_func(
            lambda batch: _patches(batch, patches_per_image, patch_size), [level], level.dtype, stateful=False
        )
        mean, variance = tf.nn.moments(drawn, [1, 2, 3], keepdims=True)
        return tf.reshape((drawn - mean) / tf.sqrt(variance), [tf.shape(drawn)[0], -1])

    def distance(first: Any, second: Any) -> Any:
        if use_svd:
            sizes, left, _ = tf.linalg.svd(tf.concat([first, second], 0))
            return _between(*tf.split((left * sizes)[:, ::-1], 2))
        found = []
        for _ in range(random_sampling_count):
            directions = tf.compat.v1.random_normal([tf.shape(first)[1], random_projection_dim])
            directions *= tf.math.rsqrt(tf.reduce_sum(tf.square(directions), 0, keepdims=True))
            found.append(_between(tf.matmul(first, directions), tf.matmul(second, directions)))
        return tf.reduce_mean(found)

    real = [(patches(level), patches(level)) for level in _pyramid(real_images, levels)]
    made = [patches(level) for level in _pyramid(fake_images, levels)]
    return [
        (distance(first, second), distance(first, other))
        for (first, second), other in zip(real, made, strict=True)
    ]


def _pyramid(images: Any, levels: int) -> list[Any]:
    """What each level has that the blurred ones below it lack, and the last one."""
    found = [tf.cast(images, tf.float32)]
    for _ in range(1, levels):
        finer = found.pop()
        coarser = _blurred(finer, 1)[:, ::2, ::2]
        found += [finer - _twice_as_large(coarser), coarser]
    return found


def _twice_as_large(images: Any) -> Any:
    """Each pixel with zeros to its right and below, blurred to four times its weight."""
    spread = tf.pad(images[:, :, tf.newaxis, :, tf.newaxis], [[0, 0], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0]])
    return _blurred(tf.reshape(spread, tf.shape(images) * [1, 2, 2, 1]), 4)


def _blurred(images: Any, gain: int) -> Any:
    """Each of the three colors blurred by itself; at the borders the images are mirrored."""
    padded = tf.pad(images, [[0, 0], [2, 2], [2, 2], [0, 0]], "REFLECT")
    each_color = np.tile(_BLUR * gain, [1, 1, 3, 1])
    return tf.compat.v1.nn.depthwise_conv2d_native(padded, each_color, [1, 1, 1, 1], "VALID")


def _patches(images: Any, count: int, size: int) -> Any:
    """Square patches of each image around pixels that NumPy draws: all rows, then all columns."""
    around = np.arange(-(size // 2), size // 2 + 1)
    number, *sides, _ = images.shape
    rows, columns = (
        np.random.randint(size // 2, side - size // 2, size=count * number)[:, np.newaxis] + around
        for side in sides
    )
    image = np.repeat(np.arange(number), count)[:, np.newaxis, np.newaxis]
    return images[image, rows[:, :, np.newaxis], columns[:, np.newaxis], :3]


def _between(first: Any, second: Any) -> Any:
    """The mean difference of both, each column sorted."""
    rows = tf.shape(first)[0]
    ranked = [tf.math.top_k(tf.transpose(each), rows)[0] for each in (first, second)]
    return tf.reduce_mean(tf.abs(ranked[0] - ranked[1]))
