"""Reads the tables of names for the conversion."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def read_pairs(name: str) -> dict[str, str]:
    """The rows of a table of two columns in this folder, without the heading."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines[1:])


def read_words(key: str) -> frozenset[str]:
    """The names of one row of words.tsv."""
    return frozenset(read_pairs("words.tsv")[key].split())
