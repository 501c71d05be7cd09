"""`[tool.tf2towers]` of pyproject.toml: a project's defaults of the options of `migrate`."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tf2towers.cli.errors import CommandError
from tf2towers.cli.running import expression
from tf2towers.cli.selection import parse_codes
from tf2towers.source.script import STDIN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = "pyproject.toml"


def _texts(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise argparse.ArgumentTypeError("a list of texts is needed")
    return value


def _expression(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise argparse.ArgumentTypeError("a text or a number is needed")
    return expression(str(value))


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise argparse.ArgumentTypeError("true or false is needed")
    return value


def _python(value: object) -> str:
    if str(value) not in ("2", "3"):
        raise argparse.ArgumentTypeError("2 or 3 is needed")
    return str(value)


#: each key, with the function that reads its value; the option of the same name has it on the
#: command line
KEYS: dict[str, Callable[[Any], Any]] = {
    "exclude": _texts,
    "ignore": lambda value: parse_codes(",".join(_texts(value))),
    "python": _python,
    "python-path": _texts,
    "strict": _switch,
    "towers": _expression,
}


def configured(paths: Sequence[str]) -> dict[str, Any]:
    """The settings for some paths, as attributes of the options: of the nearest file with a table.

    Args:
        paths: scripts and folders. The search begins in the folder that holds them all, and goes
            up.

    Raises:
        CommandError: the file is no TOML, a key is unknown, or a value is of another type.
    """
    for file in _files_above(paths):
        table = _table(file)
        if table is not None:
            return dict(_settings(file, table))
    return {}


def _files_above(paths: Sequence[str]) -> Iterator[Path]:
    named = [os.path.abspath(path) for path in paths if path != str(STDIN)]  # noqa: PTH100 - links are kept
    around = Path(os.path.commonpath(named)) if named else Path.cwd()
    for folder in (around, *around.parents):
        file = folder / _FILE
        if file.is_file():
            yield file


def _table(file: Path) -> dict[str, Any] | None:
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise CommandError(f"{file} cannot be read: {problem}") from None
    table: dict[str, Any] | None = document.get("tool", {}).get("tf2towers")
    return table


def _settings(file: Path, table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            known = f"did you mean {near[0]}?" if near else f"known are {', '.join(KEYS)}"
            raise CommandError(f"{file}: [tool.tf2towers] has an unknown key, {key}: {known}")
        try:
            read = KEYS[key](value)
        except argparse.ArgumentTypeError as problem:
            raise CommandError(f"{file}: [tool.tf2towers] {key}: {problem}") from None
        if key == "python-path":
            read = [Path(os.path.abspath(file.parent / folder)) for folder in read]  # noqa: PTH100
        yield key.replace("-", "_"), read
