"""The options of `tf2towers migrate`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tf2towers.cli import selection, verified_migration

FORMATS = ("text", "json", "sarif", "github")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "Without -w, -o or --check a unified diff and a summary are printed and nothing is written.\n"
        "exit status: 0 nothing left by hand; 1 sites left (or --check, and it would change);\n"
        "2 could not be read, parsed or written: that script is left as it was.\n"
        "With --verify the command line of the scripts follows a --, and nothing is written unless\n"
        "both run alike: status 1 says what differs, 2 that one of them could not be run."
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        metavar="PATH",
        type=_path,
        help="a training script or notebook, or a folder of them; - is the standard input",
    )
    add(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="of a folder, leave these out (as in .gitignore, which is respected); may be repeated",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-w", "--write", action="store_true", help="write in place (for -: to the standard output)"
    )
    where.add_argument(
        "-o", "--output", metavar="DIR", type=_folder, help="write there, with the local modules needed"
    )
    where.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if anything would change"
    )
    verified_migration.add_arguments(parser)
    add(
        "--towers",
        metavar="EXPRESSION",
        help="the number of towers, or their devices, where a loop does not say",
    )
    add(
        "--python-path",
        metavar="FOLDER",
        action=_AddFolder,
        default=(),
        help="the program runs with this folder in its PYTHONPATH: look for modules there, too; may be repeated",
    )
    add(
        "--vendor",
        action="store_true",
        help="with -o or -w: put the part of the runtime that is needed beside it",
    )
    add(
        "--python3",
        action="store_true",
        help="only convert Python 2 to 3, and stay with TF 1: what `verify` compares with",
    )
    add(
        "--select",
        type=selection.check_code,
        default=(),
        metavar="CODE[,CODE]",
        help="report only these rules, or those whose codes begin so (T2T62)",
    )
    add(
        "--ignore",
        type=selection.check_code,
        default=(),
        metavar="CODE[,CODE]",
        help="do not report these; a site that is left is yours then, as with `# noqa: CODE` on its line",
    )
    add("--exit-zero", action="store_true", help="status 0 where sites are left as well; errors are status 2")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument(
        "-q", "--quiet", action="store_true", help="print only errors and the sites that are left"
    )
    loudness.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print every site, and the modules that are read and unchanged",
    )
    add("--no-diff", action="store_true", help="print no unified diff, only what came of it")
    add(
        "--output-format",
        "--format",
        dest="format",
        choices=FORMATS,
        default="text",
        help="how the result is shown",
    )
    add("-j", "--jobs", type=_jobs, default=1, metavar="N", help="so many processes; 0: one a core")


class _AddFolder(argparse.Action):
    """Adds the absolute path of a folder, links kept."""

    def __call__(self, parser: object, options: argparse.Namespace, folder: object, _: object = None) -> None:
        options.python_path = (*options.python_path, Path(os.path.abspath(str(folder))))  # noqa: PTH100


def _jobs(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("a number of processes, or 0")
    return count or os.cpu_count() or 1


def _path(text: str) -> str:
    if not text:  # an unset variable of a shell, most likely
        raise argparse.ArgumentTypeError("an empty path; . is the current folder")
    return text


def _folder(text: str) -> Path:
    path = Path(_path(text))
    if path.suffix in (".py", ".ipynb") and not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} reads as a file: a folder is asked for")
    return path
