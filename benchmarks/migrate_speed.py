"""How long `tf2towers migrate` takes, against LibCST's own work on the same file: whole processes, side by side.

    python benchmarks/migrate_speed.py [SCRIPT] [--pairs N]

The floor is a process that imports LibCST, parses the script, resolves qualified names, scopes and positions, and
generates the code. The two run in turn, and the figure is the median of the ratios of each pair's processor time, so
that a change of the machine's speed does not matter.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

FLOOR = """
import sys
import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider, QualifiedNameProvider, ScopeProvider
wrapper = MetadataWrapper(cst.parse_module(open(sys.argv[1], encoding="utf-8").read()))
for provider in (QualifiedNameProvider, ScopeProvider, PositionProvider):
    wrapper.resolve(provider)
wrapper.module.code
"""


def seconds(command: list[str], statuses: tuple[int, ...] = (0,)) -> float:
    """Processor seconds (user and system) of one finished process, with those that it has waited for.

    Raises:
        subprocess.CalledProcessError: it ended with another status.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=os.environ
    )
    if done.returncode not in statuses:
        raise subprocess.CalledProcessError(done.returncode, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints the medians and the ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("script", nargs="?", type=Path, default=Path("legacy/cifar10_towers.py"))
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    floor = [sys.executable, "-c", FLOOR, str(options.script)]
    migrate = [sys.executable, "-m", "tf2towers", "migrate", str(options.script)]
    seconds(floor), seconds(migrate)  # byte code is cached from here on
    pairs = [(seconds(floor), seconds(migrate)) for _ in range(options.pairs)]
    ratios = sorted(after / before for before, after in pairs)
    print(f"{options.script}, {options.pairs} pairs, processor seconds of whole processes")
    print(f"LibCST's own work   median {statistics.median(before for before, _ in pairs):.2f} s")
    print(f"tf2towers migrate   median {statistics.median(after for _, after in pairs):.2f} s")
    print(
        f"ratio               median {statistics.median(ratios):.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


if __name__ == "__main__":
    main()
