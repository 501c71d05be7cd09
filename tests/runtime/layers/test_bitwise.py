"""Our layers against TF1's own code on the same TensorFlow, bit for bit.

TF 2 still carries the TF1 layers in a private module; only this test looks at it, as a yardstick. It has no batch
normalization: there the formula itself is the yardstick.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tf2towers.runtime.variable_store import VariableStore

from tf2towers.runtime import layers

from .. import against_golden
from ..cases import running
from ..cases.layer_cases import CASES

v1 = tf.compat.v1
UNDER_TEST = [
    title
    for title in sorted(CASES)
    if not title.startswith("batch_normalization") and title not in ("towers", "objects", "scope defaults")
]


def legacy_layers() -> Any:
    """TF1's layer functions as TF 2 ships them, privately."""
    names: dict[str, Any] = {}
    for module in ("convolutional", "core", "pooling"):
        legacy = pytest.importorskip(f"tensorflow.python.keras.legacy_tf_layers.{module}")
        names.update({name: value for name, value in vars(legacy).items() if not name.startswith("_")})
    return SimpleNamespace(**names)


@pytest.mark.parametrize("title", UNDER_TEST)
@pytest.mark.filterwarnings("ignore")
def test_bits_of_tf1_layers(title: str) -> None:
    expected = against_golden.run_in_session(CASES[title], running.Api(v1, legacy_layers()))
    found = against_golden.run(CASES[title], running.Api(v1, layers))["values"]
    assert sorted(found) == sorted(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("epsilon", [1e-3, 1e-5])
def test_fused_batch_norm_is_the_kernel_and_its_float32_momentum(epsilon: float) -> None:
    x = tf.constant(running.fixed("input0", (2, 6, 5, 3)))
    store = VariableStore()

    @tf.function
    def step() -> tf.Tensor:
        with store.scope():
            return layers.batch_normalization(x, epsilon=epsilon, training=True)

    output = step()
    expected, mean, variance = v1.nn.fused_batch_norm(x, tf.ones(3), tf.zeros(3), epsilon=epsilon)
    np.testing.assert_array_equal(output, expected)
    rest = np.float32(1.0) - np.float32(0.99)
    assert rest != np.float32(1.0 - 0.99)
    np.testing.assert_array_equal(
        store["batch_normalization/moving_mean"], -(np.float32(0.0) - mean.numpy()) * rest
    )
    np.testing.assert_array_equal(
        store["batch_normalization/moving_variance"], 1 - (np.float32(1.0) - variance.numpy()) * rest
    )
