"""A script migrated into a folder, for whatever then runs it."""

from __future__ import annotations

from pathlib import Path

from tf2towers.codemod.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script
from tf2towers.source.write import encoded, write_together
from tf2towers.verify.process import RunFailed


def migrate_into(script: Path, folder: Path, right: str = "", wrong: str = "") -> MigrationResult:
    """Writes the migrated script and the modules it needs into `folder`, as `tf2towers migrate -o` does.

    Args:
        right: what is in the migrated script, and
        wrong: what stands there afterwards.

    Raises:
        RunFailed: sites are left to you.
    """
    result = migrate(Script.read(script))
    if result.left or result.error:
        raise RunFailed(f"{script} does not migrate: {result.error or result.left[0].message}")
    files = {change.path: encoded(change) for change in result.changes}
    files.update((path, path.read_bytes()) for path in result.copied)
    home = script.resolve().parent
    write_together((folder / path.resolve().relative_to(home), data, path) for path, data in files.items())
    if right:
        text = (folder / script.name).read_text(encoding="utf-8")
        assert right in text, f"the mistake no longer applies: {right!r}"
        (folder / script.name).write_text(text.replace(right, wrong), encoding="utf-8")
    return result
