"""Both trainings while they run: a table that is drawn again in place; without a terminal, a line now and then."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TextIO

from tf2towers.report.parity_text import columns
from tf2towers.sidebyside import table
from tf2towers.sidebyside.side import Side
from tf2towers.sidebyside.summary import running_rate

_REDRAWN = 0.25  # seconds
_LINE_EVERY = 5.0
_BAR = 20


class Live:
    """Shows two sides.

    Args:
        alternating: they take turns, so that each needs twice the time while both run.
        batch_size: examples of a step, as the user says.
    """

    def __init__(
        self,
        sides: tuple[Side, Side],
        alternating: bool,
        batch_size: int | None = None,
        out: TextIO | None = None,
    ) -> None:
        self._sides, self._alternating, self._batch_size = sides, alternating, batch_size
        self._out = out or sys.stdout
        self._in_place = self._out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._drawn_at = time.monotonic() if not self._in_place else 0.0
        self._height = 0

    def show(self, running: Side | None) -> None:
        """Draws again, if it is time; `running` is the one whose turn it is."""
        now = time.monotonic()
        if now - self._drawn_at < (_REDRAWN if self._in_place else _LINE_EVERY):
            return
        self._drawn_at = now
        if self._in_place:
            self._draw(running)
        else:
            parts = [f"{side.title}: {', '.join(filter(None, self._words(side)))}" for side in self._sides]
            print("  |  ".join(parts), file=self._out, flush=True)

    def tell(self, text: str) -> None:
        """What happens before there is something to show."""
        self._erase()
        print(text, file=self._out, flush=True)
        self._height = 1 if self._in_place else 0

    def close(self) -> None:
        """Takes the table away."""
        self._erase()
        self._out.flush()

    def _draw(self, running: Side | None) -> None:
        width = shutil.get_terminal_size().columns - 1
        lines = self.lines(running)
        self._erase()
        self._out.write("".join(f"{line[:width]}\n" for line in lines))
        self._out.flush()
        self._height = len(lines)

    def _erase(self) -> None:
        if self._height:
            self._out.write(f"\x1b[{self._height}F\x1b[J")
            self._height = 0

    def lines(self, running: Side | None) -> list[str]:
        """The table: two columns, a side each."""
        cells = [("", *(side.title + (" *" if side is running else "") for side in self._sides))]
        legacy, modern = map(self._cells, self._sides)
        return columns([*cells, *((name, legacy[name], modern[name]) for name in legacy)])

    def _cells(self, side: Side) -> dict[str, str]:
        last = side.steps[-1] if side.steps else None
        steps_a_second = running_rate(side)
        examples = self._batch_size or (last.examples if last is not None else None)
        rate = table.NOTHING
        if steps_a_second is not None:
            rate = f"{steps_a_second * examples:,.0f}" if examples else f"{steps_a_second:.3g} steps/s"
        return {
            "step": _progress(side),
            "loss": table.number(
                next((step.loss for step in reversed(side.steps) if step.loss is not None), None)
            ),
            "examples/s": rate,
            "memory": table.memory(last.memory if last and last.memory else side.peak),
            "time left": self._left(side, steps_a_second),
        }

    def _words(self, side: Side) -> list[str]:
        if side.ended:
            return [f"ended after {side.count} steps"]
        if not side.steps:
            return ["no step yet"]
        cells = self._cells(side)
        left = cells["time left"]
        step = f"step {side.count}" + (f"/{side.total}" if side.total else "")
        rate = cells["examples/s"]
        return [
            step,
            f"loss {cells['loss']}",
            rate if rate.endswith("steps/s") or rate == table.NOTHING else f"{rate} examples/s",
            cells["memory"],
            f"{left} left" if left != table.NOTHING else "",
        ]

    def _left(self, side: Side, steps_a_second: float | None) -> str:
        if side.ended:
            return "ended"
        total = side.total or next((known.count for known in self._sides if known.ended), None)
        if total is None or steps_a_second is None:
            return table.NOTHING
        both = self._alternating and not any(known.ended for known in self._sides)
        seconds = max(0, total - side.count) / steps_a_second * (2 if both else 1)
        return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _progress(side: Side) -> str:
    if not side.total:
        return str(side.count)
    done = min(_BAR, _BAR * side.count // side.total)
    return f"{side.count}/{side.total} {'#' * done}{'.' * (_BAR - done)}"
