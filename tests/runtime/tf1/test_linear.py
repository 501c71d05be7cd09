"""`core_rnn_cell._Linear`: names, shapes and numbers as TensorFlow 1.15.5 gave them."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


def test_linear_computes_as_tensorflow_1() -> None:
    from tf2towers.runtime.tf1.rnn_cell import Linear, linear

    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(np.linspace(-1, 1, 6).reshape(2, 3), tf.float32)
        y = tf.constant(np.linspace(0, 1, 4).reshape(2, 2), tf.float32)
        with v1.variable_scope("a", initializer=v1.constant_initializer(0.3)):
            first = Linear([x, y], 4, True)([x, y])
        with v1.variable_scope("a", reuse=True):
            again = linear([x, y], 4, True)
        with v1.variable_scope("b", initializer=v1.constant_initializer(0.7)):
            without_bias = linear(x, 2, False)
        with v1.variable_scope("c"):
            given = Linear([x], 2, True, v1.constant_initializer(0.5), v1.constant_initializer(2.0))([x])
        session.run(v1.global_variables_initializer())
        assert [(variable.op.name, variable.shape.as_list()) for variable in v1.global_variables()] == [
            ("a/kernel", [5, 4]),
            ("a/bias", [4]),
            ("b/kernel", [3, 2]),
            ("c/kernel", [3, 2]),
            ("c/bias", [2]),
        ]
        wanted = [
            [-0.44] * 4 + [1.04] * 4,
            [-0.44] * 4 + [1.04] * 4,
            [-1.26] * 2 + [1.26] * 2,
            [-3.1] * 2 + [4.1] * 2,
        ]
        for value, numbers in zip(session.run([first, again, without_bias, given]), wanted, strict=True):
            np.testing.assert_allclose(value.ravel(), numbers, rtol=1e-6)
        for nothing in ([], None):
            with pytest.raises(ValueError, match="needs inputs"):
                linear(nothing, 2, True)
