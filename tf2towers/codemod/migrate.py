"""`migrate`: a TF1 program in, the TF 2 program and what is left out. Imports no TensorFlow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from tf2towers.codemod.apply_changes import apply_changes, with_aligned_lines
from tf2towers.codemod.changes import Change, edited_lines
from tf2towers.codemod.dead_code import equal_branches, unused_imports
from tf2towers.codemod.libraries import joined_requirements
from tf2towers.codemod.new_imports import with_new_imports
from tf2towers.codemod.nodes import imported
from tf2towers.codemod.program import File, Program
from tf2towers.codemod.reached import find_unreached_context
from tf2towers.codemod.rule import ProgramKind, Rule, rules, todo_of, visit_file
from tf2towers.codemod.symbols import RUNTIME
from tf2towers.codemod.tf1_signs import has_tf1_sign, is_eager
from tf2towers.report.result import EditedLine, FileChange, Finding, MigrationResult
from tf2towers.source.deep import with_deep_stack
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script
from tf2towers.source.syntax import check_syntax

if TYPE_CHECKING:
    from tf2towers.source.notebook import Notebook


#: names that a program uses if it trains on several devices or machines
_DISTRIBUTED = re.compile(
    r"gpu|towers?\b|tf\.device|Server\(|ClusterSpec|device_setter|/job:|/cpu:", re.IGNORECASE
)


#: the rule of what is imported, to which new imports and those that nothing needs any more count
_IMPORTS = "T2T602"


@dataclass(frozen=True)
class Options:
    """What the user adds. `towers` is the number of towers where a loop does not say it."""

    towers: str | None = None
    #: modules that are scripts of their own, too
    mains: frozenset[Path] = frozenset()
    #: Python 2 is converted, and nothing is migrated
    python3: bool = False
    #: "2" or "3" where the user says for which Python the program is
    python: str | None = None
    #: folders in the PYTHONPATH of the program
    python_path: tuple[Path, ...] = ()
    #: is given words on what is being done
    progress: Callable[[str], None] | None = None

    def show(self, path: Path, words: str) -> None:
        """Says what is done with a file."""
        if self.progress is not None:
            self.progress(f"{path.name}: {words}")


def migrate(script: Script, options: Options | None = None) -> MigrationResult:
    """Migrates a script and the local modules it reaches.

    Returns:
        The changes of each file and what is left. Sites that are left stay as they are; the others are migrated.
    """
    return with_deep_stack(lambda: _migrate(script, options or Options()))


def _migrate(script: Script, options: Options) -> MigrationResult:
    result = MigrationResult(script.path)
    options.show(script.path, "reading it and its modules")
    program = Program(
        script,
        find_unreached_context,
        has_tf1_sign,
        options.towers,
        options.mains,
        options.python_path,
        options.python,
    )
    result.roots = tuple(sorted(program.imports.used_roots))
    if not program.is_tf1 and program.script.conversion is not None:
        # it stays Python 2, as nothing in it is migrated
        check_syntax(program.script.before, script.path)
    kind = program_kind(program)
    active = [] if options.python3 else [rule for rule in rules() if kind in rule.programs]
    for_modules = [rule for rule in active if rule.modules]
    for path in program.others:
        file = program.plain_file(path)
        change = _rewrite_file(file, for_modules, options)
        if change.after != change.before:
            result.changes.append(change)
            result.findings.extend(_python2_findings(file.script))
        else:
            result.copied.append(path)
        _report_notes(result, file)
    for path, error in program.unreadable:
        message = f"a local module that cannot be read: {error}"
        result.findings.append(Finding("T2T624", message, todo_of("T2T624"), path, error.line or 1, 1))
    if options.python3:
        result.remark = "in Python 3 now, and with TF 1 as before"
    elif program.is_tf1 and not any(_DISTRIBUTED.search(file.script.text) for file in program.files):
        result.remark = "no towers and no servers in it: it runs on one device, as before"
    for file in program.files:
        change = _rewrite_file(file, active, options)
        result.findings.extend(_python2_findings(file.script))
        if change.after != change.before or file.main:
            result.changes.append(change)
        else:
            result.copied.append(file.path)
        _report_notes(result, file)
    if not result.changed and not result.remark:
        result.remark = _unchanged_words(program)
    if script.notebook is not None:
        _report_cells(result, script.notebook)
    result.requirements = joined_requirements(program.requirements)
    return result


_TENSORFLOW = re.compile(r"^\s*(?:import|from)\s+(?:tensorflow|keras|tf2towers)\b", re.MULTILINE)
_MIGRATED = re.compile(r"\btf2towers\b.*\bruntime\b")


def _unchanged_words(program: Program) -> str:
    """Why nothing in a program changes, as far as that is certain; empty where it is not."""
    texts = [file.script.text for file in program.files]
    if any(map(_MIGRATED.search, texts)):
        return "it is migrated already"
    if not any(map(_TENSORFLOW.search, texts)):
        return "" if program.unreadable else "no TensorFlow in it"
    return "" if program.is_tf1 else "it is for TensorFlow 2 already"


def _report_notes(result: MigrationResult, file: File) -> None:
    """Makes findings of a file's notes, once, at the lines of its own text; compiled files that it needs are copied."""
    result.copied.extend(compiled for compiled in file.decided.compiled if compiled not in result.copied)
    for note in sorted(file.decided.notes, key=lambda note: (note.line, note.column, note.code)):
        line, source = note.line, file.text.line(note.line)
        if file.script.conversion is not None:
            line = file.script.conversion.line_before(line)
            source = "".join(re.split(r"\r\n|\r|\n", file.script.before)[line - 1 : line])
        result.findings.append(
            Finding(
                note.code, note.message, note.todo or todo_of(note.code), file.path, line, note.column, note.kind,
                source=source.strip(),
            )
        )  # fmt: skip
    file.decided.notes.clear()


