"""Private names of TensorFlow: `private` looks each up when its feature is used.

A TensorFlow to come may have moved one. That feature then raises `MovedError`, whose sentence names
both.
"""

from __future__ import annotations

import contextlib
from functools import cache
from importlib import import_module
from typing import Any

import tensorflow as tf


class MovedError(RuntimeError):
    """A private name is not where the releases of TensorFlow have it that tf2towers knows.

    Attributes:
        name: the private name, `tensorflow.python.ops.gen_nn_ops`.
    """

    def __init__(self, name: str, feature: str) -> None:
        self.name = name
        super().__init__(
            f"TensorFlow {tf.__version__} has moved {name}, which {feature} needs: use TensorFlow 2.15 to 2.21"
        )


@cache
def private(name: str, feature: str) -> Any:
    """Returns `tensorflow.python.NAME`: a module, or what a module has.

    Args:
        name: such as `ops.gen_nn_ops`, or `client.session._FetchHandler`.
        feature: what needs the name, in a user's words.

    Raises:
        MovedError: there is no such name.
    """
    whole = f"tensorflow.python.{name}"
    home, _, last = whole.rpartition(".")
    try:
        owner = import_module(home)
    except ImportError:
        raise MovedError(whole, feature) from None
    with contextlib.suppress(ImportError):
        import_module(whole)  # where it is a module that nothing has imported yet
    return look_up(owner, last, feature)


def look_up(owner: Any, name: str, feature: str) -> Any:
    """Returns an attribute of a module, a class or an object, or an entry of a dictionary.

    Raises:
        MovedError: there is no such name.
    """
    try:
        return owner[name] if isinstance(owner, dict) else getattr(owner, name)
    except (AttributeError, KeyError):
        raise MovedError(whole_name(owner, name), feature) from None


def whole_name(owner: Any, name: str) -> str:
    """Returns the dotted name of an attribute; of an object, by the name of its class."""
    home = getattr(owner, "__module__", None)
    of = getattr(owner, "__qualname__", None) or getattr(owner, "__name__", None) or type(owner).__qualname__
    return f"{home}.{of}.{name}" if home else f"{of}.{name}"
