"""One file by itself, and one repository as a folder, migrated twice, each in the time that it may take."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from record import Record
from sources import files_of
from texts import check_text

from tf2towers.cli import migrate as command
from tf2towers.cli.main import main as tf2towers
from tf2towers.cli.outputs import in_place, write_all
from tf2towers.report import text as text_report
from tf2towers.report.result import MigrationResult
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script

#: seconds of processor time for one program; and of waiting, on a machine that does other things
LONGEST, LONGEST_WAIT = 10.0, 120.0


class TooLong(BaseException):
    """A program takes longer than it may. No Exception, so that nothing catches it."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Ends what takes too long."""

    def stop(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_WAIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def one_file(record: Record, case: str, data: bytes, folder: Path) -> None:
    """A file by itself."""
    path = folder / "script.py"
    path.write_bytes(data)
    try:
        result = _migrated(record, case, path)
        record.counts[f"status {result.status}"] += 1
        if result.error is not None:
            if result.changes or "report it" in result.error:
                record.fault("error of ours", case, result.error, data)
            if path.read_bytes() != data:
                record.fault("changed on an error", case, result.error, data)
            return
        if not result.changed:
            return
        record.counts["changed"] += 1
        list(text_report.lines(result))
        write_all(in_place(result))
        for change in result.changes:
            check_text(record, case, change.before, change.after, data)
        again = _migrated(record, case, path)
        if again.error is not None or again.changed:
            what = again.error or "".join(map("".join, map(text_report.unified_diff, again.changes)))
            record.fault("second run", case, f"{result.status} -> {again.status} {what}", data)
    except TooLong:
        record.fault("too long", case, "", data)
    except SourceError as problem:  # of writing
        record.fault("not written", case, str(problem), data)
    except Exception:
        record.fault("exception", case, traceback.format_exc(), data)


def _migrated(record: Record, case: str, path: Path) -> MigrationResult:
    began = time.process_time()
    with limited():
        result = command.migrate_path(str(path))
    record.slowest = max(record.slowest, (time.process_time() - began, case))
    return result


def one_repository(record: Record, clone: Path, folder: Path) -> None:
    """A whole repository, as a folder, twice."""
    name, texts = clone.name, {folder / path: data for path, data in files_of(clone)}
    for place, data in texts.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    said = _run_on(record, name, folder)
    for place, data in texts.items():
        now = place.read_bytes()
        if now != data:
            record.counts["trees: files changed"] += 1
            with contextlib.suppress(SourceError):
                before = Script.from_bytes(data, place, checked=False)
                after = Script.from_bytes(now, place, checked=False)
                check_text(record, f"{name}: {place.relative_to(folder)}", before.text, after.text, data)
    if re.search("report it|internal error", said):
        record.fault("error of ours", name, said)
    first = {place: place.read_bytes() for place in texts}
    _run_on(record, name, folder)
    if "another script needs another text there" in said:
        return  # the program that this one stood in the way of is written now, with its modules
    for place, data in first.items():
        if place.read_bytes() != data:
            record.fault("second run", f"{name}: {place.relative_to(folder)}", "changed again", texts[place])
    record.counts["trees"] += 1


def _run_on(record: Record, name: str, folder: Path) -> str:
    plain = command.migrate_path

    def timed(path: str, *choice: object) -> MigrationResult:
        began = time.process_time()
        try:
            with limited():
                return plain(path, *choice)
        except TooLong:
            record.fault("too long", f"{name}: {path}", "")
            return MigrationResult(Path(path), error="took too long")
        finally:
            record.counts["trees: programs"] += 1
            record.slowest = max(record.slowest, (time.process_time() - began, f"{name}: {path}"))

    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        command.migrate_path = timed
        os.environ.pop("TF2TOWERS_DEBUG", None)
        try:
            tf2towers(["migrate", "-w", str(folder)])
        finally:
            os.environ["TF2TOWERS_DEBUG"] = "1"
            command.migrate_path = plain
    return errors.getvalue()
