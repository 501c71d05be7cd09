"""`[tool.tf2towers]`: the options of `migrate` that a project keeps in its pyproject.toml.

As with ruff, the nearest pyproject.toml upwards from a path that has such a table counts, and the command line wins.
What is done to files (`-w`, `-o`, `--check`, `--verify`) is said on the command line alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tf2towers.cli.selection import unknown
from tf2towers.report.paths import shown

#: what a path is migrated by; the other keys are of the whole run
OF_A_PATH = ("select", "ignore", "exclude", "idiomatic", "collective", "towers", "python_path")


class ConfigError(Exception):
    """A sentence about a pyproject.toml."""


@dataclass(frozen=True)
class Table:
    """A table `[tool.tf2towers]`, and the folder of its file; empty where there is none."""

    folder: Path | None
    values: dict[str, Any]


def table_for(path: str) -> Table:
    """The table for a path that was given; the standard input has that of the current folder."""
    start = Path.cwd() if path == "-" else Path(os.path.abspath(path))  # noqa: PTH100 - links are kept, .. is not
    return _nearest(start if path == "-" or start.is_dir() else start.parent)


@cache
def _nearest(folder: Path) -> Table:
    file = folder / "pyproject.toml"
    found = _read(file) if file.is_file() else None
    if found is not None:
        return Table(folder, _checked(found, shown(file)))
    return Table(None, {}) if folder == folder.parent else _nearest(folder.parent)


def _read(file: Path) -> Any:
    """The table of a file; None where it has none."""
    try:
        data = file.read_bytes()
        if b"tf2towers" not in data:
            return None
        document = _parsed(data.decode("utf-8"))
    except OSError as problem:
        raise ConfigError(f"{shown(file)}: the file cannot be read ({problem.strerror})") from None
    except ValueError as problem:  # TOML's errors are ValueErrors, too
        raise ConfigError(f"{shown(file)}: this is no TOML: {problem}") from None
    tool = document.get("tool", {})
    return tool.get("tf2towers") if isinstance(tool, dict) else None


def _parsed(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib as toml
    else:
        import tomli as toml
    document: dict[str, Any] = toml.loads(text)
    return document


def _checked(table: Any, name: str) -> dict[str, Any]:
    """The values by the names of the options; ConfigError where one cannot be."""
    if not isinstance(table, dict):
        raise ConfigError(f"{name}: tool.tf2towers is no table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            if key in _ON_THE_COMMAND_LINE:
                raise ConfigError(f"{name}: tool.tf2towers.{key}: that is said on the command line alone")
            known = ", ".join(_KEYS)
            raise ConfigError(f"{name}: tool.tf2towers has no key {key}; it has {known}")
        wanted, take = _KEYS[key]
        taken = take(value)
        if taken is None:
            raise ConfigError(f"{name}: tool.tf2towers.{key} is {_named(value)}: {wanted} is expected")
        if key in ("select", "ignore") and (wrong := unknown(taken)):
            raise ConfigError(f"{name}: tool.tf2towers.{key}: {wrong}")
        values[key.replace("-", "_")] = taken
    return values


def _named(value: Any) -> str:
    if isinstance(value, str | int | float):
        return repr(value).lower() if isinstance(value, bool) else repr(value)
    return {"list": "a list", "dict": "a table"}.get(type(value).__name__, f"a {type(value).__name__}")


def _texts(value: Any) -> Any:
    good = isinstance(value, list) and all(isinstance(text, str) for text in value)
    return tuple(value) if good else None


def _codes(value: Any) -> Any:
    texts = _texts(value)
    return None if texts is None else tuple(text.strip().upper() for text in texts)


def _switch(value: Any) -> Any:
    return value if isinstance(value, bool) else None


def _text(value: Any) -> Any:
    return value if isinstance(value, str) and value else None


def _format(value: Any) -> Any:
    from tf2towers.cli.migrate_options import FORMATS

    return value if value in FORMATS else None


def _count(least: int) -> Callable[[Any], Any]:
    def take(value: Any) -> Any:
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None

    return take


def _number(value: Any) -> Any:
    return (
        float(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        else None
    )


_KEYS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "select": ('a list of codes, as ["T2T6"],', _codes),
    "ignore": ('a list of codes, as ["T2T624"],', _codes),
    "exclude": ('a list of patterns, as ["legacy/"],', _texts),
    "idiomatic": ("true or false", _switch),
    "collective": ("true or false", _switch),
    "towers": ('an expression as a text, as "FLAGS.num_gpus",', _text),
    "python-path": ('a list of folders, as ["src"],', _texts),
    "format": ('"text", "json", "sarif" or "github"', _format),
    "jobs": ("a number from 0", _count(0)),
    "all": ("true or false", _switch),
    "diff": ("true or false", _switch),
    "force-exclude": ("true or false", _switch),
    "vendor": ("true or false", _switch),
    "legacy-python": ("an interpreter as a text", _text),
    "steps": ("a number from 1", _count(1)),
    "timeout": ("a number of seconds", _number),
    "tolerance": ("a number", _number),
}
_ON_THE_COMMAND_LINE = frozenset({"write", "output", "check", "verify", "paths", "isolated"})
