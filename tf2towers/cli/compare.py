"""`tf2towers compare`: two trainings side by side, with curves, speed, memory and the ratio."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tf2towers.cli.errors import CommandError
from tf2towers.cli.running import (
    add_cluster,
    check_scripts,
    make_folders,
    positive,
    require_modules,
    seconds,
    write_texts,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.epilog = (
        "Both scripts run unedited, TensorFlow 1 or 2, one after the other, with the same ARGS and seeds, to\n"
        "the end; what they write goes to a scratch folder. In ARGS, {scratch} stands for an empty folder of\n"
        "the side's own: --train_dir={scratch}. Parameter-server scripts run as whole clusters.\n"
        "exit status: 0; 2 a script could not be run, or never trained; 130 for Ctrl-C."
    )
    add = parser.add_argument
    python = "the interpreter that runs LEGACY, such as one with a real TensorFlow 1.15"
    add(
        "legacy", type=Path, metavar="LEGACY", help="the script, or notebook, that the other is compared with"
    )
    add("modern", type=Path, metavar="MODERN", help="the script, or notebook, that is compared with LEGACY")
    add("--steps", type=positive, metavar="K", help="end each run after K training steps")
    add("--legacy-python", metavar="EXE", default=sys.executable, help=python)
    add("--timeout", type=seconds, metavar="SECONDS", help="for each run (default: no limit)")
    add("--report", type=Path, metavar="DIR", help="write index.html and compare.json there")
    add("--json", type=Path, metavar="FILE", help="write the numbers there, those of each step included")
    add_cluster(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the comparison and returns the exit status, which the epilog lists."""
    check_scripts((options.legacy, options.legacy_python), python2=True)
    check_scripts((options.modern, None))
    require_modules("tensorflow", *["matplotlib"] * (options.report is not None))
    from tf2towers.compare.outcome import as_text, page
    from tf2towers.compare.run_both import compare
    from tf2towers.report.json import as_json
    from tf2towers.report.terminal import write_report

    make_folders(options.report, options.json and options.json.parent)
    try:
        outcome = compare(options)
    except OSError as problem:
        raise CommandError(f"{problem.filename or ''}: {problem.strerror}") from None
    write_report(f"\n{as_text(outcome)}\n", sys.stdout)
    numbers = as_json(outcome.as_dict())
    files = {}
    if options.report is not None:
        files = {options.report / "index.html": page(outcome), options.report / "compare.json": numbers}
    if options.json is not None:
        files[options.json] = numbers
    write_texts(files)
    if files:
        print(f"written: {', '.join(map(str, files))}")
    return 0
