"""`tf.contrib.gan.losses`: losses of a model, whose tensors are named as the arguments."""

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.gan import wargs as wargs


def _of_model(loss: Callable[..., tf.Tensor]) -> Callable[..., tf.Tensor]:
    """The loss as a function of a model, which has the tensors by the names of the arguments."""
    names = frozenset(inspect.signature(loss).parameters)

    def of_model(gan_model: Any, **kwargs: Any) -> tf.Tensor:
        parts = {name: getattr(gan_model, name) for name in names & set(gan_model._fields)}
        if twice := parts.keys() & kwargs.keys():
            raise ValueError(f"{', '.join(sorted(twice))} are the model's")
        return loss(**parts, **kwargs)

    return of_model


wasserstein_generator_loss = _of_model(wargs.wasserstein_generator_loss)
wasserstein_discriminator_loss = _of_model(wargs.wasserstein_discriminator_loss)
wasserstein_gradient_penalty = _of_model(wargs.wasserstein_gradient_penalty)
minimax_discriminator_loss = _of_model(wargs.minimax_discriminator_loss)
minimax_generator_loss = _of_model(wargs.minimax_generator_loss)
modified_discriminator_loss = _of_model(wargs.modified_discriminator_loss)
modified_generator_loss = _of_model(wargs.modified_generator_loss)
least_squares_generator_loss = _of_model(wargs.least_squares_generator_loss)
least_squares_discriminator_loss = _of_model(wargs.least_squares_discriminator_loss)
