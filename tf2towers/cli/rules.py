"""`tf2towers rules`: the list of rules."""

from __future__ import annotations

import argparse

from tf2towers.cli.every_rule import every_rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments."""
    parser.epilog = "`tf2towers explain CODE` tells more about one."


def run(options: argparse.Namespace) -> int:
    """One line a rule, by code."""
    del options
    for rule in every_rule():
        print(f"{rule.code}  {'safe   ' if rule.safe else 'look at'}  {rule.title}")
    return 0
