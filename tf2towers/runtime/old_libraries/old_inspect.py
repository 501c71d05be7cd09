"""A function of Python's module `inspect` that Python 3.11 removed, as Python 3.10 had it."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """The arguments of a function."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """`inspect.getargspec`: the names of a function's arguments, and their defaults.

    Raises:
        TypeError: `func` is not a function.
        ValueError: it has annotations or keyword-only arguments.
    """
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError(f"{func} has annotations or keyword-only arguments")
    return ArgSpec(*spec[:4])
