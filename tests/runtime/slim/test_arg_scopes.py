"""Argument scopes beyond what a golden can show: errors, threads, signatures."""

import inspect
import threading
from typing import Any

import pytest
import tensorflow as tf

from tf2towers.runtime import slim


@slim.add_arg_scope
def block(a: int, b: int = 1, c: int = 2) -> tuple[int, int, int]:
    return a, b, c


def test_innermost_wins_and_scopes_close() -> None:
    with slim.arg_scope([block], b=5), slim.arg_scope([block], c=6) as scope:
        assert block(0) == (0, 5, 6)
        assert block(0, c=7) == (0, 5, 7)
    assert block(0) == (0, 1, 2)
    with slim.arg_scope(scope):
        assert block(0) == (0, 5, 6)
    with pytest.raises(RuntimeError), slim.arg_scope([block], b=8):
        raise RuntimeError
    assert block(0) == (0, 1, 2)


def test_a_replica_thread_starts_in_the_scopes_of_the_main_thread() -> None:
    """MirroredStrategy runs each replica in a thread, and they take turns: their scopes must not mix."""
    seen: dict[str, Any] = {}
    inside, leave = threading.Event(), threading.Event()

    def replica() -> None:
        with slim.arg_scope([block], c=9):
            seen["both"] = block(0)
            inside.set()
            leave.wait(10)
        seen["outer"] = block(0)

    with slim.arg_scope([block], b=5):
        thread = threading.Thread(target=replica)
        thread.start()
        assert inside.wait(10)
        assert block(0) == (0, 5, 2)
        leave.set()
        thread.join()
    assert seen == {"both": (0, 5, 9), "outer": (0, 5, 2)}


def test_errors() -> None:
    with pytest.raises(TypeError), slim.arg_scope(block, b=1):  # type: ignore[arg-type]
        pass
    with pytest.raises(ValueError, match="add_arg_scope"), slim.arg_scope([len], b=1):
        pass
    with pytest.raises(ValueError, match="kwargs must be empty"), slim.arg_scope({}, b=1):
        pass


def test_layers_keep_the_names_scopes_are_made_of() -> None:
    assert slim.conv2d.__name__ == "convolution2d"
    assert slim.conv2d is slim.convolution2d
    assert slim.separable_conv2d.__name__ == "separable_convolution2d"
    assert list(inspect.signature(slim.batch_norm).parameters)[:3] == ["inputs", "decay", "center"]


def test_a_renormalized_layer_lists_its_updates() -> None:
    with pytest.raises(ValueError, match="renorm is not supported with"):
        slim.batch_norm(tf.zeros([2, 3]), renorm=True, updates_collections=None)
