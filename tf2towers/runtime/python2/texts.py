"""Texts, which were bytes in Python 2."""

from __future__ import annotations

from typing import Any


def python2_decode(text: Any, encoding: str, errors: str = "strict") -> Any:
    """`text.decode(encoding)` and `unicode(text, encoding)`: what was read as bytes in Python 2 may be text already."""
    return text if isinstance(text, str) else text.decode(encoding, errors)


def python2_translate(text: Any, table: Any, deleted: Any) -> Any:
    """`text.translate(table, deleted)`: without the characters of `deleted`, the others by the table."""
    if not isinstance(text, str) or not isinstance(deleted, str):
        return text.translate(table, deleted)
    kept = "".join(character for character in text if character not in deleted)
    return kept if table is None else kept.translate(table)


def python2_bytes(text: Any) -> Any:
    """What is hashed: texts are the bytes of UTF-8 that they were, anything else stays."""
    return text.encode("utf-8") if isinstance(text, str) else text
