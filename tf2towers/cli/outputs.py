"""The files that a result writes: in place, or in another directory, where the script runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tf2towers.report.result import MigrationResult
from tf2towers.source.errors import SourceError
from tf2towers.source.script import STDIN
from tf2towers.source.write import encoded, write_together


class Output(NamedTuple):
    """A file to write: its contents, and the file that they come from."""

    source: Path
    target: Path
    data: bytes


def write_all(outputs: Iterable[Output]) -> list[Path]:
    """Writes a program's files, all or none, but those up to date; returns the paths written."""
    missing = []
    for output in outputs:
        if output.target == STDIN:
            sys.stdout.buffer.write(output.data)
        elif not (output.target.is_file() and _bytes_of(output.target) == output.data):
            missing.append(output)
    write_together((output.target, output.data, output.source) for output in missing)
    return [output.target for output in missing]


def in_place(result: MigrationResult) -> list[Output]:
    """A result's changed files, to be written in place; standard input goes to standard output."""
    if result.script == STDIN:
        return [Output(STDIN, STDIN, encoded(change)) for change in result.changes if change.path == STDIN]
    changed = [change for change in result.changes if change.before != change.after]
    for change in changed:
        if _bytes_of(change.path) != replace(change, after=change.before).encoded():
            raise SourceError(change.path, "not written: the file was changed in the meantime")
    return [Output(change.path, _real_path(change.path), encoded(change)) for change in changed]


def under_directory(
    result: MigrationResult, results: Iterable[MigrationResult], directory: Path, base: Path | None = None
) -> list[Output]:
    """The script of a result and every local module that it imports, under another directory.

    Paths stay the same relative to the script's directory. When a module lies outside it, or there
    are several scripts, paths are relative to the directory that holds them all, or to `base`.
    Without any change and with sites left, nothing is written.
    """
    if (result.left or result.accepted) and not result.changed:
        return []
    if base is None or not all(path.is_relative_to(base) for path in _output_files(result)):
        base = _common_directory(results)
    texts = {_absolute_path(change.path): encoded(change) for change in result.changes}
    outputs: list[Output] = []
    for path in _output_files(result):
        target = _real_path(directory / path.relative_to(base))
        if target == _real_path(path):
            raise SourceError(path, f"not written: {directory} is where the script is; -w writes in place")
        outputs.append(Output(path, target, texts[path] if path in texts else _bytes_of(path)))
    return outputs


def _output_files(result: MigrationResult) -> list[Path]:
    """The script and every module to be written with it, each once."""
    paths = [result.script, *(change.path for change in result.changes), *result.copied]
    return list(dict.fromkeys(_absolute_path(path) for path in paths))


def _common_directory(results: Iterable[MigrationResult]) -> Path:
    """The directory that holds all files of the results, and the folders of imports.

    When a script imports from outside its own package, the directory above that package.
    """
    parents: set[Path] = set()
    reaches_out = False
    for result in results:
        script, *modules = _output_files(result)
        parents |= {path.parent for path in (script, *modules)} | set(result.roots)
        reaches_out |= not all(path.is_relative_to(script.parent) for path in modules)
    base = Path(os.path.commonpath(parents))
    while reaches_out and (base / "__init__.py").is_file() and base != base.parent:
        base = base.parent
    return base


def _absolute_path(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links are kept


def _real_path(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise SourceError(path, f"cannot be read ({problem.strerror})") from None
