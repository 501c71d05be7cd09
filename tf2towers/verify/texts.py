"""The texts that run in place of a program's files: the cells of a notebook, and Python 2 converted to Python 3."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tf2towers.report.paths import counted, listed
from tf2towers.source.conversion import Conversion
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.python2.reading import Reader, read_notebook, read_script, shows_python2
from tf2towers.source.script import Script
from tf2towers.source.vendor import vendored_files
from tf2towers.verify.process import RunFailed


@dataclass
class Texts:
    """What runs in place of a program's files; empty for a script that is Python 3.

    Attributes:
        cells: of a notebook, each code cell's title, as 'train.ipynb, cell 3', and its text without magics.
        converted: of each file in Python 2, by its absolute path, the conversion.
        notes: sentences for the reader.
    """

    cells: list[tuple[str, str]] = field(default_factory=list)
    converted: dict[str, Conversion] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def settings(self) -> dict[str, Any]:
        """The recorder's settings: the cells, and for each converted file its text and its lines in the old one."""
        converted = {
            path: [each.after, [each.line_before(line + 1) for line in range(each.after.count("\n") + 1)]]
            for path, each in self.converted.items()
        }
        return {"cells": self.cells, "converted": converted}

    def needed(self) -> dict[Path, bytes]:
        """The files of tf2towers that converted texts import: path above the package's folder, and contents."""
        files = vendored_files([each.after for each in self.converted.values()])
        return {path: data for path, data in files.items() if len(path.parts) > 2}


def texts_of(script: Path, *, original: bool) -> Texts:
    """What runs in place of a program's files.

    Args:
        original: whether the program may be in Python 2, which is judged as `migrate` does.

    Raises:
        RunFailed: it cannot be read.
    """
    script = script.resolve()
    try:
        if script.suffix == ".ipynb":
            read = read_notebook(str(script))
        else:
            read = read_script(lambda checked: Script.read(script, checked=checked))
        reader = Reader(read)
        imports = LocalImports(read, reader)
        if original and (shown := shows_python2(read, imports, reader)) is not None:
            reader.convert_all(prints_are_calls=shown == "names")
            imports = LocalImports(reader.main, reader)
    except SourceError as problem:
        raise RunFailed(f"{script.name} cannot be read: {problem}") from None
    return _found(reader, imports.modules if original else [])


def _found(reader: Reader, modules: list[Path]) -> Texts:
    found, main = Texts(), reader.main
    scripts = [main]
    for path in modules:
        try:
            scripts.append(reader(path))
        except SourceError:  # a module that Python itself reports, if the script imports it
            continue
    found.converted = {str(each.path): each.conversion for each in scripts if each.conversion is not None}
    if found.converted:
        names = listed([Path(path).name for path in found.converted], 4)
        left = [
            f"{Path(path).name}, line {step.line}: {step.name}"
            for path, conversion in found.converted.items()
            for step in conversion.left
        ]
        unsure = f". Not certain: {listed(left, 4)}" if left else ""
        found.notes.append(
            f"the original is Python 2: it ran in Python 3, as `migrate --python3` writes it ({names}){unsure}"
        )
    if main.notebook is not None:
        cells = main.notebook.cells_of(main.text)
        found.cells = [(f"{main.path.name}, cell {number}", text) for number, text in cells]
        if magics := main.notebook.magics:
            shown = listed([f"{text} (cell {cell})" for cell, text in magics], 6)
            found.notes.append(f"left out of the notebook: {counted(len(magics), 'magic')}: {shown}")
    return found
