"""`make growth`: measures how costs grow with the size of the work, and writes a page with plots.

    python benchmarks/growth.py [--page build/growth.md]

All costs are processor time, which other load on the machine hardly affects. For each curve, the
page has the steepest slope between two adjacent sizes, with both axes logarithmic: 1 is linear, a
larger value is worse.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from alternating import Training, alternate
from migrate_speed import seconds, write_long_script
from training import ENDLESS, ROOT, TOWERS_LINE, WORKER_LINE, migrated
from tree_speed import make_tree


@dataclass(frozen=True)
class Curve:
    """The costs of some work, by its size.

    Attributes:
        costs: program -> its cost at each size.
    """

    title: str
    size: str
    cost: str
    sizes: tuple[int, ...]
    costs: dict[str, list[float]]

    def slope(self, what: str) -> float:
        """The steepest slope of a program between two adjacent sizes, with both axes logarithmic."""
        cost = self.costs[what]
        return max(
            math.log(cost[place + 1] / cost[place]) / math.log(self.sizes[place + 1] / self.sizes[place])
            for place in range(len(cost) - 1)
        )


def migrate_by_lines(folder: Path) -> Curve:
    """Measures `tf2towers migrate` of one script."""
    sizes = (300, 1_000, 3_000, 10_000, 30_000, 50_000)
    costs = []
    for size in sizes:
        script = write_long_script(folder, size)
        costs.append(seconds([*TOOL, "migrate", "-o", str(folder / f"out_{size}"), str(script)]))
    return Curve("migrate: a script", "lines", "CPU seconds", sizes, {"tf2towers": costs})


def migrate_by_files(folder: Path) -> Curve:
    """Measures `tf2towers migrate` of a folder of files."""
    sizes = (50, 200, 1_000, 5_000)
    costs = []
    for size in sizes:
        make_tree(folder / f"tree_{size}", size)
        command = [*TOOL, "migrate", "-o", str(folder / f"tree_out_{size}"), str(folder / f"tree_{size}")]
        costs.append(seconds(command, statuses=(0, 1)))
    return Curve("migrate: a tree", "files", "CPU seconds", sizes, {"tf2towers": costs})


def record_by_steps(folder: Path) -> Curve:
    """Measures the recorder of `verify` on the original."""
    sizes = (10, 30, 100, 300, 1_000)
    code = (
        "import sys; from pathlib import Path; from tf2towers.verify.sides import Options, record_original; "
        "record_original(Path(sys.argv[1]), sys.argv[4:], Path(sys.argv[2]), Options(steps=int(sys.argv[3])))"
    )
    costs = []
    for size in sizes:
        flags = ["--num_gpus=2", "--batch_size=4", f"--max_steps={size}", "--summary_every=100000"]
        script = str(ROOT / "legacy/cifar10_towers.py")
        place = str(folder / f"recording_{size}")
        train = f"--train_dir={folder / f'recorded_{size}'}"
        costs.append(seconds([sys.executable, "-c", code, script, place, str(size), *flags, train]))
    return Curve("verify: recording", "steps", "CPU seconds", sizes, {"original": costs})


def train_by_steps(folder: Path) -> Curve:
    """Measures a whole training, from the process's start to its end."""
    sizes = (30, 100, 300, 1_000, 3_000)
    costs: dict[str, list[float]] = {}
    for what, script in tower_scripts(folder).items():
        costs[what] = []
        for size in sizes:
            flags = ["--num_gpus=2", "--batch_size=4", f"--max_steps={size}", "--summary_every=100000"]
            train = f"--train_dir={folder / f'{what}_{size}'}"
            costs[what].append(seconds([sys.executable, script, *flags, train]))
    return Curve("towers: a training", "steps", "CPU seconds", sizes, costs)


def step_by_replicas(folder: Path) -> Curve:
    """Measures a step with different numbers of towers, and the same batch for each tower."""
    sizes = (1, 2, 4, 8)
    costs: dict[str, list[float]] = {}
    often = [f"--{name}={ENDLESS}" for name in ("summary_every", "checkpoint_every", "max_steps")]
    scripts = tower_scripts(folder)
    for size in sizes:
        flags = [f"--num_gpus={size}", "--batch_size=16", "--log_every=1", *often]
        commands = {
            what: [sys.executable, script, *flags, f"--train_dir={folder / f'{what}_{size}'}"]
            for what, script in scripts.items()
        }
        for what, cost in step_costs(commands, TOWERS_LINE, folder):
            costs.setdefault(what, []).append(cost)
    return Curve("towers: a step", "towers", "CPU ms", sizes, costs)


