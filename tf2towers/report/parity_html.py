"""A parity result as one HTML file."""

from __future__ import annotations

from importlib import resources

from tf2towers.report import parity_words as words
from tf2towers.report.html.document import document
from tf2towers.report.html.elements import Markup, element, joined, section
from tf2towers.report.parity_page import parts
from tf2towers.report.parity_page.error_chart import error_chart
from tf2towers.report.parity_page.loss_chart import loss_chart
from tf2towers.report.parity_page.scripts import scripts
from tf2towers.report.parity_page.values import values
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.paths import told_apart

_PARTS = "tf2towers.report.parity_page"


def parity_page(result: ParityResult) -> str:
    """The whole page, to be written as UTF-8; its script sorts tables."""
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
    names = told_apart(result.original.script, result.migrated.script)
    return document(
        f"{words.headline(result)} - {' and '.join(names)}",
        joined([parts.verdict(result), _links(result)]),
        *sections,
        script=resources.files(_PARTS).joinpath("sort.js").read_text(encoding="utf-8"),
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
