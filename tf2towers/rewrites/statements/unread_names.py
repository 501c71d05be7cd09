"""Names that nothing reads any more: `worker_device = '/job:worker/task:%d' % i`, `local_init_op = None`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import assigned_name, find_all, only_small


def without_unread_names(
    statements: Sequence[cst.BaseStatement], candidates: set[str]
) -> list[cst.BaseStatement]:
    """The statements without assignments to names among `candidates` that none of them reads; those with calls stay."""
    kept = list(statements)
    while True:
        read = set().union(*(flow_of(statement).reads for statement in kept)) if kept else set()
        left = [statement for statement in kept if not _assigns_unread_name(statement, candidates - read)]
        if len(left) == len(kept):
            return kept
        kept = left


def _assigns_unread_name(statement: cst.BaseStatement, unread: set[str]) -> bool:
    small = only_small(statement)
    if not isinstance(small, cst.Assign) or find_all(small.value, cst.Call):
        return False
    return assigned_name(small) in unread
