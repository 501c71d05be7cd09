"""What `scipy.signal` took once, and takes no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal  # type: ignore[import-untyped]


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """`scipy.signal.lfilter`: an array of objects is filtered as the numbers that they are, and is one of objects."""
    values = np.asarray(x)
    if values.dtype != object:
        return scipy.signal.lfilter(b, a, x, axis, zi)
    found = scipy.signal.lfilter(b, a, values.astype(float), axis, zi)
    return found.astype(object) if zi is None else tuple(part.astype(object) for part in found)
