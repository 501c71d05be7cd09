"""The rest of a training script: functions that build and run a graph of their own, such as an evaluation."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all
from tf2towers.program.functions import Functions
from tf2towers.program.model import Training
from tf2towers.program.problems import Problem
from tf2towers.program.sites import training_sites
from tf2towers.program.towers import TowerLoop, no_towers
from tf2towers.program.training import understand

_SESSIONS = ("tf.Session", "tf.InteractiveSession")


def evaluations(module: cst.Module, tower: TowerLoop, names: Names, functions: Functions) -> list[Training]:
    """The module's other functions that make a session: each a program without towers."""
    found: list[Training] = []
    if isinstance(tower.owner, cst.Module):
        return found  # a function of a module-level program uses the module's graph
    for statement in module.body:
        if (
            isinstance(statement, cst.FunctionDef)
            and statement is not tower.owner
            and _makes_session(statement, names)
        ):
            found.append(understand(no_towers(module, statement), names, functions))
    return found


def _makes_session(node: cst.CSTNode, names: Names) -> bool:
    return any(names.canonical(call.func) in _SESSIONS for call in find_all(node, cst.Call))


def elsewhere(module: cst.Module, programs: Sequence[Training], names: Names) -> list[Problem]:
    """Session code outside the programs that were understood: nothing rewrites it, so it must be told."""
    owners = [program.tower.owner for program in programs]
    if any(isinstance(owner, cst.Module) for owner in owners):
        return []
    found: list[Problem] = []
    for statement in module.body:
        if any(statement is owner for owner in owners):
            continue
        sites = [
            site
            for site in training_sites(statement, names)
            if site.code in ("T2T401", "T2T501") or site.message.startswith("minimize")
        ]
        if sites and isinstance(statement, cst.FunctionDef) and not _is_used(module, statement.name.value):
            continue  # nothing calls it
        found.extend(sites)
    return found


def _is_used(module: cst.Module, name: str) -> bool:
    return sum(one.value == name for one in find_all(module, cst.Name)) > 1
