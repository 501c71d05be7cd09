"""Measures the cost of recording per training step: runs the original with and without the recorder, in turn.

    python benchmarks/record_cost.py [--rounds N] [--steps K] [SCRIPT [ARGS ...]]

Each round runs the script once without and once with the recorder. The script's own log has the
time of each `sess.run` (a line with '; X sec/batch)' for each step, as the CIFAR-10 tutorial
prints). The project's limit is a ratio of 2.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from pathlib import Path

from tf2towers.verify.process import ROOT, last_lines, run
from tf2towers.verify.sides import Options, record_original

_SECONDS = re.compile(r"; ([\d.]+) sec/batch\)")
_WARM_UP = 5


def seconds(log: Path) -> list[float]:
    """The seconds of each step in a log, without the first steps."""
    found = [float(number) for number in _SECONDS.findall(log.read_text(encoding="utf-8", errors="replace"))]
    return found[_WARM_UP:]


def main() -> int:
    """Prints the medians and their ratio; returns 1 if it is above 2."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("script", nargs="?", type=Path, default=ROOT / "legacy" / "cifar10_towers.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    arguments = options.arguments or ["--num_gpus=2", "--batch_size=32", "--batch_norm", "--log_every=1"]
    arguments = [*arguments, f"--max_steps={options.steps}", "--summary_every=100000"]
    plain: list[float] = []
    recorded: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place in range(options.rounds):
            given = [*arguments, f"--train_dir={folder / 'train'}"]
            log = folder / "plain.log"
            if run([sys.executable, str(options.script), *given], log, {}, 600):
                print(last_lines(log.read_text(encoding="utf-8").splitlines()), file=sys.stderr)
                return 2
            plain += seconds(log)
            found = record_original(
                options.script, given, folder / f"run{place}", Options(steps=options.steps)
            )
            recorded += seconds(found.folder.with_suffix(".log"))
    plain_median, recorded_median = statistics.median(plain), statistics.median(recorded)
    print(f"plain {plain_median * 1e3:.1f} ms a step, recorded {recorded_median * 1e3:.1f} ms:", end=" ")
    print(f"{recorded_median / plain_median:.2f} times", end=" ")
    print(f"(medians of {len(plain)} and {len(recorded)} steps)")
    return int(recorded_median > 2 * plain_median)


if __name__ == "__main__":
    sys.exit(main())
