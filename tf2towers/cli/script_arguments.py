"""What the commands that run scripts share: the scripts' own arguments after a --, options, what a number may be."""

from __future__ import annotations

import argparse


def split_arguments(words: list[str]) -> tuple[list[str], list[str]]:
    """A command's own words, and the scripts' arguments after a --.

    The value of --task-flags begins with -- itself, which argparse would take for an option: it is joined to it.
    """
    end = words.index("--") if "--" in words else len(words)
    own, arguments = words[:end], words[end + 1 :]
    if "--task-flags" in own[:-1]:
        at = own.index("--task-flags")
        own[at : at + 2] = [f"--task-flags={own[at + 1]}"]
    return own, arguments


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """The cluster to run scripts as, and the folders that they may write to."""
    add = parser.add_argument
    of_servers = "parameter-server scripts: so many of them (default 1 where one starts a server)"
    add("--ps", type=from_0, metavar="N", help=of_servers)
    add("--workers", type=positive, metavar="M", help="and so many workers (default 2)")
    add("--task-flags", metavar="TEMPLATE", help="how a task learns which it is, as for launch")
    writes = "let the scripts write there as they do by themselves (else to a scratch folder)"
    add("--allow-writes", action="append", default=[], metavar="DIR", help=writes)


def positive(text: str) -> int:
    """A whole number from 1."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1: it must be at least 1")
    return number


def from_0(text: str) -> int:
    """A whole number from 0."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0")
    return int(text)


def seconds(text: str) -> float:
    """Seconds, more than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0: it must be more than 0")
    return number
