"""A parity result as JSON, for other programs.

    {"schema": 2,                    changes when a field changes its meaning or goes
     "status": 0 | 1 | 2,            the exit status
     "verdict": "..",                one line
     "counts": {KIND: {"bitwise": 3, "within": 0, "differs": 1, "failed": 0}},   kinds that were compared
     "comparisons": [..],            with the "verdict" of each: the key under which `counts` counts it
     ..}

All else are the fields of `ParityResult` by their names, without the texts of the scripts. A float that is not a number
is a string, "NaN", "Infinity" or "-Infinity": JSON (RFC 8259, section 6) lacks a token for it, and `float()` reads all
three. Paths are as the reader would type them.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tf2towers.report import parity_words as words
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.paths import display_path

SCHEMA = 2


def parity_as_json(result: ParityResult) -> str:
    """The result as one JSON object, ASCII only, with a line feed at its end."""
    fields = asdict(result)
    for side in ("original", "migrated"):
        del fields[side]["text"]
    for shown, found in zip(fields["comparisons"], result.comparisons, strict=True):
        shown["verdict"] = words.verdict_of(found)
    document = {
        "schema": SCHEMA,
        "status": result.status,
        "verdict": words.headline(result),
        "counts": dict(words.tally(result.comparisons)),
        **fields,
    }
    return as_json(document)


def as_json(document: Any) -> str:
    """Any document of numbers, texts and paths as JSON, ASCII only, with a line feed at its end."""
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """The same as JSON can hold it: Python's numbers for NumPy's, texts for paths and floats that are not finite."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Path):
        return display_path(value)
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, float) and not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return number
