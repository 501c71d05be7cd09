"""The frame of a chart: an inline SVG with a title, a description, axes and a grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tf2towers.report.parity_page.elements import Markup, element, scrolling
from tf2towers.report.parity_page.scale import Scale, whole_ticks

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
