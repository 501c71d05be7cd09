"""`Script`: the text of a Python file, read so that it can be written back byte for byte."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import io
import os
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tf2towers.source.conversion import Conversion
from tf2towers.source.errors import SourceError
from tf2towers.source.syntax import check_readable, check_syntax

if TYPE_CHECKING:
    from tf2towers.source.notebook import Notebook

#: larger files are not training scripts, but most likely generated data
MAX_BYTES = 5_000_000
STDIN = Path("-")

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Script:
    """A Python file's text, with its own line ends, but without a byte order mark."""

    path: Path
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    #: the conversion that made the text, if it is not the file's own text
    conversion: Conversion | None = None
    #: the notebook whose cells form the text
    notebook: Notebook | None = None

    @classmethod
    def from_notebook(cls, path: str | Path, *, checked: bool = True) -> Script:
        """Makes one script of the code cells of a notebook."""
        from tf2towers.source.notebook import Notebook

        path = Path(path)
        notebook = Notebook(_bytes_of(path), path)
        if checked:
            try:
                check_syntax(notebook.text, path)
            except SourceError as problem:
                if problem.line is None:
                    raise
                cell, line = notebook.place(problem.line)
                raise type(problem)(path, f"cell {cell}, line {line}: {problem.message}") from None
        return cls(path, notebook.text, notebook=notebook)

    @property
    def before(self) -> str:
        """The file's own text."""
        return self.text if self.conversion is None else self.conversion.before

    @classmethod
    def from_text(cls, text: str, path: str | Path = "script.py", *, checked: bool = True) -> Script:
        """Makes a script that is not in a file, for tests and examples; its syntax is checked."""
        if checked:
            check_readable(text, Path(path))
        return cls(Path(path), text)

    @classmethod
    def read(cls, path: str | Path, *, checked: bool = True) -> Script:
        """Reads the script in a file; raises SourceError if that fails.

        With `checked=False`, its text need not be Python 3.
        """
        path = Path(path)
        return cls.from_bytes(_bytes_of(path), path, checked=checked)

    @classmethod
    def from_bytes(cls, data: bytes, path: str | Path, *, checked: bool = True) -> Script:
        """Makes a script of a file's bytes; see `read`."""
        path = Path(path)
        if path.suffix == ".ipynb":
            raise SourceError(path, "this is a notebook, which only migrate accepts")
        _refuse(data, path)
        encoding, bom = _encoding_of(data, path)
        text = _decoded(data, encoding, path)
        if checked:
            check_readable(text, path)
        return cls(path, text, encoding, bom)


def _bytes_of(path: Path) -> bytes:
    try:
        _check_kind(path, path.stat().st_mode)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as stream:
            _check_kind(path, os.fstat(handle).st_mode)  # the path may name another file since
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SourceError(path, f"there is no such file{_meant(path)}") from None
    except PermissionError:
        raise SourceError(path, "the file may not be read (permission denied)") from None
    except (OSError, ValueError) as problem:
        reason = (
            os.strerror(problem.errno) if isinstance(problem, OSError) and problem.errno else str(problem)
        )
        raise SourceError(path, f"the file cannot be read ({reason})") from None


def _meant(path: Path) -> str:
    """A question with the name nearest to the script's in its folder; or empty."""
    with contextlib.suppress(OSError):
        beside = [each.name for each in path.parent.iterdir() if each.suffix in (".py", ".ipynb")]
        for name in difflib.get_close_matches(path.name, beside, 1):
            return f": did you mean {path.with_name(name)}?"
    return ""


def _check_kind(path: Path, mode: int) -> None:
    """Raises an error unless this is a regular file: reading a pipe could block."""
    if stat.S_ISDIR(mode):
        raise SourceError(path, "this is a directory: name the training script in it")
    if not stat.S_ISREG(mode):
        raise SourceError(path, "this is a pipe or a device, not a file; `-` reads the standard input")


def _refuse(data: bytes, path: Path) -> None:
    if len(data) > MAX_BYTES:
        limit = f"{MAX_BYTES // 1_000_000} MB"
        raise SourceError(path, f"the file is larger than {limit}: too large for a training script")
    if data.startswith(_UTF16):
        raise SourceError(path, "the file is UTF-16, which Python does not read: save it as UTF-8")
    if b"\0" in data:
        raise SourceError(path, "this is a binary file (it has NUL bytes), not a Python script")


def _encoding_of(data: bytes, path: Path) -> tuple[str, bool]:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as problem:
        declared = str(problem).partition(":")[2].strip()
        if "unknown encoding" in str(problem):
            raise SourceError(path, f"unknown encoding {declared or 'declared'} in its coding line") from None
        if data.startswith(codecs.BOM_UTF8):
            raise SourceError(
                path, "its coding line and its UTF-8 byte order mark contradict each other"
            ) from None
        encoding = "utf-8"  # the first lines are not UTF-8: the error below shows where
    bom = data.startswith(codecs.BOM_UTF8)
    return ("utf-8" if encoding == "utf-8-sig" else encoding), bom


def _decoded(data: bytes, encoding: str, path: Path) -> str:
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    try:
        text = data.decode(encoding)
        if encoding != "utf-8" and text.encode(encoding) != data:
            raise SourceError(
                path, f"its {encoding} text cannot be written back byte for byte: save it as UTF-8 first"
            )
        return text
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        byte = f"byte 0x{data[problem.start]:02x}"
        if encoding != "utf-8":
            raise SourceError(
                path, f"{byte} is not {encoding}, the encoding its coding line names", line
            ) from None
        hint = "save it as UTF-8, or name its encoding in the first line: # -*- coding: latin-1 -*-"
        raise SourceError(
            path, f"{byte} is not UTF-8, and no coding line says what it is: {hint}", line
        ) from None
    except (LookupError, UnicodeError) as problem:  # codecs that do not decode to text
        raise SourceError(path, f"cannot be read as {encoding} ({problem})") from None
