"""`tf.contrib.gan.eval`: summaries of a model, and images side by side."""

import math
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def add_gan_model_image_summaries(gan_model: Any, grid_size: int = 4, model_summaries: bool = True) -> None:
    """Summaries of real and generated images, in square grids, and of all variables."""
    for name in ("real_data", "generated_data"):
        images = getattr(gan_model, name)
        _, height, width, channels = images.shape.as_list()
        grid = image_grid(images[: grid_size**2], (grid_size, grid_size), (height, width), channels)
        v1.summary.image(name, grid, max_outputs=1)
    if model_summaries:
        add_gan_model_summaries(gan_model)


def add_gan_model_summaries(gan_model: Any) -> None:
    """Histograms of all variables."""
    for name in ("generator_variables", "discriminator_variables"):
        with v1.name_scope(name):
            for variable in getattr(gan_model, name):
                v1.summary.histogram(variable.name, variable)


def add_regularization_loss_summaries(gan_model: Any) -> None:
    """Summaries of both networks' regularization."""
    for name in ("generator", "discriminator"):
        if scope := getattr(gan_model, f"{name}_scope"):
            v1.summary.scalar(f"{name}_regularization_loss", v1.losses.get_regularization_loss(scope.name))


def image_grid(
    input_tensor: Any, grid_shape: Any, image_shape: Any = (32, 32), num_channels: int = 3
) -> tf.Tensor:
    """Images [rows * columns, ...] as one: [1, rows * height, columns * width, channels].

    Raises:
        ValueError: there are more or fewer images, or they have another shape.
    """
    (rows, columns), (height, width) = grid_shape, image_shape
    shapes = ([height, width, num_channels], [height * width * num_channels])
    if input_tensor.shape.as_list() not in [[rows * columns, *shape] for shape in shapes]:
        raise ValueError(f"a grid of {grid_shape} images of {shapes[0]} is not made of {input_tensor.shape}")
    cells = tf.reshape(input_tensor, [rows, columns, height, width, num_channels])
    by_line = tf.transpose(cells, [0, 2, 1, 3, 4])
    return tf.reshape(by_line, [1, rows * height, columns * width, num_channels])


def image_reshaper(images: Any, num_cols: int | None = None) -> tf.Tensor:
    """A list, or a batch, of images as one, with so many in a row, by default as many as rows; black ones fill it."""
    images = list(images) if isinstance(images, list | tuple) else tf.unstack(images)
    columns = num_cols or math.ceil(math.sqrt(len(images)))
    images += [tf.zeros_like(images[-1])] * (-len(images) % columns)
    rows = [tf.concat(images[first : first + columns], 1) for first in range(0, len(images), columns)]
    return tf.expand_dims(tf.concat(rows, 0), 0)
