"""A picture as SVG, for a page that needs no other file."""

from __future__ import annotations

import math
from html import escape

from tf2towers.sidebyside.curves import COLOURS, Picture, Points

WIDTH, HEIGHT = 760, 340
LEFT, RIGHT, TOP, BOTTOM = 70, 15, 30, 45
MOST = 1000  # points of a curve; of more, every so many-th is drawn


def svg(picture: Picture) -> str:
    """The picture as one <svg> element. Values that are not finite are left out."""
    curves = [
        (title, _thinned([p for p in points if math.isfinite(p[1])])) for title, points in picture.curves
    ]
    every = [point for _, points in curves for point in points]
    if not every:
        return f"<p>No {escape(picture.title.lower())} was seen.</p>"
    x_ticks = ticks(min(x for x, _ in every), max(x for x, _ in every))
    lowest = 0.0 if picture.from_zero else min(y for _, y in every)
    y_ticks = ticks(lowest, max(y for _, y in every))

    def across(x: float) -> float:
        return LEFT + (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]) * (WIDTH - LEFT - RIGHT)

    def down(y: float) -> float:
        return HEIGHT - BOTTOM - (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(picture.title)}</title>",
    ]
    for tick in y_ticks:
        y = f"{down(tick):.1f}"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end">{tick:g}</text>')
    for tick in x_ticks:
        parts.append(
            f'<text x="{across(tick):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:g}</text>'
        )
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">step</text>')
    parts.append(f'<text x="{LEFT}" y="16">{escape(picture.y)}</text>')
    for place, ((title, points), colour) in enumerate(zip(curves, COLOURS, strict=True)):
        line = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in points)
        width, opacity = ((4, 0.45), (1.5, 1))[place]
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{width}" opacity="{opacity}"/>'
        )
        parts.append(
            f'<text x="{WIDTH - RIGHT - 130 + 70 * place}" y="16" fill="{colour}">&#9632; {escape(title)}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`, at least two."""
    if high <= low:
        low, high = low - 0.5, low + 0.5
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _thinned(points: Points) -> Points:
    return points[:: max(1, math.ceil(len(points) / MOST))]
