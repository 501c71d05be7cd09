"""`tf2towers rules`: the list of rules."""

from __future__ import annotations

import argparse

from tf2towers.exact.registry import rules as every_rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "changes: it edits, and `safe` says that the result is the same bit for bit; `look at`: it may differ.\n"
        "reports: it tells of something, and changes nothing by itself.\n"
        "refuses: such a site is left as it is, for you to migrate by hand.\n"
        "`tf2towers explain CODE` tells more about one."
    )


def run(options: argparse.Namespace) -> int:
    """One line a rule, by code."""
    del options
    for rule in every_rule():
        mark = "look at" if not rule.safe else "safe" if rule.does == "changes" else ""
        print(f"{rule.code}  {rule.does:<7}  {mark:<7}  {rule.title}")
    return 0
