"""`make test-gpu`: runs the demo, scripts of the soundness suite and a row of the benchmark on a GPU.

    python benchmarks/gpu.py

One GPU is enough: it is divided into four logical GPUs (logical_gpus/), between which TensorFlow
all-reduces in a ring; with several GPUs, NCCL does. The results are written to the end of
docs/performance.md. The exit status is 0 if all parts succeed, 1 if any fails, and 2 without a GPU.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE, BUILD = ROOT / "docs" / "performance.md", ROOT / "build" / "gpu"
TITLE = "## On a GPU\n"
TOWERS = "legacy/cifar10_towers.py"
FLAGS = "--num_gpus=2 --batch_size=16 --batch_norm --max_steps=20 --decay_steps=10 --summary_every=10"
#: name of a step -> its command, run in this order as `python ...`
STEPS = {
    "the demo: a tower trainer is migrated": f"-m tf2towers migrate {TOWERS} -o {BUILD}/migrated",
    "the demo: both programs, compared": (
        f"-m tf2towers verify --steps 20 {TOWERS} {BUILD}/migrated/cifar10_towers.py -- {FLAGS}"
    ),
    "the soundness suite's scripts, changed at random": (
        f"tests/soundness/campaign.py --variants 200 --processes 1 --out {BUILD}/soundness"
    ),
    "CIFAR-10, 2 towers, batch 64": "benchmarks/training.py --shape 2x64 --page {BUILD}/performance.md",
}
ASK = """
import tensorflow as tf
for gpu in tf.config.list_physical_devices('GPU'):
    print(tf.config.experimental.get_device_details(gpu).get('device_name', gpu.name))
"""


def run(name: str, command: str, environment: dict[str, str]) -> tuple[bool, str]:
    """Runs a command; returns whether its status was 0, and the section of the page."""
    print(f"{name}: python {command}", flush=True)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, *shlex.split(command)], cwd=ROOT, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    print(done.stdout, flush=True)
    seconds = time.monotonic() - started
    tail = "\n".join("    " + line for line in done.stdout.splitlines()[-12:])
    return done.returncode == 0, f"### {name}\n\nStatus {done.returncode}, {seconds:.0f} s:\n\n{tail}\n"


def main() -> int:
    """Runs all steps and writes the page; returns the exit status."""
    found = subprocess.run([sys.executable, "-c", ASK], text=True, capture_output=True, check=True)
    gpus = found.stdout.splitlines()
    if not gpus:
        print(
            "No GPU was found (nvidia-smi lists those that the driver sees): nothing was tested.",
            file=sys.stderr,
        )
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    if len(gpus) == 1:
        paths.insert(0, str(ROOT / "benchmarks" / "logical_gpus"))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }
    results = [run(name, command.format(BUILD=BUILD), environment) for name, command in STEPS.items()]
    divided = ", divided into four logical ones" if len(gpus) == 1 else ""
    head = f"{TITLE}\nWritten by `make test-gpu`: {', '.join(gpus)}{divided}.\n\n"
    measured = BUILD / "performance.md"
    rows = (
        [line for line in measured.read_text().splitlines() if line.startswith("| ")]
        if measured.exists()
        else []
    )
    found_now = head + "\n".join([*(text for _, text in results), *rows]) + "\n"
    before, _, _ = PAGE.read_text().partition(TITLE)
    PAGE.write_text(f"{before.rstrip()}\n\n{found_now}")
    return 0 if all(held for held, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
