"""Why a script could not be read or written."""

from __future__ import annotations

from pathlib import Path


class SourceError(Exception):
    """An error for the user: what is wrong, in which file and line, and what to do."""

    def __init__(self, path: Path, message: str, line: int | None = None) -> None:
        super().__init__(path, message, line)
        self.path = path
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class NotPython3(SourceError):
    """The text is not Python 3; it may be Python 2."""
