"""`migrate`: a TF1 training script in, the TF2 program and what is left by hand out. Imports no TensorFlow."""

from __future__ import annotations

import ast

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from tf2towers.certain.without_towers import trains
from tf2towers.exact.program import Program
from tf2towers.exact.rules.t2t608_python2 import told
from tf2towers.names.symbols import Names
from tf2towers.program.clusters.find_cluster import find_cluster
from tf2towers.program.problem import Problem
from tf2towers.program.python_code.search import find_all
from tf2towers.program.towers.tower_loop import find_tower_loops, no_towers
from tf2towers.program.training import Training
from tf2towers.program.understand import understand
from tf2towers.report.quoted_code import code_between, with_quoted_code
from tf2towers.report.result import FileChange, Finding, MigrationResult
from tf2towers.rewrites.behaviour_notes import semantic_notes
from tf2towers.rewrites.checks.program_checks import check
from tf2towers.rewrites.files.file_context import FileContext
from tf2towers.rewrites.files.local_modules import migrate_modules
from tf2towers.rewrites.files.lost_names import lost_names
from tf2towers.rewrites.files.module_rewriter import with_imports
from tf2towers.rewrites.files.name_counts import NameCounts, count_names
from tf2towers.rewrites.files.trainer_rewriter import TrainerModuleRewriter
from tf2towers.rewrites.registry import todo_of
from tf2towers.rewrites.statements.assembler import Assembler
from tf2towers.source.conversion import line_map
from tf2towers.source.script import Script
from tf2towers.source.tree import one_statement_a_line, parse_tree, text_of

#: what no idiomatic program makes
_GONE = frozenset({"Session", "InteractiveSession"})


def migrate(source: Program, collective: bool = False) -> MigrationResult:
    """Migrates a script and the local modules it reaches.

    Args:
        source: the training script and its modules, as Python 3.
        collective: only synchronous workers are wanted, with an all-reduce between them; any other program is left.

    Returns:
        What changes and what is left. When a site of the training structure is left, no file changes: half a tower
        program would not run.
    """
    script = source.script
    result = MigrationResult(script.path)
    tree = one_statement_a_line(parse_tree(script))
    before = text_of(tree, script)
    wrapper = MetadataWrapper(tree, unsafe_skip_copy=True)
    names = Names(wrapper)
    identifiers = count_names(ast.parse(before))
    loops = find_tower_loops(wrapper.module, names)
    towers = [loop for loop in loops if loop.has_gradients]
    positions = wrapper.resolve(PositionProvider)

    def left(problem: Problem, kind: str = "left") -> None:
        result.findings.append(_finding(problem, kind, script, before, positions))

    cluster = find_cluster(wrapper.module, names) if not towers else None
    if isinstance(cluster, list):
        for problem in cluster:
            left(problem)
        return result
    if collective and (cluster is None or cluster.synchronous is None):
        what = "no cluster of parameter servers" if cluster is None else "no SyncReplicasOptimizer"
        left(Problem(cluster.server if cluster else wrapper.module, "T2T509", what))
        return result
    if cluster is not None:
        towers = [no_towers((*cluster.parents, cluster.stage), cluster)]
    elif not loops and not trains(source):
        towers = [no_towers((wrapper.module,))]
    if len(towers) != 1:
        for loop in loops:
            left(Problem(loop.loop, "T2T307", "a tower loop that computes no gradients, or one of several"))
        if not loops:
            left(Problem(wrapper.module, "T2T307", "no loop over towers"))
        return result
    context = FileContext(names, used_names=identifiers.plain, text=before)
    training = understand(towers[0], names, source)
    context.freed = freed_names(training, identifiers)
    training.problems.extend(check(training, wrapper.module))
    assembler = Assembler(context, training) if not training.problems else None
    if assembler is not None:
        assembler.run()
    if assembler is None or training.problems:
        for problem in training.problems:
            left(problem)
        return result
    removed: set[cst.CSTNode] = {
        node
        for node in wrapper.module.body
        if isinstance(node, cst.FunctionDef) and node.name.value in context.freed
    }
    module = wrapper.module.visit(TrainerModuleRewriter(context, assembler, removed))
    module = with_imports(module, context)
    semantic_notes(training, context)
    for note in context.notes:
        left(Problem(note.node, note.code, note.message), note.kind)
    text = text_of(module, script)
    cluster = training.tower.cluster
    where = training.tower.loop if cluster is None else cluster.stage
    for message in _broken(before, text):
        left(Problem(where, "T2T408", message))
    if not result.left:
        _give_out(result, source, text)
    return result


def _give_out(result: MigrationResult, source: Program, text: str) -> None:
    """The script's new text, its modules', and what had been converted in them before."""
    script = source.script
    modules = migrate_modules(source)
    result.changes.append(FileChange(script.path, script.before, text, script.encoding, script.bom))
    result.changes.extend(modules.changes)
    result.copied.extend(modules.copied)
    for file in (script, *map(source.read, source.imports.modules)):
        result.findings.extend(told(file))


def _broken(before: str, after: str) -> list[str]:
    """What is wrong with the migrated text."""
    try:
        lost = [f"{name!r} would lose its definition" for name in lost_names(before, after)]
        stayed = {node.attr for node in ast.walk(ast.parse(after)) if isinstance(node, ast.Attribute)} & _GONE
        return lost + [f"a {name} would stay" for name in sorted(stayed)]
    except SyntaxError as error:
        return [f"the migrated text would not compile: {error.msg}"]


def freed_names(training: Training, identifiers: NameCounts) -> set[str]:
    """Names of functions whose every use goes: averages that are an all-reduce, what gave a tower its device.

    Their imports and definitions go with them.
    """
    calls = [average.call.func for average in training.averages]
    calls += [
        call.func
        for item in training.tower.device_with.items
        for call in find_all(item, cst.Call)
        if isinstance(call.func, cst.Name) and call.func.value in training.body.placements
    ]
    counts: dict[str, int] = {}
    for func in calls:
        if isinstance(func, cst.Name):
            counts[func.value] = counts.get(func.value, 0) + 1
    return {
        name for name, count in counts.items() if identifiers.total(name) == count + 1
    }  # and one definition or import


def _finding(problem: Problem, kind: str, script: Script, text: str, positions) -> Finding:  # type: ignore[no-untyped-def]
    """A problem as a finding at the line of the file; `positions` are places in `text`."""
    place = positions.get(problem.node)
    message, line, column = problem.message, 1, 1
    if place is not None and not isinstance(problem.node, cst.Module):
        start, end = (place.start.line, place.start.column), (place.end.line, place.end.column)
        line, column = start[0], start[1] + 1
        if kind == "left" and not message.startswith("no "):  # that is about what was not met
            message = with_quoted_code(message, code_between(text, start, end))
        if text != script.before:
            line = line_map(script.before, text)[line]
    return Finding(problem.code, message, todo_of(problem.code), script.path, line, column, kind)  # type: ignore[arg-type]
