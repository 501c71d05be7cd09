"""Verifies programs that race, again and again: each is to have one verdict.

`python -m tests.soundness.repeat_verdicts [TIMES]`. Also on a TF 1.15, where TF2TOWERS_TF1_PYTHON names one.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.verify.migrating import migrate_into
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

LEGACY = Path(__file__).parents[1] / "verify" / "calls" / "legacy"
PROGRAMS = (
    ("racing.py", ["batch_norm"]),
    ("racing.py", ["branches"]),
    ("threads.py", []),
    ("counting.py", []),  # no edge orders it: each verdict is that nothing can be said
)


def main(times: int) -> int:
    """Prints each program's verdicts; 1 where one has several."""
    status = 0
    for name, arguments in PROGRAMS:
        for python in dict.fromkeys(["", os.environ.get("TF2TOWERS_TF1_PYTHON", "")]):
            status |= verdicts(name, arguments, python, times)
    return status


def verdicts(name: str, arguments: list[str], python: str, times: int) -> int:
    """Prints one program's verdicts; 1 where they are not the same."""
    found: list[tuple[str, str, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        migrate_into(LEGACY / name, Path(folder))
        for _ in range(times):
            options = Options(steps=20 if name == "counting.py" else 5, legacy_python=python or None)
            result = verify(LEGACY / name, Path(folder) / name, arguments, options)
            found.append((result.outcome, result.error.partition("\n")[0], len(result.notes)))
    print(name, *arguments, python or "TF 2's variables", len(found), sorted(set(found)), flush=True)
    return len(set(found)) > 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 5))
