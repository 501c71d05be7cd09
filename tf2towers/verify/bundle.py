"""What is kept of a verification: the page, the result, and all that it takes to repeat it."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tf2towers.report.parity_html import parity_page
from tf2towers.report.parity_json import parity_as_json
from tf2towers.report.parity_result import ParityResult
from tf2towers.source.local_imports import program_files
from tf2towers.verify.process import ROOT, is_installed


def write_bundle(result: ParityResult, folder: Path, command: Sequence[str]) -> Path:
    """Writes into `folder`, beside the recordings that are there, and gives the page.

        index.html     the report
        verify.json    the result
        scripts/       both scripts with their local modules, as they were
        run.sh         the command, on these copies
        environment    versions of Python and TensorFlow on both sides

    Args:
        folder: made if it is not there.
        command: as the user gave it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "index.html"
    page.write_text(parity_page(result), encoding="utf-8")
    (folder / "verify.json").write_text(parity_as_json(result) + "\n", encoding="utf-8")
    copies = {}
    for side in (result.original, result.migrated):
        into = folder / "scripts" / side.title
        copies[str(side.script)] = _copied(side.script, into).relative_to(folder)
    lines = [
        "#!/bin/sh",
        "# repeats the verification on the copies of the scripts; data is read where it was",
        'here=$(cd "$(dirname "$0")" && pwd)',
        f"cd {shlex.quote(str(Path.cwd()))} || exit 2",
        " ".join([*_program(), *_words(command[1:], copies)]),
        "",
    ]
    (folder / "run.sh").write_text("\n".join(lines), encoding="utf-8")
    (folder / "run.sh").chmod(0o755)
    sides = (result.original, result.migrated)
    said = [
        f"{side.title}: Python {side.python}, TensorFlow {side.tensorflow}, {side.script}" for side in sides
    ]
    (folder / "environment").write_text("\n".join(said) + "\n", encoding="utf-8")
    return page


def _program() -> list[str]:
    """What starts this tf2towers, wherever it is installed; it need not be on the path."""
    home = [] if is_installed() else [f"PYTHONPATH={shlex.quote(str(ROOT))}${{PYTHONPATH:+:$PYTHONPATH}}"]
    return [*home, shlex.quote(sys.executable), "-m", "tf2towers"]


def _words(command: Sequence[str], copies: Mapping[str, Path]) -> list[str]:
    """The command on the copies, without the files that it wrote."""
    words = iter(command)
    found = []
    for word in words:
        if word in ("--report", "--json"):
            next(words, None)
        elif not word.startswith(("--report=", "--json=")):
            found.append(f'"$here"/{shlex.quote(str(copies[word]))}' if word in copies else shlex.quote(word))
        if word == "--":
            return [*found, *map(shlex.quote, words)]
    return found


def _copied(script: Path, into: Path) -> Path:
    """The copy of a script, its local modules beside it."""
    into.mkdir(parents=True, exist_ok=True)
    base = script.resolve().parent
    for path in program_files(script.resolve()):
        if path.is_relative_to(base):
            target = into / path.relative_to(base)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return into / script.name
