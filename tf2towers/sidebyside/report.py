"""The folder of a report: the page, the pictures, the numbers."""

from __future__ import annotations

import json
from pathlib import Path

from tf2towers.sidebyside.curves import Picture, pictures
from tf2towers.sidebyside.outcome import Outcome
from tf2towers.sidebyside.page import page

_COLOURS = ("#b45309", "#1d4ed8")


def write_report(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes index.html, compare.json and, where matplotlib is installed, loss.png and throughput.png.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "index.html", folder / "compare.json"]
    files[0].write_text(page(outcome), encoding="utf-8")
    files[1].write_text(json.dumps(outcome.as_json(), indent=1) + "\n", encoding="utf-8")
    for picture in pictures(outcome.sides, outcome.summary):
        path = folder / f"{picture.name}.png"
        try:
            draw(picture, path)
        except ImportError:
            continue
        files.append(path)
    return files


def draw(picture: Picture, path: Path) -> None:
    """Draws it as a PNG.

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
