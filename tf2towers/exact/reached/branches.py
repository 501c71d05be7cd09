"""The branches that a place stands in, and the comparisons that decide which of them is taken."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tf2towers.exact.file import File

COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def branches_around(file: File, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """The tests of each `if` that a place is in, innermost first, and whether it stands where the test says yes."""
    inner = node
    for around in file.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp) and inner is not around.test:
            yield around.test, inner in (around.body if isinstance(around.body, list) else [around.body])
        inner = around
