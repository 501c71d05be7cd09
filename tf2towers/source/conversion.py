"""The conversion of a text from Python 2, which comes before its migration."""

from __future__ import annotations

import difflib
import io
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Step:
    """One construct that was converted, or left as uncertain; the line is of the old text."""

    name: str
    line: int


@dataclass(frozen=True)
class Conversion:
    """The text as it was read, the converted text, and the steps of the conversion."""

    before: str
    after: str
    steps: tuple[Step, ...] = ()
    #: uncertain constructs, which the user has to check
    left: tuple[Step, ...] = ()

    def line_before(self, line: int) -> int:
        """The line of the old text that a line of the new one came from, or the last before."""
        return self._lines[min(line, len(self._lines) - 1)]

    @cached_property
    def _lines(self) -> list[int]:
        return line_map(self.before, self.after)


def line_map(before: str, after: str) -> list[int]:
    """For each line of `after` (from 1; place 0 is 1) the line of `before` that it came from."""
    old = [line.strip() for line in io.StringIO(before, newline="")]  # Python's lines: form feeds end none
    new = [line.strip() for line in io.StringIO(after, newline="")]
    found = [1] * (len(new) + 1)
    for tag, i, end_i, j, end_j in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for step in range(end_j - j):
            place = i + step if tag != "insert" else i - 1
            found[j + step + 1] = max(1, min(place, max(end_i, i) - 1 if tag == "replace" else place) + 1)
    return found
