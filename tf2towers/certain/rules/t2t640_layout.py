"""T2T640: several statements in a line, or a name of Python's own that the script gives to something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building
from tf2towers.certain.rule import Doubt, Rule

#: functions of Python's own that idiomatic forms call
_CALLED = frozenset({"dict", "enumerate", "int", "len", "list", "print", "range", "sum", "tuple", "zip"})


def doubts(building: Building) -> Iterator[Doubt]:
    """Statements that share a line with another one, or with the head of their block; builtins that are bound."""
    for file in building.files:
        for block in file.meanings.nodes:
            for field in ("body", "orelse", "finalbody"):
                statements = getattr(block, field, None)
                if not isinstance(statements, list):
                    continue
                line = block.lineno if isinstance(block, ast.stmt) else 0
                for statement in statements:
                    if statement.lineno <= line:
                        yield Doubt(file, statement, "several statements in a line")
                    line = statement.end_lineno or statement.lineno
        for name in file.all(ast.Name):
            if isinstance(name.ctx, ast.Store) and name.id in _CALLED:
                yield Doubt(file, name, f"`{name.id}` stands for something else than Python's")


RULE = Rule(
    code="T2T640",
    title="Several statements in a line, or a builtin's name for something else",
    why="""
    The idiomatic form takes statements from one place to another, a line at a time, and calls Python's own functions,
    as `sum` and `zip`, between them.
    """,
    todo="Write a statement a line (a formatter does it), and give the value another name.",
    doubts=doubts,
    doubtful=("end: print(N);; print(N)", "before: sum = 3", "end: for one in range(N): print(one)"),
    certain=("end: for one in range(N):;     print(one)", "before: total_sum = 3"),
)
