"""`make bench`: measures the speed of original, migrated and modern trainers, and writes docs/performance.md.

    python benchmarks/training.py [--rounds 7] [--legacy-python PYTHON_OF_TF_1.15] [--page docs/performance.md]

The page shows which of the project's bars hold, and a picture is written beside it. It is written
at the end, after about a quarter of an hour on two cores. `--only` and `--shape` measure a part of
it, and take the other works as `--keep` has them.

The works are CIFAR-10 and MobileNetV2 with towers, and MNIST with parameter servers. The programs
of one work are started together and take turns of a second or two (`alternating.py`); a ratio is
the median of the rounds' ratios. The benchmark measures steps per second, from the lines that the
scripts print, and the time from a process's start to its first step. CPU time per step and peak
memory include all processes (/proc, Linux).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import migrate_speed
import tensorflow as tf
from alternating import Training, alternate

ROOT = Path(__file__).parents[1]
TOWERS_LINE = re.compile(r"step (\d+), loss = ")
EPOCH_LINE = re.compile(r"epoch (\d+): ")
WORKER_LINE = re.compile(r"worker 0\W.*training step \d+ done.*global step: (\d+)", re.IGNORECASE)
MODERN_WORKER_LINE = re.compile(r"(?:chief|worker) 0\W.*training step (\d+) done", re.IGNORECASE)
ORIGINAL = "original, compat.v1"
ENDLESS = 1_000_000_000
#: environment variables with the same malloc settings as in `tf2towers.runtime.memory`, for the
#: other programs
KEPT = {"MALLOC_MMAP_THRESHOLD_": 256 << 20, "MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_TOP_PAD_": 64 << 20}


@dataclass(frozen=True)
class Program:
    """A program to start.

    Attributes:
        script: the script with its interpreter, or with the command that launches a cluster.
        arguments: the script's arguments.
        examples: the examples of a step; 0 if the work counts steps.
        line: a line that the script prints about one or several steps.
        steps: the number of steps that such a line stands for.
        rests: whether the program can be stopped for a while.
        environment: additional environment variables.
    """

    script: Sequence[str]
    arguments: Sequence[str]
    examples: int
    line: re.Pattern[str] = TOWERS_LINE
    steps: int = 1
    rests: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """The measurements of one program.

    Attributes:
        ratio: speed relative to the original on the same TensorFlow: above 1 is faster.
        rate: steps per second.
        size: examples of a step, or 1.
        first: seconds to the first step.
        cpu: CPU seconds per step.
        memory: peak memory in MiB.
        day: when it was measured.
        load: the machine's load at the end of the work, of five minutes, the programs' own
            included.
    """

    work: str
    program: str
    ratio: float
    rate: float
    size: int
    first: float
    cpu: float
    memory: float
    day: str
    load: float

    def __str__(self) -> str:
        return (
            f"| {self.work} | {self.program} | {self.rate * self.size:.0f} | **{self.ratio:.2f}** | "
            f"{1000 / self.rate:.1f} | {self.first:.1f} | {self.cpu * 1000:.0f} | {self.memory:.0f} |"
        )


@dataclass(frozen=True)
class Bar:
    """The smallest ratio that a program must reach, in works whose names begin with one of `works`."""

    program: str
    least: float
    works: tuple[str, ...]


#: towers and batch of CIFAR-10; the works in the order of the page
SHAPES = ((2, 16), (2, 64), (2, 256), (1, 64), (4, 64))
MOBILENET = "MobileNetV2, 2 towers, batch 64"
CLUSTERS = tuple((synchronous, workers) for synchronous in (False, True) for workers in (1, 2))


def shape_name(towers: int, batch: int) -> str:
    """The name of a work of CIFAR-10."""
    return f"{towers} tower{'s' * (towers > 1)}, batch {batch}"


def cluster_name(synchronous: bool, workers: int) -> str:
    """The name of a work of MNIST."""
    return f"{'' if synchronous else 'a'}synchronous, {workers} worker{'s' * (workers > 1)}"


CLUSTER_WORKS = [cluster_name(*cluster) for cluster in CLUSTERS]
WORKS = [*(shape_name(*shape) for shape in SHAPES), MOBILENET, *CLUSTER_WORKS]

BARS = (
    Bar("modern", 0.8, ("2 towers, batch 16",)),
    Bar("modern", 1.0, ("2 towers, batch 64", "2 towers, batch 256")),
    Bar("modern, by fit", 1.0, ("MobileNetV2",)),
    Bar("modern", 1.0, ("asynchronous", "synchronous")),
    Bar("migrated", 1.0, ("1 tower", "2 towers", "4 towers", "MobileNetV2")),
    Bar("migrated", 0.95, ("asynchronous", "synchronous")),
)


def migrated(folder: Path, script: str) -> str:
    """Migrates a script into a new folder; returns the path."""
    out = folder / "migrated"
    command = [sys.executable, "-m", "tf2towers", "migrate", "-o", str(out)]
    subprocess.run([*command, str(ROOT / "legacy" / script)], check=True, cwd=ROOT, capture_output=True)
    return str(out / script)


def for_tf1(folder: Path, script: str) -> str:
    """Writes a script for TensorFlow 1.15, without `compat.v1`; returns the path."""
    out = folder / "tf1"
    out.mkdir(exist_ok=True)
    text = (ROOT / "legacy" / script).read_text()
    (out / script).write_text(text.replace("import tensorflow.compat.v1 as tf", "import tensorflow as tf"))
    return str(out / script)


def measure(work: str, programs: dict[str, Program], options: argparse.Namespace, folder: Path) -> list[Row]:
    """Measures the programs of a work; returns their rows."""
    running: dict[str, Training] = {}
    try:
        for what, program in programs.items():
            own = Path(tempfile.mkdtemp(dir=folder))
            folders = {TOWERS_LINE: "train_dir", EPOCH_LINE: "train_dir"}
            place = f"--{folders.get(program.line, 'log_dir')}={own / 'train'}"
            print(f"{work}: {what}", file=sys.stderr, flush=True)
            path = {"PYTHONPATH": f"{ROOT}:{ROOT / 'legacy'}", **program.environment}
            command = [*program.script, *program.arguments, place]
            running[what] = Training(command, program.line, own, path, rests=program.rests)
        turns = alternate(running, options.rounds, options.seconds)
    finally:
        for training in running.values():
            training.end()
    rows = []
    for what, program in programs.items():
        size, reference = program.examples or 1, programs[ORIGINAL].examples or 1
        ratio = statistics.median(
            own.rate * program.steps * size / (original.rate * reference)
            for own, original in zip(turns[what], turns[ORIGINAL], strict=True)
        )
        rate = statistics.median(turn.rate for turn in turns[what]) * program.steps
        cpu = statistics.median(turn.cpu for turn in turns[what]) / program.steps
        first, memory = running[what].first, running[what].memory
        day, load = str(datetime.date.today()), os.getloadavg()[1]
        rows.append(Row(work, what, ratio, rate, size, first, cpu, memory, day, load))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def cifar_rows(options: argparse.Namespace, folder: Path) -> list[Row]:
    """Measures CIFAR-10 with towers: all programs, and the upper limits."""
    legacy = "cifar10_towers.py"
    python = sys.executable
    scripts = {
        ORIGINAL: (python, str(ROOT / "legacy" / legacy)),
        "migrated": (python, migrated(folder, legacy)),
        "modern": (python, str(ROOT / "modern/cifar10_mirrored.py")),
    }
    if options.legacy_python:
        scripts = {"original, TF 1.15": (options.legacy_python, for_tf1(folder, legacy)), **scripts}
    # ten steps for each line: the modern trainer makes ten in one call
    often = [
        "--log_every=10",
        *(f"--{name}={ENDLESS}" for name in ("summary_every", "checkpoint_every", "max_steps")),
    ]
    modern = scripts["modern"]
    rows = []
    for towers, batch in options.shapes:
        whole = towers * batch
        each = [f"--num_gpus={towers}", f"--batch_size={batch}", *often]
        programs = {what: Program(script, each, whole) for what, script in scripts.items()}
        if (towers, batch) == (2, 64):  # further variants, of this work only
            for option in ("--jit", "--precision=bfloat16"):
                programs[f"modern, {option}"] = Program(modern, [*each, option], whole)
            kept = {name: str(size) for name, size in KEPT.items()}
            programs["original, memory kept"] = Program(scripts[ORIGINAL], each, whole, environment=kept)
            programs["modern, memory kept"] = Program(modern, each, whole, environment=kept)
            alone = ["--num_gpus=1", f"--batch_size={whole}", *often]
            programs["limit: modern, one device"] = Program(modern, alone, whole)
            bare = (python, str(ROOT / "benchmarks/bare_function.py"))
            programs["limit: one bare function"] = Program(bare, [f"--batch_size={whole}"], whole)
        rows += measure(shape_name(towers, batch), programs, options, folder)
    return rows


def mobilenet_rows(options: argparse.Namespace, folder: Path) -> list[Row]:
    """Measures MobileNetV2 with towers, on the digits; the modern trainer prints a line for each epoch, not step."""
    legacy, batch, images = "mobilenet_towers.py", 64, 1500
    scripts = {
        ORIGINAL: (sys.executable, str(ROOT / "legacy" / legacy)),
        "migrated": (sys.executable, migrated(folder, legacy)),
    }
    if options.legacy_python:
        scripts = {"original, TF 1.15": (options.legacy_python, for_tf1(folder, legacy)), **scripts}
    # none evaluates; the modern ones save when they evaluate, the others at the end
    common, whole = ["--num_gpus=2", f"--batch_size={batch}", f"--eval_every={ENDLESS}"], 2 * batch
    each = [*common, f"--num_epochs={ENDLESS}", "--log_every=1"]
    programs = {what: Program(script, each, whole) for what, script in scripts.items()}
    by_fit, by_hand = (
        (sys.executable, str(ROOT / f"modern/mobilenet_{name}.py")) for name in ("mirrored", "by_hand")
    )
    common.append("--num_epochs=100")
    for name, modern in (("by fit", by_fit), ("by hand", by_hand)):
        programs[f"modern, {name}"] = Program(modern, common, whole, EPOCH_LINE, images // whole)
    alone = ["--num_gpus=1", f"--batch_size={whole}", *common[2:]]
    programs["limit: modern, one device"] = Program(by_hand, alone, whole, EPOCH_LINE, images // whole)
    return measure(MOBILENET, programs, options, folder)


def cluster_rows(options: argparse.Namespace, folder: Path) -> list[Row]:
    """Measures MNIST with one parameter server, asynchronous and synchronous."""
    legacy = "mnist_supervisor.py"
    scripts = {
        ORIGINAL: str(ROOT / "legacy" / legacy),
        "migrated": migrated(folder, legacy),
    }
    rows = []
    for synchronous, workers in CLUSTERS:
        launch = [sys.executable, "-m", "tf2towers", "launch", "--ps=1", f"--workers={workers}"]
        common = [f"--train_steps={ENDLESS}", "--log_every=50"]
        flags = [*common, f"--issync={int(synchronous)}"]
        all_reduces = synchronous and workers > 1  # such workers end if the others are stopped
        programs = {
            what: Program([*launch, "--", script], flags, 0, WORKER_LINE) for what, script in scripts.items()
        }
        if options.legacy_python:
            tf1 = [*launch, f"--python={options.legacy_python}", "--", for_tf1(folder, legacy)]
            programs = {"original, TF 1.15": Program(tf1, flags, 0, WORKER_LINE), **programs}
        name = "mnist_multi_worker.py" if synchronous else "mnist_parameter_server.py"
        tasks = workers + (
            not synchronous
        )  # worker 0 of asynchronous training is the chief, which computes nothing
        modern = [*launch[:-1], f"--workers={tasks}", "--", str(ROOT / "modern" / name)]
        common.append(f"--checkpoint_every={ENDLESS}")
        programs["modern"] = Program(modern, common, 0, MODERN_WORKER_LINE, rests=not all_reduces)
        if not synchronous and workers == 2:
            alone = [*common, "--steps_per_request=1"]
            programs["modern, 1 step a request"] = Program(modern, alone, 0, MODERN_WORKER_LINE)
        rows += measure(cluster_name(synchronous, workers), programs, options, folder)
    return rows


def main() -> None:
    """Measures all works, and writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.25, help="a program's turn in a round")
    parser.add_argument("--legacy-python", help="an interpreter with TensorFlow 1.15")
    parts = {"cifar": cifar_rows, "mobilenet": mobilenet_rows, "clusters": cluster_rows}
    parser.add_argument("--only", choices=(*parts, "migrate"), help="a part of the page")
    parser.add_argument("--shape", help="measure only CIFAR-10 with these towers and batch: 2x64")
    parser.add_argument(
        "--keep", type=Path, help="a JSON file: works that are not measured now are taken from it"
    )
    parser.add_argument("--page", type=Path, help="the file to write, with a picture beside it; else printed")
    options = parser.parse_args()
    options.shapes = SHAPES
    if options.shape:
        options.only, options.shapes = "cifar", [tuple(map(int, options.shape.split("x")))]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that stopped programs are killed, too
    with tempfile.TemporaryDirectory() as name:
        rows = [
            row
            for part, rows_of in parts.items()
            if options.only in (None, part)
            for row in rows_of(options, Path(name))
        ]
    if options.keep:
        rows = kept_with(options.keep, rows)
    before = options.page.read_text(encoding="utf-8") if options.page and options.page.exists() else ""
    _, title, found = before.partition("\n## On a GPU\n")  # of `make test-gpu`
    speed = migrate_speed.section() if options.only in (None, "migrate") else migrate_speed.in_page(before)
    text = page(options, rows, speed)
    if options.page:
        draw(options.page.with_suffix(".png"), rows)
        options.page.write_text(f"{text}\n{title}{found}", encoding="utf-8")
    else:
        print(text)


