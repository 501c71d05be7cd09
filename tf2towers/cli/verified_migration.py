"""`tf2towers migrate --verify`: what was migrated is run beside the original before anything is written."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tf2towers.cli.errors import CommandError
from tf2towers.cli.outputs import under_directory, write_all
from tf2towers.cli.runnable import check_scripts, require_modules
from tf2towers.cli.verify import verdict_on
from tf2towers.report.paths import display_path
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import STDIN


def verify_all(results: Sequence[MigrationResult], options: argparse.Namespace) -> int:
    """Runs each script and its migration, and shows the verdicts; the highest status.

    The migrated script is run from a temporary folder that holds it and its local modules.
    """
    if any(result.script == STDIN for result in results):
        raise CommandError("--verify needs a file: the standard input cannot be run twice")
    check_scripts(*((result.script, options.legacy_python) for result in results))
    require_modules("tensorflow", "numpy")
    return max(_verify(result, options) for result in results)


def _verify(result: MigrationResult, options: argparse.Namespace) -> int:
    from tf2towers.report.parity_text import render_parity

    if not result.changed:
        return 0
    with tempfile.TemporaryDirectory(prefix="tf2towers-") as folder:
        write_all(under_directory(result, [result], Path(folder)))
        migrated = next(path for path in sorted(Path(folder).rglob(result.script.name)))
        parity = verdict_on(result.script, migrated, options)
    print(render_parity(parity), end="", file=sys.stderr)
    if parity.status:
        print(f"tf2towers migrate: {display_path(result.script)}: nothing was written", file=sys.stderr)
    return parity.status
