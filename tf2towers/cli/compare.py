"""`tf2towers compare`: two trainings side by side, with curves, speed, memory and the ratio."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tf2towers.cli import script_arguments
from tf2towers.cli.runnable import require_modules, why_not
from tf2towers.cli.script_arguments import positive, seconds
from tf2towers.launch.signals import note_signals

if TYPE_CHECKING:
    from tf2towers.compare.outcome import Outcome

prepare = script_arguments.prepare


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "Both scripts run unedited, TensorFlow 1 or 2, one after the other, with the same ARGS and seeds, to\n"
        "the end; what they write goes to a scratch folder. In ARGS, {scratch} stands for an empty folder of\n"
        "the side's own: --train_dir={scratch}. Parameter-server scripts run as whole clusters.\n"
        "exit status: 0; 2 one could not be run, or never trained; 130 for Ctrl-C."
    )
    parser.add_argument("legacy", type=Path, metavar="LEGACY", help="the one that is compared with")
    parser.add_argument("modern", type=Path, metavar="MODERN", help="the other one")
    parser.add_argument("--steps", type=positive, metavar="K", help="end each after K training steps")
    parser.add_argument(
        "--legacy-python",
        metavar="EXE",
        default=sys.executable,
        help="runs LEGACY, as a real TensorFlow 1.15's",
    )
    script_arguments.add_writes(parser)
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="of each run (default: none)")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write index.html and compare.json there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the numbers, every step's too")
    script_arguments.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Compares; see the epilog for the status."""
    for script, python in ((options.legacy, options.legacy_python), (options.modern, None)):
        if wrong := why_not(script, python):
            print(f"tf2towers compare: {wrong}", file=sys.stderr)
            return 2
    require_modules("tensorflow", *["matplotlib"] * (options.report is not None))
    from tf2towers.compare.compare import CompareError, Interrupted, compare

    try:
        with note_signals() as signals:
            outcome = compare(options, signals)
        _show(outcome, options.report, options.json)
    except Interrupted as ended:
        print("tf2towers compare: interrupted, nothing of it runs on", file=sys.stderr)
        return 128 + ended.number
    except CompareError as problem:
        print(f"tf2towers compare: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"tf2towers compare: {problem.filename or ''}: {problem.strerror}", file=sys.stderr)
        return 2
    return 0


def _show(outcome: Outcome, report: Path | None, numbers: Path | None) -> None:
    """Prints the table, and writes the files that were asked for."""
    from tf2towers.compare.summary import table
    from tf2towers.report.parity_json import as_json

    print(f"\nlegacy: {outcome.legacy.script}\nmodern: {outcome.modern.script}\n\n{table(outcome.summary)}")
    print(f"\n{outcome.how}\nthe machine: {outcome.machine}")
    for note in outcome.summary.notes:
        print(f"note: {note}")
    files = []
    if report is not None:
        from tf2towers.compare.outcome import write_report

        files += write_report(outcome, report)
    if numbers is not None:
        files.append(numbers)
        numbers.parent.mkdir(parents=True, exist_ok=True)
        numbers.write_text(as_json(outcome.as_dict()), encoding="utf-8")
    if files:
        print(f"written: {', '.join(map(str, files))}")
