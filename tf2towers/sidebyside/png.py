"""A picture as a PNG, by matplotlib."""

from __future__ import annotations

from pathlib import Path

from tf2towers.sidebyside.curves import Picture

_COLOURS = ("#b45309", "#1d4ed8")


def draw(picture: Picture, path: Path) -> None:
    """Draws it.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    styles = [(3.5, 0.45), (1.3, 1.0)]  # the legacy curve wide, the modern one thin on top of it
    for (title, points), colour, (width, alpha) in zip(picture.curves, _COLOURS, styles, strict=True):
        axes.plot(
            *zip(*points, strict=True), color=colour, linewidth=width, alpha=alpha, label=title
        ) if points else None
    axes.set_title(picture.title)
    axes.set_xlabel("step")
    axes.set_ylabel(picture.y)
    if picture.from_zero:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    if any(points for _, points in picture.curves):
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
