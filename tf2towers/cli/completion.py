"""`tf2towers completion SHELL`: prints a script for the shell's completion, as shtab makes it."""

from __future__ import annotations

import argparse
import re

from tf2towers.cli.errors import CommandError
from tf2towers.cli.running import require_modules
from tf2towers.codemod.rule import rules

SHELLS = ("bash", "zsh", "fish", "tcsh")
#: the metavars of what is completed by the names of files, and of folders
_FILES, _FOLDERS = {"PATH", "LEGACY", "MIGRATED", "MODERN", "FILE", "EXE"}, {"DIR", "FOLDER"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options and its help text."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.epilog = (
        'bash: `eval "$(tf2towers completion bash)"` in ~/.bashrc, zsh the same in ~/.zshrc;\n'
        "fish: `tf2towers completion fish > ~/.config/fish/completions/tf2towers.fish`"
    )


def run(options: argparse.Namespace) -> int:
    """Prints the script and returns the exit status.

    Raises:
        CommandError: shtab is not installed, or is older than its support of the shell.
    """
    require_modules("shtab")
    import shtab

    from tf2towers.cli.main import COMMANDS, make_parser

    if options.shell not in shtab.SUPPORTED_SHELLS:
        raise CommandError(f"the shtab that is installed does not know {options.shell}: pip install -U shtab")
    parser, commands = make_parser(*COMMANDS)
    for action in (action for command in commands.values() for action in command._actions):
        if action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIR  # type: ignore[attr-defined]
        elif action.metavar == "RULE":
            action.choices = [name for rule in rules() for name in (rule.code, rule.name)]
    script = shtab.complete(parser, options.shell)
    if options.shell == "bash":  # where nothing of ours fits, as after a --, the names of files
        script = re.sub("^complete ", "complete -o default ", script, flags=re.MULTILINE)
    print(script)
    return 0
