"""The rows of docs/semantics.md that the runtime answers for, on 1, 2 and 3 towers."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tests.runtime.on_towers import copies, equal, in_session, step_of
from tf2towers.runtime import (
    ExponentialMovingAverage,
    Saver,
    VariableStore,
    apply_gradients,
    average_gradients,
    gather_towers,
    in_tower_order,
    keep_statistics,
    tower_devices,
    tower_gradients,
    tower_index,
)

pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1
TOWERS = pytest.mark.parametrize("towers", [1, 2, 3])
START = np.array([1.0, -2.0, 0.5], np.float32)
BATCHES = np.random.RandomState(0).randn(6, 3).astype(np.float32)
OPTIMIZERS = {
    "sgd": lambda: v1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: v1.train.AdamOptimizer(0.1),
    "adagrad": lambda: v1.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: v1.train.RMSPropOptimizer(0.1),
}


def new_store(towers: int) -> VariableStore:
    """A store on so many towers. TF lets one process have collectives for one number of devices only: none here."""
    devices = [f"/cpu:{index}" for index in range(towers)]
    return VariableStore(tf.distribute.MirroredStrategy(devices, tf.distribute.ReductionToOneDevice()))


def _weight() -> Any:
    return v1.get_variable("w", [3], initializer=v1.constant_initializer(START))


@TOWERS
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_averaged_gradient_is_applied_once(towers: int, name: str) -> None:
    """A v1 optimizer would SUM the towers' equal means; the update is TF1's, to the bit, for any number of towers."""
    store = new_store(towers)
    opt = OPTIMIZERS[name]()

    def tower(batch: Any) -> Any:
        weight = _weight()
        pairs = average_gradients(tower_gradients(tf.reduce_sum(weight * batch)))
        apply_gradients(opt, pairs)
        return pairs[0][0]

    step = step_of(store, tower)
    for batch in BATCHES:
        step(batch)

    def build() -> Any:
        weight, batch = _weight(), v1.placeholder(tf.float32, [3])
        return weight, batch, OPTIMIZERS[name]().apply_gradients([(tf.identity(batch), weight)])

    with tf.Graph().as_default(), v1.variable_scope(v1.get_variable_scope(), use_resource=True):
        weight, batch, update = build()
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for values in BATCHES:
                session.run(update, {batch: values})
            expected = session.run(weight)
    for copy in copies(store, "w"):
        if towers == 3:  # (b + b + b) / 3 may round; what is applied is that mean, once
            np.testing.assert_allclose(copy, expected, rtol=2e-6)
        else:
            equal(copy, expected)


@TOWERS
def test_in_tower_order_is_concat_and_reduce_mean(towers: int) -> None:
    store = new_store(towers)
    with in_tower_order():
        step = step_of(store, lambda: average_gradients([(BATCHES[tower_index()] * 1.1, None)])[0][0])
        means = step()
    parts = BATCHES[:towers] * np.float32(1.1)
    expected = in_session(lambda: tf.reduce_mean(tf.concat([part[None] for part in parts], 0), 0))[0]
    for mean in means:
        equal(mean, expected)


def test_gathered_values_come_in_tower_order() -> None:
    store = new_store(3)
    step = step_of(store, lambda: tf.stack(gather_towers(tf.constant(float(tower_index())))))
    for towers in step():
        equal(towers, np.array([0.0, 1.0, 2.0], np.float32))


@TOWERS
@pytest.mark.parametrize("keep", ["last", "none"])
def test_whose_statistics_are_kept(towers: int, keep: str) -> None:
    store = new_store(towers)

    def tower() -> Any:
        mean = v1.get_variable("mean", [], initializer=v1.constant_initializer(5.0), trainable=False)
        mean.assign(10.0 * (tower_index() + 1))
        keep_statistics(keep)  # type: ignore[arg-type]
        return mean.read_value()

    step_of(store, tower)()
    own = [10.0 * (tower + 1) for tower in range(towers)]
    expected = {"last": own[-1], "none": 5.0}[keep]
    assert copies(store, "mean") == [pytest.approx(expected)] * towers


@TOWERS
def test_a_function_that_does_not_train_updates_nothing(towers: int) -> None:
    store = new_store(towers)
    average = ExponentialMovingAverage(0.5, name="avg")

    def tower() -> Any:
        weight = _weight()
        mean = v1.get_variable("mean", [], initializer=v1.constant_initializer(5.0), trainable=False)
        mean.assign_add(1.0)
        weight.assign_add(tf.ones([3]))
        average.apply([weight])
        return average.average(weight).read_value()

    step_of(store, tower)()
    before = [copies(store, "mean"), copies(store, "w/avg")]
    step_of(store, tower, update=False)()
    after = [copies(store, "mean"), copies(store, "w/avg")]
    np.testing.assert_array_equal(np.array(before, object).tolist()[0], np.array(after, object).tolist()[0])
    equal(before[1][0], after[1][0])


def test_a_missing_gpu_is_a_logical_cpu_and_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tf2towers"):
        assert tower_devices(["/gpu:7", "/gpu:8"]) == ["/cpu:0", "/cpu:1"]
        tower_devices(["/gpu:7", "/gpu:8"])
    assert caplog.text.count("training on the CPU") == 1
    with pytest.raises(ValueError, match="no towers"):
        tower_devices([])


def test_a_checkpoint_of_a_session_is_restored_slots_and_all(tmp_path: Any) -> None:
    """Before the variables exist: the model is made at the first step, the momentum at the first update."""
    path = str(tmp_path / "model.ckpt")
    with tf.Graph().as_default(), v1.variable_scope(v1.get_variable_scope(), use_resource=True):
        weight = _weight()
        update = v1.train.MomentumOptimizer(0.1, 0.9).apply_gradients([(tf.ones([3]), weight)])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(update)
            v1.train.Saver().save(session, path)
            session.run(update)
            expected = session.run(weight)
    store = new_store(2)
    with store.strategy.scope(), store.scope():
        opt = v1.train.MomentumOptimizer(0.1, 0.9)
        Saver(store).restore(path)

        def tower() -> Any:
            pairs = average_gradients(tower_gradients(tf.reduce_sum(_weight())))
            return apply_gradients(opt, pairs) and pairs[0][0]

        step_of(store, tower)()
    equal(copies(store, "w")[1], expected)
