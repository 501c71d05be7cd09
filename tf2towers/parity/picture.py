"""Both loss curves in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def draw(
    path: Path, names: tuple[str, str], losses: tuple[Sequence[float], Sequence[float]], title: str
) -> None:
    """Writes a PNG: the two curves on top of each other, and their difference below.

    Args:
        path: where to.
        names: what to call the programs.
        losses: each program's loss, step by step.
        title: a line above the picture.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    FigureCanvasAgg(figure)
    curves, difference = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    curves.plot(losses[0], color="#f2a33a", linewidth=5, alpha=0.8, label=names[0])
    curves.plot(losses[1], color="#1b4f72", linewidth=1.2, label=names[1])
    curves.set_ylabel("loss, mean over the towers")
    curves.set_title(title)
    curves.legend()
    curves.grid(alpha=0.3)
    difference.plot(
        [other - one for one, other in zip(*losses, strict=False)], color="#1b4f72", linewidth=1.2
    )
    difference.set_ylabel("difference")
    difference.set_xlabel("step")
    difference.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
