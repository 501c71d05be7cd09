"""`doubts`: every place of a program that the idiomatic register is not certain of."""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources

from tf2towers.certain.building import Building
from tf2towers.certain.rule import Rule
from tf2towers.exact.program import Program
from tf2towers.report.result import Finding

_PACKAGE = "tf2towers.certain.rules"


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the codes, each found by its file's name."""
    names = sorted(
        file.name.removesuffix(".py")
        for file in resources.files(_PACKAGE).iterdir()
        if file.name.startswith("t2t")
    )
    return tuple(import_module(f"{_PACKAGE}.{name}").RULE for name in names)


def doubts(program: Program) -> list[Finding]:
    """What is not certain, in the order of the files and their lines; nothing where the whole program is."""
    building = Building(program)
    found: set[Finding] = set()
    for rule in rules():
        for doubt in rule.doubts(building):
            found.add(
                Finding(
                    rule.code,
                    doubt.message,
                    " ".join(rule.todo.split()),
                    doubt.file.path,
                    getattr(doubt.node, "lineno", 1),
                    getattr(doubt.node, "col_offset", 0) + 1,
                    "note",
                )
            )
    return sorted(found, key=lambda one: (str(one.path), one.line, one.column, one.code))
