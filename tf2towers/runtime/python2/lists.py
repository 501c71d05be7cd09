"""`map` of several lists and `filter` of a text or a tuple."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any


def python2_map(function: Callable[..., Any] | None, *iterables: Iterable[Any]) -> list[Any]:
    """`map` of Python 2: a list as long as the longest of the others, which end with None; no function: tuples."""
    if len(iterables) == 1:
        return list(*iterables) if function is None else [function(value) for value in iterables[0]]
    together = zip_longest(*iterables)
    return list(together) if function is None else [function(*values) for values in together]


def python2_filter(function: Callable[[Any], Any] | None, values: Any) -> Any:
    """`filter` of Python 2: of a text a text, of a tuple a tuple, of anything else a list."""
    kept = list(filter(function, values))
    if isinstance(values, str):
        return "".join(kept)
    return tuple(kept) if isinstance(values, tuple) else kept
