"""`Notebook`: a Jupyter notebook whose code cells are one script; the rest stays.

The script's text has a marker at the start of each cell, and for each magic (`%matplotlib inline`,
`!pip install x`). Markers are statements without effect, so that the text is valid Python. `shown`
returns the text for the user, with the cells' numbers and the original magics; `encoded` puts such
a text back into the file.
"""

from __future__ import annotations

import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tf2towers.source.errors import SourceError

_CELL = re.compile(r"^pass  # tf2towers: cell (\d+)$", re.MULTILINE)
_MAGIC = re.compile(r"^([ \t]*)(.*)  # tf2towers: magic (\d+)$", re.MULTILINE)
_SHOWN_CELL = re.compile(r"^# %% cell (\d+)\n", re.MULTILINE)
_ASSIGNED_MAGIC = re.compile(r"^(\s*[A-Za-z_][\w.]*\s*=\s*)[%!]")
#: cell magics whose cell is Python; cells of all other cell magics are not changed
_OF_PYTHON = frozenset({"time", "timeit", "capture", "prun", "python", "python2", "python3", "pypy"})
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Notebook:
    """A notebook of format 4."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.path = path
        try:
            self._raw = data.decode("utf-8")
            self._document = json.loads(self._raw)
        except (ValueError, RecursionError) as problem:
            raise SourceError(path, f"this is not a notebook: {problem}") from None
        if not _is_format_4(self._document):
            raise SourceError(
                path, "this is not a notebook, or it has an old format: save it in Jupyter first"
            )
        #: the original text of each magic
        self._magics: list[str] = []
        #: for each line of the script: the number of its cell, and the line in the cell
        self._places: list[tuple[int, int]] = []
        self.text = self._script()

    @property
    def is_python2(self) -> bool:
        """True if the notebook says that it was written for Python 2."""
        metadata = self._document.get("metadata", {})
        version = str(metadata.get("language_info", {}).get("version", ""))
        return version.startswith("2.") or metadata.get("kernelspec", {}).get("name") == "python2"

    @property
    def files_written(self) -> list[tuple[int, str]]:
        """The cells whose magic writes a module with `tensorflow`: number and first line."""
        return [
            (number, source.splitlines()[0])
            for number, source in self._cells()
            if source.startswith("%%writefile") and "tensorflow" in source
        ]

    @property
    def magics(self) -> list[tuple[int, str]]:
        """The magics and shell lines: the number of each one's cell, and its first line."""
        found = []
        for line, text in enumerate(self.text.splitlines(), 1):
            if (magic := _MAGIC.match(text)) is not None:
                found.append((self.place(line)[0], self._magics[int(magic[3])].strip().splitlines()[0]))
        return found

    def cells_of(self, text: str) -> list[tuple[int, str]]:
        """The code cells of a text of the script: number and text, empty lines for magics."""

        def lines(found: re.Match[str]) -> str:
            return found[1] + found[2] + "\n" * self._magics[int(found[3])].count("\n")

        before, *parts = _CELL.split(_MAGIC.sub(lines, text))
        cells = [(int(number), source[1:]) for number, source in zip(parts[::2], parts[1::2], strict=True)]
        if cells and before:
            cells[0] = (cells[0][0], before + cells[0][1])
        return cells

    def place(self, line: int) -> tuple[int, int]:
        """The cell of a line of the script, from 1 over code cells, and the line in it."""
        return self._places[min(line, len(self._places)) - 1] if self._places else (1, 1)

    def shown(self, text: str) -> str:
        """A text of the script with its original magics, for the user and for `encoded`."""

        def magic(found: re.Match[str]) -> str:
            return self._magics[int(found[3])]

        return _CELL.sub(r"# %% cell \1", _MAGIC.sub(magic, text))

    def encoded(self, shown: str, *, python3: bool = False) -> bytes:
        """The file's bytes with the cells of a text from `shown`; emptied cells are left out.

        `python3`: whether to set the kernel to Python 3.
        """
        parts = _SHOWN_CELL.split(shown)
        texts = {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}
        if texts:
            texts[min(texts)] = parts[0] + texts[min(texts)]  # text before the first cell
        if list(texts) != [number for number, _ in self._cells()]:
            raise SourceError(self.path, "not written, please report it: a cell was lost")
        document = json.loads(self._raw)
        emptied = []
        for (number, source), cell in zip(self._cells(), _code_cells(document), strict=True):
            new = texts[number].removesuffix("\n")
            if not new.strip() and source.strip():
                emptied.append(cell)
            elif new != source:
                cell["source"] = new if isinstance(cell["source"], str) else new.splitlines(keepends=True)
        document["cells"] = [
            cell for cell in document.get("cells", []) if not any(cell is each for each in emptied)
        ]
        if python3 and "kernelspec" in document.get("metadata", {}):
            document["metadata"]["kernelspec"] = _KERNEL
        return self._laid_out(document).encode("utf-8")

    def _laid_out(self, document: Any) -> str:
        """A document as JSON, with the file's own indentation, escapes and final whitespace."""
        indent = re.search(r"\n([ \t]+)", self._raw)
        is_ascii = self._raw.isascii() and "\\u" in self._raw
        text = json.dumps(document, ensure_ascii=is_ascii, indent=indent[1] if indent else None)
        return text + self._raw[len(self._raw.rstrip()) :]

    def _cells(self) -> Iterator[tuple[int, str]]:
        """The code cells: number and source text."""
        for number, cell in enumerate(_code_cells(self._document), 1):
            source = cell.get("source", "")
            yield number, source if isinstance(source, str) else "".join(source)

    def _script(self) -> str:
        lines: list[str] = []
        for number, source in self._cells():
            lines.append(f"pass  # tf2towers: cell {number}")
            self._places.append((number, 1))
            for line, text in _without_magics(source, self._magics):
                lines.append(text)
                self._places.append((number, line))
        return "".join(f"{line}\n" for line in lines)


