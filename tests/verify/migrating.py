"""A script migrated into a folder, for whatever then runs it."""

from __future__ import annotations

from pathlib import Path

from tf2towers.exact.migrate import migrate as exact_form
from tf2towers.exact.program import Program
from tf2towers.migrate import migrate as idiomatic_form
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script
from tf2towers.source.write import encoded, write_together
from tf2towers.verify.process import RunFailed


def migrate_into(script: Path, folder: Path, exact: bool = False) -> MigrationResult:
    """Writes the migrated script and the modules it needs into `folder`, as `tf2towers migrate -o` does.

    Args:
        script: the original.
        folder: where the output goes.
        exact: the exact register; else the idiomatic one.

    Raises:
        RunFailed: sites are left by hand.
    """
    read = Script.read(script)
    result = exact_form(read) if exact else idiomatic_form(Program(read))
    if result.left or result.error:
        raise RunFailed(f"{script} does not migrate: {result.error or result.left[0].message}")
    files = {change.path: encoded(change) for change in result.changes}
    files.update((path, path.read_bytes()) for path in result.copied)
    home = script.resolve().parent
    write_together((folder / path.resolve().relative_to(home), data, path) for path, data in files.items())
    return result
