"""Writes tf2towers/exact/data/keras2.txt: what Keras 1 and 2 had, and the Keras 3 of this environment has not.

    python tables/make_keras2.py FOLDER...

Each folder has one release of Keras unpacked (`pip download --no-deps keras==2.3.1`; 2.2.4 and 1.2.2 as well).
A module that is gone has one line, for all that was in it.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "tf2towers" / "exact" / "data" / "keras2.txt"


def names_of(module: Path) -> set[str]:
    """The public names at the top of a module's text, but those of other packages."""
    found: set[str] = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("keras_")):
            found.update(alias.asname or alias.name for alias in node.names)
    return {name for name in found if name.isidentifier() and not name.startswith("_")}


def main(folders: list[str]) -> None:
    """Compares the releases in the folders with the installed one."""
    gone: set[str] = set()
    for folder in map(Path, folders):
        for path in folder.glob("keras/**/*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            try:
                today = importlib.import_module(module)
            except ImportError:
                gone.add(module)
                continue
            gone |= {f"{module}.{name}" for name in names_of(path) if not hasattr(today, name)}
    whole = {name for name in gone if not any(name.startswith(other + ".") for other in gone)}
    TARGET.write_text("".join(f"{name}\n" for name in sorted(whole)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
