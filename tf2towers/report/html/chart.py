"""Charts: an inline SVG with a title, a description, axes, a grid and curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tf2towers.report.html.elements import Markup, element, joined, scrolling

#: step and value; a value may be no number
Points = Sequence[tuple[int, float]]
WIDTH, HEIGHT = 760.0, 340.0
#: the corners of the plot; the rest holds labels
LEFT, RIGHT, TOP, BOTTOM = 74.0, 726.0, 14.0, 292.0


# -- where a value lies on an axis, and which values an axis names -----------------------------------------------------


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


# -- the chart ---------------------------------------------------------------------------------------------------------


def chart(anchor: str, title: str, description: str, *children: str) -> Markup:
    """A whole chart that a screen reader can name."""
    drawing = element(
        "svg",
        element("title", title, id=f"{anchor}-title"),
        element("desc", description, id=f"{anchor}-desc"),
        *children,
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )
    return scrolling(title, drawing)


def steps_scale(count: int) -> Scale:
    """From a step to x; a single step lies in the middle."""
    if count < 2:
        return Scale(-1.0, 1.0, LEFT, RIGHT)
    return Scale(0.0, float(count - 1), LEFT, RIGHT)


def steps_axis(count: int) -> Markup:
    """The axis below: numbers of steps."""
    scale = steps_scale(count)
    parts = [
        element("text", str(step), x=scale(step), y=BOTTOM + 18, text_anchor="middle")
        for step in whole_ticks(max(count - 1, 0))
    ]
    parts.append(element("text", "step", x=(LEFT + RIGHT) / 2, y=BOTTOM + 38, text_anchor="middle"))
    return element("g", *parts, class_="axis")


def value_axis(label: str, places: Iterable[tuple[float, str]]) -> Markup:
    """The axis at the left: a line across the plot and a label for each place, and what the values are."""
    parts = []
    for y, written in places:
        parts.append(element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="grid"))
        parts.append(element("text", written, x=LEFT - 8, y=y + 4, text_anchor="end"))
    middle = (TOP + BOTTOM) / 2
    turned = f"rotate(-90 14 {middle:.2f})"
    parts.append(element("text", label, x=14.0, y=middle, text_anchor="middle", transform=turned))
    return element("g", *parts, class_="axis")


def frame() -> Markup:
    """The border of the plot."""
    return element("rect", x=LEFT, y=TOP, width=RIGHT - LEFT, height=BOTTOM - TOP, class_="frame")


def curve(points: Sequence[tuple[float, float]], class_: str, radius: float = 2.6) -> Markup:
    """A line through points, each marked while they are few: a single one would not show otherwise."""
    parts = []
    if len(points) > 1:
        parts.append(element("polyline", points=" ".join(f"{x:.2f},{y:.2f}" for x, y in points)))
    if len(points) <= 40:
        parts += [element("circle", cx=x, cy=y, r=radius) for x, y in points]
    return element("g", *parts, class_=f"curve {class_}")


def spread(heights: Sequence[float], apart: float = 12.0) -> list[float]:
    """The heights of labels, moved until no two overlap and none leaves the plot. Their order stays."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    moved = list(heights)
    below = TOP - apart
    for place in order:
        below = moved[place] = max(moved[place], below + apart)
    above = BOTTOM + apart
    for place in reversed(order):
        above = moved[place] = min(moved[place], above - apart)
    return moved


def two_curves(
    anchor: str, title: str, description: str, label: str, curves: Sequence[Points], low: float | None = None
) -> Markup:
    """Two runs over the steps: the first one's curve wide, the other's thin on top of it.

    Args:
        label: what the values are.
        curves: at least one of them has a point.
        low: the least value of the axis; None: as it comes.
    """
    count = 1 + max(step for points in curves for step, _ in points)
    values = [value for points in curves for _, value in points]
    y = Scale(*limits(values if low is None else [low, *values]), BOTTOM - 12, TOP + 12)
    marks = ticks(y.low, y.high)
    return chart(
        anchor,
        title,
        description,
        value_axis(label, zip(map(y, marks), tick_labels(marks), strict=True)),
        steps_axis(count),
        *(
            _stretches(points, count, y, class_, radius)
            for points, class_, radius in zip(curves, ("wide", "thin"), (5.0, 2.0), strict=True)
        ),
        frame(),
    )


def _stretches(points: Points, count: int, y: Scale, class_: str, radius: float) -> Markup:
    """A curve for each stretch of finite values, a cross at the upper edge for each of the others."""
    x = steps_scale(count)
    stretches: list[list[tuple[float, float]]] = [[]]
    crosses = []
    for place, value in thinned([value for _, value in points]):
        step = points[place][0]
        if math.isfinite(value):
            stretches[-1].append((x(step), y(value)))
        else:
            stretches.append([])
            crosses.append(
                element("text", "×", x=x(step), y=TOP + 10, text_anchor="middle", class_="no-number")
            )
    return joined([*(curve(stretch, class_, radius) for stretch in stretches if stretch), *crosses])


def two_titles(titles: Sequence[str], odd: bool = False) -> Markup:
    """The legend of `two_curves`; `odd`: with a line about crosses, which stand for NaN or infinite values."""
    rows = [
        element("li", sample(class_), f" {title} ({class_})")
        for title, class_ in zip(titles, ("wide", "thin"), strict=True)
    ]
    crosses = [element("li", "× at the upper edge: NaN or infinite")] if odd else []
    return element("ul", *rows, *crosses, class_="legend")


def sample(class_: str) -> Markup:
    """A short piece of a curve, for a legend."""
    line = element("g", element("polyline", points="0,6 36,6"), class_=f"curve {class_}")
    return element("svg", line, viewBox="0 0 36 12", class_="sample", aria_hidden="true")
