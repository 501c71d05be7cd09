"""The table of an experiment: seconds an epoch and speed-up, as text, CSV and a picture."""

from __future__ import annotations

import csv
import importlib.util
import statistics
from pathlib import Path
from typing import NamedTuple


class Times(NamedTuple):
    """One training: a data set in one of the configurations."""

    data_set: str
    configuration: str
    replicas: int
    total_batch_size: int
    all_reduce: str
    loop: str
    images: int
    seconds: list[float]
    losses: list[float]
    accuracies: list[float]

    @property
    def seconds_per_epoch(self) -> float:
        """The median, without the first epoch, which builds the graphs, if there is another."""
        return statistics.median(self.seconds[1:] or self.seconds)

    @property
    def heading(self) -> str:
        """The heading of the table's column."""
        devices = "one device" if self.configuration == "one" else f"{self.replicas} replicas"
        return f"{devices} (total batch {self.total_batch_size})"

    def speed_up(self, everything: list[Times]) -> float | None:
        """How many times as fast as one device, if that has been measured on the same data set."""
        for other in everything:
            if (other.data_set, other.configuration) == (self.data_set, "one"):
                return other.seconds_per_epoch / self.seconds_per_epoch
        return None


def report(folder: Path, everything: list[Times]) -> None:
    """Print the table, and write it with the others into the folder."""
    text = table(everything)
    (folder / "times.txt").write_text(text + "\n", encoding="utf-8")
    write_csv(folder / "times.csv", everything)
    pictured = write_picture(folder / "times.png", everything)
    print(text)
    print(f"{folder}: times.txt, times.csv{', times.png' if pictured else '; no picture without Matplotlib'}")


def table(everything: list[Times]) -> str:
    """A row for each data set, a column for each configuration."""
    cells: dict[str, dict[str, str]] = {}
    for times in everything:
        gain = times.speed_up(everything) if times.configuration != "one" else None
        gained = f", x{gain:.2f}" if gain else ""
        cells.setdefault(times.data_set, {})[times.heading] = f"{times.seconds_per_epoch:.3g} s/epoch{gained}"
    headings = list(dict.fromkeys(times.heading for times in everything))
    rows = [["data set", *headings]]
    rows += [[name, *(own.get(heading, "") for heading in headings)] for name, own in cells.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join(" | ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def write_csv(path: Path, everything: list[Times]) -> None:
    """A line for each training."""
    with path.open("w", newline="", encoding="utf-8") as file:
        columns = [*Times._fields[:-3], "epochs", "first_epoch_seconds", "seconds_per_epoch",
                   "images_per_second", "speed_up", "loss", "accuracy"]  # fmt: skip
        csv.writer(file).writerow(columns)
        for times in everything:
            measured = [
                times.seconds[0], times.seconds_per_epoch, times.images / times.seconds_per_epoch,
                times.speed_up(everything), times.losses[-1], times.accuracies[-1],
            ]  # fmt: skip
            rounded = ["" if number is None else f"{number:.4f}" for number in measured]
            csv.writer(file).writerow([*times[:-3], len(times.seconds), *rounded])


def write_picture(path: Path, everything: list[Times]) -> bool:
    """A bar for each training; False where Matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1 + 0.4 * len(everything)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh(range(len(everything)), [times.seconds_per_epoch for times in everything])
    axes.bar_label(bars, fmt="%.3g s", padding=3)
    axes.set_yticks(range(len(everything)), [f"{times.data_set}: {times.heading}" for times in everything])
    axes.invert_yaxis()
    axes.set_xlabel("MobileNetV2: seconds an epoch")
    figure.savefig(path, dpi=150)
    return True
