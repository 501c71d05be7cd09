"""What is run for a file that is to be compared, and whether it can be run, before anything is started."""

from __future__ import annotations

import re
import sys
from pathlib import Path

NOTEBOOK = ".ipynb"
#: where a cell begins, and a magic outside of blocks: `pass` in a notebook's text
_MARK = re.compile(r"^pass  # tf2towers: ((?:cell|magic) \d+)$", re.MULTILINE)
_FUTURE = re.compile(r"^from __future__ import .*\n", re.MULTILINE)


def why_not(script: Path, python: str | None = None) -> str:
    """A sentence about a file that cannot be run, with what to do; empty where nothing speaks against it.

    Args:
        python: the interpreter that is to run it; None: this one.
    """
    if not script.is_file():
        return f"{script}: no such file"
    if python not in (None, sys.executable):
        return ""
    from tf2towers.source.errors import SourceError
    from tf2towers.source.script import Script

    try:
        if script.suffix == NOTEBOOK:
            Script.from_notebook(script)
        else:
            Script.read(script)
    except SourceError as problem:
        if "Python 2" not in str(problem):  # else Python itself says it best
            return f"{script}: {problem}" if script.suffix == NOTEBOOK else ""
        return (
            f"{script} is Python 2, which nothing here runs: `tf2towers migrate --python3 -o DIR {script}` writes it "
            "in Python 3, with TF 1 as it is"
        )
    return ""


def as_script(path: Path, folder: Path) -> Path:
    """The script that is run for a file: itself; for a notebook its code cells without magics, in a new folder."""
    if path.suffix != NOTEBOOK:
        return path
    from tf2towers.source.notebook import Notebook

    text = _MARK.sub(r"# \1", Notebook(path.read_bytes(), path).text)
    place = max((found.end() for found in _FUTURE.finditer(text)), default=0)
    beside = f"import sys; sys.path.insert(1, {str(path.absolute().parent)!r})  # the notebook's folder\n"
    folder.mkdir(parents=True)
    script = folder / f"{path.stem}.py"
    script.write_text(text[:place] + beside + text[place:], encoding="utf-8")
    return script
