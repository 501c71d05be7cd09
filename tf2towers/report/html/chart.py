"""Charts: an inline SVG with a title, a description, axes, a grid and curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tf2towers.report.html.elements import Markup, element, joined, scrolling
from tf2towers.report.html.scale import Scale, limits, thinned, tick_labels, ticks, whole_ticks

#: step and value; a value may be no number
Points = Sequence[tuple[int, float]]
WIDTH, HEIGHT = 760.0, 340.0
#: the corners of the plot; the rest holds labels
LEFT, RIGHT, TOP, BOTTOM = 74.0, 726.0, 14.0, 292.0


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
    """The legend of `two_curves`; `odd`: there are crosses."""
    rows = [
        element("li", sample(class_), f" {title} ({class_})")
        for title, class_ in zip(titles, ("wide", "thin"), strict=True)
    ]
    crosses = [element("li", "× at the upper edge: NaN or infinite")] if odd else []
    return element("ul", *rows, *crosses, class_="legend")


def sample(class_: str) -> Markup:
    """A short line, for a legend."""
    line = element("g", element("polyline", points="0,6 36,6"), class_=f"curve {class_}")
    return element("svg", line, viewBox="0 0 36 12", class_="sample", aria_hidden="true")
