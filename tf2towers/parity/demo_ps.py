"""`make demo-ps`: a parameter-server trainer migrated, both run as clusters by the same command, and the verdict."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from tf2towers.launch.errors import LaunchError
from tf2towers.parity.cluster.running import at_once, record_cluster, run_tasks
from tf2towers.parity.cluster.sides import Shape
from tf2towers.parity.compare import NotComparable, compare
from tf2towers.parity.continuous.verdict import verify_exact
from tf2towers.parity.demo import both_registers
from tf2towers.parity.migrating import migrate_into
from tf2towers.parity.process import RunFailed
from tf2towers.parity.sides import Options
from tf2towers.report.parity_result import Comparison
from tf2towers.report.parity_text import render_parity

FLAGS = ("--batch_size=50", "--hidden_units=100", "--log_every=100")
VALIDATION = "validation cross entropy = "
BAND = 30.0  # of the validation cross-entropy; the original's own runs are that far apart


def main(argv: list[str] | None = None) -> int:
    """Runs the demonstration; 0 when every update is bit-identical, 1 when not, 2 on failure."""
    parser = argparse.ArgumentParser(prog="tf2towers.parity.demo_ps", description=__doc__)
    parser.add_argument("--script", type=Path, default=Path("legacy/mnist_supervisor.py"))
    parser.add_argument("--exact-steps", type=int, default=10, help="of each worker, in the exact register")
    parser.add_argument("--steps", type=int, default=20, help="recorded updates of each kind of training")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("demo-ps"))
    options = parser.parse_args(argv)
    try:
        return both_registers(options, _exact, _idiomatic)
    except (RunFailed, NotComparable, LaunchError, ValueError) as problem:
        print(f"demo-ps: {problem}", file=sys.stderr)
        return 2


def _exact(options: argparse.Namespace) -> int:
    """The exact register: the same processes, on a strategy; the status."""
    migrated = options.out / "exact"
    print("1. The same program on tf.distribute\n")
    print(f"tf2towers migrate {options.script} -o {migrated}")
    made = migrate_into(options.script, migrated, exact=True)
    print(f"  {len(made.changes)} file(s) changed, {len(made.copied)} copied, nothing left by hand\n")
    script = migrated / options.script.name
    how, shape = Options(steps=options.exact_steps), Shape(workers=options.workers)
    verifications = []
    for issync in (0, 1):
        flags = [*FLAGS, f"--train_steps={20 * options.exact_steps}", f"--issync={issync}"]
        command = f"--workers {options.workers} --steps {options.exact_steps}"
        print(f"tf2towers verify {command} {options.script} {script} -- {' '.join(flags)}", flush=True)
        verifications.append(partial(verify_exact, options.script, script, flags, how, cluster=shape))
    results = at_once(*verifications)
    for result in results:
        print(f"\n{render_parity(result).rstrip()}")
    return max(result.status for result in results)


def _idiomatic(options: argparse.Namespace) -> int:
    """The idiomatic register; the status."""
    migrated = options.out / "migrated"
    print(f"tf2towers migrate --idiomatic {options.script} -o {migrated}")
    result = migrate_into(options.script, migrated)
    print(f"  {len(result.changes)} file(s) changed, {len(result.copied)} copied, nothing left by hand\n")
    scripts = {"legacy": options.script, "migrated": migrated / options.script.name}
    print("Both as they are, asynchronous, on scikit-learn's handwritten digits, by the same command:\n")
    together = _train(options, scripts)
    print("\nEvery update recorded on both sides: losses, averaged gradients, weights, Adam's slots.")
    found = []
    for title, issync in (("synchronous", 1), ("asynchronous, one worker's step at a time", 0)):
        print(f"\n{title}, {options.steps} updates of {options.workers} workers")
        verdicts = _record(options, scripts, issync)
        found += verdicts
        for kind, of in (
            ("loss", "losses"),
            ("gradient", "gradients"),
            ("variable", "variables after each update"),
        ):
            print(f"  {of}")
            for verdict in verdicts:
                if verdict.kind == kind:
                    word = (
                        "bitwise equal"
                        if verdict.bitwise
                        else f"differs by {verdict.max_abs:.3g} ({verdict.ulps:.1f} ulp)"
                    )
                    print(f"    {verdict.name.replace('tower', 'worker'):45} {word}")
    equal = all(verdict.bitwise for verdict in found)
    print(f"\n{'PARITY' if equal else 'NO PARITY'}: {2 * options.steps} updates, ", end="")
    print("every number is bit-identical." if equal else "see above.")
    return 0 if equal and together else 1


def _train(options: argparse.Namespace, scripts: dict[str, Path]) -> bool:
    """Trains both to the end; whether they end in the same band."""
    ends: dict[str, float] = {}
    for side, script in scripts.items():
        flags = [
            *FLAGS,
            "--train_steps=400",
            "--learning_rate=0.003",
            "--issync=0",
            f"--log_dir={options.out / side}",
        ]
        print(f"  tf2towers launch --ps 1 --workers {options.workers} -- {script} {' '.join(flags)}")
        run = run_tasks(script, flags, options.workers, on_line=_show)
        lines = [line for task in run.tasks for line in task.lines if VALIDATION in line]
        if not lines:
            raise RunFailed(f"{script} printed no {VALIDATION!r}")
        ends[side] = float(lines[0].partition(VALIDATION)[2])
    apart = abs(ends["legacy"] - ends["migrated"])
    print(
        f"  validation cross-entropies {ends['legacy']:g} and {ends['migrated']:g}: {apart:.1f} apart, ",
        end="",
    )
    print(f"{'within' if apart <= BAND else 'MORE than'} the band of {BAND:g} (asynchronous runs differ)")
    return apart <= BAND


def _record(options: argparse.Namespace, scripts: dict[str, Path], issync: int) -> list[Comparison]:
    recordings = []
    for side, script in scripts.items():
        logs = options.out / f"{side}_{issync}"
        flags = [*FLAGS, f"--train_steps={options.steps}", f"--issync={issync}", f"--log_dir={logs}"]
        recordings.append(partial(record_cluster, side, script, flags, options.steps, options.workers))
    legacy, migrated = at_once(*recordings)
    return compare(legacy, migrated)


def _show(task: str, line: str) -> None:
    """A trainer's own lines, without TensorFlow's."""
    if "training step" in line or VALIDATION in line:
        print(f"    [{task}] {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
