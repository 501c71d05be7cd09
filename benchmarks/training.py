"""`make bench`: how fast the same training runs as it was, migrated, and as an expert writes it: docs/performance.md.

    python benchmarks/training.py [--rounds 3] [--legacy-python PYTHON_OF_TF_1.15] > docs/performance.md

CIFAR-10 towers and MNIST over parameter servers, each program a process of its own, one after the other in rounds, so
that what else the machine does falls on all alike. A ratio is the median over the rounds of a round's ratio. What is
measured: the script's own examples a second (median over its steps after the first ten), the time from the process's
start to its first step, CPU time a step and peak memory (/proc, Linux).
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOWERS_LINE = re.compile(r"step (\d+), loss = .*\(([\d.]+) examples/sec")
WORKER_LINE = re.compile(
    r"worker 0\W.*?([\d.]+): .*training step (\d+) done.*?(?:global step: (\d+)|$)", re.IGNORECASE
)
ORIGINAL = "original, compat.v1"
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Work:
    """What is trained: towers and images for each of them."""

    towers: int
    batch: int

    def __str__(self) -> str:
        return f"{self.towers} tower{'s' * (self.towers > 1)}, batch {self.batch}"


@dataclass(frozen=True)
class Run:
    """What one process did."""

    rate: float
    first: float
    cpu: float
    memory: float


WORKS = (Work(2, 16), Work(2, 64), Work(2, 256), Work(1, 64), Work(4, 64))


def migrated(folder: Path, script: str, *options: str) -> Path:
    """The migrated program in a folder of its own."""
    out = folder / "".join(("migrated", *options))
    command = [
        sys.executable,
        "-m",
        "tf2towers",
        "migrate",
        *options,
        "-o",
        str(out),
        str(ROOT / "legacy" / script),
    ]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return out / script


def towers(python: str, script: Path, work: Work, seconds: float, folder: Path) -> Run:
    """One tower training, ended after so many seconds of steps."""
    arguments = [
        f"--num_gpus={work.towers}", f"--batch_size={work.batch}", "--max_steps=1000000", "--log_every=1",
        "--summary_every=1000000", "--checkpoint_every=1000000", f"--train_dir={folder / 'train'}",
    ]  # fmt: skip
    started = time.monotonic()
    process = subprocess.Popen(
        [python, str(script), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'legacy'}",
        },
        cwd=folder,
    )
    rates: list[float] = []
    first = begun = cpu = memory = 0.0
    assert process.stdout is not None
    for line in process.stdout:
        found = TOWERS_LINE.search(line)
        if not found:
            continue
        now = time.monotonic()
        rates.append(float(found[2]))
        if len(rates) == 1:
            first = now - started
        if len(rates) == 10:
            begun, cpu = now, cpu_of(process.pid)
        if begun and now - begun > seconds:
            cpu = (cpu_of(process.pid) - cpu) / (len(rates) - 10)
            memory = peak_of(process.pid)
            break
    process.kill()
    process.wait()
    if not memory:
        raise RuntimeError(f"{script} ended after {len(rates)} steps")
    return Run(statistics.median(rates[10:]), first, cpu, memory)


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def peak_of(process: int) -> float:
    """The most memory that a process has held, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def cluster(script: Path, workers: int, synchronous: bool, steps: int, folder: Path) -> float:
    """Global steps a second of one cluster, by the lines of worker 0."""
    arguments = [f"--train_steps={steps}", "--log_every=20", f"--log_dir={folder / 'log'}"]
    if "modern" not in script.parts:
        arguments.append(f"--issync={int(synchronous)}")
    command = [
        sys.executable,
        "-m",
        "tf2towers",
        "launch",
        "--ps",
        "1",
        "--workers",
        str(workers),
        "--",
        str(script),
    ]
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
    )
    try:
        said, _ = process.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate()
    seen = [
        (float(found[1]), int(found[3] or found[2]))
        for line in said.splitlines()
        if (found := WORKER_LINE.search(line))
    ]
    if len(seen) < 5:
        raise RuntimeError(f"{script}: {said[-1500:]}")
    (start, before), (end, after) = seen[2], seen[-1]
    return (after - before) / (end - start)


