"""A repeated run takes a shorter way (`runs/prepared.py`), and returns or raises the same as the first."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

Both = namedtuple("Both", "total double")


@pytest.fixture
def session() -> Any:
    from tf2towers.runtime import Session
    from tf2towers.runtime.graph_session import mode  # noqa: F401 - it completes variables

    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        tf.identity(v1.placeholder(tf.int32, [], name="n"), name="same_n")
        tf.identity(v1.placeholder(tf.string, [None], name="words"), name="same_words")
        with v1.variable_scope("", use_resource=True):
            w = v1.get_variable("w", [2], initializer=v1.zeros_initializer())
        tf.reduce_sum(x, name="total")
        tf.multiply(x, 2.0, name="double")
        v1.assign(w, x[0], name="assigned")
        with Session() as made:
            made.run(v1.global_variables_initializer())
            yield made


def named(session: Any, *names: str) -> list[Any]:
    return [session.graph.as_graph_element(name) for name in names]


def test_a_repeated_run_returns_the_same_types_and_values(session: Any) -> None:
    x, n, words, total, double = named(session, "x:0", "n:0", "words:0", "total:0", "double:0")
    same_n, same_words = named(session, "same_n:0", "same_words:0")
    (w,) = session.graph.get_collection("variables")
    rows = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    cases: list[tuple[Any, Any]] = [
        (total, {x: rows}),
        ([total, double], {x: rows}),
        ((total, total.op, double), {x: rows.astype(np.float64)}),  # converted, as ever
        ([x, total], {x: rows}),  # what is fed is fetched
        ({"sum": total, "both": [double, total]}, {x: rows}),
        (Both(total, double), {x: rows}),
        ([same_n], {n: 3}),
        ([same_n], {n: np.int64(4)}),
        (same_words, {words: np.array(["a", "bc"])}),
        (same_words, {words: ["a", "bc"]}),
        ([w, w.handle.op], None),
        ("total:0", {"x:0": rows}),
        ([], None),
    ]
    for fetches, feeds in cases:
        first, second, third = (session.run(fetches, feeds) for _ in range(3))
        assert type(first) is type(second) is type(third)
        tf.nest.map_structure(np.testing.assert_array_equal, [first, first], [second, third])
    assert session.run(total, {x: rows}) == 10.0
    assert session.run([same_n], {n: 5}) == [5]  # the values are this call's
    assert session.run(same_words, {words: np.array(["d"])}).tolist() == [b"d"]


def test_a_repeated_run_raises_tensorflows_errors(session: Any) -> None:
    x, n, same_n, total = named(session, "x:0", "n:0", "same_n:0", "total:0")
    rows = np.ones([1, 2], np.float32)
    for _ in range(2):
        assert session.run(total, {x: rows}) == 2.0
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(total, {x: np.ones([1, 3], np.float32)})
        with pytest.raises(TypeError, match=r"cannot be a tf\.Tensor"):
            session.run(total, {x: total})
        with pytest.raises(ValueError, match="could not convert"):
            session.run(total, {x: np.array([["a", "b"]])})
        assert session.run([same_n], {n: 3}) == [3]
        with pytest.raises((OverflowError, TypeError)):
            session.run([same_n], {n: 2**40})
        with pytest.raises(tf.errors.InvalidArgumentError, match="feed a value"):
            session.run(total)
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(total, {x: rows})


def test_a_fed_array_is_the_callers(session: Any) -> None:
    """A variable that was assigned what was fed does not change with the array, wherever that lies in memory."""
    x, assigned = named(session, "x:0", "assigned")
    (w,) = session.graph.get_collection("variables")
    space = np.zeros(64, np.float32)
    for offset in range(0, 32, 2):
        rows = space[offset : offset + 2].reshape(1, 2)
        rows[:] = offset
        session.run(assigned, {x: rows})
        rows[:] = -1.0
        assert session.run(w).tolist() == [offset, offset]


def test_who_puts_a_function_around_run_sees_every_run(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (total, x) = named(session, "total:0", "x:0")
    base, seen = tf.compat.v1.Session.__mro__[1], []
    session.run(total, {x: np.ones([1, 2])})
    plain = base.run
    monkeypatch.setattr(base, "run", lambda self, *given: seen.append(given[0]) or plain(self, *given))
    for _ in range(2):
        assert session.run(total, {x: np.ones([1, 2])}) == 2.0
    assert seen == [total, total]


def test_a_dictionary_is_what_it_is_at_the_call(session: Any) -> None:
    x, total, double = named(session, "x:0", "total:0", "double:0")
    feeds = {x: np.ones([1, 2])}
    fetches = {"a": total}
    assert session.run(fetches, feeds) == {"a": 2.0}
    fetches["b"] = double
    assert [*session.run(fetches, feeds)] == ["a", "b"]
    del fetches["a"]
    assert session.run({"a": total}, feeds) == {"a": 2.0}
    assert session.run({"c": total}, feeds) == {"c": 2.0}
