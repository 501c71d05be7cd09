"""The table of an experiment: seconds an epoch and speed-up, as text, CSV and a picture."""

from __future__ import annotations

import csv
import importlib.util
import statistics
from pathlib import Path
from typing import NamedTuple


class Times(NamedTuple):
    """One training: a data set in one of the configurations."""

    dataset: str
    configuration: str
    replicas: int
    batch_size: int
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
        """As the column of the table says it."""
        devices = "one device" if self.configuration == "one" else f"{self.replicas} replicas"
        return f"{devices} (total batch {self.batch_size})"


def speed_up(times: Times, everything: list[Times]) -> float | None:
    """How many times as fast as one device, if that has been measured on the same data set."""
    for other in everything:
        if other.configuration == "one" and other.dataset == times.dataset:
            return other.seconds_per_epoch / times.seconds_per_epoch
    return None


def table(everything: list[Times]) -> str:
    """A row for each data set, a column for each configuration."""
    headings = list(dict.fromkeys(times.heading for times in everything))
    rows = [["data set", *headings]]
    for dataset in dict.fromkeys(times.dataset for times in everything):
        cells = dict.fromkeys(headings, "")
        for times in everything:
            if times.dataset == dataset:
                gain = speed_up(times, everything)
                gained = f", x{gain:.2f}" if gain and times.configuration != "one" else ""
                cells[times.heading] = f"{times.seconds_per_epoch:.3g} s/epoch{gained}"
        rows.append([dataset, *cells.values()])
    rows.insert(1, ["-" * max(len(row[place]) for row in rows) for place in range(len(rows[0]))])
    return "\n".join(
        " | ".join(cell.ljust(len(rule)) for cell, rule in zip(row, rows[1], strict=True)).rstrip()
        for row in rows
    )


def write_csv(path: Path, everything: list[Times]) -> None:
    """A line for each training."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["data_set", "configuration", "replicas", "total_batch_size", "all_reduce", "loop", "images", "epochs",
             "first_epoch_seconds", "seconds_per_epoch", "images_per_second", "speed_up", "loss", "accuracy"]
        )  # fmt: skip
        for times in everything:
            gain = speed_up(times, everything)
            writer.writerow(
                [times.dataset, times.configuration, times.replicas, times.batch_size, times.all_reduce, times.loop,
                 times.images, len(times.seconds), f"{times.seconds[0]:.3f}", f"{times.seconds_per_epoch:.3f}",
                 f"{times.images / times.seconds_per_epoch:.1f}", f"{gain:.3f}" if gain else "",
                 f"{times.losses[-1]:.4f}", f"{times.accuracies[-1]:.4f}"]
            )  # fmt: skip


def write_picture(path: Path, everything: list[Times]) -> bool:
    """A group of bars for each data set; False where Matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    headings = list(dict.fromkeys(times.heading for times in everything))
    datasets = list(dict.fromkeys(times.dataset for times in everything))
    figure = Figure(figsize=(3 + 2 * len(datasets) + len(headings), 4), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(headings)
    for place, heading in enumerate(headings):
        of_heading = [times for times in everything if times.heading == heading]
        where = [
            datasets.index(times.dataset) + (place - (len(headings) - 1) / 2) * width for times in of_heading
        ]
        bars = axes.bar(where, [times.seconds_per_epoch for times in of_heading], width * 0.9, label=heading)
        axes.bar_label(bars, [f"{times.seconds_per_epoch:.3g} s" for times in of_heading])
    axes.set_xticks(range(len(datasets)), datasets)
    axes.set_ylabel("seconds an epoch")
    axes.set_title("MobileNetV2")
    axes.margins(y=0.15)
    axes.legend()
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    return True
