"""The idiomatic register where it is certain, else the exact one. Imports no TensorFlow."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from pathlib import Path

from tf2towers.certain.building import Building
from tf2towers.certain.conservation import lost_calls
from tf2towers.certain.doubts import doubts
from tf2towers.certain.graph_functions import with_graph_functions_written_out
from tf2towers.certain.handed_batches import with_batches_handed_over
from tf2towers.certain.last_bindings import without_last_bindings
from tf2towers.certain.placements import placements
from tf2towers.certain.queues import queued
from tf2towers.exact import migrate as exact
from tf2towers.exact.functions.means import is_plain_mean
from tf2towers.exact.program import Program
from tf2towers.migrate import migrate
from tf2towers.report.result import Finding, MigrationResult
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script


def idiomatic_or_exact(script: Script, options: exact.Options) -> MigrationResult:
    """Migrates one script and the local modules it reaches.

    Args:
        script: the training script.
        options: of the exact register.

    Returns:
        The idiomatic form, where nothing of the program is in doubt (`tf2towers.certain`) and nothing is left; else the
        exact form, and as a note every site that stood in the way of the other.
    """
    instead = exact.migrate(script, options)
    if instead.left or not instead.changed:
        return instead
    shortened, last_lines = without_last_bindings(script)
    program = Program(shortened, options.towers, options.mains, options.python_path)
    if last_lines and _is_imported(program):
        program, last_lines = Program(script, options.towers, options.mains, options.python_path), ""
    while not _is_imported(program) and (written_out := with_graph_functions_written_out(program.main)):
        program = Program(written_out, options.towers, options.mains, options.python_path)
    while not _is_imported(program) and (handed_over := with_batches_handed_over(program)):
        program = Program(handed_over, options.towers, options.mains, options.python_path)
    in_the_way = doubts(program) or _old_modules(instead, program)
    if not in_the_way:
        result = _idiomatic(program)
        in_the_way = result.left or _lost(result, program)
        if result.changed and not in_the_way:
            result.findings += _never_called(program)
            return _with_last_lines(result, script, last_lines)
    instead.findings += [
        replace(
            site,
            kind="note",
            message=f"{site.message}: not certain in idiomatic form, so the exact one is written",
        )
        for site in in_the_way
    ]
    return instead


def _is_imported(program: Program) -> bool:
    """Whether a module of the program imports the script, and so may read what its last lines bind."""
    main = program.imports.main
    paths = [*(file.path for file in program.files), *program.others]
    return any(main in program.imports.imports_of(path).values() for path in paths if path != main)


def _never_called(program: Program) -> list[Finding]:
    """The functions of local modules that nothing of the program calls: of the idiomatic form they have no part."""
    return [
        Finding(
            "T2T641",
            f"`{unit.name}` is called by nothing here: it is TF1 code as before",
            "Migrate the script that calls it, too; it needs a copy of the module of its own.",
            file.path,
            file.script.conversion.line_before(unit.lineno) if file.script.conversion else unit.lineno,
            unit.col_offset + 1,
            "note",
        )
        for file in program.files
        for unit in file.tree.body
        if not file.main
        and unit in program.never_called
        and isinstance(unit, ast.FunctionDef | ast.ClassDef)
        and any(unit in file.ancestors(node) for node, _ in file.symbols)
    ]


def _with_last_lines(result: MigrationResult, script: Script, last_lines: str) -> MigrationResult:
    """The script's last lines again, as they were."""
    if not last_lines:
        return result
    changes = [
        replace(change, before=script.before, after=change.after + last_lines)
        if change.path == script.path
        else change
        for change in result.changes
    ]
    return replace(result, changes=changes)


def collective(script: Script, options: exact.Options) -> MigrationResult:
    """Synchronous workers with an all-reduce between them, in the idiomatic form; what is in doubt is left."""
    program = Program(script, options.towers, options.mains, options.python_path)
    result = _idiomatic(program, collective=True)
    if result.left:
        return result
    sites = exact.migrate(script, options).left or doubts(program) or _lost(result, program)
    in_doubt = [replace(site, kind="left") for site in sites]
    return replace(result, changes=[], copied=[], findings=in_doubt) if in_doubt else result


def _old_modules(instead: MigrationResult, program: Program) -> list[Finding]:
    """The modules without TensorFlow that the exact form changes for today's NumPy."""
    after = {change.path: change.after for change in instead.changes}
    return [
        Finding("T2T631", "a module that has names of old libraries", "", path, 1, 1)
        for path in program.others
        if path in after and after[path] != program.read(path).text
    ]


def _idiomatic(program: Program, collective: bool = False) -> MigrationResult:
    """The idiomatic form; what stops it in the middle is a site that stands in the way, for there is the exact form."""
    try:
        return migrate(program, collective)
    except Exception as problem:
        if collective and isinstance(problem, SourceError):
            raise
        if os.environ.get("TF2TOWERS_DEBUG") and not isinstance(problem, SourceError):
            raise
        what = f"the idiomatic form could not be written ({type(problem).__name__})"
        path = program.script.path
        return MigrationResult(path, findings=[Finding("T2T408", what, "", path, 1, 1)])


def _lost(result: MigrationResult, program: Program) -> list[Finding]:
    """Calls of what is not TensorFlow's that the idiomatic form has fewer of: nothing of the user's may go."""
    found = []
    for change in result.changes:
        script = program.script if change.path == program.script.path else program.read(change.path)
        for call, line in lost_calls(script.text, change.after):
            if _stood_for(program, change.path, call):
                continue
            place = script.conversion.line_before(line) if script.conversion is not None else line
            found.append(Finding("T2T408", f"`{call}` would be lost", "", change.path, place, 1))
    return found


def _stood_for(program: Program, path: Path, call: str) -> bool:
    """Whether a function is handed over, or the strategy stands for it: the towers' average, their devices."""
    file = program.main if path == program.main.path else program.file(path)
    found = program.defined(file, call) if file is not None else None
    if found is None or not isinstance(found[1], ast.FunctionDef):
        return False
    building = Building(program)
    batches = queued(building)
    if batches is not None and building.functions_named(batches.file, batches.function)[0][1] is found[1]:
        return True
    return "." in call and (is_plain_mean(found[0], found[1]) or found[1] in placements(building))
