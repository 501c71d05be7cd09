"""The strategies of migrated programs: scopes, runs and reductions in a graph, and what they are without one."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tf2towers.runtime import ParameterServerStrategy, TowerStrategy
from tf2towers.runtime.graph_session.towers import _declared

pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


def test_the_scope_gives_the_parameters_their_device() -> None:
    with tf.Graph().as_default():
        for device, wanted in (("/cpu:0", "/device:CPU:0"), (None, "/device:GPU:1")):
            strategy = TowerStrategy(2, parameter_device=device)
            with v1.device("/gpu:1"), strategy.scope() as entered:
                assert entered is strategy
                assert tf.constant(1).device == wanted
                with v1.device("/gpu:0"):
                    assert tf.constant(1).device == "/device:GPU:0"
                assert not tf.distribute.has_strategy(), "v1 optimizers would scale the losses"


def test_a_run_builds_the_towers_in_order() -> None:
    calls: list[Any] = []

    def tower(*given: Any, **more: Any) -> int:
        calls.append((given, more))
        return len(calls)

    with tf.Graph().as_default():
        strategy = TowerStrategy(2)
        ids, letters = strategy.replica_ids, strategy.per_replica("ab")
        result = strategy.run(tower, args=(ids, [letters, 7]), kwargs={"each": letters, "all": 5})
        assert calls == [((0, ["a", 7]), {"each": "a", "all": 5}), ((1, ["b", 7]), {"each": "b", "all": 5})]
        assert list(strategy.experimental_local_results(result)) == list(result.values) == [1, 2]
        assert list(strategy.run(lambda: None).values) == [None, None]


#: a strategy -> what its towers are given -> what comes of each
COUNTS = [
    (0, ["replica_ids"], []),
    (3, ["replica_ids"], [(0,), (1,), (2,)]),
    ([2, "/gpu:5"], ["replica_ids"], [(0,), (1,)]),
    (["/gpu:0", "/gpu:0"], ["replica_ids"], [(0,), (1,)]),
    (np.int64(1), ["replica_ids"], [(0,)]),
    (["0", "1"], ["replica_ids"], [(0,), (1,)]),
    (2, [[1, 2, 3]], [(1,), (2,), (3,)]),
    (3, ["replica_ids", [5, 6]], [(0, 5), (1, 6)]),
    (None, ["replica_ids", [5, 6]], [(0, 5), (1, 6)]),
    (None, [[5, 6], [7]], [(5, 7)]),
]


@pytest.mark.parametrize(("towers", "given", "wanted"), COUNTS)
def test_there_are_as_many_towers_as_the_shortest_has_values(towers: Any, given: Any, wanted: Any) -> None:
    with tf.Graph().as_default():
        strategy = TowerStrategy(towers)
        args = tuple(
            strategy.replica_ids if each == "replica_ids" else strategy.per_replica(each) for each in given
        )
        result = strategy.run(lambda *each: each, args=args)
        assert list(strategy.experimental_local_results(result)) == wanted


def test_several_values_are_a_tuple_of_per_replica_values() -> None:
    Pair = collections.namedtuple("Pair", "x y")

    def tower(i: int) -> Any:
        return i, [i], (2 * i, "all"), Pair(i, i)

    with tf.Graph().as_default():
        strategy = TowerStrategy(3)
        number, items, (double, word), pair = strategy.run(tower, args=(strategy.replica_ids,))
        assert list(number.values) == [0, 1, 2]
        assert list(items.values) == [[0], [1], [2]]
        assert strategy.experimental_local_results((double, word)) == ((0, "all"), (2, "all"), (4, "all"))
        assert strategy.experimental_local_results((double, "one")) == ((0, "one"), (2, "one"), (4, "one"))
        assert strategy.experimental_local_results(pair)[-1] == Pair(2, 2)
        assert strategy.experimental_local_results(7) == (7,)


def test_items_are_taken_as_a_loop_takes_them() -> None:
    taken: list[Any] = []

    def letters() -> Any:
        for letter in "ab":
            taken.append(letter)
            yield letter

    with tf.Graph().as_default():
        strategy = TowerStrategy()
        args = (strategy.replica_ids, strategy.per_replica(letters()), strategy.per_replica("xyz"))
        strategy.run(lambda *given: taken.append(given), args=args)
        assert taken == ["a", (0, "a", "x"), "b", (1, "b", "y")]
        assert list(strategy.per_replica(letters()).values) == ["a", "b"]
        strategy = TowerStrategy(1)
        with pytest.raises(ValueError, match=r"has 1 towers.* has more"):
            strategy.run(print, args=(strategy.replica_ids, strategy.per_replica(letters())))


def test_tuples_of_other_lengths_are_one_value() -> None:
    with tf.Graph().as_default():
        strategy = TowerStrategy(2)
        for tower in (lambda i: (0,) * i, lambda i: (), lambda i: (1, 2) if i else [1, 2]):
            result = strategy.run(tower, args=(strategy.replica_ids,))
            assert list(result.values) == [tower(0), tower(1)]


def test_fewer_numbers_than_values_are_an_error() -> None:
    with tf.Graph().as_default():
        strategy = TowerStrategy(1)
        with pytest.raises(ValueError, match=r"has 1 towers.* has 2"):
            strategy.run(print, args=(strategy.replica_ids, strategy.per_replica("ab")))


@pytest.mark.parametrize("way", ["scope", "run", "towers"])
def test_the_graph_knows_its_towers(way: str) -> None:
    for towers, known in ((2, True), (0, False), (None, False)):
        with tf.Graph().as_default() as graph:
            strategy = TowerStrategy(towers)
            if way == "scope":
                with strategy.scope():
                    pass
            elif way == "run":
                strategy.run(lambda i: None, args=(strategy.per_replica(range(towers or 0)),))
            else:
                assert list(strategy.towers(range(towers or 0))) == list(range(towers or 0))
            assert (_declared.get(graph) is strategy) == known


def test_the_mean_of_the_towers_gradients() -> None:
    with tf.Graph().as_default() as graph:
        strategy = TowerStrategy(2)
        variables = ["v", "w"]
        towers = [
            list(zip([tf.constant([k]), tf.constant([[k]])], variables, strict=True)) for k in (1.0, 2.0)
        ]
        for operation in ("MEAN", "mean", tf.distribute.ReduceOp.MEAN):
            means = strategy.reduce(operation, towers)
            assert [variable for _, variable in means] == variables
        with v1.Session() as session:
            assert [value.tolist() for value in session.run([mean for mean, _ in means])] == [[1.5], [[1.5]]]
        assert [node.name for node in graph.get_operations()][-6:-3] == [
            "ExpandDims_11/dim", "ExpandDims_11", "concat_5/axis",
        ]  # fmt: skip
        assert strategy.reduce("MEAN", []) == []
        numbers = strategy.per_replica(range(2))
        for returned in (towers, [tuple(each) for each in towers]):
            result = strategy.run(lambda i, returned=returned: returned[i], args=(numbers,))
            assert [variable for _, variable in strategy.reduce("MEAN", result)] == variables
        for arguments in (("SUM", towers), ("MEAN", towers, 0)):
            with pytest.raises(ValueError, match="MEAN"):
                strategy.reduce(*arguments)
        with pytest.raises(ValueError, match="None"):
            strategy.reduce("MEAN", [[(None, "v")]])
        [(mean, _)] = strategy.reduce("MEAN", [[(None, "v")], [(v1.constant(3.0), "v")]])
        with v1.Session() as session:
            assert session.run(mean) == 3.0


def test_without_a_graph_it_is_the_mirrored_strategy() -> None:
    strategy = TowerStrategy()
    with strategy.scope():
        variable = tf.Variable(2.0)
        assert tf.distribute.get_strategy() is strategy
    count = strategy.num_replicas_in_sync
    values = strategy.per_replica([tf.constant(float(k)) for k in range(count)])
    result = strategy.run(lambda i, x: (i, x * variable), args=(strategy.replica_ids, values))
    assert [int(i) for i in strategy.experimental_local_results(result[0])] == list(range(count))
    assert float(strategy.reduce("MEAN", result[1], axis=None)) == float(count - 1)


def test_no_device_is_looked_for_where_nobody_says_which() -> None:
    strategy = TowerStrategy()
    assert "_extended" not in vars(strategy)
    assert strategy.num_replicas_in_sync >= 1
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        strategy.missing  # noqa: B018


CLUSTER = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}
#: the strategy -> the devices of three variables and of a constant, within '/gpu:0'
PLACED = [
    (
        {"cluster": CLUSTER, "worker_device": "/job:worker/task:0"},
        ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"],
        "/job:worker/task:0/device:GPU:0",
    ),
    ({"ps_tasks": 1, "ps_device": "/cpu:0"}, ["/device:CPU:0"] * 3, "/job:worker/device:GPU:0"),
    ({"ps_tasks": 0}, [""] * 3, ""),
    ({"device": "/job:ps/task:1"}, ["/job:ps/task:1"] * 3, "/job:ps/task:1/device:GPU:0"),
    ({"device": lambda node: "/job:ps/task:1"}, ["/job:ps/task:1"] * 3, "/job:ps/task:1/device:GPU:0"),
    ({"device": None}, [""] * 3, ""),
    ({"device": ""}, ["/device:GPU:0"] * 3, "/device:GPU:0"),
    ({}, ["/device:GPU:0"] * 3, "/device:GPU:0"),
]


@pytest.mark.parametrize(("given", "variables", "constant"), PLACED)
def test_the_scope_of_servers_is_the_setters_device(given: Any, variables: list[str], constant: str) -> None:
    given = {name: tf.train.ClusterSpec(each) if name == "cluster" else each for name, each in given.items()}
    with tf.Graph().as_default(), v1.device("/gpu:0"):
        strategy = ParameterServerStrategy(**given)
        made = []
        for number in range(3):
            with strategy.scope() as entered:
                assert entered is strategy
                made.append(v1.get_variable(f"v{number}", []).device)
                assert tf.constant(1).device == constant
    assert [
        device.replace("/device:GPU:0", "") if "job" in device else device for device in made
    ] == variables
    assert isinstance(strategy, v1.distribute.experimental.ParameterServerStrategy)
    assert "_extended" not in vars(strategy)


def test_a_strategy_of_servers_runs_the_towers_of_its_worker() -> None:
    with tf.Graph().as_default() as graph:
        strategy = ParameterServerStrategy(ps_tasks=0, towers=["/gpu:0", "/gpu:1"])
        assert strategy.num_replicas_in_sync == 2
        with strategy.scope():
            assert _declared[graph].towers_given == ["/gpu:0", "/gpu:1"]

            def tower(i: int, x: float) -> tuple[Any, str]:
                with v1.device(f"/gpu:{i}"), v1.variable_scope("net", reuse=v1.AUTO_REUSE):
                    w = v1.get_variable("w", [])
                    return [(tf.constant(x), w)], i

            given = (strategy.replica_ids, strategy.per_replica([1.0, 2.0]))
            grads, numbers = strategy.run(tower, args=given)
            assert strategy.experimental_local_results(numbers) == (0, 1)
            [(mean, _)] = strategy.reduce("MEAN", grads)
            assert list(strategy.towers(range(2))) == [0, 1]
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
            assert session.run(mean) == 1.5
    with tf.Graph().as_default() as graph, ParameterServerStrategy(ps_tasks=1).scope():
        assert graph not in _declared
