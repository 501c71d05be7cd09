"""A parity result as one HTML file: what the terminal says, with every value; curves; the diff of the scripts."""

from __future__ import annotations

from tf2towers.report import parity_words as words
from tf2towers.report.html.document import document
from tf2towers.report.html.elements import Markup, element, section
from tf2towers.report.html.picture import Picture, draw_picture
from tf2towers.report.parity_result import ParityResult
from tf2towers.report.parity_text import render_parity
from tf2towers.report.paths import short_names
from tf2towers.report.result import FileChange
from tf2towers.report.text import unified_diff

#: curves that are drawn of what differs; the tables name the others
DRAWN = 10
#: colour is not the only carrier: a sign as well
_SIGNS = {"bitwise": ("✓", "good"), "within": ("≈", "fair"), "differs": ("✗", "bad"), "error": ("!", "bad")}


def parity_page(result: ParityResult) -> str:
    """The whole page, to be written as UTF-8."""
    names = short_names(result.original.script, result.migrated.script)
    verdict, *said = render_parity(result).splitlines(keepends=True)
    sign, class_ = ("!", "fair") if verdict.startswith("NOTHING") else _SIGNS[result.outcome]
    _, *every = render_parity(result, verbose=True).splitlines(keepends=True)
    return document(
        f"{words.headline(result)} - {' and '.join(names)}",
        element("h1", element("span", f"{sign} ", aria_hidden="true"), verdict, class_=f"verdict {class_}"),
        section("result", "What was compared", element("pre", *said)),
        draw_picture(errors(result)),
        draw_picture(losses(result)),
        section("scripts", "The two scripts", _scripts(result)),
        section(
            "values", "Every value", element("details", element("summary", "all"), element("pre", *every))
        ),
    )


def errors(result: ParityResult) -> Picture:
    """How far the worst things are apart at each step."""
    apart = [found for found in words.worst_first(result.comparisons) if found.errors and not found.problem]
    worst = [found for found in apart if not found.bitwise][:DRAWN]
    return Picture(
        "errors",
        f"Differences over the steps: the {DRAWN} greatest",
        "relative difference",
        tuple((f"{found.kind} {found.name}", list(enumerate(found.errors))) for found in worst),
        logarithmic=True,
        limit=result.tolerance if 0 < result.tolerance < 1e300 else None,
    )


def losses(result: ParityResult) -> Picture:
    """The losses of both runs."""
    curves = tuple((side.title, list(enumerate(side.losses))) for side in (result.original, result.migrated))
    return Picture("losses", "Losses", "loss", curves)


def _scripts(result: ParityResult) -> Markup:
    """The diff of the two scripts; a sentence where there is none to show."""
    before, after = result.original.text, result.migrated.text
    if not before and not after:
        return element("p", "The texts of the scripts were not recorded.")
    if before == after:
        return element("p", "The two scripts are the same text.")
    classes = {"-": "gone", "+": "new"}
    lines = unified_diff(FileChange(result.migrated.script, before, after))
    return element("pre", *(element("span", line, class_=classes.get(line[0])) for line in lines))
