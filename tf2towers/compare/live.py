"""Both trainings while they run: a line now and then."""

from __future__ import annotations

import sys
import time

from tf2towers.compare import table
from tf2towers.compare.side import Side
from tf2towers.compare.summary import Spread

_LINE_EVERY = 5.0  # seconds
_RECENT = 20  # steps, whose median is the rate


class Live:
    """Shows two sides.

    Args:
        batch_size: examples of a step, as the user says.
    """

    def __init__(self, sides: tuple[Side, Side], batch_size: int | None = None) -> None:
        self._sides, self._batch_size = sides, batch_size
        self._shown = time.monotonic()

    def show(self) -> None:
        """Prints a line, if it is time."""
        if time.monotonic() - self._shown >= _LINE_EVERY:
            self._shown = time.monotonic()
            print("  |  ".join(self.words(side) for side in self._sides), file=sys.stdout, flush=True)

    def words(self, side: Side) -> str:
        """How far a side is: its step, loss, rate and memory."""
        if side.ended or not side.steps:
            return f"{side.title}: " + (f"ended after {side.count} steps" if side.ended else "no step yet")
        last = side.steps[-1]
        examples = self._batch_size or last.examples
        recent = [step.seconds for step in side.steps[1:][-_RECENT:] if step.seconds > 0]
        rate = (examples or 1) / Spread.of(recent).median if recent else None
        losses = (step.loss for step in reversed(side.steps) if step.loss is not None)
        parts = [f"step {side.count}", f"loss {table.number(next(losses, None))}"]
        if rate is not None:
            parts.append(f"{rate:,.3g} steps/s" if examples is None else f"{rate:,.0f} examples/s")
        return f"{side.title}: {', '.join([*parts, table.memory(last.memory or side.peak)])}"
