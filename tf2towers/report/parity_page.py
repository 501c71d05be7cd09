"""A parity result as a page: each call's difference, and the first one in both sources."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from tf2towers.report.html import Markup, document, element, picture, section
from tf2towers.report.parity_result import Comparison, ParityResult, Place, Side
from tf2towers.report.parity_text import headline, sections, unit, worst_first
from tf2towers.report.paths import display_path

#: how many values have a line of their own colour, and how many more a grey one
_NAMED, _GREY = 8, 200
_STYLES = {"gradient": "-", "tower gradient": "-", "variable": "--"}  # the other kinds: dotted
_AROUND = 4  # lines of a source above and below the one that is marked
_LEAST, _MOST = 1e-30, 1e30  # the differences that the scale holds
_SHORT = 60  # signs of a name in the legend


def page(result: ParityResult) -> str:
    """One HTML file without external resources, for a result with differences."""
    scripts = [result.original.script, result.migrated.script]
    why = [
        element("p", element("b", f"{found.name}: "), " ".join([found.message, found.todo]))
        for found in result.diagnoses
    ]
    rest = [
        section(title.replace(" ", "-"), title.capitalize(), element("pre", "\n".join(body)))
        for title, body in sections(result)
        if body and title != "why"
    ]
    drawn = any(found.differences for found in result.comparisons)
    heading = f"The difference at each {unit(result)}"
    return document(
        headline(result),
        scripts,
        [element("h1", headline(result)), *why],
        section("differences", heading, _picture(result)) if drawn else Markup(),
        section("sources", f"Where the first one is: {unit(result)} {result.first_step}", *_sources(result)),
        *rest,
    )


# -- both sources ----------------------------------------------------------------------------------


def _sources(result: ParityResult) -> Iterator[Markup]:
    """The lines of both scripts around the call that differs first, side by side."""
    places = zip((result.original, result.migrated), result.first_places, strict=False)
    shown = [_source(side, place) for side, place in places if place.line]
    if shown:
        yield element("div", *shown, class_="beside")


def _source(side: Side, place: Place) -> Markup:
    path = side.script.parent / place.file
    try:
        cell = side.cells.get(place.file)
        lines = (path.read_text("utf-8", "replace") if cell is None else cell).splitlines()
    except OSError as problem:
        lines = [f"({display_path(path)} cannot be read: {problem.strerror})"]
    text = []
    for number, line in enumerate(lines, 1):
        if abs(number - place.line) <= _AROUND:
            numbered = f"{number:5}  {line}"
            text += [element("mark", numbered) if number == place.line else numbered, "\n"]
    title = element("figcaption", f"{side.title}: {display_path(path)}, line {place.line}")
    return element("figure", title, element("pre", *text))


# -- the picture -----------------------------------------------------------------------------------


def _picture(result: ParityResult) -> Markup:
    if find_spec("matplotlib") is None:
        return element("p", "matplotlib, which draws the differences, is not installed here.")
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    apart = [found for found in result.comparisons if found.differences]
    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.subplots()
    most = _ends(axes, apart)
    first_there = sorted(worst_first(apart), key=lambda found: min(found.differences))
    for found in first_there[_NAMED : _NAMED + _GREY]:
        _draw(axes, found, most, color="0.75", linewidth=0.8)
    for found in first_there[:_NAMED]:
        name = found.name if len(found.name) <= _SHORT else f"..{found.name[2 - _SHORT :]}"
        label = f"{found.kind} {name}".replace("$", r"\$")  # which begins a formula
        _draw(axes, found, most, marker="o", markersize=4, label=label)
    if len(first_there) > _NAMED:
        axes.plot([], [], color="0.75", label=f"{len(first_there) - _NAMED} more")
    if result.tolerance:
        axes.axhline(result.tolerance, color="black", linestyle=":", label=f"tolerance {result.tolerance:g}")
    if result.first_step is not None:
        axes.axvline(
            result.first_step, color="red", linewidth=1, label=f"first: {unit(result)} {result.first_step}"
        )
    last = max((result.calls or result.steps) - 1, *(max(found.differences) for found in apart))
    axes.set_xlim(-0.03 * (last + 1), last + 0.03 * (last + 1))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel=unit(result), ylabel="difference, by the largest element (none drawn: equal)")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", fontsize="small", ncols=2)
    return picture(figure, f"the difference of each value at each {unit(result)}, on a log scale")


def _ends(axes: Any, apart: list[Comparison]) -> float:
    """Gives the axes a log scale for all differences; returns the height of those not finite."""
    values = [value for found in apart for value in found.differences.values()]
    finite = [math.log10(value) for value in values if _LEAST <= value <= _MOST]
    low, high = math.floor(min(finite, default=-1)) - 1, math.ceil(max(finite, default=0)) + 1
    rest = len(finite) < len(values)
    axes.set_yscale("log")
    axes.set_ylim(10.0**low, 10.0 ** (high + 1 + rest))
    if rest:
        high += 1
        axes.axhline(10.0**high, color="0.85")
        where = axes.get_yaxis_transform()
        axes.text(0.01, 10.0**high, "NaN, infinite or missing", transform=where, va="bottom")
    return float(10.0**high)


def _draw(axes: Any, found: Comparison, most: float, **style: Any) -> None:
    heights = [max(value, _LEAST) if value <= _MOST else most for value in found.differences.values()]
    axes.plot([*found.differences], heights, _STYLES.get(found.kind, ":"), **style)
