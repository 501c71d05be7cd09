"""Parts of `tf.contrib` that TF 2 has no more, for graphs: most are TF 1.15's own files with TF 2's public names.

A file from TensorFlow keeps its licence and names its origin. `support` has the few private helpers that they used.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def __getattr__(name: str) -> Any:
    """A module of this package where a program takes it as a value: `seq2seq = tf.contrib.seq2seq`."""
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
