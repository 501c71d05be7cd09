"""`tf.contrib.gan.losses.wargs`: losses of a discriminator's outputs.

They are those of Goodfellow et al. (2014), Mao et al. (2016), and Arjovsky et al. (2017) with the
gradient penalty of Gulrajani et al. (2017).
"""

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

_MEAN = v1.losses.Reduction.SUM_BY_NONZERO_WEIGHTS
_LOSSES = v1.GraphKeys.LOSSES


def _weighted(losses: Any, weights: Any, scope: Any, collection: Any, reduction: Any) -> tf.Tensor:
    return v1.losses.compute_weighted_loss(losses, weights, scope, collection, reduction)


def _add_summaries(wanted: bool, **losses: Any) -> None:
    """Adds a summary of each loss, by its name, where the caller wants them."""
    for name, loss in losses.items() if wanted else ():
        v1.summary.scalar(name, loss)


def _add_loss(loss: Any, collection: Any) -> None:
    if collection:
        v1.add_to_collection(collection, loss)


def wasserstein_generator_loss(
    discriminator_gen_outputs: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The generator's: what the discriminator says of generated data, made large."""
    with v1.name_scope(scope, "generator_wasserstein_loss") as inner:
        outputs = tf.cast(discriminator_gen_outputs, tf.float32)
        loss = _weighted(-outputs, weights, inner, loss_collection, reduction)
        _add_summaries(add_summaries, generator_wass_loss=loss)
    return loss


def wasserstein_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The discriminator's: what it says of generated data, less what it says of real ones."""
    with v1.name_scope(scope, "discriminator_wasserstein_loss") as inner:
        real, generated = (
            tf.cast(each, tf.float32) for each in (discriminator_real_outputs, discriminator_gen_outputs)
        )
        of_generated = _weighted(generated, generated_weights, inner, None, reduction)
        of_real = _weighted(real, real_weights, inner, None, reduction)
        loss = of_generated - of_real
        _add_loss(loss, loss_collection)
        _add_summaries(
            add_summaries,
            discriminator_gen_wass_loss=of_generated,
            discriminator_real_wass_loss=of_real,
            discriminator_wass_loss=loss,
        )
    return loss


def wasserstein_gradient_penalty(
    real_data: Any,
    generated_data: Any,
    generator_inputs: Any,
    discriminator_fn: Any,
    discriminator_scope: Any,
    epsilon: float = 1e-10,
    target: float = 1.0,
    one_sided: bool = False,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The discriminator's slope between real and generated data, away from `target`, squared.

    With `one_sided`, as far as it is larger.
    """
    with v1.name_scope(scope, "wasserstein_gradient_penalty") as inner:
        real, generated = tf.convert_to_tensor(real_data), tf.convert_to_tensor(generated_data)
        if real.shape.rank is None or generated.shape.rank is None:
            raise ValueError("a gradient penalty needs data of known rank")
        differences = generated - real
        batch = differences.shape.as_list()[0] or tf.shape(differences)[0]
        between = real + v1.random_uniform([batch] + [1] * (differences.shape.rank - 1)) * differences
        with v1.name_scope(None):  # the update operations have their names by the scope of variables
            reuse = v1.AUTO_REUSE
            with v1.variable_scope(discriminator_scope, "gpenalty_dscope", reuse=reuse):
                outputs = discriminator_fn(between, generator_inputs)
        outputs = outputs[0] if isinstance(outputs, tuple) else outputs
        gradient = v1.gradients(outputs, between)[0]
        squares = tf.reduce_sum(tf.square(gradient), list(range(1, gradient.shape.rank)))
        penalties = tf.sqrt(squares + epsilon) / target - 1.0
        penalties = tf.square(tf.maximum(0.0, penalties) if one_sided else penalties)
        penalty = _weighted(penalties, weights, inner, loss_collection, reduction)
        _add_summaries(add_summaries, gradient_penalty_loss=penalty)
    return penalty


def minimax_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.25,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The discriminator's: the logits' cross entropy, real being 1, less `label_smoothing`."""
    with v1.name_scope(scope, "discriminator_minimax_loss") as inner:
        entropy = v1.losses.sigmoid_cross_entropy
        real, generated = discriminator_real_outputs, discriminator_gen_outputs
        one = tf.ones_like(real)
        of_real = entropy(one, real, real_weights, label_smoothing, inner, None, reduction)
        zero = tf.zeros_like(generated)
        of_generated = entropy(zero, generated, generated_weights, 0, inner, None, reduction)
        loss = of_real + of_generated
        _add_loss(loss, loss_collection)
        _add_summaries(
            add_summaries,
            discriminator_gen_minimax_loss=of_generated,
            discriminator_real_minimax_loss=of_real,
            discriminator_minimax_loss=loss,
        )
    return loss


def minimax_generator_loss(
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.0,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The generator's: the discriminator's cross entropy, made large."""
    ones, outputs = tf.ones_like(discriminator_gen_outputs), discriminator_gen_outputs
    with v1.name_scope(scope, "generator_minimax_loss") as inner:
        rest = (label_smoothing, weights, weights, inner, loss_collection, reduction)
        loss = -minimax_discriminator_loss(ones, outputs, *rest)
    _add_summaries(add_summaries, generator_minimax_loss=loss)
    return loss


def modified_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.25,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The discriminator's: as `minimax_discriminator_loss`."""
    outputs = (discriminator_real_outputs, discriminator_gen_outputs, label_smoothing)
    rest = (scope or "discriminator_modified_loss", loss_collection, reduction, add_summaries)
    return minimax_discriminator_loss(*outputs, real_weights, generated_weights, *rest)


def modified_generator_loss(
    discriminator_gen_outputs: Any,
    label_smoothing: float = 0.0,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The generator's: the cross entropy of generated data as if they were real."""
    outputs = discriminator_gen_outputs
    with v1.name_scope(scope, "generator_modified_loss") as inner:
        rest = (weights, label_smoothing, inner, loss_collection, reduction)
        loss = v1.losses.sigmoid_cross_entropy(tf.ones_like(outputs), outputs, *rest)
        _add_summaries(add_summaries, generator_modified_loss=loss)
    return loss


def least_squares_generator_loss(
    discriminator_gen_outputs: Any,
    real_label: float = 1,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The generator's: half the square of what the discriminator's outputs lack to `real_label`."""
    with v1.name_scope(scope, "lsq_generator_loss") as inner:
        outputs = tf.cast(discriminator_gen_outputs, tf.float32)
        squares = tf.math.squared_difference(outputs, float(real_label)) / 2.0
        loss = _weighted(squares, weights, inner, loss_collection, reduction)
    _add_summaries(add_summaries, generator_lsq_loss=loss)
    return loss


def least_squares_discriminator_loss(
    discriminator_real_outputs: Any,
    discriminator_gen_outputs: Any,
    real_label: float = 1,
    fake_label: float = 0,
    real_weights: Any = 1.0,
    generated_weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _LOSSES,
    reduction: Any = _MEAN,
    add_summaries: bool = False,
) -> tf.Tensor:
    """The discriminator's: half the squares of what its outputs lack to the labels."""
    with v1.name_scope(scope, "lsq_discriminator_loss") as inner:

        def lacking(outputs: Any, label: float, weights: Any) -> tf.Tensor:
            squares = tf.math.squared_difference(tf.cast(outputs, tf.float32), float(label)) / 2.0
            return _weighted(squares, weights, inner, None, reduction)

        of_real = lacking(discriminator_real_outputs, real_label, real_weights)
        of_generated = lacking(discriminator_gen_outputs, fake_label, generated_weights)
        loss = of_real + of_generated
        _add_loss(loss, loss_collection)
    _add_summaries(
        add_summaries,
        discriminator_gen_lsq_loss=of_generated,
        discriminator_real_lsq_loss=of_real,
        discriminator_lsq_loss=loss,
    )
    return loss
