"""What optimizers and moving averages make after towers that leave the variables' scope reusing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _patched() -> Iterator[None]:
    from tf2towers.runtime.graph_session.patches import slots_under_reuse

    slots_under_reuse()
    slots_under_reuse()
    yield
    slots_under_reuse.undo()


def train(reusing: bool) -> list[tuple[str, list[float]]]:
    """Two steps with momentum and a moving average; the variables' names and values."""
    with tf.Graph().as_default(), v1.Session() as session:
        weights = v1.get_variable("tower/weights", initializer=[1.0, 2.0])
        if reusing:
            v1.get_variable_scope().reuse_variables()
        step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(v1.reduce_sum(weights * weights))
        average = v1.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([step]):
            train_op = average.apply([weights])
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(train_op)
        return [
            (variable.op.name, session.run(variable).tolist())
            for variable in sorted(v1.global_variables(), key=lambda variable: variable.op.name)
        ]


def test_the_same_variables_as_without_reuse() -> None:
    made = train(reusing=True)
    assert [name for name, _ in made] == [
        "tower/weights",
        "tower/weights/ExponentialMovingAverage",
        "tower/weights/Momentum",
    ]
    assert made == train(reusing=False)


def test_other_variables_that_are_not_there_still_stop() -> None:
    with (
        tf.Graph().as_default(),
        v1.variable_scope("tower", reuse=True),
        pytest.raises(ValueError, match="not exist"),
    ):
        v1.get_variable("weights", [2])
