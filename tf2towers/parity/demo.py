"""`make demo`: a TF1 tower trainer migrated, both trained on real images, and the verdict for every variable."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

from tf2towers.parity.compare import NotComparable, Verdict, compare
from tf2towers.parity.picture import draw_losses
from tf2towers.parity.run import Run, RunFailed, migrate_into


def main(argv: list[str] | None = None) -> int:
    """Runs the demonstration; 0 when every gradient and every weight is bit-identical, 1 when not, 2 on failure."""
    parser = argparse.ArgumentParser(prog="tf2towers.parity.demo", description=__doc__)
    parser.add_argument("--script", type=Path, default=Path("legacy/cifar10_towers.py"))
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--towers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("demo"))
    options = parser.parse_args(argv)
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    try:
        return _demonstrate(options)
    except (RunFailed, NotComparable) as problem:
        print(f"demo: {problem}", file=sys.stderr)
        return 2


def _demonstrate(options: argparse.Namespace) -> int:
    migrated = options.out / "migrated"
    print(f"tf2towers migrate {options.script} -o {migrated}")
    result = migrate_into(options.script, migrated)
    print(f"  {len(result.changes)} file(s) changed, {len(result.copied)} copied, nothing left by hand\n")
    flags = [
        f"--num_gpus={options.towers}", f"--max_steps={options.steps}", f"--decay_steps={options.steps // 2}",
        "--batch_size=16", "--batch_norm", f"--summary_every={options.steps}", "--log_every=25",
    ]  # fmt: skip
    print(f"training both on scikit-learn's handwritten digits: {' '.join(flags)}")
    runs = {
        "TF1 towers": _run("legacy", options.script, options.out, flags),
        "migrated": _run("migrated", migrated / options.script.name, options.out, flags),
    }
    _follow(runs)
    original, other = (run.result() for run in runs.values())
    verdicts = compare(original, other)
    _print_verdicts(verdicts)
    picture = options.out / "losses.png"
    draw_losses(original, other, picture)
    equal = all(verdict.bitwise for verdict in verdicts)
    print(f"\nloss curves: {picture}")
    print(
        f"{'PARITY' if equal else 'NO PARITY'}: {len(original.steps)} steps on {options.towers} towers, across a drop"
    )
    print("of the learning rate: " + ("every number is bit-identical." if equal else "see above."))
    return 0 if equal else 1


def _run(side: str, script: Path, folder: Path, flags: list[str]) -> Run:
    return Run(side, script, folder / f"{side}.npz", [*flags, f"--train_dir={folder / ('train_' + side)}"])


def _follow(runs: dict[str, Run]) -> None:
    """Shows the last log line of each side while they run."""
    shown: dict[str, str] = {}
    while True:
        running = [name for name, run in runs.items() if run.process.poll() is None]
        for name, run in runs.items():
            lines = [line for line in run.log.read_text(errors="replace").splitlines() if ": step " in line]
            if lines and shown.get(name) != lines[-1]:
                shown[name] = lines[-1]
                print(f"  {name:10} {lines[-1][lines[-1].index('step ') :]}", flush=True)
        if not running:
            return
        time.sleep(0.5)


def _print_verdicts(verdicts: list[Verdict]) -> None:
    titles = {"loss": "losses of each tower, every step", "gradient": "averaged gradients, every step",
              "variable": "variables, every step", "final": "variables at the end"}  # fmt: skip
    for kind, title in titles.items():
        print(f"\n{title}")
        for verdict in verdicts:
            if verdict.kind == kind:
                print(f"  {verdict}")


if __name__ == "__main__":
    sys.exit(main())
