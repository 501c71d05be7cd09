"""`tf.contrib.gan.eval`: summaries of a model, grids of images, scores by a classifier.

The scores are those of Inception (Salimans et al., 2016, arxiv.org/abs/1606.03498) and of Fréchet
(Heusel et al., 2017, arxiv.org/abs/1706.08500). They are computed in float64, and have the type of
what is given.
"""

import functools
import math
import tarfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf
from tf_slim.layers import layers

from tf2towers.runtime.tf1.gan.wasserstein import sliced_wasserstein_distance as sliced_wasserstein_distance

v1 = tf.compat.v1

INCEPTION_URL = "http://download.tensorflow.org/models/frozen_inception_v1_2015_12_05.tar.gz"
INCEPTION_FROZEN_GRAPH = "inceptionv1_for_inception_score.pb"
INCEPTION_INPUT = "Mul:0"
INCEPTION_OUTPUT = "logits:0"
INCEPTION_FINAL_POOL = "pool_3:0"
INCEPTION_DEFAULT_IMAGE_SIZE = 299


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
    """A list, or batch, of images as one, with so many in a row; black ones fill it."""
    images = list(images) if isinstance(images, list | tuple) else tf.unstack(images)
    columns = num_cols or math.ceil(math.sqrt(len(images)))
    images += [tf.zeros_like(images[-1])] * (-len(images) % columns)
    rows = [tf.concat(images[first : first + columns], 1) for first in range(0, len(images), columns)]
    return tf.expand_dims(tf.concat(rows, 0), 0)


def get_graph_def_from_disk(filename: str) -> Any:
    """The GraphDef in a file."""
    with tf.io.gfile.GFile(filename, "rb") as file:
        return v1.GraphDef.FromString(file.read())


def get_graph_def_from_url_tarball(url: str, filename: str, tar_filename: str | None = None) -> Any:
    """The GraphDef in a file of the archive `tar_filename`, fetched unless it is there."""
    if not (tar_filename and Path(tar_filename).exists()):
        tar_filename, _ = urllib.request.urlretrieve(url, tar_filename)
    with tarfile.open(tar_filename, "r:gz") as archive:
        member = archive.extractfile(filename)
        assert member is not None, f"{filename} is no file of {tar_filename}"
        return v1.GraphDef.FromString(member.read())


def preprocess_image(
    images: Any,
    height: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    width: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    scope: str | None = None,
) -> Any:
    """An image, or a batch, of 0 to 255 as -1 to 1 in another size."""
    with v1.name_scope(scope, "preprocess"):
        images = images if images.dtype.is_floating else tf.cast(images, tf.float32)
        batch = tf.expand_dims(images, 0) if images.shape.ndims == 3 else images
        resized = (v1.image.resize_bilinear(batch, [height, width]) - 128.0) / 128.0
        return tf.squeeze(resized, 0) if images.shape.ndims == 3 else resized


def run_image_classifier(
    tensor: Any, graph_def: Any, input_tensor: str, output_tensor: Any, scope: str = "RunClassifier"
) -> Any:
    """What the classifier's tensor, or list of tensors, is for an input."""
    is_one = isinstance(output_tensor, str)
    names = [output_tensor] if is_one else output_tensor
    outputs = tf.graph_util.import_graph_def(graph_def, {input_tensor: tensor}, names, name=scope)
    return outputs[0] if is_one else outputs


def _inception() -> Any:
    archive = Path(INCEPTION_URL).name
    return get_graph_def_from_url_tarball(INCEPTION_URL, INCEPTION_FROZEN_GRAPH, archive)


def run_inception(
    images: Any,
    graph_def: Any = None,
    default_graph_def_fn: Callable[[], Any] | None = _inception,
    image_size: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    input_tensor: str = INCEPTION_INPUT,
    output_tensor: Any = INCEPTION_OUTPUT,
) -> Any:
    """What Inception computes of images [batch, ...] of -1 to 1: [batch, features], or a list.

    Raises:
        ValueError: the images have another size, or there is no graph.
    """
    images = tf.convert_to_tensor(images)
    images.shape.assert_is_compatible_with([None, image_size, image_size, None])
    if graph_def is None:
        if default_graph_def_fn is None:
            raise ValueError("run_inception needs `graph_def` or `default_graph_def_fn`")
        graph_def = default_graph_def_fn()
    outputs = run_image_classifier(images, graph_def, input_tensor, output_tensor)
    return [*map(layers.flatten, outputs)] if isinstance(outputs, list) else layers.flatten(outputs)


