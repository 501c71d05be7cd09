"""What a step takes in the place of a placeholder of whole numbers: all that `sess.run` took for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


@pytest.mark.parametrize(
    ("fed", "taken"),
    [([1.0, 2.7], [1, 2]), (np.array([3, 4], np.int64), [3, 4]), ((5, True), [5, 1])],
)
def test_whole_numbers(fed: Any, taken: list[int]) -> None:
    from tf2towers.runtime import FedTensorSpec

    step = tf.function(lambda labels: labels, input_signature=[FedTensorSpec([None], tf.int32)])
    for given in (fed, tf.constant(taken)):
        assert step(given).numpy().tolist() == taken
    assert step.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("fed", [0, 1, False, np.True_, 2.0])
def test_truth_values(fed: Any) -> None:
    from tf2towers.runtime import FedTensorSpec

    step = tf.function(lambda flag: flag, input_signature=[FedTensorSpec([], tf.bool)])
    assert step(fed).numpy() == bool(fed)
