"""Flags that have another constant from the second tower on: `reuse = None` before the loop, `reuse = True` in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File
from tf2towers.codemod.towers.gathered import is_before, is_reached
from tf2towers.codemod.towers.live_names import LiveNames

_CONSTANTS = ("None", "True", "False")


@dataclass(frozen=True)
class Flag:
    """A flag of a loop, which the tower's number gives.

    Attributes:
        name: the flag's name.
        made: the statement before the loop that binds it.
        changed: the statement of the loop that binds it, after every read.
        value: what it is in a round, as an expression: `True if i > 0 else None`.
    """

    name: str
    made: cst.Assign
    changed: cst.Assign
    value: str


def find_flags(file: File, loop: cst.For, live: LiveNames, index: str) -> Iterator[Flag]:
    """The flags of a loop without `continue` that its rounds alone read, before they change it.

    Args:
        file: the file.
        loop: the loop.
        live: the names of its function.
        index: the name of the round's number, from 0.
    """
    for changed in nodes.walk(*nodes.block(loop)):
        if not isinstance(changed, cst.Assign) or not is_reached(file, loop, changed, live):
            continue
        later, target = _constant_of(changed), changed.targets[0].target
        if later is None or not isinstance(target, cst.Name) or len(nodes.block(file.parent(changed))) < 2:
            continue
        uses = [use for use in file.meanings.uses(target) if use is not target]
        made = [file.parent(use) for use in uses if not file.is_read(use)]
        reads = [use for use in uses if file.is_read(use)]
        match made:
            case [cst.Assign() as before] if all(_is_read_before(file, loop, use, changed) for use in reads):
                first = _constant_of(before)
                if first not in (None, later) and live.is_own(target) and is_before(file, before, loop):
                    is_later = f"{index} > 0"
                    value = (
                        is_later
                        if (first, later) == ("False", "True")
                        else f"{later} if {is_later} else {first}"
                    )
                    yield Flag(target.value, before, changed, value)


def _constant_of(statement: cst.Assign) -> str | None:
    """`True` for `reuse = True`; None for what assigns anything else, or to more than a name."""
    match statement:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=cst.Name(value=value)):
            return value if value in _CONSTANTS else None
    return None


def _is_read_before(file: File, loop: cst.For, use: cst.Name, changed: cst.Assign) -> bool:
    """True if a round alone reads a flag there, when it gets to it, and before it changes the flag."""
    for inner, around in file.steps_outwards(use):
        if around is loop:
            return inner in nodes.block(loop) and file.text.start(use) < file.text.start(changed)
        if isinstance(around, cst.FunctionDef | cst.ClassDef | cst.Lambda | cst.GeneratorExp):
            return False
    return False
