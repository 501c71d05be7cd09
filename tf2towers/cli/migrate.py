"""`tf2towers migrate`: migrates scripts, shows what changes, and writes it where it was told to."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tf2towers.cli import verified_migration
from tf2towers.cli.outputs import Output, beside, in_place
from tf2towers.cli.tree import each, summary, told_once, tree_of, with_progress
from tf2towers.exact.python2.reading import read_notebook, read_script
from tf2towers.report.paths import shown
from tf2towers.report.result import MigrationResult
from tf2towers.source.errors import SourceError
from tf2towers.source.script import MAX_BYTES, STDIN, Script

FORMATS = ("text", "json", "sarif", "github")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "Without -w, -o or --check a unified diff and a summary are printed and nothing is written.\n"
        "exit status: 0 nothing left by hand; 1 sites left (or --check, and it would change);\n"
        "2 could not be read, parsed or written: that script is left as it was.\n"
        "With --verify the command line of the scripts follows a --, and nothing is written unless\n"
        "both run alike: status 1 says what differs, 2 that one of them could not be run."
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a training script or notebook, or a folder of them; - is the standard input",
    )
    parser.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="of a folder, leave these out (as in .gitignore, which is respected); may be repeated",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-w", "--write", action="store_true", help="write in place (for -: to the standard output)"
    )
    where.add_argument(
        "-o", "--output", metavar="DIR", type=Path, help="write there, with the local modules needed"
    )
    where.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if anything would change"
    )
    verified_migration.add_arguments(parser)
    parser.add_argument(
        "--towers",
        metavar="EXPRESSION",
        help="the number of towers, or their devices, where a loop does not say",
    )
    parser.add_argument(
        "--idiomatic",
        action="store_true",
        help="hand-shaped TF 2 where the whole program is understood; else the exact form, and what stood in the way",
    )
    parser.add_argument(
        "--collective",
        action="store_true",
        help="--idiomatic, for synchronous workers only: an all-reduce between them (MultiWorkerMirroredStrategy) "
        "and no parameter servers; docs/clusters.md says when",
    )
    parser.add_argument(
        "--vendor",
        action="store_true",
        help="with -o or -w: put the part of our runtime that is needed beside it",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how the result is shown")
    parser.add_argument(
        "-j", "--jobs", type=_jobs, default=1, metavar="N", help="so many processes; 0: one a core"
    )


def prepare(arguments: list[str]) -> list[str]:
    """With --verify, what follows a -- is the scripts' command line."""
    return verified_migration.prepare(arguments)


def run(options: argparse.Namespace) -> int:
    """Migrates every path, in the order given, each once."""
    paths = list(dict.fromkeys(options.paths))
    if options.output is not None and str(STDIN) in paths:
        print(
            "tf2towers migrate: -o needs files: the standard input has no name to write to", file=sys.stderr
        )
        return 2
    idiomatic = options.idiomatic or options.collective
    if options.vendor and (idiomatic or not (options.write or options.output)):
        print("tf2towers migrate: --vendor goes with -o or -w, in the exact register", file=sys.stderr)
        return 2
    choice = Choice(idiomatic, options.towers, options.collective)
    tree = tree_of(paths, options.exclude, options.output, options.jobs, notebooks=not idiomatic)
    base = None
    if tree is not None:
        if options.verify:
            print("tf2towers migrate: --verify takes scripts, no folder", file=sys.stderr)
            return 2
        base = tree.base(paths)
        named = [path for path in paths if not Path(path).is_dir()]
        paths = list(dict.fromkeys([*named, *map(shown, tree.mains)]))
        choice = replace(choice, mains=frozenset(tree.mains))
    results = migrate_all(paths, options.jobs, choice)
    if tree is not None:
        results = [one for one in results if one.error is not None or one.findings or one.changed]
    status = max((result.status for result in results), default=0)
    if options.verify and status == 0:
        status = verified_migration.verify_all(results, options)
        if status:
            return status
    written: list[Path] = []
    if options.write or options.output is not None:
        written = _write(results, options, base)
        if options.vendor:
            written += _vendored(results, options)
        status = max([status, *(result.status for result in results)])
    elif options.check and any(result.changed for result in results):
        status = max(status, 1)
    _show(results if tree is None else told_once(results), written, options, brief=tree is not None)
    if tree is not None and options.format == "text":
        print(summary(tree, results))
    return status


