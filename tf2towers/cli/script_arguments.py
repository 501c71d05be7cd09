"""What the commands that run scripts share: options, the scripts' own arguments after a --, what a number may be."""

from __future__ import annotations

import argparse
import json

_HIDDEN = "--arguments-of-scripts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The cluster to run scripts as, and what `prepare` hands over."""
    parser.add_argument(
        "--ps",
        type=from_0,
        metavar="N",
        help="parameter-server scripts: so many of them (default 1 where one starts a server)",
    )
    parser.add_argument("--workers", type=positive, metavar="M", help="and so many workers (default 2)")
    parser.add_argument(
        "--task-flags", metavar="TEMPLATE", help="how a task learns which it is, as for launch"
    )
    add_arguments_of_scripts(parser)


def add_arguments_of_scripts(parser: argparse._ActionsContainer) -> None:
    """What `prepare` hands over: a list of words."""
    parser.add_argument(_HIDDEN, dest="arguments", type=json.loads, default=[], help=argparse.SUPPRESS)


def add_writes(parser: argparse.ArgumentParser) -> None:
    """Folders that scripts may write to."""
    parser.add_argument(
        "--allow-writes",
        action="append",
        default=[],
        metavar="DIR",
        help="let the scripts write there as they do by themselves (else to a scratch folder)",
    )


def prepare(arguments: list[str]) -> list[str]:
    """Hands over what follows the -- as one value, and --task-flags with its: argparse would take them for options."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*with_task_flags(arguments[:end]), f"{_HIDDEN}={json.dumps(arguments[end + 1 :])}"]


def with_task_flags(arguments: list[str]) -> list[str]:
    """Joins --task-flags and its value, which begins with -- itself, into one argument."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own = arguments[:end]
    if "--task-flags" in own[:-1]:
        at = own.index("--task-flags")
        own[at : at + 2] = [f"--task-flags={own[at + 1]}"]
    return own + arguments[end:]


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
