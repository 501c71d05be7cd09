"""What the commands that run two scripts share: the scripts' own arguments, after a --, and the flags of a cluster."""

from __future__ import annotations

import argparse
import json

from tf2towers.cli import launch

_HIDDEN = "--arguments-of-scripts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those that `prepare` hands over."""
    parser.add_argument(_HIDDEN, dest="arguments", type=json.loads, default=[], help=argparse.SUPPRESS)


def prepare(arguments: list[str]) -> list[str]:
    """Hands over what follows the -- as one value, and --task-flags with its: argparse would take them for options."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*launch.prepare(arguments[:end]), f"{_HIDDEN}={json.dumps(arguments[end + 1 :])}"]
