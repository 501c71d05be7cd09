"""Writes codemod/data/librosa_arguments.tsv: the functions of librosa that take fewer arguments by place than before.

    pip download --no-deps librosa==0.9.2 -d old && (cd old && python -m zipfile -e *.whl .)
    pip download --no-deps librosa==0.11.0 -d new && (cd new && python -m zipfile -e *.whl .)
    python tables/make_librosa_arguments.py old new > tf2towers/codemod/data/librosa_arguments.tsv

Each row has a function's arguments in librosa 0.9.2's order, which took them all by place, with a
warning. The star stands before those that the newer release takes by name alone. A function has a
row if it takes more than one argument, and if all its names are the newer release's as well. The
sources are read, and never imported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

#: what librosa is written with, and no part of what scripts call
_OF_ITS_OWN = ("decorators.py", "deprecation.py")


def functions(folder: Path) -> dict[str, set[tuple[str, ...]]]:
    """Function -> its arguments, with a star before those by name alone; more than one where modules share the name."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for path in sorted((folder / "librosa").rglob("*.py")):
        if path.name not in _OF_ITS_OWN:
            for statement in ast.parse(path.read_text(encoding="utf-8")).body:
                match statement:
                    case ast.FunctionDef(name=name) if not name.startswith("_") and not _is_overload(
                        statement
                    ):
                        found.setdefault(name, set()).add(_arguments(statement.args))
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if other in found:
                        found[name] = found[other]
    return found


def _is_overload(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(each).endswith("overload") for each in function.decorator_list)


def _arguments(given: ast.arguments) -> tuple[str, ...]:
    by_place = [each.arg for each in (*given.posonlyargs, *given.args)]
    by_name = [each.arg for each in given.kwonlyargs]
    return (*by_place, *(["*", *by_name] if by_name else []))


def rows(old: Path, new: Path) -> Iterator[str]:
    """Yields the rows of the table, sorted by the functions' names."""
    before, today = functions(old), functions(new)
    for name in sorted({*before} & {*today}):
        if len(before[name]) == len(today[name]) == 1:
            words, now = [each for each in min(before[name]) if each != "*"], min(today[name])
            by_place = now.index("*") if "*" in now else len(now)
            if len(words) > 1 and {*words} <= {*now} and tuple(words[:by_place]) == now[:by_place]:
                yield "\t".join(
                    [name, " ".join([*words[:by_place], *["*"] * (by_place < len(words)), *words[by_place:]])]
                )


if __name__ == "__main__":
    print("name\targuments")
    for row in rows(*map(Path, sys.argv[1:])):
        print(row)
