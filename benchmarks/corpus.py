"""Runs `tf2towers migrate` on a folder of public scripts, and prints docs/corpus.md.

    python benchmarks/corpus.py CORPUS > docs/corpus.md

CORPUS contains manifest.tsv (folder, main, kind, ...) and a folder for each script: main file and
local modules. None of that code is in this repository.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import NamedTuple

KINDS = {"tower": "towers", "both": "both", "ps": "servers"}


class Outcome(NamedTuple):
    """The result for one script."""

    name: str
    kind: str
    status: str
    has_scope: bool
    has_run: bool
    seconds: float
    lacks: str


def migrate(folder: Path, main: str, kind: str) -> Outcome:
    """Migrates a script into a temporary folder; every written file must compile."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "tf2towers", "migrate", main, "-o", out, "-q"]
        started = time.monotonic()
        run = subprocess.run(
            [*command, "--output-format", "json"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        seconds = time.monotonic() - started
        texts = [path.read_text(encoding="utf-8") for path in Path(out).rglob("*.py")]
    status = "crash" if "Traceback" in run.stderr else str(run.returncode)
    for text in texts:
        compile(text, "output", "exec")
    [result] = json.loads(run.stdout)["results"]
    left = [finding for finding in result["findings"] if finding["kind"] == "left"]
    subjects = list(dict.fromkeys(_subject(finding) for finding in left))
    shown = subjects[: 2 if len("".join(subjects[:2])) < 60 else 1]
    more = f", {len(subjects) - len(shown)} more" if len(subjects) > len(shown) else ""
    code = "\n".join(re.sub(r"#.*", "", text) for text in texts)
    return Outcome(
        folder.name.split("_", 1)[1],
        KINDS[kind],
        status,
        ".scope()" in code,
        re.search(r"strategy\w*\.run\(", code) is not None,
        seconds,
        ", ".join(shown) + more,
    )


def _subject(finding: dict[str, str]) -> str:
    """The subject of a finding, with the finding's code."""
    subject = re.split(r" has no |: | is built on | was not ", finding["message"])[0]
    last = subject.removeprefix("tf.contrib.")
    return f"{textwrap.shorten(last, 36, placeholder=' ..')} ({finding['code']})"


def main() -> None:
    """Prints the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    corpus = parser.parse_args().corpus
    rows = csv.DictReader((corpus / "manifest.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE)
    outcomes = [migrate(corpus / row["folder"], row["main"], row["kind"]) for row in rows]
    good = [outcome for outcome in outcomes if outcome.status == "0"]
    towers = [outcome for outcome in good if outcome.kind != "servers"]
    seconds = [outcome.seconds for outcome in outcomes]
    print(f"""# What migrate does with {len(outcomes)} public scripts

Written by `python benchmarks/corpus.py CORPUS` on {datetime.date.today():%d %B %Y}, Python {platform.python_version()}.
The scripts (TF 1, towers or parameter servers, at fixed revisions, each with the local modules that could be fetched)
are those that the tool was developed with; none of their code is in this repository. Status 0 says that nothing is left
to you; `tf2towers verify` shows for a script that it trains the same.

- **{len(good)} of {len(outcomes)}** have status 0; {sum(outcome.status == "crash" for outcome in outcomes)} crash; every output compiles.
- {sum(outcome.has_scope for outcome in good)} of these {len(good)} outputs have a strategy and its scope in their text.
- {sum(outcome.has_run for outcome in towers)} of the {len(towers)} with towers have `strategy.run`; the others have no visible loop, or one that stays a loop.
- A migration takes {statistics.median(seconds):.1f} s (median), {max(seconds):.1f} s at most, with Python's start.

| script | kind | status | scope | run | what it lacks |
| --- | --- | --- | --- | --- | --- |""")
    for outcome in outcomes:
        marks = ["yes" if mark else "" for mark in (outcome.has_scope, outcome.has_run)]
        print("| " + " | ".join([outcome.name, outcome.kind, outcome.status, *marks, outcome.lacks]) + " |")


if __name__ == "__main__":
    main()
