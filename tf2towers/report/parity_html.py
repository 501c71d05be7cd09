"""A parity result as one HTML file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib import resources

from tf2towers.report import parity_words as words
from tf2towers.report.html.document import document
from tf2towers.report.html.elements import Markup, element, joined, row, section, table
from tf2towers.report.parity_page.charts import error_chart, loss_chart
from tf2towers.report.parity_page.scripts import scripts
from tf2towers.report.parity_page.values import values
from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.report.paths import shown, told_apart

_PARTS = "tf2towers.report.parity_page"


def parity_page(result: ParityResult) -> str:
    """The whole page, to be written as UTF-8; its script sorts tables."""
    sections = [
        section("runs", "What was run", _runs(result)),
        section("why", "Why", _diagnoses(result)),
        section("first", "What differs first", _first(result)),
        section("values", "Every value", values(result)),
        section("errors", "Differences over the steps", error_chart(result)),
        section("losses", "Losses", loss_chart(result)),
        section("scripts", "The two scripts", scripts(result)),
        section("notes", "Notes", _notes(result)),
    ]
    names = told_apart(result.original.script, result.migrated.script)
    return document(
        f"{words.headline(result)} - {' and '.join(names)}",
        joined([_verdict(result), _links(result)]),
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


# -- the parts of the page that are sentences: the verdict, what was run, why it differs, what differs first -----------

#: colour is not the only carrier: a sign as well
_SIGNS = {"bitwise": ("✓", "good"), "within": ("≈", "fair"), "differs": ("✗", "bad"), "error": ("!", "bad")}


def _verdict(result: ParityResult) -> Markup:
    """The verdict in one sentence, and what an error says beyond it."""
    said = words.headline(result)
    sign, class_ = ("!", "fair") if said.startswith("NOTHING") else _SIGNS[result.outcome]
    details = words.error_details(result)
    return joined(
        [
            element("h1", element("span", f"{sign} ", aria_hidden="true"), said, class_=f"verdict {class_}"),
            element("pre", details) if details else "",
        ]
    )


def _runs(result: ParityResult) -> Markup:
    """Scripts, versions, seconds, side by side; the arguments; what each run noted."""
    sides = (result.original, result.migrated)
    facts: list[tuple[str, list[str]]] = [
        ("script", [element("code", shown(side.script)) for side in sides]),
        ("TensorFlow", [side.tensorflow or "not known" for side in sides]),
        ("Python", [side.python or "not known" for side in sides]),
        ("seconds", [f"{side.seconds:.1f}" for side in sides]),
        ("losses", [_losses(side) for side in sides]),
    ]
    arguments = shlex.join(result.arguments) or "none"
    compared = [
        ("arguments", element("code", arguments)),
        ("compared", words.span(result)),
        ("tolerance", "none: every bit" if not result.tolerance else words.number(result.tolerance)),
        ("seconds", f"{result.seconds:.1f} in all"),
    ]
    headings = ["", *(side.title for side in sides)]
    return joined([table("The two runs", headings, (row(*fact) for fact in facts)), _pairs(compared)])


def _diagnoses(result: ParityResult) -> Markup:
    """Each cause: what it is, what shows it, what to do."""
    return joined(
        element(
            "div",
            element("h3", cause.name),
            element("p", cause.message),
            element("p", element("strong", "To do: "), cause.todo) if cause.todo else "",
            element(
                "p", f"From {words.unit(result)} {cause.step}; confidence {words.percent(cause.confidence)}."
            ),
            class_="diagnosis",
        )
        for cause in result.diagnoses
    )


def _first(result: ParityResult) -> Markup:
    """What differs first, forward and backward."""
    return _pairs([(what, element("code", name)) for what, name in words.first_differences(result)])


def _notes(result: ParityResult) -> Markup:
    """The notes of the comparison, then those of the runs."""
    said = words.notes(result)
    return element("ul", *(element("li", note) for note in said)) if said else Markup()


def _losses(side: Side) -> str:
    if not side.losses:
        return "none"
    return f"{len(side.losses)}, from {words.number(side.losses[0])} to {words.number(side.losses[-1])}"


def _pairs(pairs: Sequence[tuple[str, str]]) -> Markup:
    if not pairs:
        return Markup()
    return element("dl", *(joined([element("dt", what), element("dd", text)]) for what, text in pairs))
