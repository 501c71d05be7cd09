"""A step whose worker dies with the results."""

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
