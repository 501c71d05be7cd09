"""`tf2towers explain CODE`: what a rule does and why, with its examples."""

from __future__ import annotations

import argparse
import difflib
import sys

from tf2towers.exact.registry import rules as every_rule
from tf2towers.report.rule import explanation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("codes", nargs="+", metavar="CODE", help="a rule's code, such as T2T605")


def run(options: argparse.Namespace) -> int:
    """Explains every code given; status 2 when one is unknown."""
    known = {rule.code: rule for rule in every_rule()}
    status = 0
    for number, code in enumerate(options.codes):
        rule = known.get(code.upper())
        if rule is None:
            near = difflib.get_close_matches(code.upper(), known, 3)
            hint = f"did you mean {' or '.join(near)}?" if near else "`tf2towers rules` lists them"
            print(f"tf2towers explain: there is no rule {code}: {hint}", file=sys.stderr)
            status = 2
        else:
            print(("\n" if number else "") + explanation(rule), end="")
    return status
