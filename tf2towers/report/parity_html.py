"""A parity result as one HTML file: the text report, the diff of the scripts, and every compared value."""

from __future__ import annotations

from tf2towers.report.html import Markup, document, element, section
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.parity_text import error_details, headline, is_empty, sections
from tf2towers.report.paths import display_path
from tf2towers.report.result import FileChange
from tf2towers.report.text import unified_diff

#: each sign shows the outcome without colour, for readers who cannot see colours
_SIGNS = {
    "bitwise": ("✓", "good"),
    "within": ("≈", "fair"),
    "differs": ("✗", "bad"),
    "unrepeatable": ("?", "fair"),
    "error": ("!", "bad"),
}


def parity_page(result: ParityResult) -> str:
    """Returns the whole page, to be written as UTF-8."""
    scripts = result.original.script, result.migrated.script
    sign, class_ = ("!", "fair") if is_empty(result) else _SIGNS[result.outcome]
    verdict = element("span", f"{sign} ", aria_hidden="true")
    parts = [_section(title, body) for title, body in sections(result) if body]
    every = "\n".join(line for title, body in sections(result, True) for line in ["", title, *body])
    details = element("details", element("summary", "all"), element("pre", every))
    return document(
        f"{headline(result)} - {' and '.join(map(display_path, scripts))}",
        scripts,
        [element("h1", verdict, headline(result), class_=f"verdict {class_}")],
        element("pre", error_details(result)) if error_details(result) else Markup(),
        *parts,
        section("scripts", "The two scripts", _scripts(result)),
        section("values", "Every value", details) if result.comparisons else Markup(),
    )


def _section(title: str, body: list[str]) -> Markup:
    """A section of the page; its sentences wrap, its tables do not."""
    class_ = "sentences" if title in ("why", "notes") else None
    return section(title.replace(" ", "-"), title, element("pre", "\n".join(body), class_=class_))


def _scripts(result: ParityResult) -> Markup:
    """The diff of the two scripts; empty where their texts were not recorded."""
    original, migrated = result.original, result.migrated
    if not original.text and not migrated.text:
        return Markup()
    if original.text == migrated.text:
        return element("p", "The two scripts are the same text.")
    classes = {"-": "gone", "+": "new"}
    lines = unified_diff(FileChange(migrated.script, original.text, migrated.text), original.script)
    return element("pre", *(element("span", line, class_=classes.get(line[0])) for line in lines))
