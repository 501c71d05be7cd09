"""The scripts of this suite, and what comes of migrating one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tf2towers.codemod.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script

HERE = Path(__file__).parent
SCRIPTS = HERE / "scripts"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
#: in the first lines of a script that is refused with reason
REFUSED = re.compile(r"^# refused: (T2T\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Difference:
    """The first line in which the two programs differ."""

    line: int
    original: str
    migrated: str

    def __str__(self) -> str:
        return f"line {self.line}:\n  original: {self.original}\n  migrated: {self.migrated}"


def all_scripts() -> list[Path]:
    """Those of one process."""
    return sorted(path for path in SCRIPTS.glob("*/*.py") if path.parent.name != "clusters")


def name_of(path: Path) -> str:
    return str(path.relative_to(SCRIPTS).with_suffix(""))


def expected_refusal(path: Path) -> str | None:
    """The code that the script says it is refused with."""
    head = "\n".join(path.read_text().splitlines()[:5])
    found = REFUSED.search(head)
    return found.group(1) if found else None


def migrated(path: Path) -> MigrationResult:
    return migrate(Script.read(path))


def migrated_text(path: Path) -> str:
    """The script as `migrate` writes it, whether or not something is left; as it was where `migrate` crashes."""
    try:
        changes = migrated(path).changes
    except Exception:  # `migrated` says it again in the test of that script
        changes = []
    for change in changes:
        if change.path == path:
            return change.after
    return path.read_text()


def first_difference(original: dict, other: dict, *, nearly: bool = False) -> Difference | None:
    """Where the two runs of a script part; None where they print the same and end the same.

    Args:
        nearly: numbers may differ in their last digits.
    """
    first, second = (_lines(run) for run in (original, other))
    for number, (a, b) in enumerate(zip(first, second, strict=False), 1):
        if a != b and not (nearly and _near(a, b)):
            return Difference(number, a, b)
    if len(first) != len(second):
        number = min(len(first), len(second))
        return Difference(
            number + 1, *(lines[number] if number < len(lines) else "(ended)" for lines in (first, second))
        )
    return None


def _near(first: str, second: str) -> bool:
    """Whether two lines say the same but for the rounding of their numbers; spaces do not count."""
    if "".join(NUMBER.sub("#", first).split()) != "".join(NUMBER.sub("#", second).split()):
        return False  # `[0.3 , 0.302]` and `[0.3, 0.3]`: NumPy aligns the numbers of an array
    pairs = zip(map(float, NUMBER.findall(first)), map(float, NUMBER.findall(second)), strict=True)
    return all(abs(a - b) <= 1e-4 * max(abs(a), abs(b)) + 1e-6 for a, b in pairs)


def _lines(run: dict) -> list[str]:
    return run["stdout"].splitlines() + ([f"error: {run['error']}"] if run["error"] else [])
