"""The options of `migrate`, complete: what the command line says, then pyproject.toml, then the defaults."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tf2towers.cli.pyproject import OF_A_PATH, ConfigError, Table, table_for
from tf2towers.cli.selection import Selection

DEFAULTS: dict[str, object] = {
    "select": (), "ignore": (), "exclude": (), "idiomatic": False, "collective": False, "towers": None,
    "python_path": (), "format": "text", "jobs": 1, "all": False, "diff": None, "force_exclude": False, "vendor": False,
    "legacy_python": None, "steps": 10, "timeout": 600.0, "tolerance": None,
}  # fmt: skip


def completed(options: argparse.Namespace, path: str) -> argparse.Namespace:
    """The options for a path: what the command line leaves open (None) is filled in.

    `exclude_base` is the folder that the patterns of `exclude` are relative to; None: the one that is walked.
    """
    table = Table(None, {}) if options.isolated else table_for(path)
    filled = argparse.Namespace(**vars(options))
    filled.exclude_base = table.folder if options.exclude is None and "exclude" in table.values else None
    for key, default in DEFAULTS.items():
        if getattr(filled, key) is None:
            setattr(filled, key, table.values.get(key, default))
    base = Path() if options.python_path is not None else table.folder or Path()
    filled.python_path = tuple(Path(os.path.abspath(base / folder)) for folder in filled.python_path)  # noqa: PTH100
    filled.jobs = filled.jobs or os.cpu_count() or 1
    filled.selection = Selection(tuple(filled.select), tuple(filled.ignore))
    return filled


def of_the_run(by_path: dict[str, argparse.Namespace]) -> argparse.Namespace:
    """The options of the whole run; ConfigError where the paths' projects want different ones."""
    first, *others = by_path.values()
    for key in DEFAULTS:
        if key not in OF_A_PATH and any(getattr(other, key) != getattr(first, key) for other in others):
            name = key.replace("_", "-")
            raise ConfigError(
                f"the projects of these paths have different values of tool.tf2towers.{name}: give --{name}"
            )
    return first


def is_left_out(path: str, options: argparse.Namespace) -> bool:
    """Whether a file that was named is one of those that --force-exclude leaves out."""
    from tf2towers.source.walk import is_excluded

    if not options.force_exclude or path == "-":
        return False
    return is_excluded(Path(path), options.exclude, options.exclude_base or Path.cwd())
