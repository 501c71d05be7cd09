"""`tf2towers verify`: runs two scripts, and says whether they are the same trainer."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tf2towers.cli.running import (
    add_cluster,
    check_scripts,
    from_zero,
    make_folders,
    positive,
    require_modules,
    seconds,
    write_texts,
)

if TYPE_CHECKING:
    from tf2towers.report.parity_result import ParityResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.epilog = (
        "Runs the code of both scripts, each in a process of its own; what they write goes to a scratch\n"
        "directory. ARGS are the command line of both.\n"
        "exit status: 0 parity, 1 they differ, 2 one of them could not be run, or the original differs from\n"
        "itself from run to run, and nothing can be said."
    )
    add = parser.add_argument
    add("legacy", type=Path, metavar="LEGACY", help="the TF1 script, or a notebook")
    add("migrated", type=Path, metavar="MIGRATED", help="the TF2 script, or a notebook")
    add_run_arguments(parser)
    add("--gradients-only", action="store_true", help="do not compare variables, for another optimizer")
    order = "a migrated program sums its towers' gradients in TF1's order"
    add("--tower-order", action="store_true", help=order)
    add_cluster(parser)
    empty = "let the scripts find this folder empty, such as one with a checkpoint of a training that is over"
    add("--empty", action="append", default=[], metavar="DIR", help=empty)
    report = "write report.txt, verify.json, the recordings and, where anything differs, index.html there"
    add("--report", type=Path, metavar="DIR", help=report)
    add("--json", metavar="FILE", help="write the result there; - for standard output")
    add("--verbose", "-v", action="store_true", help="list what is equal as well")


def add_run_arguments(parser: argparse._ActionsContainer) -> None:
    """Adds the options that `migrate --verify` shares."""
    add = parser.add_argument
    add("--steps", type=positive, default=10, metavar="K", help="training steps (default 10)")
    limit = "for each run of a script (default 600)"
    add("--timeout", type=seconds, default=600.0, metavar="SECONDS", help=limit)
    python = "record the original with this interpreter and its real TF 1.12 to 1.15"
    add("--legacy-python", metavar="EXE", help=python)
    passes = "the largest difference that passes, relative to the largest element (default: every bit)"
    add("--tolerance", type=from_zero, metavar="R", help=passes)


def run(options: argparse.Namespace) -> int:
    """Runs the verification and returns the exit status."""
    check_scripts((options.legacy, options.legacy_python), python2=True)
    check_scripts((options.migrated, None))
    require_modules("tensorflow", "numpy")
    for number in (signal.SIGTERM, signal.SIGHUP):  # as for Ctrl-C: leave no processes and files behind
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    make_folders(options.report, Path(options.json).parent if options.json not in (None, "-") else None)
    work = None if options.report is None else options.report / "recordings"
    result = verdict_on(options.legacy, options.migrated, options, work)
    _show(result, options)
    return result.status


def verdict_on(
    legacy: Path,
    migrated: Path,
    options: argparse.Namespace,
    work: Path | None = None,
) -> ParityResult:
    """Verifies the migrated script against the original.

    Args:
        options: the options of `verify`; missing ones have their defaults.
        work: the folder that keeps the recordings; None: they are deleted.
    """
    from tf2towers.launch.program import find_shape
    from tf2towers.verify.sides import Options
    from tf2towers.verify.verify import verify

    given = vars(options)
    names = ("steps", "timeout", "legacy_python", "tolerance", "tower_order", "gradients_only")
    how = Options(
        **{name: given[name] for name in names if name in given},
        allow=tuple(given.get("allow_writes", ())),
        empty=tuple(given.get("empty", ())),
        cluster=find_shape(
            [legacy, migrated],
            given.get("ps"),
            given.get("workers"),
            given.get("task_flags"),
            given.get("chief"),
        ),
        progress=True,
    )
    return verify(legacy, migrated, options.arguments, how, work)


def show_verdict(result: ParityResult, out: TextIO, verbose: bool = False) -> None:
    """Prints the report of a verification."""
    from tf2towers.report.parity_text import render_parity
    from tf2towers.report.terminal import write_report

    write_report(render_parity(result, verbose=verbose), out)


def _show(result: ParityResult, options: argparse.Namespace) -> None:
    from tf2towers.report.parity_json import parity_as_json
    from tf2towers.report.parity_page import page
    from tf2towers.report.parity_text import render_parity

    files = {}
    if options.json == "-":
        print(parity_as_json(result))
    else:
        show_verdict(result, sys.stderr if result.outcome == "error" else sys.stdout, options.verbose)
        if options.json:
            files[Path(options.json)] = parity_as_json(result)
    if (folder := options.report) is not None:
        shown = "report.txt"
        files[folder / shown] = render_parity(result, verbose=True)
        files[folder / "verify.json"] = parity_as_json(result)
        if result.outcome in ("differs", "within"):
            shown = "index.html"
            files[folder / shown] = page(result)
        print(f"report: {folder / shown}", file=sys.stderr)
    write_texts(files)
