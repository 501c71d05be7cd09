"""The handbook's table: seconds an epoch of MobileNetV2 on one device and on several.

    python benchmarks/mobilenet_table.py --num_gpus=4 --dataset=cats_vs_dogs
    python benchmarks/mobilenet_table.py --num_epochs=3        # the digits, 2 logical CPU devices

Three runs of modern/mobilenet_mirrored.py: one device with 64 images a step; all with 64 in all;
all with 64 each. The time is the median of the epochs after the first, which builds the graphs,
without evaluation. Other flags go to the trainer.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TRAINER = Path(__file__).parents[1] / "modern" / "mobilenet_mirrored.py"
WHOLE = 64
EPOCH = re.compile(r"^epoch \d+: (\d+\.\d+) s, ", re.MULTILINE)


def seconds_an_epoch(devices: int, batch_size: int, flags: list[str]) -> float:
    """The median of one run's epochs, or of its only one."""
    with tempfile.TemporaryDirectory() as folder:
        own = [f"--num_gpus={devices}", f"--batch_size={batch_size}", f"--train_dir={folder}"]
        command = [sys.executable, str(TRAINER), *own, *flags]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    seconds = [float(each) for each in EPOCH.findall(printed)]
    return statistics.median(seconds[1:] or seconds)


def table(name: str, devices: int, one: float, split: float, scaled: float) -> str:
    """Two lines: what was run, and what it took."""
    heads = [
        "data set",
        f"1 device, {WHOLE}",
        f"{devices} devices, {WHOLE}",
        f"{devices} devices, {WHOLE} each",
    ]
    cells = [name, f"{one:.3g} s/epoch", *(f"{own:.3g} s/epoch, x{one / own:.2f}" for own in (split, scaled))]
    widths = [max(map(len, column)) for column in zip(heads, cells, strict=True)]
    return "\n".join(" | ".join(map(str.ljust, row, widths)).rstrip() for row in (heads, cells))


def main() -> None:
    """Run all three and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--num_gpus", type=int, default=2)
    options, flags = parser.parse_known_args()
    if options.num_gpus < 2 or WHOLE % options.num_gpus:
        raise SystemExit(
            f"--num_gpus={options.num_gpus}: 2 or more, among which {WHOLE} images can be divided"
        )
    named = [flag.partition("=")[2] for flag in flags if flag.startswith(("--dataset=", "--data_dir="))]
    shapes = ((1, WHOLE), (options.num_gpus, WHOLE // options.num_gpus), (options.num_gpus, WHOLE))
    print(
        table(
            Path((named or ["digits"])[0]).name,
            options.num_gpus,
            *(seconds_an_epoch(*s, flags) for s in shapes),
        )
    )


if __name__ == "__main__":
    main()
