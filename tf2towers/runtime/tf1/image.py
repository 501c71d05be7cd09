"""`tf.contrib.image`: images that are turned, moved, or mapped by a projection."""

from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.tf1.keras import image_preprocessing

v1 = tf.compat.v1


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None) -> tf.Tensor:
    """Images turned counterclockwise about their middle, by one angle in radians, or one each.

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


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> tf.Tensor:
    """Images mapped by projections of 8 numbers (a0, a1, a2, b0, b1, b2, c0, c1); 0 outside.

    A point (x, y) of the output is ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the input, k
    = c0 x + c1 y + 1. Images are ([batch,] height, width[, channels]). The output has the size of
    the input, or `output_shape`.

    Raises:
        TypeError: images or transforms of another rank.
    """
    with v1.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images)
        each = tf.convert_to_tensor(transforms, tf.float32)
        if (rank := images.shape.rank) not in (2, 3, 4) or each.shape.rank not in (1, 2):
            raise TypeError(f"transform is not for {images} and {each}")
        batch = images if rank == 4 else tf.expand_dims(images[..., tf.newaxis] if rank == 2 else images, 0)
        mapped = tf.raw_ops.ImageProjectiveTransformV3(
            images=batch,
            transforms=each if each.shape.rank == 2 else each[tf.newaxis],
            output_shape=tf.shape(batch)[1:3] if output_shape is None else output_shape,
            fill_value=0.0,
            interpolation=interpolation.upper(),
            fill_mode="CONSTANT",
        )
        if output_shape is None:
            mapped.set_shape(batch.shape)
        return mapped if rank == 4 else mapped[0, :, :, 0] if rank == 2 else mapped[0]


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> tf.Tensor:
    """Images moved by [dx, dy], one for all or one for each."""
    with v1.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> tf.Tensor:
    """For each translation [dx, dy] the 8 numbers of `transform`: (translations, 8)."""
    with v1.name_scope(name, "translations_to_projective_transforms"):
        moves = tf.reshape(tf.convert_to_tensor(translations, tf.float32), [-1, 2])
        one, none = tf.ones_like(moves[:, :1]), tf.zeros_like(moves[:, :1])
        return tf.concat([one, none, -moves[:, :1], none, one, -moves[:, 1:], none, none], 1)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> tf.Tensor:
    """For each angle, counterclockwise in radians, the 8 numbers of `transform`: (angles, 8)."""
    with v1.name_scope(name, "angles_to_projective_transforms"):
        each = tf.reshape(tf.convert_to_tensor(angles, tf.float32), [-1])
        return image_preprocessing.get_rotation_matrix(each, image_height, image_width)


def bipartite_match(
    distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match"
) -> tuple[tf.Tensor, tf.Tensor]:
    """Greedy pairs of rows and columns by the least distance: int32 each, -1 for no partner.

    The first `num_valid_rows` rows alone take part; `top_k` is the most pairs, -1 for as many as
    there can be.
    """

    def match(distances: Any, valid: Any) -> tuple[Any, Any]:
        count, columns = int(np.ravel(valid)[0]), distances.shape[1]
        rows_of, columns_of = np.full(columns, -1, np.int32), np.full(distances.shape[0], -1, np.int32)
        most = min(count, columns) if top_k < 0 else min(count, columns, top_k)
        for place in np.argsort(distances[:count], axis=None, kind="stable"):
            row, column = divmod(int(place), columns)
            if most and columns_of[row] == rows_of[column] == -1:
                columns_of[row], rows_of[column], most = column, row, most - 1
        return columns_of, rows_of

    with v1.name_scope(name):
        distance_mat = tf.convert_to_tensor(distance_mat, tf.float32)
        with v1.device("/cpu:0"):
            columns_of, rows_of = tf.numpy_function(
                match, [distance_mat, num_valid_rows], [tf.int32, tf.int32]
            )
        columns_of.set_shape(distance_mat.shape[:1])
        rows_of.set_shape(distance_mat.shape[1:2])
        return columns_of, rows_of


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> tf.Tensor:
    """Images whose pixel at a place is what was at the place minus the flow, between the four pixels around it.

    Args:
        image: float [batch, height, width, channels], with at least two rows and columns.
        flow: [batch, height, width, 2], rows first.
        name: of the operations.

    Returns:
        What `image` is.
    """
    with v1.name_scope(name):
        image, flow = tf.convert_to_tensor(image), tf.convert_to_tensor(flow)
        batch, height, width, channels = tf.unstack(tf.shape(image))
        rows, columns = tf.meshgrid(tf.range(height), tf.range(width), indexing="ij")
        places = tf.cast(tf.stack([rows, columns], axis=2)[tf.newaxis], flow.dtype) - flow
        found = _between_pixels(image, tf.reshape(places, [batch, height * width, 2]))
        found = tf.reshape(found, [batch, height, width, channels])
        found.set_shape(image.shape)
        return found


def _between_pixels(image: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    """The values at places of images, [batch, place, channels], linear between pixels; outside, those of the edge.

    `places` is [batch, place, 2], rows first.
    """
    sizes = tf.shape(image)[1:3]
    last = tf.cast(sizes - 2, places.dtype)
    corner = tf.minimum(tf.maximum(tf.zeros([], places.dtype), tf.floor(places)), last)
    part = tf.cast(tf.minimum(tf.maximum(places - corner, 0), 1), image.dtype)
    at = tf.cast(corner, tf.int32)
    down, right = part[..., :1], part[..., 1:]

    def pixels(below: int, beside: int) -> tf.Tensor:
        return tf.gather_nd(image, tf.add(at, [below, beside]), batch_dims=1)

    above = right * (pixels(0, 1) - pixels(0, 0)) + pixels(0, 0)
    below = right * (pixels(1, 1) - pixels(1, 0)) + pixels(1, 0)
    return down * (below - above) + above
