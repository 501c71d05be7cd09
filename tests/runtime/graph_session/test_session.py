"""Fetches, feeds and errors of runs: each case is the same on TensorFlow's own session and on the runtime's."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1

Pair = namedtuple("Pair", "first second")
ROWS = np.array([[1.0, 2.0]], np.float32)
SPARSE = v1.SparseTensorValue([[0, 1]], np.float32([5.0]), [2, 3])


def graph() -> Any:
    """'x:0' and its 'double:0', a sparse placeholder in a collection, and rows of it as an IndexedSlices."""
    made = tf.Graph()
    with made.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        double = tf.multiply(x, 2.0, name="double")
        made.prevent_feeding(tf.identity(double, name="unfed"))
        v1.add_to_collection("sparse", v1.sparse_placeholder(tf.float32, name="sparse"))
        v1.add_to_collection("slices", tf.IndexedSlices(x, tf.constant([3]), tf.constant([9, 2])))
        v1.add_to_collection("slices", tf.IndexedSlices(x, tf.constant([3])))
    return made


def entered_twice(session: Any) -> Any:
    with session, session:
        return "entered"


def default_in_turn(session: Any) -> Any:
    with session.as_default(), session.as_default():
        inside = v1.get_default_session() is session
    return inside, v1.get_default_session() is session, session.run("double:0", {"x:0": ROWS})


def left(session: Any) -> Any:
    with session as entered:
        first = (
            entered is session,
            v1.get_default_session() is session,
            v1.get_default_graph() is session.graph,
        )
    session.close()
    return first, v1.get_default_session(), session.run("double:0", {"x:0": ROWS})


def fetched(fetches: Any, feeds: Any = None, **options: Any) -> Callable[[Any], Any]:
    """Makes a run three times, because a known run takes another way; a string among the fetches is a name."""
    return lambda session: [session.run(fetches, feeds or {"x:0": ROWS}, **options) for _ in range(3)]


def of(collection: str, index: int, feeds: Any = None) -> Callable[[Any], Any]:
    def run(session: Any) -> Any:
        element = session.graph.get_collection(collection)[index]
        return session.run({"element": element}, {element: feeds} if feeds else {"x:0": ROWS})

    return run


CASES: dict[str, Callable[[Any], Any]] = {
    "the target": lambda session: session.sess_str,
    "the graph": lambda session: ([node.name for node in session.graph_def.node], session.graph.finalized),
    "its devices": lambda session: [device.device_type for device in session.list_devices()][:1],
    "entered twice": entered_twice,
    "default in turn": default_in_turn,
    "left, closed, run": left,
    "closed twice": lambda session: [session.close(), session.close()],
    "a graph of another type": lambda session: type(session)(graph=3),
    "a config for a target": lambda session: type(session)(v1.ConfigProto()),
    "a config of another type": lambda session: type(session)(config=3),
    "nested": fetched({"a": ["double:0", ("x:0", {"b": "double"})], "c": []}),
    "a namedtuple": fetched(Pair("double:0", OrderedDict(z="x:0", a="double:0"))),
    "an operation": fetched("double"),
    "nothing": fetched([]),
    "None": fetched(None),
    "None in a list": fetched(["double:0", None]),
    "a number": fetched(3),
    "an unknown name": fetched("nothing:0"),
    "another graph's": lambda session: session.run(graph().get_tensor_by_name("double:0"), {"x:0": ROWS}),
    "a sparse tensor": of("sparse", 0, SPARSE),
    "a sparse tensor as a tuple": of("sparse", 0, tuple(SPARSE)),
    "indexed slices": of("slices", 0),
    "indexed slices without a shape": of("slices", 1),
    "fed a list": fetched("double:0", {"x:0": [[1, 2]]}),
    "fed in between": fetched("double:0", {"double:0": [[1, 2]]}),
    "fed another shape": fetched("double:0", {"x:0": [1.0]}),
    "fed text": fetched("double:0", {"x:0": [["a", "b"]]}),
    "fed nothing": lambda session: session.run("double:0"),
    "fed an operation": fetched("double:0", {"x": ROWS}),
    "fed what may not be": fetched("unfed:0", {"unfed:0": ROWS}),
    "fed by no dictionary": fetched("double:0", [ROWS]),
    "options of another type": fetched("double:0", options=3),
    "metadata of another type": fetched("double:0", run_metadata=3),
    "options": fetched("double:0", options=v1.RunOptions(), run_metadata=v1.RunMetadata()),
    "a callable": lambda session: session.make_callable(["double:0", "double"], ["x:0"])(ROWS),
    "a callable of a dictionary": lambda session: session.make_callable({"a": "x:0"}, ["x:0"])(ROWS),
    "a callable's feeds": lambda session: session.make_callable("double:0", "x:0"),
    "a callable that is fed nothing": lambda session: session.make_callable("double:0", ["x:0"])(),
}  # fmt: skip


def outcome(kind: Any, case: str) -> Any:
    with graph().as_default():
        try:
            return CASES[case](kind())
        except tf.errors.OpError as error:  # in TF1's words here: `test_failures.py`
            return type(error)
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("case", CASES)
def test_a_session_returns_and_raises_what_tensorflows_does(case: str) -> None:
    from tf2towers.runtime import Session

    theirs, ours = outcome(v1.Session, case), outcome(Session, case)
    assert repr(ours) == repr(theirs)
