"""What a command is doing, in one line written over, on a terminal after two seconds."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

Got = TypeVar("Got")

#: seconds without a word
_SILENCE = 2.0
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows words on a stream, if it is a terminal and the command has run for two seconds."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._from = time.monotonic() + _SILENCE
        self._is_shown = False

    def __call__(self, words: str) -> None:
        """Shows the words in place of those before."""
        if self._stream.isatty() and time.monotonic() > self._from:
            width = shutil.get_terminal_size().columns
            print(f"{_CLEAR}{words[: width - 1]}", end="", file=self._stream, flush=True)
            self._is_shown = True

    def clear(self) -> None:
        """Takes the line away."""
        if self._is_shown:
            print(_CLEAR, end="", file=self._stream, flush=True)
            self._is_shown = False

    def of(self, results: Iterable[Got], count: int) -> Iterator[Got]:
        """The results, as they come; shows how many of `count` there are."""
        for number, result in enumerate(results, 1):
            if count > 1:
                self(f"{number} of {count} programs")
            yield result
        self.clear()