@dataclass(frozen=True)
class Choice:
    """The register, and what it is told: `towers` the exact one, `collective` the idiomatic one."""

    idiomatic: bool = False
    towers: str | None = None
    collective: bool = False
    mains: frozenset[Path] = frozenset()

    def engine(self) -> Callable[[Script], MigrationResult]:
        """The function that migrates a script."""
        if self.collective:
            hand_shaped = importlib.import_module("tf2towers.migrate")
            return partial(hand_shaped.migrate, collective=True)
        exact = importlib.import_module("tf2towers.exact.migrate")
        options = exact.Options(towers=self.towers, mains=self.mains)
        if self.idiomatic:
            return partial(importlib.import_module("tf2towers.registers").idiomatic_or_exact, options=options)
        return partial(exact.migrate, options=options)


def migrate_all(paths: list[str], jobs: int = 1, choice: Choice = Choice()) -> list[MigrationResult]:
    """One result a path, whatever happens to it."""
    if jobs > 1 and len(paths) > 1:
        choice.engine()  # loaded once, before there are several processes
    return list(with_progress(each(partial(migrate_path, choice=choice), paths, jobs), len(paths)))


def migrate_path(path: str, choice: Choice = Choice()) -> MigrationResult:
    """Reads and migrates one script. An error, the user's or ours, is in the result; no traceback."""
    try:
        return choice.engine()(_script(path, choice))
    except SourceError as problem:
        where = "" if problem.path == Path(path) else f"{shown(problem.path)}: "
        return MigrationResult(Path(path), error=f"{where}{problem}")
    except Exception as problem:
        if os.environ.get("TF2TOWERS_DEBUG"):
            raise
        kind = f"{type(problem).__name__}: {problem}".strip(": ")
        hint = "please report it; TF2TOWERS_DEBUG=1 shows where"
        return MigrationResult(Path(path), error=f"internal error, nothing was done: {kind} ({hint})")


def _script(path: str, choice: Choice) -> Script:
    """The script at a path. The exact register takes Python 2, too."""
    if path.endswith(".ipynb") and not choice.idiomatic:
        return read_notebook(path)
    data = sys.stdin.buffer.read(MAX_BYTES + 1) if path == str(STDIN) else None

    def load(checked: bool) -> Script:
        if data is not None:
            return Script.from_bytes(data, STDIN, checked=checked)
        return Script.read(path, checked=checked)

    return load(True) if choice.idiomatic else read_script(load)


def _write(
    results: list[MigrationResult], options: argparse.Namespace, base: Path | None = None
) -> list[Path]:
    """Writes what was migrated; a script whose files cannot all be written gets an error instead."""
    good = [result for result in results if result.error is None]
    planned: dict[Path, bytes] = {}
    plans: list[tuple[MigrationResult, list[Output]]] = []
    for result in good:
        try:
            outputs = (
                beside(result, good, options.output, base) if options.output is not None else in_place(result)
            )
            for output in outputs:
                if planned.get(output.target, output.data) != output.data:
                    raise SourceError(output.target, "not written: another script needs another text there")
            planned.update((output.target, output.data) for output in outputs)
            plans.append((result, outputs))
        except SourceError as problem:
            result.error = f"{shown(problem.path)}: {problem}"
    written: list[Path] = []
    for result, outputs in plans:
        try:
            written += [output.target for output in outputs if output.write()]
        except SourceError as problem:
            result.error = f"{shown(problem.path)}: {problem}"
    return written


def _vendored(results: list[MigrationResult], options: argparse.Namespace) -> list[Path]:
    """Writes the runtime's files beside the output: in its folder, or in that of each script."""
    from tf2towers.exact.vendor import vendored
    from tf2towers.source.write import write_atomically

    good = [result for result in results if result.error is None and result.script != STDIN]
    folders = {options.output} if options.output else {result.script.parent for result in good}
    files = vendored(change.code for result in good for change in result.changes)
    targets = {folder / path: data for folder in folders for path, data in files.items()}
    new = [target for target, data in targets.items() if not target.is_file() or target.read_bytes() != data]
    for target in new:
        write_atomically(target, targets[target])
    return [folder / "tf2towers" for folder in folders if any(one.is_relative_to(folder) for one in new)]


def _show(
    results: list[MigrationResult],
    written: Iterable[Path],
    options: argparse.Namespace,
    *,
    brief: bool = False,
) -> None:
    shows_diff = not (options.write or options.output)
    if options.format == "text":
        from tf2towers.report import text

        to_stdout = not (options.write and any(result.script == STDIN for result in results))
        out = sys.stdout if to_stdout else sys.stderr
        for result in results:
            if result.error is not None:
                out.flush()
                print(f"tf2towers: {text.summary(result)}", file=sys.stderr)
            else:
                out.write(text.render([result], diff=shows_diff, colour=_colour(), brief=brief))
        for path in written:
            print(f"wrote {shown(path)}", file=out)
        return
    renderer = importlib.import_module(f"tf2towers.report.{options.format}")
    sys.stdout.write(renderer.render(results))


def _colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _jobs(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("a number of processes, or 0")
    return count or os.cpu_count() or 1
