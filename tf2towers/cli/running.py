"""What the commands that run scripts share: options, what a number may be, and whether a script can be run at all."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from tf2towers.cli.errors import CommandError
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """The cluster to run scripts as, and the folders that they may write to."""
    add = parser.add_argument
    of_servers = "parameter-server scripts: so many of them (default 1 where one starts a server)"
    add("--ps", type=from_0, metavar="N", help=of_servers)
    add("--workers", type=positive, metavar="M", help="and so many workers (default 2)")
    add("--task-flags", metavar="TEMPLATE", help="how a task learns which it is, as for launch")
    writes = "let the scripts write there as they do by themselves (else to a scratch folder)"
    add("--allow-writes", action="append", default=[], metavar="DIR", help=writes)


def positive(text: str) -> int:
    """A whole number from 1."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1: it must be at least 1")
    return number


def from_0(text: str) -> int:
    """A whole number from 0."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0")
    return int(text)


def seconds(text: str) -> float:
    """Seconds, more than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0: it must be more than 0")
    return number


# -- before anything is started: the files, and what has to be installed -----------------------------------------------


def check_scripts(*scripts: tuple[Path, str | None]) -> None:
    """Raises CommandError for a file that cannot be run, with what to do.

    Args:
        scripts: each with the interpreter that is to run it; None: this one.
    """
    for script, python in scripts:
        if not script.is_file():
            raise CommandError(f"{script}: no such file")
        if script.suffix == ".ipynb":
            raise CommandError(
                f"{script} is a notebook: `jupyter nbconvert --to script {script}` makes a script of its cells"
            )
        if python not in (None, sys.executable):
            continue
        try:
            Script.read(script)
        except SourceError as problem:
            if "Python 2" in str(problem):  # else Python itself says it best
                raise CommandError(
                    f"{script} is Python 2, which nothing here runs: `tf2towers migrate --python3 -o DIR {script}` "
                    "writes it in Python 3, with TF 1 as it is"
                ) from None


def require_modules(*modules: str) -> None:
    """Raises CommandError unless this interpreter has all these modules. None of them is loaded."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        names = " and ".join(", ".join(missing).rsplit(", ", 1))
        raise CommandError(
            f"{names} {'is' if len(missing) == 1 else 'are'} not installed here; this installs what is missing: "
            f"{sys.executable} -m pip install 'tf2towers[all]' ('.[all]' in a clone)"
        )
