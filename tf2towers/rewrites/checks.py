"""Last look before rewriting: anything that would change the program's meaning without a word (T2T3xx, T2T4xx)."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.problems import Problem
from tf2towers.program.training import Training


def check(training: Training, module: cst.Module) -> list[Problem]:
    """Problems that the program's parts do not show one by one."""
    found: list[Problem] = []
    return found
