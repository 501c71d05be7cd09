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
     "first": {"step": 0 | null, "layer": "..", "gradient": ".."},       "" where there is none
     "counts": {KIND: {"bitwise": 3, "within": 0, "differs": 1, "failed": 0}},   kinds that were compared
     "comparisons": [{"kind", "name", "verdict", "problem", "bitwise", "within", "first_step", "max_abs", "max_rel",
                      "ulps", "shape", "dtype", "errors", "rounding"}],
     "notes": [".."]}

    SIDE = {"title", "script", "tensorflow", "python", "seconds", "losses", "notes"}

`verdict` of a comparison is the key under which `counts` counts it: 'failed' where `problem` is not empty. `first_step`
is null where nothing differs. A float that is no number is a string, "NaN", "Infinity" or "-Infinity": JSON (RFC 8259,
section 6) has no token for it, and `float()` reads all three. Paths are as the reader would type them. The texts of
the scripts are left out.
"""

from __future__ import annotations

import json
import math

from tf2towers.report import parity_words as words
from tf2towers.report.parity_result import Comparison, ParityResult, Side
from tf2towers.report.paths import shown

SCHEMA = 1


def parity_as_json(result: ParityResult) -> str:
    """The result as one JSON object, ASCII only, with a line feed at its end."""
    document = {
        "schema": SCHEMA,
        "outcome": result.outcome,
        "status": result.status,
        "verdict": words.headline(result),
        "error": result.error,
        "arguments": list(result.arguments),
        "steps": int(result.steps),
        "calls": int(result.calls),
        "towers": int(result.towers),
        "tolerance": _number(result.tolerance),
        "seconds": _number(result.seconds),
        "original": _side(result.original),
        "migrated": _side(result.migrated),
        "diagnoses": [
            {
                "name": found.name,
                "message": found.message,
                "todo": found.todo,
                "step": int(found.step),
                "confidence": _number(found.confidence),
            }
            for found in result.diagnoses
        ],
        "first": {
            "step": _step(result.first_step),
            "layer": result.first_layer,
            "gradient": result.first_gradient,
        },
        "counts": dict(words.tally(result.comparisons)),
        "comparisons": [_comparison(comparison) for comparison in result.comparisons],
        "notes": list(result.notes),
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _side(side: Side) -> dict[str, object]:
    return {
        "title": side.title,
        "script": shown(side.script),
        "tensorflow": side.tensorflow,
        "python": side.python,
        "seconds": _number(side.seconds),
        "losses": [_number(loss) for loss in side.losses],
        "notes": list(side.notes),
    }


def _comparison(one: Comparison) -> dict[str, object]:
    return {
        "kind": one.kind,
        "name": one.name,
        "verdict": words.verdict_of(one),
        "problem": one.problem,
        "bitwise": bool(one.bitwise),
        "within": bool(one.within),
        "first_step": _step(one.first_step),
        "max_abs": _number(one.max_abs),
        "max_rel": _number(one.max_rel),
        "ulps": _number(one.ulps),
        "shape": [int(size) for size in one.shape],
        "dtype": one.dtype,
        "errors": [_number(error) for error in one.errors],
        "rounding": bool(one.rounding),
    }


def _number(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)  # NumPy's float32 is no float to `json`


def _step(step: int | None) -> int | None:
    return None if step is None else int(step)
