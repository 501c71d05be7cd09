"""`doubts`: every place of a program that the idiomatic register is not certain of."""

from __future__ import annotations

from tf2towers.certain.building import Building
from tf2towers.certain.registry import rules
from tf2towers.exact.deep import with_deep_stack
from tf2towers.exact.program import Program
from tf2towers.report.result import Finding


def doubts(program: Program) -> list[Finding]:
    """What is not certain, in the order of the files and their lines; nothing where the whole program is."""
    return with_deep_stack(lambda: _doubts(program))


def _doubts(program: Program) -> list[Finding]:
    building = Building(program)
    found: dict[Finding, None] = {}  # in order: a place may have several, of which the report shows the first
    for rule in rules():
        for doubt in rule.doubts(building):
            around = {doubt.node, *doubt.file.ancestors(doubt.node)}
            if not doubt.file.main and around & program.never_called:
                continue  # what a module has for other scripts; of the script itself all is rewritten
            line = getattr(doubt.node, "lineno", 1)
            if doubt.file.script.conversion is not None:
                line = doubt.file.script.conversion.line_before(line)
            site = Finding(
                rule.code,
                doubt.message,
                " ".join(rule.todo.split()),
                doubt.file.path,
                line,
                getattr(doubt.node, "col_offset", 0) + 1,
                "note",
            )
            found[site] = None
    return sorted(found, key=lambda site: (str(site.path), site.line, site.column, site.code))
