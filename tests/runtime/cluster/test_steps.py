"""Who computes a step, and what becomes of it when its worker dies."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


def dies(*_: Any) -> Any:
    import tensorflow as tf

    raise tf.errors.UnavailableError(None, None, "/job:worker/task:1 has gone")


@pytest.fixture
def fetched() -> Any:
    from tf2towers.runtime.cluster.steps import Step
    from tf2towers.runtime.variable_store import VariableStore

    return Step(lambda: None, VariableStore())._fetched


@pytest.fixture
def value(monkeypatch: pytest.MonkeyPatch) -> Any:
    """TensorFlow's own, with results that cannot be copied: they were on the worker that has died."""
    from tensorflow.python.distribute.coordinator import values

    found = values.RemoteValueImpl(None, None)
    found._set_values([1])
    monkeypatch.setattr(found, "_copy_to_local", dies)
    return found


def later(function: Any) -> threading.Thread:
    """What the coordinator's thread does, a little after `get` has raised."""

    def run() -> None:
        time.sleep(0.3)
        function()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_another_worker_does_it_again(fetched: Any, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def again() -> None:
        monkeypatch.setattr(value, "_copy_to_local", lambda: [2])
        value._set_values([2])
        value.get()

    thread = later(again)
    assert fetched(value) == [2]
    thread.join()


def test_an_error_of_the_step_itself_is_raised(fetched: Any, value: Any) -> None:
    import tensorflow as tf

    thread = later(lambda: value._set_error(tf.errors.InvalidArgumentError(None, None, "NaN")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        fetched(value)
    thread.join()


class Coordinator:
    """Notes what is scheduled, and computes it at once."""

    def __init__(self) -> None:
        self.scheduled = 0

    def schedule(self, function: Any, args: tuple[Any, ...]) -> Any:
        self.scheduled += 1
        results = function(*args)

        class Value:
            def get(self) -> Any:
                return results

        return Value()


@pytest.fixture
def coordinator() -> Coordinator:
    return Coordinator()


@pytest.fixture
def doubled(coordinator: Coordinator) -> Any:
    import tensorflow as tf

    from tf2towers.runtime.cluster.steps import Step
    from tf2towers.runtime.variable_store import VariableStore

    return Step(lambda x: 2 * x, VariableStore(), [tf.TensorSpec([])], coordinator=coordinator)


def test_the_process_that_runs_the_loops_computes_the_steps_of_its_own_worker(
    doubled: Any, coordinator: Coordinator
) -> None:
    assert doubled(3.0).numpy() == 6.0
    assert coordinator.scheduled == 0


def test_a_step_whose_worker_does_not_answer_is_given_to_another(
    doubled: Any, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tf2towers.runtime.cluster import steps, traces

    calls = []
    monkeypatch.setattr(steps, "worker_index", lambda: 1)
    monkeypatch.setattr(
        traces.Trace, "on_worker", lambda _, worker: lambda *_: (calls.append(worker), dies())
    )
    assert [doubled(value).numpy() for value in (3.0, 4.0)] == [6.0, 8.0]
    assert (calls, coordinator.scheduled) == ([1], 2)  # for a while it is not called again
    monkeypatch.setattr(steps, "_AWAY", 0.0)
    doubled._away.clear()
    for value in (5.0, 6.0):
        doubled(value)
    assert calls == [1, 1, 1]


def test_an_error_of_the_steps_own_is_not_a_workers_death(
    doubled: Any, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tensorflow as tf

    from tf2towers.runtime.cluster import traces

    def fails(*_: Any) -> Any:
        raise tf.errors.InvalidArgumentError(None, None, "NaN")

    monkeypatch.setattr(traces.Trace, "on_worker", lambda *_: fails)
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        doubled(3.0)
    assert coordinator.scheduled == 0
