"""docs/performance.png: the ratios of docs/performance.md's two tables, a group of bars for each work.

    python benchmarks/performance_picture.py [--page docs/performance.md]

It reads the page that `training.py` wrote, so the picture shows what the page says.
"""

from __future__ import annotations

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: the programs that people choose between, in the order of the bars; the page has more
SHOWN = {
    "original, TF 1.15": "#9aa5b1",
    "migrated": "#1f77b4",
    "modern": "#ff7f0e",
}
#: a program of another name that stands for one of them
SAME_AS = {"modern, --loop=hand": "modern"}


def ratios(page: str) -> dict[str, dict[str, float]]:
    """Examples or steps a second to the original's on the same TensorFlow, by work and program."""
    found: dict[str, dict[str, float]] = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if len(cells) == 8 and cells[3].startswith("**"):
            program = SAME_AS.get(cells[1], cells[1])
            found.setdefault(cells[0], {})[program] = float(cells[3].strip("*"))
    return found


def draw(works: dict[str, dict[str, float]], place: Path) -> None:
    """A bar for each program that is shown, and a line at 1: the original on the same TensorFlow."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(11, 0.62 * len(works) + 1.2), constrained_layout=True)
    height = 0.8 / len(SHOWN)
    for place_in_group, (program, color) in enumerate(SHOWN.items()):
        bars = [
            (row + place_in_group * height, programs[program])
            for row, programs in enumerate(works.values())
            if program in programs
        ]
        drawn = axis.barh(*zip(*bars, strict=True), height=height, color=color, label=program)
        axis.bar_label(drawn, fmt="%.2f", fontsize="x-small", padding=2)
    axis.axvline(1, color="black", linewidth=1, label="original, compat.v1")
    axis.set_yticks([row + 0.4 - height / 2 for row in range(len(works))], list(works))
    axis.invert_yaxis()
    axis.set_xlabel("examples/s (towers) or global steps/s (servers), to the original on the same TensorFlow")
    axis.legend(fontsize="small")
    figure.savefig(place, dpi=110)


def main() -> None:
    """Draws the picture beside the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "performance.md")
    page = parser.parse_args().page
    draw(ratios(page.read_text()), page.with_suffix(".png"))


if __name__ == "__main__":
    main()
