"""The report as one HTML file that needs no other."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tf2towers.sidebyside import table
from tf2towers.sidebyside.curves import COLOURS, pictures
from tf2towers.sidebyside.outcome import Outcome
from tf2towers.sidebyside.svg import svg

STYLE = f"""
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 820px; margin: 2em auto; padding: 0 1em; color: #222; }}
table {{ border-collapse: collapse; margin: 1em 0; }}
th, td {{ padding: .25em .9em; text-align: right; border-bottom: 1px solid #ddd; white-space: pre; }}
th:first-child, td:first-child {{ text-align: left; }}
th:nth-child(2) {{ color: {COLOURS[0]}; }} th:nth-child(3) {{ color: {COLOURS[1]}; }}
svg {{ width: 100%; font: 12px system-ui, sans-serif; }} .grid {{ stroke: #ddd; }}
code {{ background: #f4f4f4; padding: .1em .3em; overflow-wrap: anywhere; }}
"""


def page(outcome: Outcome) -> str:
    """The page."""
    summary = outcome.summary
    headline = "{} and {}, side by side".format(*outcome.names)
    speed = table.times(summary.speed)
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(headline)}</title><style>{STYLE}</style></head>',
        f"<body><h1>{escape(headline)}</h1>",
        f"<p><b>{speed}</b> the {summary.unit} a second of the legacy program, in the steady state.",
        f"{escape(outcome.how)}</p>",
        _table(("", "legacy", "modern", "modern/legacy"), table.rows(summary)),
    ]
    parts += [f"<h2>{escape(one.title)}</h2>\n{svg(one)}" for one in pictures(outcome.sides, summary)]
    parts.append("<h2>What was run</h2><ul>")
    for side, name, command in zip(outcome.sides, outcome.names, outcome.commands, strict=True):
        about = f"Python {side.python}" + (f", TensorFlow {side.tensorflow}" if side.tensorflow else "")
        parts.append(
            f"<li>{side.title}, {escape(name)}: <code>{escape(command)}</code>, {escape(about)}</li>"
        )
    parts.append(f"<li>the machine: {escape(outcome.machine)}</li>")
    parts += [f"<li>{escape(note)}</li>" for note in summary.notes]
    return "\n".join([*parts, "</ul></body></html>", ""])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])
