"""Measures how much faster `tf2towers migrate -j 2` is than `-j 1` on a folder of 1,000 files, as whole processes.

    python benchmarks/tree_speed.py [--files N] [--pairs N] [--jobs N]

The folder is filled with TF1 scripts of this repository: the trainers of `legacy` with their
modules, then the small scripts of the soundness suite, in subfolders of ten. The two commands run
in turn, and the result is the median of the ratios of each pair's time, so that a change of the
machine's speed does not matter. On a machine with other load, two processes get less than two
processors. So the ratio of processor times is printed, too: the time of -j 1, divided by the
parent's own time plus the children's time per job.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MODES = {"report": [], "check": ["--check"], "write": ["-o"]}


def make_tree(folder: Path, count: int) -> None:
    """Writes a folder with this number of files."""
    sources = sorted((ROOT / "tests/soundness/scripts").rglob("*.py"))
    legacy = sorted((ROOT / "legacy").glob("*.py"))
    made = 0
    for number in itertools.count():
        if made >= count:
            return
        place = folder / f"project_{number:03d}"
        place.mkdir(parents=True)
        several = legacy if number % 20 == 0 else []
        start = number * 10 % len(sources)
        for source in [*several, *sources[start : start + 10]][: count - made]:
            target = place / source.name
            if not target.exists():
                shutil.copyfile(source, target)
                made += 1


MEASURED = """
import resource, sys
from tf2towers.cli.main import main
place, *arguments = sys.argv[1:]
status = main(arguments)
with open(place, "w") as out:
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        print(used.ru_utime + used.ru_stime, file=out)
sys.exit(status)
"""


class Run(NamedTuple):
    """Seconds of a whole process: wall clock, its own processor time, and that of its child processes."""

    clock: float
    own: float
    others: float


def run(arguments: list[str], out: Path) -> Run:
    """Runs `migrate`, and discards its output."""
    shutil.rmtree(out, ignore_errors=True)
    place = out.with_name("used")
    command = [sys.executable, "-c", MEASURED, str(place), "migrate", *arguments]
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    taken = time.perf_counter() - began
    if done.returncode not in (0, 1):
        raise SystemExit(f"status {done.returncode}: {' '.join(arguments)}")
    own, others = map(float, place.read_text().split())
    return Run(taken, own, others)


def ratio_line(pairs: list[tuple[Run, Run]], jobs: int) -> str:
    """The line of output for some pairs of runs."""
    by_clock = sorted(single.clock / several.clock for single, several in pairs)
    by_processor = sorted(single.own / (several.own + several.others / jobs) for single, several in pairs)
    return (
        f"-j 1 {statistics.median(single.clock for single, _ in pairs):.1f} s, "
        f"-j {jobs} {statistics.median(several.clock for _, several in pairs):.1f} s, "
        f"ratio {statistics.median(by_clock):.2f} ({by_clock[0]:.2f} to {by_clock[-1]:.2f}); "
        f"by processor time {statistics.median(by_processor):.2f} ({by_processor[0]:.2f} to {by_processor[-1]:.2f})"
    )


def main() -> None:
    """Prints the medians and the ratio, for each of `MODES`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--modes", nargs="+", choices=list(MODES), default=list(MODES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree, out = Path(folder) / "tree", Path(folder) / "out"
        make_tree(tree, options.files)
        files = list(tree.rglob("*.py"))
        size = sum(path.stat().st_size for path in files)
        print(f"{len(files)} files, {size / 1e6:.1f} MB, {os.cpu_count()} processors, {options.pairs} pairs")
        for mode in options.modes:
            arguments = [str(tree), *MODES[mode], *([str(out)] if mode == "write" else [])]
            pairs, loads = [], []
            for _ in range(options.pairs):
                loads.append(f"{os.getloadavg()[0]:.1f}")
                pairs.append(
                    (run([*arguments, "-j", "1"], out), run([*arguments, "-j", str(options.jobs)], out))
                )
            print(f"{mode:7} {ratio_line(pairs, options.jobs)}; load before {', '.join(loads)}", flush=True)


if __name__ == "__main__":
    main()
