"""Prints what came of `migrate`: as text, or for a program that reads it; a summary goes to the standard error."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from tf2towers.cli.tree import Tree, reported_once, tree_summary
from tf2towers.report.paths import counted, display_path
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import STDIN


def show(
    results: list[MigrationResult], written: list[Path], options: argparse.Namespace, tree: Tree | None
) -> None:
    """Prints the results and the files written; of a folder, each file with the first program that reaches it."""
    try:
        once = results if tree is None else reported_once(results)
        if options.format != "text":
            if options.check:  # what its status says has to be in what it prints
                once = [replace(result, findings=result.findings + result.edits()) for result in once]
            _for_programs(once, options.format)
        else:
            _as_text(once, written, options, tree)
        sys.stdout.flush()
    except OSError as problem:
        if written and not isinstance(problem, BrokenPipeError):
            print("tf2towers migrate: everything is written, only the report of it is not", file=sys.stderr)
        raise
    if options.format != "text" and not options.quiet:
        print(f"tf2towers migrate: {_total_words(results)}", file=sys.stderr)
    if options.format == "text" and tree is not None and not options.quiet:
        print(tree_summary(tree, results))


def _for_programs(results: Sequence[MigrationResult], format_name: str) -> None:
    renderer = importlib.import_module(f"tf2towers.report.{format_name}")
    if format_name == "sarif":
        from tf2towers.codemod.rule import rule_of

        sys.stdout.write(renderer.render(results, rule_of))
    else:
        sys.stdout.write(renderer.render(results))


def _as_text(
    results: Iterable[MigrationResult],
    written: Iterable[Path],
    options: argparse.Namespace,
    tree: Tree | None,
) -> None:
    from tf2towers.codemod.rule import name_of
    from tf2towers.report import text

    results = list(results)
    to_stdout = not (options.write and any(result.script == STDIN for result in results))
    out = sys.stdout if to_stdout else sys.stderr
    shows_diff = not (options.write or options.output or options.no_diff)
    for result in results:
        if result.error is not None:
            out.flush()
            print(f"tf2towers: {text.summary(result)}", file=sys.stderr)
        elif options.quiet:
            out.write(text.left_only([result], name_of))
        else:
            out.write(
                text.render(
                    [result],
                    diff=shows_diff,
                    brief=tree is not None and not options.verbose,
                    all_sites=options.verbose,
                    name_of=name_of,
                )
            )
            if options.verbose:
                out.writelines(f"  {display_path(path)}: read, unchanged\n" for path in result.copied)
    if options.quiet:
        return
    for path in (written := list(written)):
        print(f"wrote {display_path(path)}", file=out)
    if options.output is not None and not written and any(result.changed for result in results):
        print(f"{display_path(options.output)}: up to date", file=out)


def _total_words(results: Sequence[MigrationResult]) -> str:
    """One line about all results, for a person who sends the output to a program."""
    files = len(
        {change.path for result in results for change in result.changes if change.before != change.after}
    )
    left = len(
        {(finding.path, finding.line, finding.message) for result in results for finding in result.left}
    )
    failed = sum(result.error is not None for result in results)
    words = [f"{counted(files, 'file')} to change", f"{counted(left, 'site')} left by hand"]
    return ", ".join(words + [f"{failed} that could not be read"] * bool(failed))
