"""The document around a page's parts: one HTML file that needs nothing else, no network, no fonts."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from tf2towers import __version__
from tf2towers.report.html.elements import Markup, element
from tf2towers.report.paths import display_path


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