def _of_batches(images: Any, classifier_fn: Callable[[Any], Any], batches: int) -> Any:
    """What a classifier gives for images, batch after batch."""
    stacked = tf.stack(tf.split(images, batches))
    outputs = v1.map_fn(
        classifier_fn, stacked, parallel_iterations=1, back_prop=False, swap_memory=True, name="RunClassifier"
    )
    return tf.concat(tf.unstack(outputs), 0)


def classifier_score(images: Any, classifier_fn: Callable[[Any], Any], num_batches: int = 1) -> Any:
    """The score of images by a classifier's logits, a scalar."""
    return classifier_score_from_logits(_of_batches(images, classifier_fn, num_batches))


def classifier_score_from_logits(logits: Any) -> Any:
    """The exponential of the mean divergence of each image's classes from those of all images."""
    logits.shape.assert_has_rank(2)
    exact = tf.cast(logits, tf.float64)
    classes = tf.nn.softmax(exact)
    differences = tf.nn.log_softmax(exact) - tf.math.log(tf.reduce_mean(classes, 0))
    return tf.cast(tf.exp(tf.reduce_mean(tf.reduce_sum(classes * differences, 1))), logits.dtype)


def frechet_classifier_distance(
    real_images: Any, generated_images: Any, classifier_fn: Callable[[Any], Any], num_batches: int = 1
) -> Any:
    """Fréchet's distance of real and generated images by a classifier's activations, a scalar."""
    real = _of_batches(real_images, classifier_fn, num_batches)
    return frechet_classifier_distance_from_activations(
        real, _of_batches(generated_images, classifier_fn, num_batches)
    )


def frechet_classifier_distance_from_activations(real_activations: Any, generated_activations: Any) -> Any:
    """|m - m'|^2 + trace(C + C' - 2 (C C')^(1/2)) of activations [images, features]."""
    real, made = _exact(real_activations), _exact(generated_activations)
    of_real, of_made = _covariance(real), _covariance(made)
    root = _root(of_real)
    mixed = tf.linalg.trace(_root(tf.matmul(root, tf.matmul(of_made, root))))
    spread = tf.linalg.trace(of_real + of_made) - 2.0 * mixed
    return tf.cast(spread + _between_means(real, made), real_activations.dtype)


def mean_only_frechet_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any
) -> Any:
    """|m - m'|^2 alone."""
    difference = _between_means(_exact(real_activations), _exact(generated_activations))
    return tf.cast(difference, real_activations.dtype)


def diagonal_only_frechet_classifier_distance_from_activations(
    real_activations: Any, generated_activations: Any
) -> Any:
    """Fréchet's distance with the variances instead of the covariances."""
    real, made = _exact(real_activations), _exact(generated_activations)
    (_, of_real), (_, of_made) = tf.nn.moments(real, [0]), tf.nn.moments(made, [0])
    spread = tf.reduce_sum(of_real + of_made - 2.0 * tf.sqrt(of_real * of_made))
    return tf.cast(spread + _between_means(real, made), real_activations.dtype)


def _exact(activations: Any) -> Any:
    activations.shape.assert_has_rank(2)
    return tf.cast(activations, tf.float64)


def _between_means(real: Any, made: Any) -> Any:
    return tf.reduce_sum(tf.math.squared_difference(tf.reduce_mean(real, 0), tf.reduce_mean(made, 0)))


def _covariance(values: Any) -> Any:
    centered = values - tf.reduce_mean(values, 0)
    return tf.matmul(centered, centered, transpose_a=True) / tf.cast(tf.shape(values)[0] - 1, tf.float64)


def _root(matrix: Any) -> Any:
    """The square root of a symmetric matrix; singular values below 1e-10 stay as they are."""
    sizes, left, right = tf.linalg.svd(matrix)
    roots = tf.where(sizes < 1e-10, sizes, tf.sqrt(sizes))
    return tf.matmul(left * roots, right, transpose_b=True)


inception_score = functools.partial(
    classifier_score, classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_OUTPUT)
)
frechet_inception_distance = functools.partial(
    frechet_classifier_distance,
    classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_FINAL_POOL),
)
