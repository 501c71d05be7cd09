"""`make demo`: migrates a TF1 tower trainer, trains both programs side by side, compares them bit by bit.

    python -m tf2towers.parity.demo [--steps N] [--output DIR] [any flag of the trainer]

Exit status: 0 parity, 1 a difference, 2 it could not be done.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tf2towers.cli.main import main as tf2towers
from tf2towers.parity.compare import Comparison, compare
from tf2towers.parity.recording import Step
from tf2towers.parity.running import PACKAGE, Run, TrainerFailed, Trainers
from tf2towers.parity.verdict import sentence, table

LEGACY = PACKAGE / "legacy" / "cifar10_towers.py"


def main(argv: list[str] | None = None) -> int:
    """Migrates, trains, compares."""
    parser = argparse.ArgumentParser(prog="python -m tf2towers.parity.demo", description=__doc__)
    parser.add_argument(
        "--steps", type=int, default=300, help="the learning rate drops after each third of them"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("demo"), help="folder for the program and the picture"
    )
    options, flags = parser.parse_known_args(argv)
    if not LEGACY.exists():
        print(f"{LEGACY} is missing: the demo belongs in a checkout of the repository", file=sys.stderr)
        return 2
    output: Path = options.output
    output.mkdir(parents=True, exist_ok=True)

    print(f"1. tf2towers migrate {shown(LEGACY)} -o {output}", flush=True)
    if tf2towers(["migrate", str(LEGACY), "-o", str(output)]):
        return 2

    steps = max(options.steps, 3)
    chosen = ["--num_gpus=2", f"--max_steps={steps}", f"--decay_steps={steps // 3}", "--batch_norm", *flags]
    print(f"\n2. training both, the same flags: {' '.join(chosen)}", flush=True)
    curves: tuple[list[float], list[float]] = ([], [])
    try:
        comparison = train_both(LEGACY, output / LEGACY.name, chosen, output, steps, curves)
    except TrainerFailed as failed:
        print(f"a program ended with an error:\n{failed}", file=sys.stderr)
        return 2

    print(f"\n3. the verdict\n\n{table(comparison)}\n")
    picture = output / "loss_curves.png"
    draw_curves(picture, curves, comparison)
    print(f"both loss curves: {picture.resolve()}")
    print(sentence(comparison))
    return 0 if comparison.bitwise else 1


def train_both(
    legacy: Path,
    migrated: Path,
    flags: list[str],
    output: Path,
    steps: int,
    curves: tuple[list[float], list[float]],
) -> Comparison:
    """Each in a process of its own, in step; says every now and then how it goes."""
    began = time.monotonic()

    def run(kind: str, script: Path) -> Trainers:
        here = (*flags, f"--train_dir={output.resolve() / kind}")
        return Trainers(kind, [Run(script, here)], output / f"{kind}.log")

    def watch(comparison: Comparison, left: Step, right: Step) -> None:
        curves[0].append(left.mean_loss)
        curves[1].append(right.mean_loss)
        if comparison.steps == 1 or comparison.steps % max(steps // 12, 1) == 0 or comparison.steps == steps:
            apart = len(comparison.apart())
            state = (
                "all bitwise equal" if not apart else f"{apart} of {len(comparison.differences)} values APART"
            )
            print(
                f"   step {comparison.steps:4} of {steps}: loss {left.mean_loss:.6f} legacy, "
                f"{right.mean_loss:.6f} migrated; {state} ({time.monotonic() - began:.0f} s)",
                flush=True,
            )

    print(f"   starting TensorFlow twice; their logs: {output}/legacy.log, {output}/migrated.log", flush=True)
    with run("legacy", legacy) as left, run("migrated", migrated) as right:
        return compare(left.steps(), right.steps(), watch)


def draw_curves(path: Path, curves: tuple[list[float], list[float]], comparison: Comparison) -> None:
    """The picture, with the verdict above it."""
    from tf2towers.parity.picture import draw

    what = "bitwise equal at every step" if comparison.bitwise else "NOT equal"
    draw(
        path,
        ("TF1 towers (legacy)", "migrated, MirroredStrategy"),
        curves,
        f"Two towers, the same batches: {what}",
    )


def shown(path: Path) -> Path:
    """Relative to the folder we are in, where it lies in it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


if __name__ == "__main__":
    sys.exit(main())
