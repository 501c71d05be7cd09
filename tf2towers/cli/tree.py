"""`tf2towers migrate DIR`: a folder's programs and their modules, if they use TF1."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tf2towers.cli.processes import map_in_processes
from tf2towers.report.paths import counted, display_path
from tf2towers.report.result import MigrationResult


@dataclass(frozen=True)
class Tree:
    """The files and programs found under the given folders."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...]
    #: the programs: files that are scripts and import TensorFlow, directly or not
    mains: tuple[Path, ...]
    #: programs migrated before, such as an earlier output inside the folder: `-o` skips them
    migrated: tuple[Path, ...] = ()

    def base(self, paths: Sequence[str]) -> Path | None:
        """The folder that outputs are relative to: the given one if it is the only path."""
        return self.folders[0].absolute() if len(self.folders) == len(paths) == 1 else None


def tree_of(wanted: Sequence[str], options: argparse.Namespace) -> Tree | None:
    """The files and programs under the given folders; None without a folder."""
    if not wanted:
        return None
    from tf2towers.source.programs import find_programs, inspect_file, is_migrated, uninspected_file
    from tf2towers.source.walk import sources_under

    skipped = [options.output] if options.output is not None else []
    files = [
        file.absolute() for folder in wanted for file in sources_under(Path(folder), options.exclude, skipped)
    ]
    files = list(dict.fromkeys(files))
    inspect = partial(inspect_file, python_path=tuple(options.python_path))
    mains = find_programs(files, lambda part: map_in_processes(inspect, part, options.jobs, uninspected_file))
    migrated = [main for main in mains if is_migrated(main)] if options.output is not None else []
    mains = [main for main in mains if main not in set(migrated)]
    return Tree(tuple(map(Path, wanted)), tuple(files), tuple(mains), tuple(migrated))


def reported_once(results: Sequence[MigrationResult]) -> list[MigrationResult]:
    """The results worth reporting; a file's are with the first program that imports it."""
    files: set[Path] = set()
    found: list[MigrationResult] = []
    for result in results:
        paths = [change.path for change in result.changes] + [finding.path for finding in result.findings]
        own = {path.absolute() for path in (result.script, *paths)} - files
        files |= own
        changes = [change for change in result.changes if change.path.absolute() in own]
        findings = [finding for finding in result.findings if finding.path.absolute() in own]
        above = dict.fromkeys(site.path for site in result.left if site.path.absolute() not in own)
        if result.error is not None or findings or any(change.before != change.after for change in changes):
            found.append(replace(result, changes=changes, findings=findings, left_above=tuple(above)))
    return found


def tree_summary(tree: Tree, results: Sequence[MigrationResult]) -> str:
    """One line about all programs of the given folders."""
    names = ", ".join(display_path(folder) for folder in tree.folders)
    mains = set(tree.mains)
    known = [result for result in results if result.script.absolute() in mains]
    words = (
        "nothing left to you in {}",
        "places left in {}",
        "{} could not be migrated",
        "{} could not be written",
    )
    counts = Counter(f"{{}} {each.failure}" if each.failure else words[each.status] for each in known)
    done = [each.format(counts[each]) for each in words if counts[each]]
    programs = f"{counted(len(known), 'program')} with TF1"
    if accepted := sum(len(result.accepted) for result in known):
        done.append(f"{counted(accepted, 'place')} accepted by you")
    if tree.migrated:
        done.append(f"{len(tree.migrated)} migrated before and left out")
    outcome = f": {', '.join(done)}" if done else ""
    return f"{names}: {counted(len(tree.files), 'file')}, {programs}{outcome}"
