"""docs/seeds.md: each test and file that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "seeds.md").read_text()


def test_every_name_is_there():
    files, tests, last = 0, 0, Path()
    for path, name in re.findall(r"`((?:[\w/]+\.(?:py|md))?)(?:::(\w+))?`", TEXT):
        if path:
            candidates = [ROOT / path, ROOT / "tests" / path]
            last = next((found for found in candidates if found.exists()), candidates[0])
            assert last.exists(), path
            files += 1
        if name:
            assert re.search(rf"^def {name}\(", last.read_text(), re.M), f"{last}::{name}"
            tests += 1
    assert files > 40 and tests > 20
