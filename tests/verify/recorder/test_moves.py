"""Which variables a session call moves towards a value, and by how much of the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


def _averaged(v1: Any, variable: Any, value: Any) -> Any:
    from tensorflow.python.training import moving_averages

    return moving_averages.assign_moving_average(variable, value, 0.75, zero_debias=False)


def _written_out(v1: Any, variable: Any, value: Any) -> Any:
    return v1.assign_sub(variable, 0.25 * (variable - value))


def _twice(v1: Any, variable: Any, value: Any) -> Any:
    return v1.group(_averaged(v1, variable, value), _written_out(v1, variable, value))


def _subtracted(v1: Any, variable: Any, value: Any) -> Any:
    return v1.assign_sub(variable, value * 0.25)


def _set(v1: Any, variable: Any, value: Any) -> Any:
    return v1.assign(variable, value)


def _in_a_branch(v1: Any, variable: Any, value: Any) -> Any:
    return v1.cond(
        v1.constant(True), lambda: _written_out(v1, variable, value), lambda: v1.identity(variable)
    )


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize(
    ("update", "is_move"),
    [
        (_averaged, True),
        (_written_out, True),
        (_twice, False),
        (_subtracted, False),
        (_set, False),
        (_in_a_branch, False),
    ],
)
def test_moves(update: Callable[..., Any], is_move: bool, resource: bool) -> None:
    import tensorflow as tf

    from tf2towers.verify.recorder.graph import ancestors
    from tf2towers.verify.recorder.moving_averages import moves

    v1 = tf.compat.v1
    if update is _in_a_branch and not resource:
        pytest.skip("TensorFlow 2's cond takes no reference")
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("norm/mean", initializer=[1.0, 5.0], use_resource=resource)
        op = update(v1, variable, v1.constant([2.0, 1.0]))
        found = moves(ancestors([getattr(op, "op", op)]))
        assert set(found) == ({"norm/mean"} if is_move else set())
        for value, rate in found.values():
            session.run(v1.global_variables_initializer())
            value, rate = session.run([value, rate])  # noqa: PLW2901
            assert value.tolist() == [2.0, 1.0] and np.isclose(rate, 0.25)
