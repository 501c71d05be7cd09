"""`core_rnn_cell._Linear` and `_linear` of `tf.contrib.rnn`: the linear map that people's own cells are made of.

Names, shapes and numbers are those that TensorFlow 1.15 gave (tests/runtime/tf1/test_objects.py).
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


class Linear:
    """Maps inputs of (batch, depth) each, side by side, to (batch, output_size).

    Its variables are made at once, in the current variable scope. `kernel`, of (sum of depths, output_size), begins by
    default as the scope says. `bias`, of (output_size,), is there with `build_bias`, and begins by default as zeros.

    Raises:
        ValueError: there are no inputs, or one of them is not a matrix of known depth.
    """

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        inputs = tf.nest.flatten(args)
        known = [each is not None and each.shape.rank == 2 and each.shape.as_list()[1] for each in inputs]
        if not known or not all(known):
            raise ValueError(f"linear needs inputs that are matrices of known depth, and has {inputs}")
        dtype = inputs[0].dtype
        self._kernel = v1.get_variable("kernel", [sum(known), output_size], dtype, kernel_initializer)
        self._bias = None
        if build_bias:
            start = bias_initializer or v1.zeros_initializer()
            self._bias = v1.get_variable("bias", [output_size], dtype, start)

    def __call__(self, args: Any) -> tf.Tensor:
        """The output for such inputs: (batch, output_size)."""
        inputs = tf.nest.flatten(args)
        product = tf.matmul(inputs[0] if len(inputs) == 1 else tf.concat(inputs, 1), self._kernel)
        return product if self._bias is None else tf.nn.bias_add(product, self._bias)


def linear(args: Any, *options: Any, **named: Any) -> tf.Tensor:
    """The output of a `Linear` made of these inputs; its bias is the argument `bias`."""
    if "bias" in named:
        named["build_bias"] = named.pop("bias")
    return Linear(args, *options, **named)(args)
