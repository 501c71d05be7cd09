"""The options of `migrate`, complete: what the command line says, then pyproject.toml, then the defaults.

As with ruff, the nearest pyproject.toml upwards from a path that has a table `[tool.tf2towers]` counts. What is done to
files (`-w`, `-o`, `--check`, `--verify`) is given on the command line alone.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tf2towers.cli.migrate_options import FORMATS
from tf2towers.cli.selection import Selection, unknown_code_message
from tf2towers.report.paths import display_path


class ConfigError(Exception):
    """A sentence about options that cannot be, those of the command line or of a pyproject.toml."""


def complete_options(options: argparse.Namespace, path: str) -> argparse.Namespace:
    """The options for a path: what the command line leaves open (None) is filled in.

    `exclude_base` is the folder that the patterns of `exclude` are relative to; None: the one that is walked.
    """
    table = Table(None, {}) if options.isolated else table_for(path)
    filled = argparse.Namespace(**vars(options))
    filled.exclude_base = table.folder if options.exclude is None and "exclude" in table.values else None
    for key, setting in _SETTINGS.items():
        name = _attribute_name(key)
        if getattr(filled, name) is None:
            setattr(filled, name, table.values.get(key, setting.default))
    base = Path() if options.python_path is not None else table.folder or Path()
    filled.python_path = tuple(Path(os.path.abspath(base / folder)) for folder in filled.python_path)  # noqa: PTH100
    filled.jobs = filled.jobs or os.cpu_count() or 1
    filled.selection = Selection(tuple(filled.select), tuple(filled.ignore))
    return filled


def of_the_run(by_path: dict[str, argparse.Namespace]) -> argparse.Namespace:
    """The options of the whole run; ConfigError where the paths' projects want different ones."""
    first, *others = by_path.values()
    for key, setting in _SETTINGS.items():
        name = _attribute_name(key)
        if not setting.of_a_path and any(getattr(other, name) != getattr(first, name) for other in others):
            raise ConfigError(
                f"the projects of these paths have different values of tool.tf2towers.{key}: give --{key}"
            )
    return first


def is_left_out(path: str, options: argparse.Namespace) -> bool:
    """Whether a file that was named is one of those that --force-exclude leaves out."""
    from tf2towers.source.walk import is_excluded

    if not options.force_exclude or path == "-":
        return False
    return is_excluded(Path(path), options.exclude, options.exclude_base or Path.cwd())


def _attribute_name(key: str) -> str:
    return key.replace("-", "_")


# -- pyproject.toml ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table `[tool.tf2towers]`, and the folder of its file; empty where there is none."""

    folder: Path | None
    values: dict[str, Any]


def table_for(path: str) -> Table:
    """The table for a path that was given; the standard input has that of the current folder."""
    start = Path.cwd() if path == "-" else Path(os.path.abspath(path))  # noqa: PTH100 - links are kept, .. is not
    return _nearest_file(start if path == "-" or start.is_dir() else start.parent)


@cache
def _nearest_file(folder: Path) -> Table:
    file = folder / "pyproject.toml"
    found = _read(file) if file.is_file() else None
    if found is not None:
        return Table(folder, _check_values(found, display_path(file)))
    return Table(None, {}) if folder == folder.parent else _nearest_file(folder.parent)


def _read(file: Path) -> Any:
    """The table of a file; None where it has none."""
    try:
        data = file.read_bytes()
        if b"tf2towers" not in data:
            return None
        document = _parse_toml(data.decode("utf-8"))
    except OSError as problem:
        raise ConfigError(f"{display_path(file)}: the file cannot be read ({problem.strerror})") from None
    except ValueError as problem:  # TOML's errors are ValueErrors, too
        raise ConfigError(f"{display_path(file)}: this is not TOML: {problem}") from None
    tool = document.get("tool", {})
    return tool.get("tf2towers") if isinstance(tool, dict) else None


def _parse_toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib as toml
    else:
        import tomli as toml
    document: dict[str, Any] = toml.loads(text)
    return document


def _check_values(table: Any, file: str) -> dict[str, Any]:
    """The values, as the options have them; ConfigError where one cannot be."""
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: tool.tf2towers is not a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{file}: tool.tf2towers.{key}"
        if key in _ON_THE_COMMAND_LINE:
            raise ConfigError(f"{name}: that is given on the command line alone")
        if key not in _SETTINGS:
            raise ConfigError(
                f"{file}: tool.tf2towers does not know the key {key}; it knows {', '.join(_SETTINGS)}"
            )
        setting = _SETTINGS[key]
        if not setting.fits(value):
            raise ConfigError(f"{name} is {_show_value(value)}: {setting.wanted} is expected")
        if key in ("select", "ignore"):
            value = [code.strip().upper() for code in value]  # noqa: PLW2901
            if wrong := unknown_code_message(value):
                raise ConfigError(f"{name}: {wrong}")
        values[key] = value
    return values


def _show_value(value: Any) -> str:
    if isinstance(value, str | int | float):
        return repr(value).lower() if isinstance(value, bool) else repr(value)
    return {"list": "a list", "dict": "a table"}.get(type(value).__name__, f"a {type(value).__name__}")


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _switch(value: Any) -> bool:
    return isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _count(value: Any, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


@dataclass(frozen=True)
class _Setting:
    """A key of the table: what it takes, in words; whether a value is that; what counts where nobody says it.

    A path is migrated by those `of_a_path`; the others are of the whole run.
    """

    wanted: str
    fits: Callable[[Any], bool]
    default: object = False
    of_a_path: bool = False


_SETTINGS = {
    "select": _Setting('a list of codes, as ["T2T6"],', _texts, (), True),
    "ignore": _Setting('a list of codes, as ["T2T624"],', _texts, (), True),
    "exclude": _Setting('a list of patterns, as ["legacy/"],', _texts, (), True),
    "towers": _Setting('an expression as a text, as "FLAGS.num_gpus",', _text, None, True),
    "python-path": _Setting('a list of folders, as ["src"],', _texts, (), True),
    "format": _Setting('"text", "json", "sarif" or "github"', FORMATS.__contains__, "text"),
    "jobs": _Setting("a number from 0", _count, 1),
    "all": _Setting("true or false", _switch),
    "diff": _Setting("true or false", _switch, None),
    "force-exclude": _Setting("true or false", _switch),
    "vendor": _Setting("true or false", _switch),
    "legacy-python": _Setting("an interpreter as a text", _text, None),
    "steps": _Setting("a number from 1", lambda value: _count(value, 1), 10),
    "timeout": _Setting("a number of seconds", _number, 600.0),
    "tolerance": _Setting("a number", _number, None),
}
_ON_THE_COMMAND_LINE = frozenset({"write", "output", "check", "verify", "paths", "isolated"})
