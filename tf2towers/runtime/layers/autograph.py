"""Keeping AutoGraph out of this library's code: it is graph code already, and rewriting it takes time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import tensorflow as tf

Function = TypeVar("Function", bound=Callable[..., Any])


def unconverted(function: Function) -> Function:
    """`function`, run as written (with all it calls) when a `tf.function` traces it."""
    return cast(Function, tf.autograph.experimental.do_not_convert(function))