def step_by_parameters(folder: Path) -> Curve:
    """Measures a step with one parameter server, and hidden layers of different widths: 80 parameters for each unit."""
    sizes = (100, 300, 1_000, 3_000, 10_000)
    scripts = {
        "original": str(ROOT / "legacy/mnist_supervisor.py"),
        "migrated": migrated(folder, "mnist_supervisor.py"),
    }
    costs: dict[str, list[float]] = {}
    for size in sizes:
        flags = [f"--hidden_units={size}", f"--train_steps={ENDLESS}", "--log_every=5", "--batch_size=32"]
        launch = [*TOOL, "launch", "--ps", "1", "--workers", "1", "--"]
        commands = {
            what: [*launch, script, *flags, f"--log_dir={folder / f'ps_{what}_{size}'}"]
            for what, script in scripts.items()
        }
        for what, cost in step_costs(commands, WORKER_LINE, folder):
            costs.setdefault(what, []).append(cost)
    return Curve("parameter server: a step", "hidden units", "CPU ms", sizes, costs)


def tower_scripts(folder: Path) -> dict[str, str]:
    """The CIFAR-10 tower trainer, original and migrated."""
    legacy = "cifar10_towers.py"
    return {"original": str(ROOT / "legacy" / legacy), "migrated": migrated(folder, legacy)}


def step_costs(
    commands: dict[str, list[str]], line: re.Pattern[str], folder: Path
) -> Iterator[tuple[str, float]]:
    """CPU milliseconds per step of programs that take turns: the smallest of five turns."""
    running: dict[str, Training] = {}
    path = {"PYTHONPATH": f"{ROOT}:{ROOT / 'legacy'}"}
    try:
        for what, command in commands.items():
            running[what] = Training(command, line, folder, path)
        for what, turns in alternate(running, 5, 1.0).items():
            yield what, 1000 * min(turn.cpu for turn in turns)
    finally:
        for training in running.values():
            training.end()


TOOL = [sys.executable, "-m", "tf2towers"]
CURVES: tuple[Callable[[Path], Curve], ...] = (
    migrate_by_lines, migrate_by_files, record_by_steps, train_by_steps, step_by_replicas, step_by_parameters,
)  # fmt: skip


def draw(curves: list[Curve], place: Path) -> None:
    """Draws a plot of each curve, with a dashed line of slope 1."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 7.5), constrained_layout=True)
    for axis, curve in zip(axes.flat, curves, strict=True):
        for what, cost in curve.costs.items():
            axis.loglog(
                curve.sizes, cost, marker="o", label=f"{what} (slope at most {curve.slope(what):.2f})"
            )
        top = max(cost[-1] for cost in curve.costs.values())
        linear = [top * size / curve.sizes[-1] for size in curve.sizes]
        axis.loglog(curve.sizes, linear, color="grey", linestyle="--", linewidth=1, label="linear")
        axis.set(title=curve.title, xlabel=curve.size, ylabel=curve.cost)
        axis.grid(visible=True, which="major", alpha=0.3)
        axis.legend(fontsize="small")
    figure.savefig(place, dpi=110)


def page(curves: list[Curve], picture: str) -> str:
    """The page, as Markdown."""
    rows = [
        f"| {curve.title} | {what} | {' '.join(f'{size:,}' for size in curve.sizes)} {curve.size} | "
        f"{' '.join(f'{cost:.3g}' for cost in curve.costs[what])} {curve.cost} | {curve.slope(what):.2f} |"
        for curve in curves
        for what in curve.costs
    ]
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    where = f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, no GPU"
    return f"""# What things cost as the work grows

Written by `make growth` ({datetime.date.today()}; {where}). Processor time; the last column is the steepest slope
between two sizes beside each other, both axes logarithmic: 1 is linear.

![six plots]({picture})

| what | program | sizes | costs | steepest slope |
| --- | --- | --- | --- | --- |
{chr(10).join(rows)}
"""


def main() -> None:
    """Measures all curves, and writes page and picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", type=Path, default=ROOT / "build/growth.md")
    options = parser.parse_args()
    options.page.parent.mkdir(exist_ok=True)
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": f"{ROOT}:{ROOT / 'legacy'}"}
    curves = []
    with tempfile.TemporaryDirectory() as name:
        for make in CURVES:
            own = Path(name) / make.__name__
            own.mkdir()
            curves.append(make(own))
            print(curves[-1], file=sys.stderr, flush=True)
    picture = options.page.with_suffix(".png")
    draw(curves, picture)
    options.page.write_text(page(curves, picture.name))


if __name__ == "__main__":
    main()
