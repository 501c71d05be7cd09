"""The type `file`, of all that `open` gave, and files in memory."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

#: what `isinstance(value, file)` asked for: what `open` gives; no StringIO is among them, as in Python 2
python2_file = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)


class python2_StringIO:
    """A file in memory, of what Python 2 had one kind of: bytes (an image), or text from the first text written on."""

    def __init__(self, content: Any = b"") -> None:
        self._file: Any = (
            io.StringIO(content) if isinstance(content, str) and content else io.BytesIO(content or b"")
        )

    def write(self, content: Any) -> None:
        """Writes bytes, or a text: one in a file that has nothing yet makes it a file of text."""
        if isinstance(content, str) and isinstance(self._file, io.BytesIO) and not self._file.getvalue():
            self._file = io.StringIO()
        self._file.write(content)

    def writelines(self, lines: Iterable[Any]) -> None:
        """Writes one after the other."""
        for line in lines:
            self.write(line)

    def getvalue(self) -> Any:
        """All that is in it; of nothing an empty text."""
        return self._file.getvalue() or ""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __next__(self) -> Any:
        return next(self._file)

    def __getattr__(self, name: str) -> Any:
        if name == "_file":  # a copy that is being made
            raise AttributeError(name)
        return getattr(self._file, name)