def _python2_findings(script: Script) -> Iterator[Finding]:
    """What was converted in a file, in one sentence, and each site that is left."""
    conversion = script.conversion
    if conversion is None:
        return
    if conversion.steps:
        counts: dict[str, int] = {}
        for step in sorted(conversion.steps, key=lambda step: step.line):
            counts[step.name] = counts.get(step.name, 0) + 1
        words = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in counts.items())
        line = min(step.line for step in conversion.steps)
        yield Finding(
            "T2T608",
            f"converted from Python 2: {words}",
            todo_of("T2T608"),
            script.path,
            line,
            1,
            "changed",
        )
    for step in conversion.left:
        message = f"{step.name}: Python 2 meant something else"
        yield Finding("T2T609", message, todo_of("T2T609"), script.path, step.line, 1)


def program_kind(program: Program) -> ProgramKind:
    """What a program is, for rules to say whether they are for it."""
    if any(map(is_eager, program.files)):
        return "eager"
    if program.is_tf1:
        return "tf1"
    lines = (node for file in program.files for node in file.all(cst.ImportFrom))
    has_graph_mode = any(name == f"{RUNTIME}.graph_mode" for node in lines for _, name in imported(node))
    return "migrated" if has_graph_mode else "other"


def _rewrite_file(file: File, active: list[type[Rule]], options: Options) -> FileChange:
    script = file.script
    options.show(file.path, "the rules")
    changes: list[Change] = []
    edited: list[EditedLine] = []
    for rule in visit_file(file, active):
        changes += rule.changes
        rows = [row for each in rule.changes for row in edited_lines(file.text, each)]
        edited += [_edited_line(file, rule.code, row) for row in rows]
    after = script.text
    if changes or file.decided.wanted or file.decided.opening is not None:
        changed = apply_changes(file.tree, changes)
        if equal := [*equal_branches(file, changed.now)]:
            changes += equal
            rows = [file.text.first_line(each.node) for each in equal]
            edited += [_edited_line(file, "T2T601", row) for row in rows]
            changed = apply_changes(file.tree, changes)
        if unused := [*unused_imports(file, changes, changed.now)]:
            changed = apply_changes(file.tree, [*changes, *unused])
        module, lines = with_new_imports(file, with_aligned_lines(changed))
        for row, is_new in [*((file.text.first_line(each.node), False) for each in unused), *lines]:
            edited.append(_edited_line(file, _IMPORTS, row)._replace(added=is_new))
        after = file.tree.text_of(module)
    try:
        if after != script.text:
            check_syntax(after, script.path)
    except SourceError as problem:
        raise SourceError(script.path, f"not migrated, please report it: {problem}") from None
    show = script.notebook.shown if script.notebook is not None else str
    return FileChange(
        script.path, show(script.before), show(after), script.encoding, script.bom, checked=True,
        edits=tuple(edited), notebook=script.notebook, python=after, converted=script.conversion is not None,
    )  # fmt: skip


def _edited_line(file: File, code: str, line: int) -> EditedLine:
    """A line that is edited, in the file as the user has it."""
    if file.script.conversion is not None:
        line = file.script.conversion.line_before(line)
    if file.script.notebook is not None:
        cell, line = file.script.notebook.place(line)
        return EditedLine(code, line, cell)
    return EditedLine(code, line)


def _report_cells(result: MigrationResult, notebook: Notebook) -> None:
    """Findings of a notebook say the cell and the line in it; a module that a cell writes is left."""
    for place, finding in enumerate(result.findings):
        if finding.path == notebook.path:
            cell, line = notebook.place(finding.line)
            result.findings[place] = replace(finding, line=line, cell=cell)
    for cell, magic in notebook.files_written:
        message = f"{magic}: the module that this cell writes is not looked into"
        result.findings.append(Finding("T2T624", message, todo_of("T2T624"), notebook.path, 1, 1, cell=cell))
