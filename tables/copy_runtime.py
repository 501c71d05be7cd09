"""Writes runtime.tsv, the TF1 names our runtime package provides, from a table of `name, module, name` rows.

    python tables/copy_runtime.py TABLE...      # copy, after a look that every target exists
    python tables/copy_runtime.py               # only look at the committed table

A target is looked for in the source of its module, so neither TensorFlow nor the runtime is imported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "tables" / "runtime.tsv"
HEADING = "name\tmodule\tattribute"


def exported(module: str) -> set[str]:
    """The names a module of this repository has at its top level, a package's modules among them.

    Empty when there is no such module.
    """
    path = ROOT.joinpath(*module.split("."))
    for source in (path.with_suffix(".py"), path / "__init__.py"):
        if source.is_file():
            break
    else:
        return set()
    found = {file.stem for file in path.glob("*.py") if file.stem != "__init__"}
    for node in ast.parse(source.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign):
            names = {
                name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)
            }
            found.update(names)
            if "_HOMES" in names and isinstance(node.value, ast.Dict):  # what a module loads on first use
                found.update(ast.literal_eval(key) for key in node.value.keys if key is not None)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def missing(lines: Iterable[str]) -> list[str]:
    """What is wrong with the rows of a runtime table, one sentence each."""
    problems: list[str] = []
    known: dict[str, set[str]] = {}
    for line in lines:
        name, module, attribute = line.split("\t")
        if module not in known:
            known[module] = exported(module)
        if attribute not in known[module]:
            problems.append(f"{name}: no {attribute} in {module}")
    return problems


def main(tables: list[str]) -> int:
    """Copies the tables into runtime.tsv when every target exists."""
    lines: set[str] = set()
    for table in tables or [str(TARGET)]:
        text = Path(table).read_text("utf-8")
        lines.update(line for line in text.splitlines() if line.startswith("tf.") and line.count("\t") == 2)
    problems = missing(sorted(lines))
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    if tables and not problems:
        TARGET.write_text("\n".join([HEADING, *sorted(lines)]) + "\n", "utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
