"""Recordings of session calls, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tf2towers.verify.calls.call_comparison import Run
from tf2towers.verify.recorder.writing import Writer


def call(
    fetches: list[list[Any]] | None = None, error: str = "", trains: bool = True, **values: Any
) -> dict[str, Any]:
    """A recorded call: 'fetched_0000=3.0' is the array of that name."""
    about = {
        "session": 0, "file": "train.py", "line": 7, "error": error, "trains": trains,
        "inputs": [], "fetches": fetches or [["loss:0", "a number", False]],
    }  # fmt: skip
    arrays = {name.replace("_", "|", 1): np.asarray(value) for name, value in values.items()}
    return {**arrays, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)}


def run(folder: Path, *calls: dict[str, Any], **facts: Any) -> Run:
    """A recording of these calls."""
    writer = Writer(str(folder))
    for call in calls:
        writer.step(call)
    counts = {"calls": len(calls), "trained": len(calls), "towers": 2}
    writer.facts({"tensorflow": "2.21.0", "python": "3.11", "trainable": [], **counts, **facts})
    return Run([folder], 1.0)
