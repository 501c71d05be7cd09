"""A parity result as JSON, for other programs.

    {"schema": 2,                    changes when a field changes its meaning or is removed
     "status": 0 | 1 | 2,            the exit status
     "verdict": "..",                one line
     "counts": {KIND: {"bitwise": 3, "within": 0, "differs": 1, "failed": 0}},   only kinds that were compared
     "comparisons": [..],            each with its "verdict", which is a key of `counts`
     ..}

All other fields are those of `ParityResult`. A float that is not finite is a string, "NaN",
"Infinity" or "-Infinity": JSON (RFC 8259, section 6) lacks a token for it, and `float()` reads all
three. Paths are as the reader would type them.
"""

from __future__ import annotations

from dataclasses import asdict

from tf2towers.report.json import as_json
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.parity_text import headline, tally, verdict_of

SCHEMA = 2


def parity_as_json(result: ParityResult) -> str:
    """Returns the result as one JSON object in ASCII, with a line feed at its end."""
    fields = asdict(result)
    for shown, found in zip(fields["comparisons"], result.comparisons, strict=True):
        shown["verdict"] = verdict_of(found)
        del shown["differences"]  # thousands of numbers, which the page shows
    for side in ("original", "migrated"):
        del fields[side]["cells"]
    document = {
        "schema": SCHEMA,
        "status": result.status,
        "verdict": headline(result),
        "counts": dict(tally(result.comparisons)),
        **fields,
    }
    return as_json(document)
