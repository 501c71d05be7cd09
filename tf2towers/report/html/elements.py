"""HTML elements as text. What is not an element itself is escaped, so a name or a script cannot become one."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

#: characters HTML forbids, and halves of surrogate pairs, which no file in UTF-8 can hold
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset({"meta", "col", "br"})

Attribute = str | int | float | bool | None


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Text as HTML; `Markup` stays as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(_FORBIDDEN.sub("\ufffd", text)))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """Parts one after another, each escaped unless it is `Markup`."""
    return Markup(escaped(between).join(map(escaped, parts)))


def element(tag: str, /, *children: str, **attributes: Attribute) -> Markup:
    """An element.

    Args:
        tag: its name.
        children: `Markup`, or text that is escaped.
        attributes: a trailing underscore is dropped ('class_'), others become hyphens. None and False leave one out,
            True is an attribute without a value. Floats are written with two decimals.
    """
    start = "".join(_attribute(key, value) for key, value in attributes.items())
    if tag in _VOID:
        return Markup(f"<{tag}{start}>")
    return Markup(f"<{tag}{start}>{joined(children)}</{tag}>")


def section(anchor: str, title: str, *children: str) -> Markup:
    """A part of the page with a heading; nothing where it has no content."""
    if not any(children):
        return Markup()
    heading = element("h2", title, id=f"{anchor}-heading")
    return element("section", heading, *children, id=anchor, aria_labelledby=f"{anchor}-heading")


def scrolling(label: str, *children: str) -> Markup:
    """A box that scrolls sideways on a narrow screen, also by keyboard."""
    return element("div", *children, class_="scroll", role="region", aria_label=label, tabindex=0)


def heading(title: str, class_: str | None = None) -> Markup:
    """The heading of a column."""
    return element("th", title, scope="col", class_=class_)


def table(label: str, headings: Sequence[str], rows: Iterable[Markup], class_: str | None = None) -> Markup:
    """A table of rows in a box that scrolls; headings are text, or made by `heading`."""
    head = element("tr", *(title if isinstance(title, Markup) else heading(title) for title in headings))
    whole = element("table", element("thead", head), element("tbody", *rows), class_=class_)
    return scrolling(label, whole)


def row(title: str, cells: Iterable[str], class_: str | None = None) -> Markup:
    """A row of a table: what it is about, and its cells."""
    return element(
        "tr", element("th", title, scope="row"), *(element("td", cell, class_=class_) for cell in cells)
    )


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    written = f"{value:.2f}" if isinstance(value, float) else str(value)
    return f' {name}="{escaped(written)}"'
