"""Writes docs/rules.md from the rules: `python docs/make_rules.py` (`--check`: exits with 1 if it is out of date)."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from tf2towers.codemod.rule import rules
from tf2towers.report.rule import Rule, markdown

PAGE = Path(__file__).with_name("rules.md")
_HEAD = """# Rules

Written by `docs/make_rules.py` from the rules in `tf2towers/codemod/rules/`: change it there.
`tf2towers explain CODE` shows the same.

A rule *changes*, *reports* or *refuses*. One marked *look at it* may change a number; the others that change compute,
bit for bit, what the TF1 program computed.
The examples are whole scripts.
"""


def page() -> str:
    """The whole page."""
    return _wrapped("\n".join([_HEAD, *map(_section, rules())]))


def _wrapped(text: str) -> str:
    """The text with prose in lines of at most 118 characters; code and headings stay."""
    lines: list[str] = []
    is_code = False
    for line in text.split("\n"):
        is_code ^= line.startswith("```")
        if is_code or len(line) <= 118 or line.startswith(("#", "|", "    ")):
            lines.append(line)
        else:
            lines += textwrap.wrap(line, 118, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def _section(rule: type[Rule]) -> str:
    return f'<a id="{rule.code.lower()}"></a>\n\n## {rule.code}: {rule.title}\n\n{markdown(rule)}'


def main() -> int | str:
    """Writes or checks the page."""
    if "--check" in sys.argv[1:]:
        current = PAGE.read_text(encoding="utf-8") == page()
        return 0 if current else "docs/rules.md is out of date: python docs/make_rules.py"
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
