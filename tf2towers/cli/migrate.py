"""`tf2towers migrate`: migrates scripts, shows what changes, and writes it."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tf2towers.cli import migrate_options
from tf2towers.cli.configuration import configured
from tf2towers.cli.errors import CommandError, internal_error, wants_traceback
from tf2towers.cli.outputs import Output, in_place, under_directory, write_all
from tf2towers.cli.processes import map_in_processes
from tf2towers.cli.progress import Progress
from tf2towers.cli.running import check_scripts, require_modules
from tf2towers.cli.selection import mark_accepted
from tf2towers.cli.show_results import show
from tf2towers.cli.tree import Tree, tree_of
from tf2towers.cli.verify import show_verdict, verdict_on
from tf2towers.report.paths import display_path
from tf2towers.report.result import MigrationResult
from tf2towers.source.deep import with_deep_stack
from tf2towers.source.errors import SourceError
from tf2towers.source.python2.reading import read_notebook, read_script
from tf2towers.source.script import MAX_BYTES, STDIN, Script

if TYPE_CHECKING:
    from tf2towers.codemod.migrate import Options

Got = TypeVar("Got")
#: a path, the options of its migration, and the codes of rules that are not reported
Given: TypeAlias = "tuple[str, Options, tuple[str, ...]]"

add_arguments = migrate_options.add_arguments


def run(options: argparse.Namespace) -> int:
    """Migrates each path once, in the given order; a symbolic link counts as a path of its own."""
    given: dict[str, str] = {}
    for path in options.paths:
        given.setdefault(path if path == str(STDIN) else os.path.abspath(path), path)  # noqa: PTH100
    paths = list(given.values())
    for path in paths:
        if path.startswith("-") and path != str(STDIN) and not os.path.lexists(path):
            raise CommandError(f"{path}: the arguments of a script go with --verify, which runs it")
    _complete(options, paths)
    if options.output is not None and str(STDIN) in paths:
        raise CommandError("-o needs files: the standard input is without a name to write to")
    if options.write and str(STDIN) in paths and options.format != "text":
        raise CommandError(
            "-w - writes the script to the standard output: no --output-format goes there, too"
        )
    if options.vendor and not (options.write or options.output):
        raise CommandError("--vendor goes with -o or -w")
    # the output of --python3 runs with TF 1, on a Python for which tf2towers cannot be installed
    options.vendor = (options.vendor or options.python3) and bool(options.write or options.output)
    status = _migrate_scripts(paths, options)
    return 0 if status == 1 and options.exit_zero else status


#: what an option is where neither the command line nor pyproject.toml says it
_DEFAULTS: dict[str, object] = {"exclude": (), "ignore": (), "python_path": (), "strict": False}


def _complete(options: argparse.Namespace, paths: Sequence[str]) -> None:
    """Adds what pyproject.toml says, and the defaults, where the command line does not say it."""
    for name, value in (_DEFAULTS | configured(paths)).items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def _migrate_scripts(paths: list[str], options: argparse.Namespace) -> int:
    folders = [path for path in paths if Path(path).is_dir()]
    if folders and options.verify:
        raise CommandError("--verify takes scripts, no folder")
    tree = tree_of(folders, options)
    results = _migrate_all([path for path in paths if path not in folders], tree, options)
    status = max((result.status for result in results), default=0)
    if options.verify:
        if unread := [result for result in results if result.error is not None]:
            print("tf2towers migrate: --verify: nothing was run, nothing was written", file=sys.stderr)
            show(unread, {}, options, tree)
            return 2
        if verdict := verify_all(results, options):
            if status:
                show(results, {}, options, tree)  # the sites left may be the cause
            return verdict
    written: dict[Path, str] = {}
    if options.write or options.output is not None:
        written = _write(results, options, None if tree is None else tree.base(paths))
        if options.vendor:
            written.update(dict.fromkeys(_write_runtime(results, options), "wrote"))
        status = max([status, *(result.status for result in results)])
    elif options.check and any(result.changed for result in results):
        status = max(status, 1)
    show(results, written, options, tree)
    return status


def _migrate_all(named: list[str], tree: Tree | None, options: argparse.Namespace) -> list[MigrationResult]:
    """One result for each script, failed or not; of folders only those with anything to report."""
    from tf2towers.codemod.migrate import Options  # imported once, before other processes start

    mains = tree.mains if tree is not None else ()
    scripts_named = [Path(os.path.abspath(path)) for path in named if path != str(STDIN)]  # noqa: PTH100
    progress = Progress()
    choice = Options(
        towers=options.towers,
        python3=options.python3,
        python=options.python,
        python_path=tuple(options.python_path),
        mains=frozenset([*mains, *scripts_named]),  # one may import another
        progress=progress if options.jobs < 2 else None,
    )
    paths = dict.fromkeys([*named, *map(display_path, mains)])
    scripts = [(path, choice, options.ignore) for path in paths]
    found = map_in_processes(_migrate_one, scripts, options.jobs, _lost_result)
    return [
        result
        for result in _with_strictness(progress.of(found, len(scripts)), options.strict)
        if tree is None or result.error is not None or result.findings or result.changed
    ]


def _with_strictness(results: Iterable[MigrationResult], strict: bool) -> Iterator[MigrationResult]:
    for result in results:
        result.strict = strict
        yield result


def _migrate_one(script: Given) -> MigrationResult:
    return migrate_path(*script)


def _lost_result(script: Given) -> MigrationResult:
    message = "nothing was done: its process was killed, perhaps because memory ran out"
    return MigrationResult(Path(script[0]), error=message)


def migrate_path(path: str, options: Options | None = None, ignored: tuple[str, ...] = ()) -> MigrationResult:
    """Reads and migrates one script; errors are stored in the result, not raised."""
    from tf2towers.codemod.migrate import migrate

    try:
        read = _reader(path)
        result = with_deep_stack(lambda: migrate(read(), options))
        return mark_accepted(result, ignored)
    except SourceError as problem:
        return MigrationResult(Path(path), error=_error_words(problem, Path(path)))
    except Exception as problem:
        if wants_traceback():
            raise
        return MigrationResult(Path(path), error=internal_error(problem, "internal error, nothing was done"))


def _error_words(problem: SourceError, script: Path) -> str:
    """The error's sentence, with the path first if it is about another file."""
    own = (script, Path(os.path.realpath(script)))
    return str(problem) if problem.path in own else f"{display_path(problem.path)}: {problem}"


