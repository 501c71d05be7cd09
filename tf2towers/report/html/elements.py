"""HTML elements as text. What is not an element itself is escaped, so a name or a script cannot become one."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

#: characters HTML forbids, and halves of surrogate pairs, which no file in UTF-8 can hold
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset({"meta", "img"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def printable(text: str) -> str:
    """Text with a sign for each character that HTML forbids."""
    return _FORBIDDEN.sub("\ufffd", text)


def escaped(text: str) -> Markup:
    """Text as HTML; `Markup` stays as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(printable(text)))


def joined(parts: Iterable[str]) -> Markup:
    """Parts one after another, each escaped unless it is `Markup`."""
    return Markup("".join(map(escaped, parts)))


def element(tag: str, /, *children: str, **attributes: str | None) -> Markup:
    """An element.

    Args:
        tag: its name.
        children: `Markup`, or text that is escaped.
        attributes: a trailing underscore is dropped ('class_'), others become hyphens. None leaves one out.
    """
    start = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{start}>")
    return Markup(f"<{tag}{start}>{joined(children)}</{tag}>")


def section(anchor: str, title: str, *children: str) -> Markup:
    """A part of the page with a heading; nothing where it is without content."""
    if not any(children):
        return Markup()
    heading = element("h2", title, id=f"{anchor}-heading")
    return element("section", heading, *children, id=anchor, aria_labelledby=f"{anchor}-heading")
