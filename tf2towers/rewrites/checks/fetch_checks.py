"""Fetches that mean another value at every turn of the session's loop: a tf.function reads a name once (T2T405)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.problem import Problem
from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.statements.value_kinds import PLAIN, SESSION
from tf2towers.program.training import Training


def fetch_problems(training: Training) -> Iterator[Problem]:
    """`sess.run(losses[i])`, with an `i` that changes between two calls."""
    changing = _changing(training)
    for run in training.runs:
        for fetch in run.fetches:
            names = flow_of(fetch).reads & changing
            if names:
                message = f"{min(names)!r} changes while the session runs, and is read in what is fetched"
                yield Problem(run.call, "T2T405", message)
                break


def _changing(training: Training) -> set[str]:
    """Names that the session's part binds in a loop, in a function, or more than once."""
    seen: set[str] = set()
    changing: set[str] = set()
    for outer in training.statements:
        if outer.kind not in (SESSION, PLAIN):
            continue
        if isinstance(outer.node, cst.For | cst.While | cst.FunctionDef):
            changing |= {name for statement in outer.every() for name in statement.flow.binds}
        changing |= outer.flow.binds & seen
        seen |= outer.flow.binds
    return changing
