"""Everything in the repository was written here: no file bears the header of another project's licence."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: what such a header says; the words are apart here, or this file had one
FOREIGN = re.compile(r"Copyright (\(c\) )?\d{4}|The [\w -]+" + r" Authors\b|[Ff]rom tensorflow" + r"/")


def test_no_file_bears_a_foreign_header() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if name == "LICENSE" or not path.is_file() or path.suffix in (".png", ".json"):
            continue
        if match := FOREIGN.search(path.read_text(encoding="utf-8", errors="replace")):
            found[name] = match.group()
    assert found == {}
