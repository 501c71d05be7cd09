"""A parity result as JSON, for other programs.

    {"schema": 1,                    changes when a field changes its meaning or goes
     "outcome": "bitwise" | "within" | "differs" | "error",
     "status": 0 | 1 | 2,            the exit status
     "verdict": "..",                one line
     "error": "..",                  why it is 'error', otherwise ""
     "arguments": ["--steps=10"],
     "steps": 10, "calls": 0, "towers": 2, "tolerance": 0.0, "seconds": 31.5,
     "original": SIDE, "migrated": SIDE,
     "diagnoses": [{"name", "message", "todo", "step", "confidence"}],
     "first": {"step": 0 | null, "gradient": ".."},       "" where there is none
     "counts": {KIND: {"bitwise": 3, "within": 0, "differs": 1, "failed": 0}},   kinds that were compared
     "comparisons": [{"kind", "name", "verdict", "problem", "bitwise", "within", "first_step", "max_abs", "max_rel",
                      "ulps", "shape", "dtype", "errors", "rounding"}],
     "notes": [".."]}

    SIDE = {"title", "script", "tensorflow", "python", "seconds", "losses", "notes"}

`verdict` of a comparison is the key under which `counts` counts it: 'failed' where `problem` is not empty. `first_step`
is null where nothing differs. A float that is not a number is a string, "NaN", "Infinity" or "-Infinity": JSON (RFC
8259, section 6) lacks a token for it, and `float()` reads all three. Paths are as the reader would type them. The texts
of the scripts are left out.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tf2towers.report import parity_words as words
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.report.paths import display_path

SCHEMA = 1


def parity_as_json(result: ParityResult) -> str:
    """The result as one JSON object, ASCII only, with a line feed at its end."""
    document = {
        "schema": SCHEMA,
        "outcome": result.outcome,
        "status": result.status,
        "verdict": words.headline(result),
        "error": result.error,
        "arguments": result.arguments,
        "steps": result.steps,
        "calls": result.calls,
        "towers": result.towers,
        "tolerance": result.tolerance,
        "seconds": result.seconds,
        "original": _side(result.original),
        "migrated": _side(result.migrated),
        "diagnoses": [asdict(cause) for cause in result.diagnoses],
        "first": {"step": result.first_step, "gradient": result.first_gradient},
        "counts": dict(words.tally(result.comparisons)),
        "comparisons": [
            {**asdict(found), "verdict": words.verdict_of(found)} for found in result.comparisons
        ],
        "notes": result.notes,
    }
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def _side(side: Side) -> dict[str, Any]:
    return {name: value for name, value in asdict(side).items() if name != "text"}


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