def main() -> None:
    """Runs all of it, and writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0, help="of steps, in each run of towers")
    parser.add_argument("--legacy-python", help="an interpreter with TensorFlow 1.15")
    parser.add_argument("--no-clusters", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(page(options, tower_table(options, folder), cluster_table(options, folder)))


def tower_table(options: argparse.Namespace, folder: Path) -> list[str]:
    """The rows of the table of towers."""
    here = sys.executable
    legacy = ROOT / "legacy/cifar10_towers.py"
    modern = ROOT / "modern/cifar10_mirrored.py"
    programs: dict[str, tuple[str, Path]] = {}
    if options.legacy_python:
        programs["original, TF 1.15"] = (options.legacy_python, folder / "tf1/cifar10_towers.py")
        (folder / "tf1").mkdir()
        text = legacy.read_text().replace("import tensorflow.compat.v1 as tf", "import tensorflow as tf")
        (folder / "tf1/cifar10_towers.py").write_text(text)
    programs |= {
        ORIGINAL: (here, legacy),
        "migrated, exact": (here, migrated(folder, legacy.name)),
        "migrated, idiomatic": (here, migrated(folder, legacy.name, "--idiomatic")),
        "modern": (here, modern),
        "modern, one device, whole batch": (here, modern),
    }
    rows = []
    for work in WORKS:
        runs: dict[str, list[Run]] = defaultdict(list)
        for _ in range(options.rounds):
            for what, (python, script) in programs.items():
                actual = Work(1, work.towers * work.batch) if what.endswith("whole batch") else work
                runs[what].append(towers(python, script, actual, options.seconds, folder))
                print(work, what, runs[what][-1], file=sys.stderr, flush=True)
        for what, made in runs.items():
            ratio = statistics.median(
                one.rate / two.rate for one, two in zip(made, runs[ORIGINAL], strict=True)
            )
            rate, first, cpu, memory = (
                statistics.median(getattr(one, key) for one in made)
                for key in ("rate", "first", "cpu", "memory")
            )
            step = work.towers * work.batch / rate * 1000
            numbers = (
                f"{rate:.0f} | **{ratio:.2f}** | {step:.1f} | {first:.1f} | {cpu * 1000:.0f} | {memory:.0f}"
            )
            rows.append(f"| {work} | {what} | {numbers} |")
    return rows


def cluster_table(options: argparse.Namespace, folder: Path) -> list[str]:
    """The rows of the table of parameter servers."""
    if options.no_clusters:
        return []
    legacy = ROOT / "legacy/mnist_supervisor.py"
    programs = {
        ORIGINAL: (legacy, legacy),
        "migrated, exact": (migrated(folder, legacy.name),) * 2,
        "migrated, idiomatic": (migrated(folder, legacy.name, "--idiomatic"),) * 2,
        "modern": (ROOT / "modern/mnist_parameter_server.py", ROOT / "modern/mnist_multi_worker.py"),
    }
    rows = []
    for synchronous in (False, True):
        for workers in (1, 2):
            rates: dict[str, list[float]] = defaultdict(list)
            for number in range(options.rounds):
                for what, scripts in programs.items():
                    own = folder / f"{synchronous}{workers}{number}{what.replace(' ', '')}"
                    own.mkdir()
                    rates[what].append(cluster(scripts[synchronous], workers, synchronous, 1500, own))
                    print(synchronous, workers, what, rates[what][-1], file=sys.stderr, flush=True)
            kind = (
                f"{'synchronous' if synchronous else 'asynchronous'}, {workers} worker{'s' * (workers > 1)}"
            )
            for what, made in rates.items():
                ratio = statistics.median(one / two for one, two in zip(made, rates[ORIGINAL], strict=True))
                rows.append(f"| {kind} | {what} | {statistics.median(made):.0f} | **{ratio:.2f}** |")
    return rows


def page(options: argparse.Namespace, tower_rows: list[str], cluster_rows: list[str]) -> str:
    """docs/performance.md."""
    import tensorflow as tf

    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    where = f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, no GPU, TensorFlow {tf.__version__}"
    return f"""# How fast it is

Written by `make bench` ({datetime.date.today()}; {where}; load {os.getloadavg()[2]:.1f} at the end).
Programs take turns, {options.rounds} rounds; a ratio is the median of the rounds' ratios to the original on the
same TensorFlow: above 1 is faster. Devices are logical CPU devices: they share the cores, so towers bring no speed
here; what is compared is what each program adds to the same arithmetic.

## Towers: `cifar10_towers.py`

| work | program | examples/s | to the original | ms a step | s to the first step | CPU ms a step | MiB |
| --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(tower_rows)}

## Parameter servers: `mnist_supervisor.py`, 1 server

| work | program | global steps/s | to the original |
| --- | --- | --- | --- |
{chr(10).join(cluster_rows)}
"""


if __name__ == "__main__":
    main()
