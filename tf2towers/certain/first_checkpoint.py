"""Checkpoints that may be written before the towers have trained: the model's variables are made by the first step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2towers.certain.building import Building, fetches_of
from tf2towers.exact.file import File

_TRAIN = frozenset({"apply_gradients", "minimize"})


def saved_untrained(building: Building) -> Iterator[tuple[File, ast.Call]]:
    """Every `saver.save(...)` with no run before it, in its function or where that is called, that trains."""
    if not building.loops:
        return
    steps = _training_runs(building)
    for file in building.files:
        for call in file.all(ast.Call):
            is_save = isinstance(call.func, ast.Attribute) and call.func.attr == "save"
            if is_save and file.canonical(call.func) is None and _takes_session(building, file, call):
                if not _comes_behind(building, file, call, steps, frozenset()):
                    yield file, call


def _takes_session(building: Building, file: File, call: ast.Call) -> bool:
    """Whether it is a saver's `save`, which is given a session and a path: not one of a picture, nor NumPy's."""
    made = building.value_of(file, call.func.value) if isinstance(call.func, ast.Attribute) else None
    if isinstance(made, ast.Call):
        return file.canonical(made.func) == "tf.train.Saver"
    return len(call.args) + len(call.keywords) > 1


def _comes_behind(
    building: Building,
    file: File,
    node: ast.AST,
    steps: list[tuple[File, ast.expr]],
    asked: frozenset[ast.AST],
) -> bool:
    """Whether a run that trains is written above, in the same function; else above all calls of that function."""
    around = file.function_around(node)
    line = getattr(node, "lineno", 0)
    if any(
        where is file and file.function_around(run) is around and run.lineno < line for where, run in steps
    ):
        return True
    if around is None or around in asked:
        return False
    uses = building.uses_of(around)
    return bool(uses) and all(
        _comes_behind(building, where, use, steps, asked | {around}) for where, use in uses
    )


def _training_runs(building: Building) -> list[tuple[File, ast.expr]]:
    """The runs that fetch an update; where none is seen to, all but initializers may be."""
    names = _updates(building)
    runs = [
        (file, run) for file, run in building.runs if any(isinstance(f, ast.Name) for f in fetches_of(run))
    ]
    found = [
        (file, run)
        for file, run in runs
        if any(isinstance(fetch, ast.Name) and fetch.id in names for fetch in fetches_of(run))
    ]
    return _with_callers(building, found or runs)


def _with_callers(building: Building, runs: list[tuple[File, ast.Call]]) -> list[tuple[File, ast.expr]]:
    """Runs, and where the functions that they stand in are called."""
    found: list[tuple[File, ast.expr]] = [*runs]
    asked: set[ast.AST] = set()
    for file, node in found:  # grows as it goes
        around = file.function_around(node)
        if around is not None and around not in asked:
            asked.add(around)
            found += building.uses_of(around)
    return found


def _updates(building: Building) -> set[str]:
    """The names of what applies gradients, and of what is made of such or behind it."""
    found: set[str] = set()
    assignments = [(file, assign) for file in building.files for assign in file.all(ast.Assign)]
    while True:
        more = {
            target.id
            for file, assign in assignments
            if _updates_in(file, assign, found)
            for target in assign.targets
            if isinstance(target, ast.Name)
        }
        if more <= found:
            return found
        found |= more


def _updates_in(file: File, assign: ast.Assign, known: set[str]) -> bool:
    parts: list[ast.AST] = [assign.value]
    parts += [
        item for around in file.ancestors(assign) if isinstance(around, ast.With) for item in around.items
    ]
    return any(
        (isinstance(node, ast.Attribute) and node.attr in _TRAIN)
        or (isinstance(node, ast.Name) and node.id in known)
        for part in parts
        for node in ast.walk(part)
    )
