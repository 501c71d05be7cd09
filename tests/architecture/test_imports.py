"""The house: no circles of imports, packages that import one way, folders of a size that can be looked over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tf2towers"
#: a package imports from those before it alone
LAYERS = (
    "order", "report", "source", "runtime", "launch", "codemod",
    "verify", "compare", "cli", "__main__",
)  # fmt: skip
#: files of a folder; rules have one file each
LARGEST = 40
MAY_BE_LARGER = {"codemod/rules"}


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def imports() -> dict[str, set[str]]:
    """Module -> the modules it imports: at its top, in functions, and for type checking alone."""
    return {name: set(imported(name, file)) - {name} for name, file in modules().items()}


def imported(name: str, file: Path) -> Iterator[str]:
    """The modules of the package that one module imports."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                above = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
                above = above[: len(above) - node.level + 1]
                home = ".".join([*above, *([home] if home else [])])
            for alias in node.names:
                inner = f"{home}.{alias.name}"
                yield from (
                    module for module in ([inner] if inner in modules() else [home]) if module in modules()
                )


def circles() -> list[list[str]]:
    """Modules that import one another, however far around (Tarjan)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        waiting.append(name)
        for other in sorted(imports()[name]):
            if other not in order:
                visit(other)
            if other in waiting:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            place = waiting.index(name)
            circle = waiting[place:]
            del waiting[place:]
            if len(circle) > 1:
                found.append(sorted(circle))

    for name in sorted(modules()):
        if name not in order:
            visit(name)
    return found


def test_no_circles() -> None:
    assert circles() == []


def test_packages_import_one_way() -> None:
    """From those before them in `LAYERS`; the version of the whole may be asked by all."""
    wrong = []
    for name, others in imports().items():
        for other in others:
            if "." not in name or "." not in other:
                continue
            package, other_package = name.split(".")[1], other.split(".")[1]
            if package != other_package and LAYERS.index(package) < LAYERS.index(other_package):
                wrong.append(f"{name} imports {other}")
    assert wrong == []


def test_every_package_has_a_layer() -> None:
    assert {name.split(".")[1] for name in modules() if "." in name} == set(LAYERS)


def test_nobody_imports_a_rule() -> None:
    """What two rules need stands beside them; `report.rule` finds the rules by their codes."""
    rules = {name for name in modules() if re.search(r"\.rules\.t2t\d{3}_", name)}
    assert len(rules) > 25
    assert [name for name, others in imports().items() if others & rules] == []


def private_imports(text: str) -> list[str]:
    """The names with an underscore in front that a module takes from another module of the package."""
    return [
        alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tf2towers")
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]


def test_no_private_imports() -> None:
    assert {
        name: found for name, file in modules().items() if (found := private_imports(file.read_text()))
    } == {}
    assert private_imports("from tf2towers.a import _b, __version__, c as _c") == ["_b"]


def test_folders_can_be_looked_over() -> None:
    sizes = {
        str(folder.relative_to(PACKAGE)): len(list(folder.glob("*.py")))
        for folder in [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())]
    }
    assert {name: size for name, size in sizes.items() if size > LARGEST and name not in MAY_BE_LARGER} == {}
