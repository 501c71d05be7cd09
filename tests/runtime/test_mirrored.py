"""The same layers in the replicas of a `MirroredStrategy`: each computes what TF 1.15 computed."""

from typing import Any

import pytest
import tensorflow as tf

from tf2towers.runtime import layers, rnn, slim
from tf2towers.runtime.variable_store import VariableStore

from . import against_golden
from .cases import layer_cases, rnn_cases, running, slim_cases

CASES = {
    ("layers", "towers"): layer_cases.CASES,
    ("layers", "regularized"): layer_cases.CASES,
    ("slim", "variable_lookups"): slim_cases.CASES,
    ("slim", "batch_norm in place"): slim_cases.CASES,
    ("slim", "losses"): slim_cases.CASES,
    ("rnn", "mixed"): rnn_cases.CASES,
    ("rnn", "LSTMBlockCell"): rnn_cases.CASES,
}


@pytest.mark.parametrize(("module", "title"), sorted(CASES))
def test_every_replica_is_as_tf1(module: str, title: str) -> None:
    case = CASES[module, title][title]
    golden = against_golden.goldens(module)[title]
    strategy = tf.distribute.MirroredStrategy(
        [device.name for device in tf.config.list_logical_devices("CPU")][:2]
    )
    store = VariableStore(strategy)
    api = running.Api(tf.compat.v1, layers, slim, rnn=rnn)

    @store.scope()
    def tower(inputs: list[tf.Tensor]) -> dict[str, tf.Tensor]:
        return running.build(case, api, inputs)

    @tf.function
    def step(inputs: list[tf.Tensor]) -> Any:
        return strategy.run(tower, args=(inputs,))

    inputs = [tf.constant(running.fixed(f"input{i}", shape)) for i, shape in enumerate(case.shapes)]
    step.get_concrete_function(inputs)
    for name in store.names():
        store[name].assign(running.fixed(name, store[name].shape.as_list()))
    assert [[name, store[name].shape.as_list()] for name in store.names()] == golden["variables"]
    for name, value in step(inputs).items():
        largest = max(value["norm"] for value in golden["values"].values())
        for of_replica in strategy.experimental_local_results(value):
            against_golden.assert_close(of_replica.numpy(), golden["values"][name], 1e-4 * largest, name)
