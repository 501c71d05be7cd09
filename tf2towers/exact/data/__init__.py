"""Tables of the exact register, kept by hand."""

from __future__ import annotations

from pathlib import Path

from tf2towers.names.tables import read_table

FOLDER = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    """The rows of a table here, heading left out."""
    return read_table(name, FOLDER)
