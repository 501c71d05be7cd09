"""`make demo`: a TF1 tower trainer migrated, both trained on real images, and the verdict for every variable."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tf2towers.parity.continuous.verdict import verify_exact
from tf2towers.parity.migrating import migrate_into
from tf2towers.parity.picture import draw_losses
from tf2towers.parity.process import RunFailed
from tf2towers.parity.sides import Options
from tf2towers.parity.verify import verify
from tf2towers.report.parity_html import parity_page
from tf2towers.report.parity_text import render_parity
from tf2towers.report.parity_words import counted

_EVERY = 25


def main(argv: list[str] | None = None) -> int:
    """Runs the demonstration; 0 when every gradient and every weight is bit-identical, 1 when not, 2 on failure."""
    parser = argparse.ArgumentParser(prog="tf2towers.parity.demo", description=__doc__)
    parser.add_argument("--script", type=Path, default=Path("legacy/cifar10_towers.py"))
    parser.add_argument("--steps", type=int, default=60, help="of the idiomatic register")
    parser.add_argument("--exact-steps", type=int, default=20, help="of the exact register")
    parser.add_argument("--towers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("demo"))
    options = parser.parse_args(argv)
    try:
        return both_registers(options, _exact, _idiomatic)
    except RunFailed as problem:
        print(f"demo: {problem}", file=sys.stderr)
        return 2


def both_registers(
    options: argparse.Namespace,
    exact: Callable[[argparse.Namespace], int],
    idiomatic: Callable[[argparse.Namespace], int],
) -> int:
    """Shows the exact register, then the idiomatic one; the worse status."""
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    status = exact(options)
    if status == 2:
        return 2
    print("\n2. As a TF 2 programmer would have written it\n")
    return max(status, idiomatic(options))


def _exact(options: argparse.Namespace) -> int:
    """The exact register; the status."""
    migrated = options.out / "exact"
    print("1. The same program on tf.distribute\n")
    print(f"tf2towers migrate {options.script} -o {migrated}")
    result = migrate_into(options.script, migrated, exact=True)
    print(f"  {len(result.changes)} file(s) changed, {len(result.copied)} copied, nothing left by hand\n")
    flags = [
        f"--num_gpus={options.towers}", f"--max_steps={options.exact_steps}", "--decay_steps=10",
        "--batch_size=16", "--batch_norm", "--summary_every=10", "--log_every=10",
    ]  # fmt: skip
    print("training both, each from its own beginning to its end, and comparing every session call:")
    script = migrated / options.script.name
    print(f"tf2towers verify --steps {options.exact_steps} {options.script} {script} -- {' '.join(flags)}")
    how = Options(steps=options.exact_steps)
    parity = verify_exact(options.script, script, flags, how, progress=_Progress("session call"))
    print()
    print(render_parity(parity), end="")
    return parity.status


def _idiomatic(options: argparse.Namespace) -> int:
    """The idiomatic register; the status."""
    migrated = options.out / "migrated"
    print(f"tf2towers migrate --idiomatic {options.script} -o {migrated}")
    result = migrate_into(options.script, migrated)
    print(f"  {len(result.changes)} file(s) changed, {len(result.copied)} copied, nothing left by hand\n")
    flags = [
        f"--num_gpus={options.towers}", f"--max_steps={options.steps}", f"--decay_steps={options.steps // 2}",
        "--batch_size=16", "--batch_norm", f"--summary_every={options.steps + 1}", "--log_every=25",
    ]  # fmt: skip
    print("training both on scikit-learn's handwritten digits, from the same first weights:")
    script = migrated / options.script.name
    print(f"tf2towers verify --free --steps {options.steps} {options.script} {script} -- {' '.join(flags)}")
    how = Options(steps=options.steps, lockstep=False)
    parity = verify(options.script, script, flags, how, progress=_Progress())
    print()
    print(render_parity(parity, verbose=True), end="")
    if parity.status == 2:
        return 2
    picture, page = options.out / "losses.png", options.out / "report.html"
    draw_losses(parity.original.losses, parity.migrated.losses, picture)
    page.write_text(parity_page(parity), encoding="utf-8")
    print(f"\nloss curves: {picture}\nreport: {page}")
    return parity.status


class _Progress:
    """A line every so many steps."""

    def __init__(self, what: str = "step") -> None:
        self._what = what
        self._shown: set[tuple[str, int]] = set()

    def __call__(self, title: str, steps: int) -> None:
        mark = (title, steps // _EVERY)
        if steps and mark not in self._shown:
            self._shown.add(mark)
            print(f"  {title}: {counted(steps, self._what)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
