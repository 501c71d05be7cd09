"""Prints results of `migrate`: the diff on standard output, the rest on standard error.

As with black, so `tf2towers migrate train.py > train.diff` is a patch. With `--check` or `-q` the
findings are what was asked for: they are on standard output.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from tf2towers.cli.tree import Tree, reported_once, tree_summary
from tf2towers.codemod.rule import name_of, rule_of, title_of
from tf2towers.report import text
from tf2towers.report.diff import unified_diff
from tf2towers.report.paths import counted, display_path
from tf2towers.report.result import MigrationResult
from tf2towers.report.terminal import diff_line, report_line
from tf2towers.source.script import STDIN


def show(
    results: list[MigrationResult],
    written: Mapping[Path, str],
    options: argparse.Namespace,
    tree: Tree | None,
) -> None:
    """Prints results and written files; each file of a folder with its first program."""
    once = results if tree is None else reported_once(results)
    try:
        if options.format == "text":
            _show_text(once, written, options, tree)
        else:
            if options.check or options.format != "json":  # JSON has the edits with each file
                edits = (result.edits(title_of, check=options.check) for result in once)
                once = [
                    replace(result, findings=result.findings + own)
                    for result, own in zip(once, edits, strict=True)
                ]
            renderer = importlib.import_module(f"tf2towers.report.{options.format}")
            sys.stdout.write(renderer.render(once, rule_of))
        sys.stdout.flush()
    except OSError as problem:
        if written and not isinstance(problem, BrokenPipeError):
            print("tf2towers migrate: everything is written, only the report of it is not", file=sys.stderr)
        raise
    if options.format != "text" and not options.quiet:
        print(f"tf2towers migrate: {_total_words(results)}", file=sys.stderr)
    if options.format == "text" and tree is not None and not options.quiet:
        print(tree_summary(tree, results), file=_reports_to(results, options))


def _show_text(
    results: list[MigrationResult],
    written: Mapping[Path, str],
    options: argparse.Namespace,
    tree: Tree | None,
) -> None:
    out = _reports_to(results, options)
    shows_diff = not (options.write or options.output or options.no_diff or options.quiet)
    brief = tree is not None and not options.verbose
    shown: set[Path] = set()  # a module of two scripts is once in the diff
    advised: set[str] = set()  # one advice for all scripts
    for result in results:
        for change in result.changes if shows_diff else ():
            if change.path not in shown:
                diff = unified_diff(change, name_of=name_of)
                sys.stdout.writelines(diff_line(line, sys.stdout) for line in diff)
            shown.add(change.path)
        sys.stdout.flush()
        if result.error is not None:
            sys.stderr.write(report_line(f"tf2towers: {text.summary(result)}\n", sys.stderr))
        elif options.quiet:
            out.write(text.left_only(result, name_of))
        else:
            lines = text.lines(result, name_of, brief, options.verbose, advised)
            out.writelines(report_line(line, out) for line in lines)
    if options.statistics:
        out.writelines(text.statistics(results, name_of))
    if options.quiet:
        return
    out.writelines(text.requirements(results))
    out.writelines(f"{word} {display_path(path)}\n" for path, word in written.items())
    if (
        options.output is not None
        and not written
        and any(each.changed and not each.error for each in results)
    ):
        print(f"{display_path(options.output)}: up to date", file=out)


def _reports_to(results: Sequence[MigrationResult], options: argparse.Namespace) -> TextIO:
    """The stream of summaries and findings; with `-w -` the script is on standard output."""
    writes_script = options.write and any(result.script == STDIN for result in results)
    return sys.stdout if (options.check or options.quiet) and not writes_script else sys.stderr


def _total_words(results: Sequence[MigrationResult]) -> str:
    """One line about all results, for a person who pipes the output to a program."""
    changes = [change for result in results for change in result.changes]
    files = len({change.path for change in changes if change.before != change.after})
    left = len({(site.path, site.line, site.message) for result in results for site in result.left})
    failed = Counter(result.failure for result in results if result.failure)
    words = [f"{counted(files, 'file')} to change", f"{counted(left, 'place')} left to you"]
    return ", ".join(words + [f"{count} that {failure}" for failure, count in failed.items()])
