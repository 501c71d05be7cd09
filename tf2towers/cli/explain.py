"""`tf2towers explain CODE`: what a rule does and why, with its examples."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap

from tf2towers.cli.every_rule import Rule, every_rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("codes", nargs="+", metavar="CODE", help="a rule's code, such as T2T101")


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


def explanation(rule: Rule) -> str:
    """A rule as text."""
    kind = (
        "safe: the result is the same bit for bit"
        if rule.safe
        else "look at it: the result may differ, see below"
    )
    parts = [f"{rule.code} {rule.title}", f"({kind})", "", _filled(rule.why)]
    if rule.todo:
        parts += ["", "To do:", textwrap.indent(_filled(rule.todo), "  ")]
    for example in rule.examples:
        if example.after is None:
            parts += ["", "Left as it is:", _block(example.before)]
        else:
            parts += ["", "Before:", _block(example.before), "", "After:", _block(example.after)]
    return "\n".join(parts) + "\n"


def _filled(text: str) -> str:
    """Paragraphs wrapped for a terminal; lines that are indented stay as they are."""
    paragraphs = textwrap.dedent(text).strip("\n").split("\n\n")
    return "\n\n".join(p if p.startswith(" ") else textwrap.fill(" ".join(p.split()), 88) for p in paragraphs)


def _block(code: str) -> str:
    return textwrap.indent(textwrap.dedent(code).strip("\n"), "    ")
