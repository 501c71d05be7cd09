"""`tf2towers completion SHELL`: prints a script for the shell's completion, as shtab makes it."""

from __future__ import annotations

import argparse

from tf2towers.cli.running import require_modules

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.epilog = 'bash: `eval "$(tf2towers completion bash)"` in ~/.bashrc'


def run(options: argparse.Namespace) -> int:
    """Prints the script and returns the exit status; raises CommandError where shtab is not installed."""
    require_modules("shtab")
    import shtab

    from tf2towers.cli.main import COMMANDS, make_parser

    parser, _ = make_parser(*COMMANDS)
    print(shtab.complete(parser, options.shell))
    return 0
