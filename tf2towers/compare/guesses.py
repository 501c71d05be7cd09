"""What is guessed of a training: its batch size from its arguments, its accuracy from what it printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BATCH = re.compile(r"^--?(?:train[-_])?batch[-_]?size$")


def batch_size_of(arguments: Sequence[str]) -> int | None:
    """The value of --batch_size."""
    for place, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if not _BATCH.match(name):
            continue
        if not equals and place + 1 < len(arguments):
            value = arguments[place + 1]
        if value.isdigit():
            return int(value)
    return None


# -- the last accuracy that a training printed -------------------------------------------------------------------------

#: 'accuracy = 0.93', 'precision @ 1 = 0.861', 'Test accuracy: 93.1%', 'val_accuracy: 0.9310'
_PRINTED = re.compile(
    r"(?i)(?<![a-z])(?:\w*accuracy|precision|acc)(?:\s*@\s*\d+)?\s*(?:is|of|[=:,)\]'\"])*\s*(\d+(?:\.\d+)?(?:e-?\d+)?)\s*(%?)"
)


def last_accuracy(text: str) -> float | None:
    """The last one in a program's output, from 0 to 1; None where there is none."""
    found = None
    for match in _PRINTED.finditer(text):
        value = float(match[1]) / (100 if match[2] or float(match[1]) > 1 else 1)
        found = value if value <= 1 else found
    return found
