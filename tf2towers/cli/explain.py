"""`tf2towers explain RULE`: what a rule does and why, with its examples."""

from __future__ import annotations

import argparse
import difflib
import sys

from tf2towers.cli.errors import CommandError
from tf2towers.codemod.rule import rules
from tf2towers.report.rule import WIDTH, explain
from tf2towers.report.terminal import coloured, terminal_width


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.add_argument("rules", nargs="*", metavar="RULE", help="a rule's code or name, such as T2T605")
    parser.add_argument("--all", action="store_true", help="every rule")
    parser.add_argument("--examples", action="store_true", help="all examples, not only what fits a screen")


def run(options: argparse.Namespace) -> int:
    """Prints each requested rule; the status is 2 for an unknown rule, or none."""
    if not (options.rules or options.all):
        raise CommandError("give a rule's code or name, or --all; `tf2towers rules` lists them")
    known = {key.upper(): rule for rule in rules() for key in (rule.code, rule.name)}
    width = min(WIDTH, terminal_width()) if sys.stdout.isatty() else WIDTH
    status, texts = 0, []
    for wanted in [rule.code for rule in rules()] if options.all else options.rules:
        rule = known.get(wanted.upper())
        if rule is not None:
            texts.append(explain(rule, every_example=options.examples, width=width))
            continue
        near = [key for key in known if key.startswith(wanted.upper())][:3]
        near = near or difflib.get_close_matches(wanted.upper(), known, 3)
        spelled = dict.fromkeys(f"{known[key].code} ({known[key].name})" for key in near)
        hint = f"did you mean {' or '.join(spelled)}?" if near else "`tf2towers rules` lists them"
        print(f"tf2towers explain: there is no rule {wanted}: {hint}", file=sys.stderr)
        status = 2
    sys.stdout.writelines(coloured(line, sys.stdout) for line in "\n".join(texts).splitlines(True))
    return status
