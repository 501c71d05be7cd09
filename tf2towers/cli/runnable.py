"""Whether a command can run what it is given, before anything is started: the files, and what has to be installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from tf2towers.cli.errors import CommandError
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script


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
