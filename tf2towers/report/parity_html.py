"""A parity result as one HTML file that needs nothing else: no network, no fonts, scripts of its own alone."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from tf2towers import __version__
from tf2towers.report import parity_words as words
from tf2towers.report.parity_page import parts
from tf2towers.report.parity_page.elements import Markup, element, section
from tf2towers.report.parity_page.error_chart import error_chart
from tf2towers.report.parity_page.loss_chart import loss_chart
from tf2towers.report.parity_page.scripts import scripts
from tf2towers.report.parity_page.values import values
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.paths import told_apart

_PARTS = "tf2towers.report.parity_page"


def parity_page(result: ParityResult) -> str:
    """The whole page, to be written as UTF-8.

    Its content security policy lets a browser load nothing and run only the script that sorts tables.
    """
    sections = [
        section("runs", "What was run", parts.runs(result)),
        section("why", "Why", parts.diagnoses(result)),
        section("first", "What differs first", parts.first(result)),
        section("values", "Every value", values(result)),
        section("errors", "Differences over the steps", error_chart(result)),
        section("losses", "Losses", loss_chart(result)),
        section("scripts", "The two scripts", scripts(result)),
        section("notes", "Notes", parts.notes(result)),
    ]
    body = element(
        "body",
        element("header", parts.verdict(result), _links(result)),
        element("main", *sections),
        element("footer", element("p", f"Written by tf2towers {__version__}.")),
        _inline("script", "sort.js"),
    )
    return f"<!DOCTYPE html>\n{element('html', _head(result), body, lang='en')}\n"


def _head(result: ParityResult) -> Markup:
    names = told_apart(result.original.script, result.migrated.script)
    policy = (
        f"default-src 'none'; style-src '{_hash('style.css')}'; script-src '{_hash('sort.js')}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{words.headline(result)} - {' and '.join(names)}"),
        _inline("style", "style.css"),
    )


def _links(result: ParityResult) -> Markup:
    names = [
        ("values", "every value"),
        ("errors", "differences"),
        ("losses", "losses"),
        ("scripts", "scripts"),
    ]
    if result.diagnoses:
        names.insert(0, ("why", "why"))
    return element(
        "nav", *(element("a", name, href=f"#{anchor}") for anchor, name in names), aria_label="Parts"
    )


def _inline(tag: str, name: str) -> Markup:
    """A file of the package in its element; such text is not escaped in HTML."""
    return element(tag, Markup(_read(name)))


def _hash(name: str) -> str:
    digest = hashlib.sha256(_read(name).encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _read(name: str) -> str:
    return resources.files(_PARTS).joinpath(name).read_text(encoding="utf-8")
