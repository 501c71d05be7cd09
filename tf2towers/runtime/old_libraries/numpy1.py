"""Functions that NumPy 2 removed, as NumPy 1.18 had them."""

from collections.abc import Callable
from typing import Any

import numpy as np

NINF = -np.inf


def fromstring(string: Any, dtype: Any = float, count: int = -1, sep: str = "") -> np.ndarray:
    """`np.fromstring`: copies bytes, or a string's UTF-8; with `sep` parses its numbers."""
    if sep:
        return np.fromstring(string, dtype, count, sep=sep)
    data = string.encode() if isinstance(string, str) else string
    if len(data) == 0:
        return np.empty(0, dtype)
    return np.frombuffer(data, dtype, count).copy()


def asscalar(a: np.ndarray) -> Any:
    """`np.asscalar`: the only element, as a Python scalar."""
    return a.item()


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """`np.trapz`: the integral along an axis by the trapezoidal rule."""
    rule = getattr(np, "trapezoid", None) or getattr(np, "trapz")  # noqa: B009
    return rule(y, x, dx, axis)


class _Casts:
    """`np.cast`: maps a dtype to a function that converts values to arrays of it."""

    def __getitem__(self, kind: Any) -> Callable[[Any], np.ndarray]:
        return lambda x: np.asarray(x).astype(kind)


cast = _Casts()
