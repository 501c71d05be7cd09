"""Shared by commands: options, types of their values, and checks that a script can be run."""

from __future__ import annotations

import argparse
import ast
import contextlib
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from tf2towers.cli.errors import CommandError
from tf2towers.source.errors import SourceError
from tf2towers.source.python2.reading import read_script
from tf2towers.source.script import Script


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Adds the options for the scripts' cluster, and for the folders that they may write to."""
    add = parser.add_argument
    of_servers = "parameter-server scripts: the number of servers (default 1 where a script starts one)"
    add("--ps", type=non_negative, metavar="N", help=of_servers)
    add("--workers", type=positive, metavar="M", help="the number of workers, with the chief (default 2)")
    add_chief(parser)
    add("--task-flags", metavar="TEMPLATE", help="how a task learns which it is, as for launch")
    writes = "let the scripts write to this folder (their other files go to a scratch folder)"
    add("--allow-writes", action="append", default=[], metavar="DIR", help=writes)


def add_chief(parser: argparse.ArgumentParser) -> None:
    """Adds the option for the job of the first worker."""
    of_first = (
        "the job of the first worker in TF_CONFIG (default: what the script asks for; an Estimator: chief)"
    )
    parser.add_argument("--chief", choices=("chief", "master", "worker"), help=of_first)


def positive(text: str) -> int:
    """Parses a whole number of at least 1."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1: it must be at least 1")
    return number


def non_negative(text: str) -> int:
    """Parses a whole number of at least 0."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0")
    return int(text)


def seconds(text: str) -> float:
    """Parses a number of seconds greater than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0: it must be more than 0")
    return number


def from_zero(text: str) -> float:
    """Parses a number of at least 0."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0")
    return number


def expression(text: str) -> str:
    """Parses an expression of Python; returns its text."""
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as problem:
        why = problem.msg if isinstance(problem, SyntaxError) else problem
        raise argparse.ArgumentTypeError(f"{text!r} is no expression of Python: {why}") from None
    return text.strip()


# -- checks before anything starts: the files, and the modules required; what is written at the end


def check_scripts(*scripts: tuple[Path, str | None], python2: bool = False) -> None:
    """Raises CommandError for a file that cannot be run; the message says what to do.

    Args:
        scripts: each, which may be a notebook, with the interpreter that will run it; None: this
            interpreter.
        python2: whether they may be Python 2 that can be converted.
    """
    for script, python in scripts:
        if script.is_dir():
            raise CommandError(f"{script}: a folder; give one script")
        read = partial(Script.from_notebook if script.suffix == ".ipynb" else Script.read, script)
        try:
            read(checked=False)
            if python2:
                read_script(lambda checked, read=read: read(checked=checked))  # type: ignore[misc]
            elif python in (None, sys.executable):
                read()
        except SourceError as problem:
            if problem.line is None:
                raise CommandError(f"{script}: {problem.message.partition(';')[0]}") from None
            if "Python 2" in str(problem):  # Python itself reports any other error
                raise CommandError(
                    f"{script} is Python 2, which nothing here runs: `tf2towers migrate --python3 -o DIR {script}` "
                    "writes it in Python 3, with TF 1 as it is"
                ) from None


def require_modules(*modules: str) -> None:
    """Raises CommandError unless this interpreter has all these modules; imports none."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        names = " and ".join(", ".join(missing).rsplit(", ", 1))
        everything = "'tf2towers[all]' ('.[all]' in a clone)"
        raise CommandError(
            f"{names} {'is' if len(missing) == 1 else 'are'} not installed here; this installs what is missing: "
            f"{sys.executable} -m pip install {everything if 'tensorflow' in missing else ' '.join(missing)}"
        )


def make_folders(*folders: Path | None) -> None:
    """Makes folders for results before a run of hours; raises CommandError where that fails."""
    for folder in folders:
        if folder is not None:
            with _sentence_of(folder):
                folder.mkdir(parents=True, exist_ok=True)


def write_texts(files: Mapping[Path, str]) -> None:
    """Writes results; raises CommandError where that fails."""
    for path, text in files.items():
        with _sentence_of(path):
            path.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def _sentence_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise CommandError(f"{path} cannot be written ({problem.strerror})") from None
