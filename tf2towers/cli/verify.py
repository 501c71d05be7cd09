"""`tf2towers verify`: runs two scripts on the same weights and batches, and says whether they are the same trainer."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tf2towers.cli import script_arguments
from tf2towers.cli.installed import require_modules
from tf2towers.cli.runnable import as_script, why_not
from tf2towers.cli.script_arguments import positive, seconds

if TYPE_CHECKING:
    from tf2towers.report.parity_result import ParityResult


prepare = script_arguments.prepare


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.usage = "tf2towers verify LEGACY MIGRATED [options] [-- ARGS ...]"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "Runs the code of both scripts, each in a process of its own; what they write goes to a scratch\n"
        "directory. ARGS are the command line of both.\n"
        "exit status: 0 parity, 1 they differ, 2 one of them could not be run."
    )
    parser.add_argument("legacy", metavar="LEGACY", help="the TF1 script or notebook")
    parser.add_argument("migrated", metavar="MIGRATED", help="the TF2 script or notebook")
    parser.add_argument("--steps", type=positive, default=10, metavar="K", help="training steps (default 10)")
    parser.add_argument(
        "--replicas", type=int, metavar="N", help="so many towers are expected; else status 2"
    )
    parser.add_argument(
        "--legacy-python",
        metavar="EXE",
        help="record the original with this interpreter and its real TF 1.12 to 1.15",
    )
    parser.add_argument(
        "--free",
        action="store_true",
        help="leave races of the original as they are; set variables at the first step only, not at each",
    )
    parser.add_argument(
        "--gradients-only", action="store_true", help="leave the variables out, for another optimizer"
    )
    parser.add_argument(
        "--tower-order",
        action="store_true",
        help="a migrated program adds its towers' gradients in TF1's order",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        metavar="R",
        help="what passes, relative to the largest element (default: every bit)",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="OLD=NEW",
        help="a variable that the migrated script calls NEW",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of the global generators, on both sides (default 0)"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=600.0,
        metavar="SECONDS",
        help="for each run of a script (default 600)",
    )
    parser.add_argument(
        "--allow-writes",
        action="append",
        default=[],
        metavar="DIR",
        help="let the scripts write there as they do by themselves (else to a scratch folder)",
    )
    parser.add_argument(
        "--report", metavar="DIR", help="write index.html, verify.json and the recordings there"
    )
    parser.add_argument("--json", metavar="FILE", help="write the result there; - for standard output")
    parser.add_argument("--verbose", "-v", action="store_true", help="list what is equal as well")
    script_arguments.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Verifies; returns the exit status."""
    problem = _command_line_problem(options)
    if problem:
        print(f"tf2towers verify: {problem}", file=sys.stderr)
        return 2
    require_modules("tensorflow", "numpy")
    for number in (signal.SIGTERM, signal.SIGHUP):  # as Ctrl-C: nothing runs or lies about afterwards
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    report = Path(options.report) if options.report else None
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
    result = verdict_on(
        Path(options.legacy),
        Path(options.migrated),
        options.arguments,
        options,
        None if report is None else report / "recordings",
        _progress(),
    )
    _show(result, options, report)
    return result.status


def verdict_on(
    legacy: Path,
    migrated: Path,
    arguments: list[str],
    options: argparse.Namespace,
    work: Path | None = None,
    progress: Callable[[str, int], object] | None = None,
) -> ParityResult:
    """Verifies the migrated script against the original.

    Args:
        options: those of `verify`, as far as they are given.
        work: where the recordings stay; None: nowhere.
        progress: called with what runs, and its steps so far.
    """
    with tempfile.TemporaryDirectory(prefix="tf2towers-verify-") as folder:
        scripts = as_script(legacy, Path(folder, "original")), as_script(migrated, Path(folder, "migrated"))
        result = _verdict(*scripts, arguments, options, work, progress)
    result.original = replace(result.original, script=legacy)
    result.migrated = replace(result.migrated, script=migrated)
    return result


def _verdict(
    legacy: Path,
    migrated: Path,
    arguments: list[str],
    options: argparse.Namespace,
    work: Path | None,
    progress: Callable[[str, int], object] | None,
) -> ParityResult:
    from tf2towers.compare.dialect import find_shape
    from tf2towers.verify.sides import Options
    from tf2towers.verify.verify import verify

    def given(name: str, otherwise: Any = None) -> Any:
        return getattr(options, name, otherwise)

    how = Options(
        steps=options.steps,
        timeout=options.timeout,
        legacy_python=options.legacy_python,
        free=given("free", False),
        tower_order=given("tower_order", False),
        names=dict(pair.split("=", 1) for pair in given("name", [])),
        seed=given("seed", 0),
        allow=tuple(given("allow_writes", ())),
        cluster=find_shape([legacy, migrated], given("ps"), given("workers"), given("task_flags")),
        progress=progress,
        tolerance=options.tolerance,
        gradients_only=given("gradients_only", False),
        towers=given("replicas"),
    )
    return verify(legacy, migrated, arguments, how, work)


def _command_line_problem(options: argparse.Namespace) -> str:
    """What is wrong with the command line; empty if nothing is."""
    for script, python in ((options.legacy, options.legacy_python), (options.migrated, None)):
        if wrong := why_not(Path(script), python):
            return wrong
    for pair in options.name:
        if "=" not in pair:
            return f"--name {pair}: OLD=NEW is expected"
    return ""


_EVERY = 10.0  # seconds, where nobody sees a line change


def _progress() -> Callable[[str, int], object]:
    """Shows what runs: on a terminal in one line that changes, elsewhere now and then a line."""
    terminal = sys.stderr.isatty()
    shown: dict[str, Any] = {"text": "", "at": 0.0, "title": ""}

    def show(title: str, steps: int) -> None:
        text, now = f"{title}: {steps} recorded", time.monotonic()
        if text == shown["text"]:
            return
        if terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif title != shown["title"] or now - shown["at"] >= _EVERY:
            print(f"tf2towers verify: {text}", file=sys.stderr, flush=True)
        else:
            return
        shown.update(text=text, at=now, title=title)

    return show


def _show(result: ParityResult, options: argparse.Namespace, report: Path | None) -> None:
    from tf2towers.report.parity_json import parity_as_json
    from tf2towers.report.parity_text import render_parity

    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if options.json == "-":
        print(parity_as_json(result))
    else:
        colour = sys.stdout.isatty()
        text = render_parity(result, colour=colour, verbose=options.verbose)
        print(text, end="", file=sys.stderr if result.status == 2 else sys.stdout)
        if options.json:
            Path(options.json).write_text(parity_as_json(result) + "\n", encoding="utf-8")
    if report is not None:
        from tf2towers.verify.bundle import write_bundle

        write_bundle(result, report, sys.argv)
        print(f"report: {report / 'index.html'}", file=sys.stderr)
