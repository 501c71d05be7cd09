"""The programs in `benchmarks/`, `tables/` and `docs/` import what there is: nothing else runs all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path for folder in ("benchmarks", "tables", "docs") for path in (ROOT / folder).glob("*.py")
)


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Modules of ours, and the names that a program takes from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "tf2towers":
            yield from ((node.module, alias.name) for alias in node.names)


def names_of(module: str) -> set[str]:
    """What a module's text binds at its top level, and its submodules."""
    path = ROOT.joinpath(*module.split("."))
    text = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found = {entry.stem for entry in path.iterdir()} if path.is_dir() else set()
    for statement in ast.parse(text.read_text(encoding="utf-8")).body:
        for node in ast.walk(statement):
            found.add(getattr(node, "name", None) or getattr(node, "id", None) or "")
            found.update(
                alias.asname or alias.name for alias in getattr(node, "names", []) if hasattr(alias, "name")
            )
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_it_imports_is_there(path: Path) -> None:
    assert [name for module, name in imported(path) if name not in names_of(module)] == []
