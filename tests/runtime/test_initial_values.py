"""What variables start with: TF1's types and numbers."""

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.tensorflow
tf = pytest.importorskip("tensorflow")

from tf2towers.runtime import VariableStore  # noqa: E402

from .on_towers import copies, equal, in_session, new_store, step_of, v1  # noqa: E402


def seeded_variables() -> list[Any]:
    """Initializers with a seed, two with the same one, and with none."""
    normal, uniform = v1.truncated_normal_initializer, v1.random_uniform_initializer
    return [
        v1.get_variable("one", [3, 4], initializer=normal(stddev=0.1, seed=7)),
        v1.get_variable("same_seed", [3, 4], initializer=normal(stddev=0.1, seed=7)),
        v1.get_variable("uniform", [5], tf.float64, uniform(-1, 1, seed=8)),
        v1.get_variable("integers", [5], tf.int32, uniform(0, 100, seed=9, dtype=tf.int32)),
        v1.get_variable("glorot", [3, 4], initializer=v1.glorot_normal_initializer(seed=1)),
        v1.get_variable("orthogonal", [4, 4], initializer=v1.orthogonal_initializer(seed=2)),
        v1.get_variable("tensor", initializer=v1.random_normal([2, 2], seed=3) * 0.5 + 1),
        v1.get_variable("function", initializer=lambda: v1.random_normal([2], seed=4)),
    ]


def unseeded_variables() -> list[Any]:
    return [
        v1.get_variable("default", [3, 4]),
        v1.get_variable("zeros", [3], initializer=v1.zeros_initializer()),
        v1.get_variable("default_again", [3, 4]),
        v1.get_variable("own_seed", [3, 4], initializer=v1.random_normal_initializer(seed=5)),
        v1.get_variable("normal", [3, 4], initializer=v1.random_normal_initializer()),
    ]


@pytest.mark.parametrize("seed", [None, 0, 1234])
def test_seeded_initializers_draw_what_a_graph_draws(seed: int | None) -> None:
    (expected,) = in_session(seeded_variables, seed=seed)
    v1.set_random_seed(seed)
    for towers in (1, 2):
        for found in step_of(
            new_store(towers), lambda: [variable.read_value() for variable in seeded_variables()]
        )():
            for value, other in zip(found, expected, strict=True):
                equal(value, other)
    equal(expected[0], expected[1])


@pytest.mark.parametrize("seed", [0, 1234])
def test_under_a_global_seed_no_two_variables_start_alike(seed: int) -> None:
    (expected,) = in_session(unseeded_variables, seed=seed)
    assert np.any(expected[0] != expected[2])
    v1.set_random_seed(seed)
    store = new_store(2)
    with store.strategy.scope(), store.scope():
        made_before = v1.get_variable("default", [3, 4])
    equal(made_before.numpy(), expected[0])
    for found in step_of(store, lambda: [variable.read_value() for variable in unseeded_variables()])():
        for value, other in zip(found, expected, strict=True):
            equal(value, other)


def test_without_any_seed_every_run_differs() -> None:
    def weights() -> Any:
        (found,) = step_of(new_store(1), lambda: v1.get_variable("w", [20]).read_value())()
        return found

    assert np.any(weights() != weights())


@pytest.mark.parametrize(
    ("options", "dtype", "value"),
    [
        ({"initializer": 5}, tf.int32, 5),
        ({"initializer": 0.5}, tf.float32, 0.5),
        ({"initializer": [1.0, 2.0]}, tf.float32, [1, 2]),
        ({"initializer": np.array([1.5, 2.5])}, tf.float64, [1.5, 2.5]),
        ({"initializer": np.arange(3)}, tf.int64, [0, 1, 2]),
        ({"initializer": "text"}, tf.string, b"text"),
        ({"initializer": True, "trainable": False}, tf.bool, True),
        ({"initializer": lambda: tf.constant([1, 2])}, tf.int32, [1, 2]),
        ({"shape": 2, "initializer": v1.ones_initializer}, tf.float32, [1, 1]),
        ({"shape": [2], "dtype": tf.int32}, tf.int32, [0, 0]),
        ({"shape": [2], "dtype": tf.float16, "initializer": v1.constant_initializer(3)}, tf.float16, [3, 3]),
        ({"shape": [1, 2], "initializer": v1.constant_initializer([1, 2])}, tf.float32, [[1, 2]]),
        ({"shape": [], "initializer": lambda shape, dtype, partition_info=None: tf.ones(shape, dtype)}, tf.float32, 1),
    ],
)  # fmt: skip
def test_types_and_constants_are_those_of_tf1(options: dict[str, Any], dtype: Any, value: Any) -> None:
    store = new_store(2)
    step_of(store, lambda: v1.get_variable("v", **options).read_value())()
    assert store["v"].dtype.base_dtype == dtype
    for copy in copies(store, "v"):
        np.testing.assert_array_equal(copy, value)


def test_eager_and_static_tensors_are_initial_values() -> None:
    eager = tf.constant([1.0, 2.0])

    def tower() -> Any:
        return v1.get_variable("a", initializer=eager) + v1.get_variable(
            "b", initializer=tf.constant([3.0, 4.0])
        )

    for found in step_of(new_store(2), tower)():
        equal(found, np.float32([4, 6]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: v1.get_variable("v", initializer=x * 2), "'v': its initial value depends on 'args_0'"),
        (
            lambda x: v1.get_variable("v", initializer=v1.get_variable("w", [1]) * 2),
            "'v': its initial value depends on .*ReadVariableOp",
        ),
        (
            lambda x: v1.get_variable("v", initializer=tf.cond(tf.random.uniform([]) > 2, lambda: 1.0, lambda: 2.0)),
            "'v': its initial value depends on .*cond",
        ),
        (lambda x: v1.get_variable("v"), "'v': its initializer needs a shape, and none is given"),
        (lambda x: v1.get_variable("v", [None, 3]), r"'v': shape .* is not fully defined"),
    ],
)  # fmt: skip
def test_initial_values_that_cannot_be(make: Any, message: str) -> None:
    store = VariableStore()
    traced = tf.function(store.scope()(make), autograph=False)
    with pytest.raises(ValueError, match=message):
        traced.get_concrete_function(tf.TensorSpec([1], tf.float32, name="args_0"))
