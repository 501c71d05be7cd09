"""HTML elements as text, and the document around them: one file that needs nothing else, no network, no fonts.

What is not an element itself is escaped, so a name or a script cannot become one.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import time
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from tf2towers import __version__
from tf2towers.report.paths import display_path

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


def document(title: str, scripts: Iterable[Path], header: str, *sections: str) -> str:
    """The whole page, to be written as UTF-8.

    Its content security policy lets a browser load nothing and run nothing.

    Args:
        scripts: what the page is about; they are named at its top, with the date.
        header, sections: Markup.
    """
    now = time.strftime("%Y-%m-%d %H:%M %Z")
    style = resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style)),  # such text is not escaped in HTML
    )
    body = element(
        "body",
        element("header", element("p", f"{' and '.join(map(display_path, scripts))}, {now}"), header),
        element("main", *sections),
        element("footer", element("p", f"Written by tf2towers {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
