"""Lines out of the bytes that a task writes."""

from __future__ import annotations

import re
import time

LONGEST = 65_536  # bytes; what is longer is cut
PROGRESS_EVERY = 1.0  # seconds: of a line that overwrites itself, so often its state is taken as a line


class Lines:
    """Splits a stream of bytes into lines of text.

    A line that overwrites itself with carriage returns (a progress bar) counts as a terminal shows it, and its state
    becomes a line of its own once a second. What is not UTF-8 is escaped.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._shown = time.monotonic()

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete with these bytes."""
        *whole, self._pending = (self._pending + data).split(b"\n")
        lines = [_as_shown(line) for line in whole]
        if whole:
            self._shown = time.monotonic()
        if b"\r" in self._pending[:-1]:
            done, self._pending = self._pending[:-1].rsplit(b"\r", 1)[0], _last(self._pending)
            if time.monotonic() - self._shown >= PROGRESS_EVERY and _as_shown(done):
                self._shown = time.monotonic()
                lines.append(_as_shown(done))
        while len(self._pending) > LONGEST:
            lines.append(_as_shown(self._pending[:LONGEST]))
            self._pending = self._pending[LONGEST:]
        return lines

    def end(self) -> list[str]:
        """What was written after the last end of line."""
        rest, self._pending = _as_shown(self._pending), b""
        return [rest] if rest else []


def _last(pending: bytes) -> bytes:
    """What stands after the last carriage return that something follows."""
    return pending[pending.rindex(b"\r", 0, len(pending) - 1) + 1 :]


def _as_shown(line: bytes) -> str:
    states = [state for state in re.split(rb"\r", line) if state]
    return states[-1].decode("utf-8", "backslashreplace") if states else ""
