"""How each path is migrated: what the command line says, then pyproject.toml, then the defaults.

As with ruff, the nearest pyproject.toml upwards from a path that has a table `[tool.tf2towers]` counts. How the whole
run goes and what is done to files is given on the command line alone.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tf2towers.cli.selection import Selection, unknown_code_message
from tf2towers.report.paths import display_path


class ConfigError(Exception):
    """A sentence about options that cannot be, those of the command line or of a pyproject.toml."""


class Setting(NamedTuple):
    """What the options of a path ask for; `exclude_base` is what the patterns of `exclude` are relative to."""

    towers: str | None = None
    python3: bool = False
    exclude: tuple[str, ...] = ()
    exclude_base: Path | None = None
    python_path: tuple[Path, ...] = ()
    selection: Selection = Selection()


def setting_of(options: argparse.Namespace, path: str) -> Setting:
    """What the command line leaves open (None) is filled in."""
    folder, values = (None, {}) if options.isolated else table_for(path)

    def value(name: str) -> Any:
        given = getattr(options, name)
        return values.get(name.replace("_", "-"), ()) if given is None else given

    base = Path() if options.python_path is not None else folder or Path()
    return Setting(
        towers=value("towers") or None,
        python3=options.python3,
        exclude=tuple(value("exclude")),
        exclude_base=folder if options.exclude is None and "exclude" in values else None,
        python_path=tuple(Path(os.path.abspath(base / place)) for place in value("python_path")),  # noqa: PTH100
        selection=Selection(tuple(value("select")), tuple(value("ignore"))),
    )


# -- pyproject.toml ----------------------------------------------------------------------------------------------------

_KEYS = {
    "select": 'a list of codes, as ["T2T6"],',
    "ignore": 'a list of codes, as ["T2T624"],',
    "exclude": 'a list of patterns, as ["legacy/"],',
    "python-path": 'a list of folders, as ["src"],',
    "towers": 'an expression as a text, as "FLAGS.num_gpus",',
}
Table = tuple[Path | None, dict[str, Any]]


def table_for(path: str) -> Table:
    """The folder and values of a path's table, if there is one; the standard input has that of the current folder."""
    start = Path.cwd() if path == "-" else Path(os.path.abspath(path))  # noqa: PTH100 - links are kept, .. is not
    return _nearest_table(start if path == "-" or start.is_dir() else start.parent)


@cache
def _nearest_table(folder: Path) -> Table:
    file = folder / "pyproject.toml"
    found = _read(file) if file.is_file() else None
    if found is not None:
        return folder, _checked(found, display_path(file))
    return (None, {}) if folder == folder.parent else _nearest_table(folder.parent)


def _read(file: Path) -> Any:
    """The table of a file; None where it has none."""
    if sys.version_info >= (3, 11):
        import tomllib as toml
    else:
        import tomli as toml
    try:
        data = file.read_bytes()
        tool = toml.loads(data.decode("utf-8")).get("tool", {}) if b"tf2towers" in data else {}
    except OSError as problem:
        raise ConfigError(f"{display_path(file)}: the file cannot be read ({problem.strerror})") from None
    except ValueError as problem:  # TOML's errors are ValueErrors, too
        raise ConfigError(f"{display_path(file)}: this is not TOML: {problem}") from None
    return tool.get("tf2towers") if isinstance(tool, dict) else None


def _checked(table: Any, file: str) -> dict[str, Any]:
    """The values, as the options have them; ConfigError where one cannot be."""
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: tool.tf2towers is not a table")
    for key, value in table.items():
        if key not in _KEYS:
            raise ConfigError(
                f"{file}: tool.tf2towers does not know the key {key}; it knows {', '.join(_KEYS)}. "
                "All else is given on the command line"
            )
        texts = [value] if key == "towers" else value
        if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
            raise ConfigError(f"{file}: tool.tf2towers.{key} is {value!r}: {_KEYS[key]} is expected")
        if key in ("select", "ignore"):
            table[key] = [code.strip().upper() for code in value]
            if wrong := unknown_code_message(table[key]):
                raise ConfigError(f"{file}: tool.tf2towers.{key}: {wrong}")
    return table
