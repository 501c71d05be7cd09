"""Where a value lies on an axis, and which values an axis names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A straight line from values to coordinates; `low` and `high` are finite and differ."""

    low: float
    high: float
    start: float  # the coordinate of `low`
    end: float

    def __call__(self, value: float) -> float:
        """The coordinate. Halves, because the distance of two floats may be no float."""
        part = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + part * (self.end - self.start)


def limits(values: Sequence[float]) -> tuple[float, float]:
    """The least and greatest finite value, a little apart where they are one. (0, 1) where there is none."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    if high / 2 - low / 2 > abs(high) * 1e-14:
        return low, high
    room = abs(high) * 0.05 or 1.0
    return max(low - room, -1.7e308), min(high + room, 1.7e308)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """About that many round values from `low` to `high`; both ends alone where floats have no round ones."""
    span = high - low
    if not math.isfinite(span) or span / about < 1e-300:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(span / about))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= about + 1e-9)
    first = math.ceil(low / step - 1e-9)
    count = math.floor((high - first * step) / step + 1e-9) + 1
    return [(first + place) * step for place in range(count)] or [low, high]


def whole_ticks(last: int, about: int = 8) -> list[int]:
    """Round whole numbers from 0 to `last`."""
    return (
        sorted({round(tick) for tick in ticks(0.0, float(last), about) if tick == round(tick)})
        if last
        else [0]
    )


def tick_labels(values: Sequence[float]) -> list[str]:
    """As few digits as tell them apart."""
    labels: list[str] = []
    for digits in range(3, 18):
        labels = [f"{value:.{digits}g}" for value in values]
        if len(set(labels)) == len(set(values)):
            break
    return labels


def decades(low: int, high: int, about: int = 8) -> list[int]:
    """Whole exponents from `low` to `high`, at even distances."""
    step = max(1, math.ceil((high - low) / about))
    return [exponent for exponent in range(low, high + 1) if exponent % step == 0]


def thinned(values: Sequence[float], most: int = 600) -> list[tuple[int, float]]:
    """Pairs of step and value, at most about `most`.

    Of a stretch of steps the least, the greatest and the first that is no number stay.
    """
    if len(values) <= most:
        return list(enumerate(values))
    width = math.ceil(len(values) / (most // 3))
    kept: list[tuple[int, float]] = []
    for start in range(0, len(values), width):
        stretch = range(start, min(start + width, len(values)))
        finite = [step for step in stretch if math.isfinite(values[step])]
        steps = (
            {min(finite, key=values.__getitem__), max(finite, key=values.__getitem__)} if finite else set()
        )
        odd = next((step for step in stretch if not math.isfinite(values[step])), None)
        kept += [(step, values[step]) for step in sorted(steps | ({odd} if odd is not None else set()))]
    return kept
