"""The options of `tf2towers migrate`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tf2towers.cli.running import expression, non_negative
from tf2towers.cli.selection import parse_codes
from tf2towers.cli.verify import add_run_arguments

FORMATS = ("text", "json", "sarif", "github")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.epilog = (
        "Without -w, -o or --check a unified diff is printed, the summary goes to the standard error,\n"
        "and nothing is written.\n"
        "exit status: 0 nothing is left to you; 1 something is (or --check, and it would change);\n"
        "2 could not be read, parsed or written: that script is left as it was.\n"
        "With --verify the command line of the scripts follows a --, and nothing is written unless\n"
        "both run alike: status 1 says what differs, 2 that one of them could not be run."
    )
    add = parser.add_argument
    scripts = "a training script or notebook, or a folder of them; - is the standard input"
    add("paths", nargs="+", metavar="PATH", type=_path, help=scripts)
    exclude = "of a folder, leave these out (as in .gitignore, which is respected); may be repeated"
    add("--exclude", metavar="PATTERN", action="append", help=exclude)

    one_of = parser.add_mutually_exclusive_group().add_argument
    one_of("-w", "--write", action="store_true", help="write in place (for -: to the standard output)")
    there = "write there, with the local modules needed"
    one_of("-o", "--output", metavar="DIR", type=_folder, help=there)
    check = "write nothing; exit with 1 if anything would change"
    one_of("--check", action="store_true", help=check)

    group = parser.add_argument_group("--verify")
    verify = "run both scripts (their code!), and write only if they agree"
    group.add_argument("--verify", action="store_true", help=verify)
    add_run_arguments(group)

    towers = "the number of towers, or their devices, where a loop does not say"
    add("--towers", type=expression, metavar="EXPRESSION", help=towers)
    folder = "look for modules in this folder too, which is in the program's PYTHONPATH; may be repeated"
    add("--python-path", metavar="FOLDER", action="append", type=_absolute, help=folder)
    vendor = "with -o or -w: put the part of the runtime that is needed beside it"
    add("--vendor", action="store_true", help=vendor)
    python = "the Python that the program is for, where its text does not show it"
    add("--python", choices=("2", "3"), help=python)
    python3 = "only convert Python 2 to 3, and stay with TF 1: what `verify` compares with"
    add("--python3", action="store_true", help=python3)
    ignore = (
        "do not report these rules, or those whose codes begin so (T2T62); a place left then counts as accepted, "
        "as with `# noqa: CODE` on its line"
    )
    add("--ignore", type=parse_codes, metavar="CODE[,CODE]", help=ignore)
    strict = "status 1 also where there are only notes"
    add("--strict", action="store_true", default=None, help=strict)
    exit_zero = "status 0 also where places are left to you; errors still have status 2"
    add("--exit-zero", action="store_true", help=exit_zero)

    one_of = parser.add_mutually_exclusive_group().add_argument
    one_of("-q", "--quiet", action="store_true", help="print only errors and the places that are left to you")
    verbose = "print every place, the rule of every edited line, and the modules that are read and unchanged"
    one_of("-v", "--verbose", action="store_true", help=verbose)
    statistics = "print how many lines each rule edits, and how many places it leaves"
    add("--statistics", action="store_true", help=statistics)
    add("--no-diff", action="store_true", help="no unified diff, only the summary and the places")
    shown = "how the result is shown"
    add("--output-format", "--format", dest="format", choices=FORMATS, default="text", help=shown)
    add("-j", "--jobs", type=_jobs, default=1, metavar="N", help="number of processes; 0: one for each core")


def _absolute(text: str) -> Path:
    return Path(os.path.abspath(text))  # noqa: PTH100 - links are kept


def _jobs(text: str) -> int:
    return non_negative(text) or os.cpu_count() or 1


def _path(text: str) -> str:
    if not text:  # an unset variable of a shell, most likely
        raise argparse.ArgumentTypeError("an empty path; . is the current folder")
    return text


def _folder(text: str) -> Path:
    path = Path(_path(text))
    if path.suffix in (".py", ".ipynb") and not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} looks like a file; -o needs a folder")
    return path
