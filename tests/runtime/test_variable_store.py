"""TF1 variables by name on several towers."""

from typing import Any

import pytest

pytestmark = pytest.mark.tensorflow
tf = pytest.importorskip("tensorflow")

from tf2towers.runtime import VariableStore, average_gradients  # noqa: E402
from tf2towers.runtime.tower_values import tower_index  # noqa: E402
from tf2towers.runtime.variable_store import current_store  # noqa: E402

from .on_towers import copies, equal, new_store, step_of, v1  # noqa: E402

GLOBAL, TRAINABLE, LOCAL = (
    v1.GraphKeys.GLOBAL_VARIABLES,
    v1.GraphKeys.TRAINABLE_VARIABLES,
    v1.GraphKeys.LOCAL_VARIABLES,
)


def names_in(key: str) -> list[str]:
    store = current_store()
    return [store.name_of(variable) for variable in v1.get_collection(key)]


@pytest.mark.parametrize("towers", [1, 2, 3])
def test_names_and_reuse(towers: int) -> None:
    store = new_store(towers)
    asked: list[list[str]] = []

    def tower() -> Any:
        with v1.variable_scope("net"):
            with v1.variable_scope("conv"):
                weights = v1.get_variable("weights", [2, 3])
            with v1.variable_scope(v1.get_variable_scope(), reuse=v1.AUTO_REUSE):
                top = v1.get_variable("top", [])
            bias = v1.get_variable("bias", [3])
        with v1.variable_scope("net", reuse=True):
            assert v1.get_variable("bias", [3]) is bias
        with v1.variable_scope("net/conv") as scope:
            assert scope.reuse
            assert v1.get_variable("weights") is weights
        asked.append(names_in(GLOBAL))
        return weights + bias + top

    first, *others = step_of(store, tower)()
    assert store.names() == ["net/conv/weights", "net/top", "net/bias"]
    assert asked == [store.names()] * towers
    assert [store.name_of(store[name]) for name in store.names()] == store.names()
    assert all(store[name].name == f"{name}:0" for name in store.names())
    for other in others:
        equal(first, other)
    assert "net/bias" in store
    assert "net" not in store
    with pytest.raises(KeyError):
        store["net"]
    with pytest.raises(KeyError, match="not in this store"):
        store.name_of(tf.Variable(1.0))


def test_made_before_the_towers_too() -> None:
    store = new_store(2)
    with store.strategy.scope(), store.scope():
        step = v1.get_variable("global_step", [], tf.int64, v1.zeros_initializer(), trainable=False)
        rate = tf.Variable(0.5, name="rate")
        other = tf.Variable(0.25, name="rate")

    def tower() -> Any:
        assert names_in(GLOBAL) == ["global_step", "rate", "rate_1"]
        assert names_in(TRAINABLE) == ["rate", "rate_1"]
        assert v1.get_variable("global_step", [], tf.int64) is step
        return rate + other

    assert step_of(store, tower)() == [0.75, 0.75]
    assert store.statistics() == []
    assert store.trainable_variables() == [rate, other]


def test_slots_of_variables_without_names() -> None:
    """As in TF1, where the second of them is 'conv/Variable_1', and so are its slots."""
    store = new_store(1)
    with store.strategy.scope(), store.scope():
        with v1.name_scope("conv"):
            both = [v1.Variable([1.0]), v1.Variable([2.0])]
        optimizer = v1.train.MomentumOptimizer(0.1, 0.9)

    def tower() -> Any:
        optimizer.apply_gradients([(tf.ones([1]), variable) for variable in both])
        return both[0].read_value()

    step_of(store, tower)()
    assert store.names() == [
        "conv/Variable",
        "conv/Variable_1",
        "conv/Variable/Momentum",
        "conv/Variable_1/Momentum",
    ]


def test_shape_must_fit() -> None:
    store = VariableStore()
    with store.scope():
        v1.get_variable("weights", [2])
        with pytest.raises(ValueError, match=r"'weights' has shape \(2,\), and is asked for with \(3,\)"):
            v1.get_variable("weights", [3])


def test_only_inside_a_scope() -> None:
    with pytest.raises(RuntimeError, match=r"not inside VariableStore.scope\(\)"):
        current_store()


# -- collections -------------------------------------------------------------------------------------------------------


