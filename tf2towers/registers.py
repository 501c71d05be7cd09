"""The idiomatic register where it is certain, else the exact one. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import replace

from tf2towers.exact import migrate as exact
from tf2towers.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script


def idiomatic_or_exact(script: Script, options: exact.Options) -> MigrationResult:
    """Migrates one script and the local modules it reaches.

    Args:
        script: the training script.
        options: of the exact register.

    Returns:
        The idiomatic form, where nothing is left; else the exact form, and as a note every site that stood in the
        way of the other.
    """
    try:
        result = migrate(script)
    except SourceError as problem:  # LibCST takes less than Python does
        instead = exact.migrate(script, options)
        instead.remark = instead.remark or f"in exact form, not in idiomatic: {problem}"
        return instead
    if result.changed and not result.left:
        return result
    instead = exact.migrate(script, options)
    if instead.changed and not instead.left:
        instead.findings += [
            replace(
                site,
                kind="note",
                message=f"{site.message}: not certain in idiomatic form, so the exact one is written",
            )
            for site in result.left
        ]
    return instead
