"""`tf2towers migrate --verify`: what was migrated is run beside the original before anything is written."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tf2towers.cli import script_arguments
from tf2towers.cli.outputs import under_directory, write_all
from tf2towers.cli.runnable import require_modules, why_not
from tf2towers.cli.verify import add_run_arguments, verdict_on
from tf2towers.report.paths import display_path
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import STDIN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of --verify."""
    group = parser.add_argument_group("--verify")
    group.add_argument(
        "--verify", action="store_true", help="run both scripts (their code!), and write only if they agree"
    )
    add_run_arguments(group)
    script_arguments.add_arguments_of_scripts(group)


def prepare(arguments: list[str]) -> list[str]:
    """Hands over the scripts' own arguments, after a --."""
    if "--" not in arguments or "--verify" not in arguments[: arguments.index("--")]:
        return arguments
    return script_arguments.prepare(arguments)


def verify_all(results: Sequence[MigrationResult], options: argparse.Namespace) -> int:
    """Runs each script and its migration, and shows the verdicts; the highest status.

    The migrated script is run from a temporary folder that holds it and its local modules.
    """
    if any(result.script == STDIN for result in results):
        print(
            "tf2towers migrate: --verify needs a file: the standard input cannot be run twice",
            file=sys.stderr,
        )
        return 2
    for result in results:
        if wrong := why_not(result.script, options.legacy_python):
            print(f"tf2towers migrate: --verify: {wrong}", file=sys.stderr)
            return 2
    require_modules("tensorflow", "numpy")
    return max(_verify(result, options) for result in results)


def _verify(result: MigrationResult, options: argparse.Namespace) -> int:
    from tf2towers.report.parity_text import render_parity

    if not result.changed:
        return 0
    with tempfile.TemporaryDirectory(prefix="tf2towers-") as folder:
        write_all(under_directory(result, [result], Path(folder)))
        name = result.script.name
        migrated = next(path for path in sorted(Path(folder).rglob(name)))
        parity = verdict_on(result.script, migrated, options)
    print(render_parity(parity), end="", file=sys.stderr)
    if parity.status:
        print(f"tf2towers migrate: {display_path(result.script)}: nothing was written", file=sys.stderr)
    return parity.status
