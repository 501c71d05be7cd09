"""The same layer several times (`tf.contrib.layers.repeat`, `stack`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted

v1 = tf.compat.v1


@unconverted
def repeat(
    inputs: tf.Tensor, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> tf.Tensor:
    """`tf.contrib.layers.repeat`: `repeat(x, 2, conv2d, 64, 3, scope='a')` has scopes 'a/a_1' and 'a/a_2'."""
    scope = kwargs.pop("scope", None)
    with v1.variable_scope(scope, "Repeat", [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        for i in range(repetitions):
            kwargs["scope"] = f"{scope or _name(layer, 'repeat')}_{i + 1}"
            outputs = layer(outputs, *args, **kwargs)
        return outputs


@unconverted
def stack(
    inputs: tf.Tensor, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any
) -> tf.Tensor:
    """`tf.contrib.layers.stack`: `stack(x, fully_connected, [32, 10], scope='fc')` has scopes 'fc/fc_1' and 'fc/fc_2'.

    Raises:
        ValueError: `stack_args` is neither a list nor a tuple.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with v1.variable_scope(scope, "Stack", [inputs]):
        outputs = tf.convert_to_tensor(inputs)
        for i, layer_args in enumerate(stack_args):
            kwargs["scope"] = f"{scope or _name(layer, 'stack')}_{i + 1}"
            outputs = layer(
                outputs, *(layer_args if isinstance(layer_args, (list, tuple)) else [layer_args]), **kwargs
            )
        return outputs


def _name(layer: Any, otherwise: str) -> str:
    """The name of a function, or of the function a `functools.partial` calls."""
    return str(
        getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", otherwise)
    )
