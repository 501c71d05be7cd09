"""`tf2towers rules`: the list of rules."""

from __future__ import annotations

import argparse
import json
import sys

from tf2towers.codemod.rule import rules
from tf2towers.report.rule import as_dict
from tf2towers.report.terminal import report_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="how the list is shown"
    )
    parser.epilog = (
        "changes: it edits, and `safe` says that the result is the same bit for bit; `look at`: it may differ.\n"
        "reports: it reports something, and changes nothing.\n"
        "refuses: such a place is left as it is, for you to change.\n"
        "`tf2towers explain RULE` shows one with its reason and examples."
    )


def run(options: argparse.Namespace) -> int:
    """Prints one line for each rule, ordered by code, or a JSON array of objects."""
    known = rules()
    if options.output_format == "json":
        print(json.dumps([as_dict(rule) for rule in known], indent=2, ensure_ascii=False))
        return 0
    width = max(len(rule.name) for rule in known)
    for rule in known:
        mark = "look at" if not rule.safe else "safe" if rule.does == "changes" else ""
        line = f"{rule.code}  {rule.name:<{width}}  {rule.does:<7}  {mark:<7}  {rule.title}"
        print(report_line(line, sys.stdout))
    return 0
