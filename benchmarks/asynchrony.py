"""Is asynchronous training less steady? The losses of legacy/mnist_supervisor.py, synchronous and not.

    python benchmarks/asynchrony.py                # four workers, 600 batches of 20 each way

Both ways the workers take as many batches. The table is of the second half of the losses, in the
order of time. It has their mean, their deviation, the largest, and the deviation of the change from
one to the next.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
LINE = re.compile(
    r"(\d+\.\d+): Worker \d: training step \d+ done, loss: (\d+\.\d+) \(global step: \d+\)$", re.M
)


def losses(synchronous: bool, workers: int, batches: int, flags: list[str]) -> np.ndarray:
    """Those of all workers, in the order of time; a synchronous step takes a batch of each."""
    steps = batches // workers if synchronous else batches
    with tempfile.TemporaryDirectory() as folder:
        own = [
            f"--issync={int(synchronous)}",
            f"--train_steps={steps}",
            f"--log_dir={folder}",
            "--log_every=1",
        ]
        launch = [sys.executable, "-m", "tf2towers", "launch", f"--workers={workers}", "--"]
        command = [*launch, str(ROOT / "legacy" / "mnist_supervisor.py"), *own, *flags]
        printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = sorted((float(when), float(loss)) for when, loss in LINE.findall(printed))
    return np.array([loss for _, loss in found])


def row(name: str, found: np.ndarray) -> str:
    """Of the second half."""
    half = found[len(found) // 2 :]
    numbers = half.mean(), half.std(), half.max(), np.diff(half).std()
    return f"| {name} | {len(found)} | " + " | ".join(f"{number:.2f}" for number in numbers) + " |"


def main() -> None:
    """Run both ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batches", type=int, default=600)
    options, flags = parser.parse_known_args()
    flags = flags or ["--batch_size=20", "--hidden_units=32", "--learning_rate=0.03", "--seed=7"]
    print("| training | batches | mean loss | deviation | largest | deviation of a change |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, synchronous in (("synchronous", True), ("asynchronous", False)):
        print(row(name, losses(synchronous, options.workers, options.batches, flags)), flush=True)


if __name__ == "__main__":
    main()
