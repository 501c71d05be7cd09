"""Finds Python files and notebooks under a folder, but those that .gitignore or users exclude."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SUFFIXES = frozenset({".py", ".ipynb"})
#: folders without sources of the user
_NEVER = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})


def sources_under(
    folder: Path, exclude: Iterable[str] = (), leave: Iterable[Path] = (), base: Path | None = None
) -> list[Path]:
    """The files by name; hidden folders, virtual environments and links to folders are skipped.

    `exclude` has patterns as in .gitignore, `leave` has folders to skip. `base` is the folder that
    the patterns are relative to: `folder` or one above it.
    """
    from pathspec import GitIgnoreSpec

    rules: list[tuple[Path, GitIgnoreSpec]] = [(base or folder, GitIgnoreSpec.from_lines(exclude))]
    rules += _rules_above(folder)
    return list(_walk(folder, rules, {path.resolve() for path in leave}))


def _walk(folder: Path, rules: list[tuple[Path, GitIgnoreSpec]], leave: set[Path]) -> Iterator[Path]:
    all_rules = [*rules, *_rules_of_folder(folder)]
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # the folder cannot be read
        return
    for entry in entries:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            passed = entry.name.startswith(".") or entry.name in _NEVER or (path / "pyvenv.cfg").exists()
            if not passed and path.resolve() not in leave and not _matches(path, all_rules, "/"):
                yield from _walk(path, all_rules, leave)
        elif path.suffix in _SUFFIXES and path.is_file() and not _matches(path, all_rules):
            yield path


def _matches(path: Path, rules: list[tuple[Path, GitIgnoreSpec]], end: str = "") -> bool:
    """True if the rules exclude a path; a later rule, of a deeper folder, wins."""
    decided = False
    for base, spec in rules:
        found = spec.check_file(_real_name(path).relative_to(_real_name(base)).as_posix() + end).include
        if found is not None:
            decided = found
            if found and base == rules[0][0] and spec is rules[0][1]:
                return True  # no rule overrides the user's own patterns
    return decided


def _rules_of_folder(folder: Path) -> list[tuple[Path, GitIgnoreSpec]]:
    from pathspec import GitIgnoreSpec

    path = folder / ".gitignore"
    try:
        if not path.is_file():  # reading a pipe would block
            return []
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [(folder, GitIgnoreSpec.from_lines(lines))]


def _rules_above(folder: Path) -> list[tuple[Path, GitIgnoreSpec]]:
    """The rules of the folders above, up to the repository's root, outermost first."""
    found: list[tuple[Path, GitIgnoreSpec]] = []
    current = _real_name(folder)
    while current != current.parent and not (current / ".git").exists():
        current = current.parent
        found = [*_rules_of_folder(current), *found]
    return found if (current / ".git").exists() else []


def _real_name(path: Path) -> Path:
    """The absolute path without `..`, so that its parents are as named; links are kept."""
    return Path(os.path.abspath(path))  # noqa: PTH100
