"""Writes docs/rules.md from the rules: `python docs/make_rules.py` (`--check` only says whether it is current)."""

from __future__ import annotations

import sys
from pathlib import Path

from tf2towers.cli.every_rule import every_rule
from tf2towers.report.rule import Rule, anchor, markdown

PAGE = Path(__file__).with_name("rules.md")
_GROUPS = {
    "6": "The exact register (the default): what it does, and what it leaves (from T2T620)",
    "1": "The idiomatic register (`--idiomatic`): what it does",
    "2": "What it tells",
    "3": "What it leaves: the graph",
    "4": "What it leaves: the session",
    "5": "What it leaves: clusters",
}
_HEAD = """# Rules

Written by `docs/make_rules.py` from the `rules/` in `tf2towers/exact/`, `tf2towers/certain/` and `tf2towers/rewrites/`:
change it there. A rule is one that the tool gives as a finding, or acts on; what the idiomatic register writes is in
[idiomatic.md](idiomatic.md).
`tf2towers explain CODE` shows the same.

A rule *changes*, *reports* or *refuses*. One marked *look at it* may change a number; the others that change compute,
bit for bit, what the TF1 program computed.
An example of the idiomatic register is a part of a script whose batch is split over two towers; `...` stands between
two places of it, and a comment such as `# T2T303` at the end of a line says that the site is left. The examples of the
exact register are whole scripts.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for digit, title in _GROUPS.items():
        group = [rule for rule in every_rule() if rule.code[3] == digit]
        if group:
            parts += [f"## {title}\n", *(_section(rule) for rule in group)]
    return "\n".join(parts)


def _section(rule: Rule) -> str:
    return f'<a id="{anchor(rule)}"></a>\n\n### {rule.code}: {rule.title}\n\n{markdown(rule)}'


def main() -> int:
    """Writes or checks the page."""
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