def test_collections_are_those_asked_for() -> None:
    store = new_store(2)

    def tower() -> Any:
        v1.get_variable("plain", [])
        v1.get_variable("frozen", [], trainable=False)
        v1.get_variable("mine", [], collections=["mine", GLOBAL])
        v1.get_variable("counter", [], tf.int32, trainable=False, collections=[LOCAL])
        v1.get_variable("nowhere", [], trainable=False, collections=[])
        assert names_in(GLOBAL) == ["plain", "frozen", "mine"]
        assert names_in(TRAINABLE) == ["plain", "mine"]
        assert names_in("mine") == ["mine"]
        assert names_in(LOCAL) == ["counter"]
        return v1.get_variable("nowhere") + 1.0

    step_of(store, tower)()
    assert store.names() == ["plain", "frozen", "mine", "counter", "nowhere"]
    assert store.global_variables() == [store["plain"], store["frozen"], store["mine"]]
    assert store.trainable_variables() == [store["plain"], store["mine"]]
    assert store.collection("mine") == [store["mine"]]
    assert store.collection(LOCAL, "coun") == [store["counter"]]
    assert store.collection(GLOBAL, "other") == []
    assert not store["frozen"].trainable


@pytest.mark.parametrize("towers", [1, 2, 3])
def test_regularizers_count_once_a_tower(towers: int) -> None:
    store = new_store(towers)

    def tower() -> Any:
        for reuse in (None, True):  # asking again adds nothing
            with v1.variable_scope("net", regularizer=lambda v: 0.5 * tf.reduce_sum(v), reuse=reuse):
                v1.get_variable("a", [4], initializer=v1.ones_initializer())
                v1.get_variable("none", [4], initializer=v1.ones_initializer(), regularizer=lambda v: None)
                v1.get_variable(
                    "b", [2], initializer=v1.ones_initializer(), regularizer=lambda v: tf.reduce_max(v) * 8
                )
        losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        assert len(losses) == 2
        assert [loss.op.name.split("/Reg")[0] for loss in losses] == ["net/a", "net/b"]
        return tf.add_n(losses), v1.losses.get_regularization_loss()

    assert step_of(store, tower)() == [(10.0, 10.0)] * towers


@pytest.mark.parametrize("towers", [1, 2, 3])
def test_towers_do_not_see_each_other_s_collections(towers: int) -> None:
    store = new_store(towers)

    def tower() -> Any:
        weight = v1.get_variable("w", [], initializer=v1.ones_initializer())
        own = tower_index() + 1.0
        loss = weight * own
        v1.add_to_collection("total_losses", loss)
        v1.losses.add_loss(loss)
        grads = average_gradients([(tf.gradients(loss, weight)[0], weight)])
        for key in ("total_losses", v1.GraphKeys.LOSSES):
            (only,) = v1.get_collection(key)
            assert only is loss
        assert names_in(TRAINABLE) == ["w"]
        v1.add_to_collection("total_losses", loss * 10)
        average_gradients(grads)
        assert len(v1.get_collection("total_losses")) == 2
        return tf.add_n(v1.get_collection("total_losses"))

    assert step_of(store, tower)() == [11.0 * (index + 1) for index in range(towers)]


def test_a_graph_keeps_what_it_had() -> None:
    store = VariableStore()

    @tf.function(autograph=False)
    def outer() -> Any:
        v1.add_to_collection("losses", "before")
        with store.scope():
            assert v1.get_collection("losses") == []
            v1.add_to_collection("losses", "inside")
            with store.scope():
                assert v1.get_collection("losses") == ["inside"]
        assert v1.get_collection("losses") == ["before"]
        return tf.constant(0)

    outer()


# -- inside control flow -----------------------------------------------------------------------------------------------


def looping() -> Any:
    """A loop and a branch that make their variables inside, as an RNN does."""

    def body(index: Any, total: Any) -> Any:
        with v1.variable_scope("cell", reuse=v1.AUTO_REUSE, regularizer=lambda v: tf.reduce_sum(v) * 3):
            weight = v1.get_variable("weight", [], initializer=v1.constant_initializer(2.0))
            count = v1.get_variable("count", [], initializer=v1.zeros_initializer(), trainable=False)
        with tf.control_dependencies([v1.assign_add(count, 1.0)]):
            return index + 1, total * weight

    _, product = v1.while_loop(lambda index, _: index < 3, body, [0, 1.0])

    def branch() -> Any:
        with v1.variable_scope("branch", regularizer=lambda v: tf.reduce_sum(v) * 5):
            return v1.get_variable("scale", [], initializer=v1.constant_initializer(4.0)) * product

    return tf.cond(product > 0, branch, lambda: 0.0)


def test_variables_made_in_loops_and_branches() -> None:
    def tower() -> Any:
        loss = looping()
        penalties = tf.add_n(v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES))
        assert names_in(TRAINABLE) == ["cell/weight", "branch/scale"]
        return loss, penalties, tf.gradients(loss, v1.trainable_variables())

    store = new_store(2)
    step = step_of(store, tower)
    for count in (0.0, 3.0):  # as it was before the loop
        for loss, penalties, grads in step():
            assert (loss, penalties) == (32.0, 2.0 * 3 + count * 3 + 4.0 * 5)
            assert grads == [48.0, 8.0]
    assert copies(store, "cell/count") == [6.0, 6.0]
    step_of(store, looping, update=False)()
    assert copies(store, "cell/count") == [6.0, 6.0]
