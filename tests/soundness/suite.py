"""The programs of this suite, and the comparison of an original with its migrated program.

A file of `scripts` is one program, or a family of them. What stands before its first line `#: name:
what it shows` begins each of its programs; what stands after a line `#: end` closes each. A
program's first comments stay its first.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tf2towers.codemod.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script

SCRIPTS = Path(__file__).parent / "scripts"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
MARK = re.compile(r"^#: (\w+)(.*)\n", re.MULTILINE)
#: a comment in the first lines of a program that `migrate` refuses
REFUSED = re.compile(r"^# refused: (T2T\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """One program; its name has its folder in it: `towers/one_tower`."""

    name: str
    text: str

    @property
    def refused(self) -> str | None:
        """The code that the program says it is refused with."""
        found = REFUSED.search("".join(self.text.splitlines(keepends=True)[:5]))
        return found.group(1) if found else None

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text)
        return path


def programs_of(path: Path) -> list[Program]:
    """The one program of a file, or all of a family."""
    kind, text = path.parent.name, path.read_text()
    begin, *parts = MARK.split(text)
    if not parts:
        return [Program(f"{kind}/{path.stem}", text)]
    triples = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    end = ""
    if triples[-1][0] == "end":
        end = triples.pop()[2]
    found = []
    for name, about, body in triples:
        lines = body.splitlines(keepends=True)
        first = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
        head = "".join(lines[:first])
        found.append(Program(f"{kind}/{name}", f"#{about}\n{head}{begin}{''.join(lines[first:])}{end}"))
    return found


def all_programs(*kinds: str) -> list[Program]:
    """Those of some folders of `scripts`."""
    paths = [path for kind in kinds for path in SCRIPTS.glob(f"{kind}/*.py")]
    return sorted(
        (program for path in paths for program in programs_of(path)), key=lambda program: program.name
    )


def one_process() -> list[Program]:
    """All but the clusters."""
    return all_programs("towers", "sessions")


def migrated(path: Path) -> MigrationResult:
    return migrate(Script.read(path))


def started(runner: str, mode: str, out: Path, scripts: Iterable[Path]) -> subprocess.Popen[str]:
    """A process that runs `run_many.py` or `run_clusters.py`."""
    command = [sys.executable, Path(__file__).with_name(runner), mode, out, *scripts]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str], out: Path) -> dict[str, dict]:
    """The results that the process wrote: name of the program -> its run."""
    _, said = process.communicate(timeout=1200)
    assert process.returncode == 0, said[-3000:]
    rows = json.loads(out.read_text())
    return {"/".join(Path(path).with_suffix("").parts[-2:]): row for path, row in rows.items()}


@dataclass(frozen=True)
class Difference:
    """The first line in which the two programs differ."""

    line: int
    original: str
    migrated: str

    def __str__(self) -> str:
        return f"line {self.line}:\n  original: {self.original}\n  migrated: {self.migrated}"


def first_difference(original: dict, other: dict, *, nearly: bool = False) -> Difference | None:
    """The first difference between two runs of a program; None if they print the same and end alike.

    Args:
        nearly: numbers may differ in their last digits.
    """
    first, second = (_lines(run) for run in (original, other))
    for number, (a, b) in enumerate(zip(first, second, strict=False), 1):
        if a != b and not (nearly and _near(a, b)):
            return Difference(number, a, b)
    if len(first) == len(second):
        return None
    number = min(len(first), len(second))
    return Difference(number + 1, *((lines + ["(ended)"] * 2)[number] for lines in (first, second)))


def _near(first: str, second: str) -> bool:
    """True if two lines say the same but for the rounding of their numbers; spaces do not count."""
    if "".join(NUMBER.sub("#", first).split()) != "".join(NUMBER.sub("#", second).split()):
        return False  # `[0.3 , 0.302]` and `[0.3, 0.3]`: NumPy aligns the numbers of an array
    pairs = zip(map(float, NUMBER.findall(first)), map(float, NUMBER.findall(second)), strict=True)
    return all(abs(a - b) <= 1e-4 * max(abs(a), abs(b)) + 1e-6 for a, b in pairs)


def _lines(run: dict) -> list[str]:
    return run["stdout"].splitlines() + ([f"error: {run['error']}"] if run["error"] else [])


if __name__ == "__main__":  # python suite.py FOLDER: writes every program there
    for program in all_programs("towers", "sessions", "clusters"):
        print(program.write(Path(sys.argv[1])))
