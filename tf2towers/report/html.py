"""HTML pages, each one file without external resources: elements, curves, documents.

Text that is not `Markup` is escaped, so a name or a script in it cannot become an element.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from tf2towers import __version__
from tf2towers.report.paths import display_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: characters that HTML forbids, and halves of surrogate pairs, which no file in UTF-8 can hold
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset({"meta", "img"})


class Markup(str):
    """Text that already is HTML."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Escapes a text for HTML; `Markup` is returned unchanged."""
    return text if isinstance(text, Markup) else Markup(html.escape(_FORBIDDEN.sub("\ufffd", text)))


def element(tag: str, /, *children: str, **attributes: str | None) -> Markup:
    """An HTML element.

    Args:
        tag: its name.
        children: `Markup`, or text, which is escaped.
        attributes: a trailing underscore is dropped ('class_'), others become hyphens. None omits
            one.
    """
    start = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    end = "" if tag in _VOID else f"{''.join(map(escaped, children))}</{tag}>"
    return Markup(f"<{tag}{start}>{end}")


def section(anchor: str, title: str, *children: str) -> Markup:
    """A section with a heading; empty where it is without content."""
    if not any(children):
        return Markup()
    heading = element("h2", title, id=f"{anchor}-heading")
    return element("section", heading, *children, id=anchor, aria_labelledby=f"{anchor}-heading")


def curves(
    title: str, y: str, points: Mapping[str, Sequence[tuple[int, float]]], bottom: int | None = None
) -> Markup:
    """A section with curves over the steps, drawn by matplotlib; empty where there are none.

    Args:
        y: the label of the vertical axis.
        points: steps and values of each curve by its name; a value that is not a number leaves a
            gap.
        bottom: where the vertical axis begins; None: below the least value.
    """
    drawn = [(name, of_curve) for name, of_curve in points.items() if of_curve]
    if not drawn:
        return Markup()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    styles = ((4.5, 0.45), (1.3, 1.0))  # the second curve is thin, and drawn on top of the first
    for (name, of_curve), (width, alpha) in zip(drawn, styles, strict=False):
        heights = [value if abs(value) < 1e300 else math.nan for _, value in of_curve]  # as an axis can hold
        marker = "." if len(of_curve) < 40 else ""
        steps = [step for step, _ in of_curve]
        axes.plot(steps, heights, marker=marker, linewidth=width, alpha=alpha, label=name)
    axes.set(title=title, xlabel="step", ylabel=y)
    axes.set_ylim(bottom=bottom)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return section(title.lower(), title, picture(figure, f"{y} at each step"))


def picture(figure: Figure, description: str) -> Markup:
    """A figure of matplotlib, inside the page; the description is for those who cannot see it."""
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=120)
    data = base64.b64encode(written.getvalue()).decode("ascii")
    return element("img", src=f"data:image/png;base64,{data}", alt=description)


def document(title: str, scripts: Iterable[Path], header: Iterable[str], *sections: str) -> str:
    """The whole page, to be written as UTF-8.

    Its content security policy lets a browser load nothing and run nothing.

    Args:
        scripts: the scripts that the page is about; its top names them, with the date.
        header, sections: Markup.
    """
    about = f"{' and '.join(map(display_path, scripts))}, {time.strftime('%Y-%m-%d %H:%M %Z')}"
    style = resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    only = (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=only),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(style)),  # the text of a style element is not escaped in HTML
    )
    body = element(
        "body",
        element("header", element("p", about), *header),
        element("main", *sections),
        element("footer", element("p", f"Written by tf2towers {__version__}.")),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"