def _code_cells(document: Any) -> list[Any]:
    return [cell for cell in document.get("cells", []) if cell.get("cell_type") == "code"]


def _is_format_4(document: Any) -> bool:
    """True if a document has the structure that this module relies on."""
    if not isinstance(document, dict) or document.get("nbformat") != 4:
        return False
    cells, metadata = document.get("cells", []), document.get("metadata", {})
    if not isinstance(cells, list) or not isinstance(metadata, dict):
        return False
    if not all(isinstance(metadata.get(key, {}), dict) for key in ("kernelspec", "language_info")):
        return False
    return all(
        isinstance(cell, dict) and isinstance(cell.get("source", ""), str | list) for cell in cells
    ) and all(isinstance(line, str) for cell in cells for line in cell.get("source", ""))


def _without_magics(source: str, magics: list[str]) -> Iterator[tuple[int, str]]:
    """The lines of a cell, each with its number in the cell; markers replace the magics."""
    name = source[2:].split(None, 1)[:1]
    if source.startswith("%%") and name and name[0] not in _OF_PYTHON:
        magics.append(source)
        yield 1, f"pass  # tf2towers: magic {len(magics) - 1}"
        return
    rows = iter(enumerate(source.split("\n"), 1))
    read: list[str] = []
    for number, line in rows:
        assigned = _ASSIGNED_MAGIC.match(line)
        text = line
        if (assigned or _is_magic(line)) and not _is_open(read):
            taken = [line]
            while taken[-1].endswith("\\") and (following := next(rows, None)) is not None:
                taken.append(following[1])
            magics.append("\n".join(taken))
            indent = line[: len(line) - len(line.lstrip())]
            text = f"{assigned[1]}..." if assigned else f"{indent}pass"
            text += f"  # tf2towers: magic {len(magics) - 1}"
        read.append(text)
        yield number, text


def _is_magic(line: str) -> bool:
    text = line.strip()
    if text.startswith(("%", "!", "?")):
        return True
    return re.fullmatch(r"[A-Za-z_][\w.]*\?{1,2}", text) is not None


def _is_open(lines: list[str]) -> bool:
    """True if the next line continues a string, a bracket, or a line that ends with a backslash."""
    try:
        list(tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__))
    except tokenize.TokenError:
        return True
    except SyntaxError:  # an error in the indentation
        return False
    return False