def kept_with(path: Path, measured: list[Row]) -> list[Row]:
    """The rows in a file, with what was measured in the place of the same works, in the page's order; writes them."""
    before = [Row(**row) for row in json.loads(path.read_text())] if path.exists() else []
    works = {row.work for row in measured}
    rows = [*(row for row in before if row.work not in works), *measured]
    rows.sort(key=lambda row: WORKS.index(row.work) if row.work in WORKS else len(WORKS))
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return rows


def bars_table(rows: list[Row]) -> str:
    """The table of the bars: each with the measured ratio, and whether it is met."""
    lines = ["| program | work | at least | measured | met |", "| --- | --- | --- | --- | --- |"]
    for bar in BARS:
        for row in rows:
            if row.program == bar.program and row.work.startswith(bar.works):
                verdict = "yes" if row.ratio >= bar.least else "**no**"
                lines.append(f"| {row.program} | {row.work} | {bar.least:g} | {row.ratio:.2f} | {verdict} |")
    return "\n".join(lines)


def days_table(rows: list[Row]) -> str:
    """The table of the days on which the works were measured, and of the machine's load, of five minutes."""
    lines = ["| measured on | load, with the programs' own | works |", "| --- | --- | --- |"]
    for day in sorted({row.day for row in rows}):
        own = [row for row in rows if row.day == day]
        loads = sorted({f"{row.load:.1f}" for row in own}, key=float)
        load = loads[0] if len(loads) == 1 else f"{loads[0]} to {loads[-1]}"
        lines.append(f"| {day} | {load} | {'; '.join(dict.fromkeys(row.work for row in own))} |")
    return "\n".join(lines)


