"""Pictures: curves over the steps, drawn by matplotlib, within a page."""

from __future__ import annotations

import base64
import io
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tf2towers.report.html.elements import Markup, element, printable, section

#: step and value; a value may be no number, and leaves a gap
Points = Sequence[tuple[int, float]]
#: greater numbers do not fit on an axis
_GREATEST = 1e300
#: of two curves the first is wide, and the other is thin on top of it
_WIDE: dict[str, Any] = {"linewidth": 4.5, "alpha": 0.45}
_THIN: dict[str, Any] = {"linewidth": 1.3}


@dataclass(frozen=True)
class Picture:
    """Curves over the steps, by title.

    Attributes:
        name: of its section in a page.
        y: what the vertical axis says.
        from_zero: the vertical axis begins there.
    """

    name: str
    title: str
    y: str
    curves: tuple[tuple[str, Points], ...]
    from_zero: bool = False

    @property
    def empty(self) -> bool:
        """Nothing is to be drawn."""
        return not any(points for _, points in self.curves)


def png(picture: Picture) -> bytes:
    """The picture as a PNG.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    curves = [(title, points) for title, points in picture.curves if points]
    lines = []
    for place, (_, points) in enumerate(curves):
        steps, values = zip(*points, strict=True)
        style = (_WIDE, _THIN)[place] if len(curves) == 2 else _THIN
        heights = [value if abs(value) < _GREATEST else math.nan for value in values]
        lines += axes.plot(steps, heights, marker="." if len(points) < 40 else "", **style)
    axes.set(title=picture.title, xlabel="step", ylabel=picture.y)
    if picture.from_zero:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    # a name may hold what matplotlib takes for a formula
    named = [printable(title).replace("$", r"\$") for title, _ in curves]
    written = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that its font lacks
        axes.legend(lines, named, fontsize="small")
        figure.savefig(written, format="png", dpi=120)
    return written.getvalue()


def draw_picture(picture: Picture) -> Markup:
    """The section of a page with a picture, or with a sentence where matplotlib is missing; nothing without curves."""
    if picture.empty:
        return Markup()
    try:
        data = base64.b64encode(png(picture)).decode("ascii")
        shown = element("img", src=f"data:image/png;base64,{data}", alt=f"{picture.y} at each step")
    except ImportError:
        shown = element("p", "matplotlib, which draws the curves, is not installed.")
    return section(picture.name, picture.title, shown)
