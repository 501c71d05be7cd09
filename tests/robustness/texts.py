"""Texts that were written: they compile, and define what they use, as before."""

from __future__ import annotations

import collections
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

from record import Record

from tf2towers.source.deep import with_deep_stack
from tf2towers.source.errors import SourceError
from tf2towers.source.python2.evidence import NAMES
from tf2towers.source.python2.reading import read_script
from tf2towers.source.script import Script

RUFF = (
    "check", "--isolated", "--no-cache", "--ignore-noqa", "--select", "F821,F823",
    "--output-format", "json", "--exit-zero",
)  # fmt: skip


def check_text(record: Record, case: str, before: str, after: str, data: bytes) -> None:
    """A text that was written compiles, where the one before did."""
    if before == after:
        return
    if not compiles(before):
        converted = python3_of(data)
        if converted is None or not compiles(converted):
            record.counts["before does not compile"] += 1
            return
        before = converted
    if not compiles(after):
        record.fault("does not compile", case, "", data)
    record.keep(case, before, after)


def compiles(text: str) -> bool:
    """Whether Python compiles it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "script.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def python3_of(data: bytes) -> str | None:
    """The text as it is migrated, where it is Python 2."""
    try:
        return with_deep_stack(
            lambda: read_script(lambda checked: Script.from_bytes(data, "script.py", checked=checked)).text
        )
    except SourceError:
        return None


def undefined_names(record: Record) -> None:
    """What ruff finds in the texts after that it did not find before."""
    found: dict[str, set[tuple[str, str]]] = collections.defaultdict(set)
    for which in ("before", "after"):
        if not (record.out / which).is_dir():
            return
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *RUFF, str(record.out / which)],
            capture_output=True,
            text=True,
            check=True,
        )
        for text in json.loads(done.stdout):
            if text["code"] in ("F821", "F823"):
                found[f"{which}/{Path(text['filename']).name}"].add((text["code"], text["message"]))
    for number, case in enumerate(record.pairs):
        new = found[f"after/{number:06d}.py"] - found[f"before/{number:06d}.py"]
        new = {case for case in new if not NAMES & set(re.findall(r"\w+", case[1]))}
        if new:
            data = (record.out / "before" / f"{number:06d}.py").read_bytes()
            record.fault("undefined", case, "; ".join(sorted(message for _, message in new)), data)