def draw(path: Path, rows: list[Row]) -> None:
    """Draws the ratios to the original, a bar for each program of a work."""
    from matplotlib.figure import Figure

    shown = [row for row in rows if row.program != ORIGINAL and not row.program.startswith("limit")]
    figure = Figure(figsize=(9, 1 + 0.24 * len(shown)), layout="constrained")
    axes = figure.subplots()
    colours = {"original": "tab:gray", "migrated": "tab:blue", "modern": "tab:green"}
    bars = axes.barh(
        range(len(shown)), [min(row.ratio, 2.0) for row in shown],
        color=[colours[row.program.partition(",")[0]] for row in shown],
    )  # fmt: skip
    axes.bar_label(bars, [f"{row.ratio:.2f}" for row in shown], padding=3, fontsize=8)
    axes.set_yticks(range(len(shown)), [f"{row.work}: {row.program}" for row in shown], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xlim(0, 2.2)
    axes.set_xlabel(f"steps a second, by those of the {ORIGINAL} (bars end at 2)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100)


def page(options: argparse.Namespace, rows: list[Row], speed: str) -> str:
    """docs/performance.md; `speed` is the part about `migrate`."""
    clusters = [row for row in rows if row.work in CLUSTER_WORKS]
    tower_rows = [row for row in rows if row.work not in CLUSTER_WORKS]
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    gpus = tf.config.list_physical_devices("GPU")
    gpu = f"{len(gpus)} GPUs" if gpus else "no GPU"
    on_gpus = "The towers ran on GPUs." if gpus else "No GPU was used: nothing here is measured on one."
    where = f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, {gpu}, TensorFlow {tf.__version__}"
    heads = "s to the first step | CPU ms a step | MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    return f"""# How fast it is

Written by `make bench`: {where}.

{days_table(rows)}

The programs of one work are started together and take turns of {options.seconds} s, {options.rounds} rounds.
A ratio is the median of the rounds' ratios to the original on the same TensorFlow: above 1 is faster. Other work on
the machine blurs them. Ratios of the same programs have differed by 0.1 from run to run, and by 0.4 at a load of 9.
Devices are logical CPU devices: they share the cores, so towers bring no speed here. What is compared is what each
program adds to the same arithmetic. {on_gpus}

![Each program's steps a second, by those of the original](performance.png)

{bars_table(rows)}

## Towers: `cifar10_towers.py`, `mobilenet_towers.py`

| work | program | examples/s | to the original | ms a step | {heads}
{chr(10).join(map(str, tower_rows))}

Migrated programs ask malloc to keep what a step frees for the next one (`tf2towers/runtime/memory.py`): the CIFAR-10
towers had 500, 2,100 and 4,000 page faults a step at batch 16, 64 and 256 (2026-11-24), and have none. The original and
the modern trainer gain as much from environment variables that say the same ("memory kept"):

    MALLOC_MMAP_THRESHOLD_=268435456 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=67108864 python modern/...

The modern trainers have Keras's own optimizers: SGD makes four operations for each variable's update, Adam sixteen,
where a fused one makes one. Several steps in one call, and a loss that is fetched every `--log_every`, make up for it
(CIFAR, synchronous workers; MobileNetV2 makes a step a call).

The towers of a machine without GPUs share its CPU and one copy of the variables; copies and collectives are for GPUs
([how-it-works.md](how-it-works.md)). The modern trainer has a copy for each replica, for that is what
MirroredStrategy is.

No program evaluates or saves here. The modern MobileNetV2 prints a line each epoch, which is 11 steps.

MobileNetV2 on images of 32 x 32 has many small operations: 45 % of the time goes into handing work from thread to
thread (perf, 2026-11-25). With `TF_NUM_INTRAOP_THREADS=1` a step took 63 ms of processor time instead of 95. Sums in
parts by threads round otherwise then, so original and migrated programs keep TensorFlow's number. In the modern trainer
logical devices share the cores, but not where one device is timed beside them.

Where a strategy sends batches to devices, TensorFlow 2.21 has malloc give memory back at once (`M_TRIM_THRESHOLD`; 2.15
and 2.18 do not). A step of MobileNetV2 then had 10,000 page faults instead of none, and took 20 ms more of processor
time (2026-11-26). So CIFAR's replicas on the CPU read for themselves (`input_options` in `modern/devices.py`): no batch
is sent. MobileNetV2's batches are sent, as on GPUs.

`--jit` (XLA) of `modern/cifar10_mirrored.py` differs by up to 5e-6 of a gradient's largest element,
`--precision=bfloat16` by 0.7 % in the last layer and up to 21 % in the first. `tests/modern/test_cifar10_mirrored.py`
pins both.

## Parameter servers: `mnist_supervisor.py`, 1 server

Synchronous training of `modern/` is an all-reduce between the workers, without a server. With 2 workers it cannot be
stopped between its turns and begins anew for each, so its first second counts.

Where its time goes was measured on 2026-11-29, 400 steps a call, medians of five, at a load of 6 to 7. A step of two
workers took 2.8 ms, and 0.7 ms without the sum, both workers at once. The sum of the 79,510 gradients by itself, 318 KB
in one message each way, took 1.1 ms, that of ten numbers 0.5 ms. The rest is waiting for the other worker, and for the
cores that both share. One thread for each operation (`TF_NUM_INTRAOP_THREADS=1`) made it 2.5 ms. Batches that are not
sent to the device made no difference.

The modern asynchronous trainer asks for twenty steps in a request; a request for each step (`--steps_per_request=1`)
costs as much as a small step. Tasks on one host may gain by fewer threads each (`TF_NUM_INTRAOP_THREADS=1`).

| work | program | global steps/s | to the original | ms a step | {heads}
{chr(10).join(map(str, clusters))}

{speed}"""


if __name__ == "__main__":
    main()
