"""What `scipy.interpolate` took once, and takes no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate  # type: ignore[import-untyped]


def interp1d(x: Any, y: Any, **options: Any) -> Any:
    """`scipy.interpolate.interp1d(x, y, kind='slinear')`: several points may stand at one place, as in SciPy 1.7.

    A rate that stays the same over some thresholds is such a curve. They keep their order, as there; SciPy 1.2 sorted
    them in an order of its own.
    """
    places, heights = np.asarray(x), np.asarray(y)
    doubled = places.ndim == heights.ndim == 1 and len(np.unique(places)) < len(places) == len(heights)
    beyond = options.get("fill_value") == "extrapolate"
    if not doubled or options.keys() - {"kind", *(["fill_value"] if beyond else ())}:
        return scipy.interpolate.interp1d(x, y, **options)
    order = np.argsort(places, kind="mergesort")
    places, heights = places[order].astype(float), heights[order].astype(float)
    knots = np.concatenate([places[:1], places, places[-1:]])
    curve = scipy.interpolate.BSpline.construct_fast(knots, heights, 1)

    def height(at: Any) -> Any:
        at = np.asarray(at, float)
        if not beyond and ((at < places[0]).any() or (at > places[-1]).any()):
            raise ValueError("A value in x_new is outside the interpolation range.")
        return curve(at)

    return height
