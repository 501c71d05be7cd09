"""What stands in the way of a migration: a place, a code, and what to say."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst


@dataclass(frozen=True)
class Problem:
    """A site the tool cannot carry over with certainty. `code` names the rule that explains it."""

    node: cst.CSTNode
    code: str
    message: str
