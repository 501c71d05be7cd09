"""How many steps a training will make, guessed from its arguments: for the time left, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STEPS = re.compile(
    r"^--?(?:max|num|train|training|total|n)?[-_]?(?:train|training)?[-_]?(?:steps?|iterations?|iters?)$"
)
_BATCH = re.compile(r"^--?(?:train[-_])?batch[-_]?size$")


def steps_of(arguments: Sequence[str]) -> int | None:
    """The value of a flag such as --max_steps, --train_steps or --iterations."""
    return _value(arguments, _STEPS)


def batch_size_of(arguments: Sequence[str]) -> int | None:
    """The value of --batch_size."""
    return _value(arguments, _BATCH)


def _value(arguments: Sequence[str], flag: re.Pattern[str]) -> int | None:
    for place, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if not flag.match(name):
            continue
        if not equals and place + 1 < len(arguments):
            value = arguments[place + 1]
        if value.isdigit():
            return int(value)
    return None
