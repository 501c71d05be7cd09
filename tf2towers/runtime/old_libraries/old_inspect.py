"""What Python's `inspect` had, and Python 3.11 no longer has, as Python 3.10 did it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """What a function takes."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """`inspect.getargspec`: the names of a function's arguments, and their defaults.

    Raises:
        TypeError: it is no function.
        ValueError: it has annotations, or arguments that are given by name alone.
    """
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError(f"{func} has annotations, or arguments that are given by name alone")
    return ArgSpec(*spec[:4])