def _reader(path: str) -> Callable[[], Script]:
    """A function that reads the script at a path; standard input is read at once."""
    if path == str(STDIN):
        if sys.stdin is None:
            raise SourceError(STDIN, "the standard input is closed")
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        return lambda: read_script(lambda checked: Script.from_bytes(data, STDIN, checked=checked))
    if path.endswith(".ipynb"):
        return lambda: read_notebook(path)
    return lambda: read_script(lambda checked: Script.read(path, checked=checked))


# -- --verify: the migrated script runs beside the original before anything is written -------------


def verify_all(results: Sequence[MigrationResult], options: argparse.Namespace) -> int:
    """Runs each script and its migrated version, prints the verdicts; returns the highest status.

    The migrated script is run from a temporary folder that holds it and its local modules.
    """
    if any(result.script == STDIN for result in results):
        raise CommandError("--verify needs a file: the standard input cannot be run twice")
    originals = ((result.script, options.legacy_python) for result in results)
    check_scripts(*originals, python2=True)
    require_modules("tensorflow", "numpy")
    return max(_verify(result, options) for result in results)


def _verify(result: MigrationResult, options: argparse.Namespace) -> int:
    if not result.changed:
        return 0
    with tempfile.TemporaryDirectory(prefix="tf2towers-") as folder:
        write_all(under_directory(result, [result], Path(folder)))
        migrated = next(path for path in sorted(Path(folder).rglob(result.script.name)))
        parity = verdict_on(result.script, migrated, options)
    show_verdict(parity, sys.stderr)
    if parity.status:
        print(f"tf2towers migrate: {display_path(result.script)}: nothing was written", file=sys.stderr)
    return parity.status


# -- the files to write ----------------------------------------------------------------------------


def _write(
    results: list[MigrationResult], options: argparse.Namespace, base: Path | None = None
) -> dict[Path, str]:
    """Writes the migrated files and returns a word on each; a failure is in the result."""
    good = [result for result in results if result.error is None]
    planned: dict[Path, bytes] = {}

    def plan(result: MigrationResult) -> list[Output]:
        if options.output is None:
            outputs = in_place(result)
        else:
            outputs = under_directory(result, good, options.output, base)
        for output in outputs:
            if planned.get(output.target, output.data) != output.data:
                raise SourceError(output.target, "not written: another script needs another text there")
        planned.update((output.target, output.data) for output in outputs)
        return outputs

    plans = [(result, _catch_error(result, partial(plan, result))) for result in good]
    there = {target for target in planned if options.output is not None and target.exists()}
    written = [
        path for result, outputs in plans for path in _catch_error(result, partial(write_all, outputs))
    ]
    return {path: "changed" if path in there else "wrote" for path in written}


def _catch_error(result: MigrationResult, work: Callable[[], list[Got]]) -> list[Got]:
    """What `work` returns; after a SourceError an empty list, and the result has the error."""
    try:
        return work()
    except SourceError as problem:
        result.error = _error_words(problem, result.script)
        return []


def _write_runtime(results: list[MigrationResult], options: argparse.Namespace) -> list[Path]:
    """Writes the runtime's files to the output folder or beside each script; returns the paths."""
    from tf2towers.source.vendor import requirement_lines, vendored_files

    good = [result for result in results if result.error is None and result.script != STDIN]
    folders = {options.output} if options.output else {result.script.parent for result in good}
    texts = [change.code for result in good for change in result.changes]
    files = vendored_files(texts)
    written = []
    for folder in folders:
        try:
            new = write_all(Output(folder / path, folder / path, data) for path, data in files.items())
        except SourceError as problem:
            for result in good:
                if folder in (options.output, result.script.parent):
                    result.error = _error_words(problem, result.script)
            continue
        written += [folder / "tf2towers"] * bool(new)
        if new and not options.python3:
            lines = "\n".join(requirement_lines(texts, files))
            print(f"for the requirements.txt of what is in {display_path(folder)}:\n{lines}", file=sys.stderr)
    return written
