"""What `tf2towers migrate` does with a folder of public scripts: docs/corpus.md, from one command.

    python benchmarks/corpus.py CORPUS > docs/corpus.md

CORPUS holds manifest.tsv (folder, main, kind, ..., py2_only) and a folder for each script: main file and local modules.
None of that code is in this repository.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: codes that name something which neither TF 2.21 nor the runtime has, or a module that is not there
MISSING = ("T2T620", "T2T621", "T2T622", "T2T624", "T2T625")
KINDS = {"tower": "towers", "both": "towers and parameter servers", "ps": "parameter servers"}


def migrate(folder: Path, main: str) -> tuple[str, list[tuple[str, str, str, str]], str, float, bool]:
    """Status, sites left (file, line, code, message), first line of an error, seconds, whether it is Python 2."""
    with tempfile.TemporaryDirectory() as out:
        command = [
            sys.executable,
            "-m",
            "tf2towers",
            "migrate",
            main,
            "-o",
            out,
            "--format",
            "json",
            "--isolated",
        ]
        started = time.monotonic()
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        seconds = time.monotonic() - started
        status = "crash" if "Traceback" in run.stderr else str(run.returncode)
        for path in Path(out).rglob("*.py"):
            try:
                compile(path.read_text(encoding="utf-8"), str(path), "exec")
            except SyntaxError:
                status = "crash" if status == "0" else status
    [result] = json.loads(run.stdout)["results"]
    left = [
        (finding["path"], str(finding["line"]), finding["code"], finding["message"])
        for finding in result["findings"]
        if finding["kind"] == "left"
    ]
    python2 = any(finding["code"] == "T2T608" for finding in result["findings"])
    return status, left, result["error"] or "", seconds, python2


def lacks(status: str, left: list[tuple[str, str, str, str]], error: str) -> str:
    """What is in the way of a script, in a few words."""
    if status == "2":
        return re.sub(r"^.*?(line \d+)", r"\1", error)[:110]
    names = Counter()
    for file, _, code, message in left:
        subject = message.split(" has no ")[0].split(": ")[0]
        subject = re.sub(r" is built on TensorFlow 1.*", "", subject)
        names[f"{subject} ({code}, {file})"] += 1
    shown = list(names)[:3]
    more = f", and {len(names) - 3} more" if len(names) > 3 else ""
    return "; ".join(shown) + more


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    corpus = parser.parse_args().corpus
    rows, times, counts, can = [], [], {}, {}
    for row in csv.DictReader((corpus / "manifest.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE):
        name = row["folder"].split("_", 1)[1]
        status, left, error, seconds, python2 = migrate(corpus / row["folder"], row["main"])
        times.append(seconds)
        missing = any(site[2] in MISSING for site in left)
        counts.setdefault(row["kind"], Counter())[status] += 1
        if not missing:
            can.setdefault(row["kind"], Counter())[status] += 1
        rows.append((name, KINDS[row["kind"]], "yes" if python2 else "", status, lacks(status, left, error)))
    total = sum(map(Counter.total, counts.values()))
    good = sum(statuses["0"] for statuses in counts.values())
    print(f"""# What the tool does with {total} public scripts

Written by `python benchmarks/corpus.py CORPUS` on {datetime.date.today():%d %B %Y}, Python {platform.python_version()}. The
scripts (TF1, with towers or parameter servers, at fixed revisions, each with the local modules that could be fetched)
are those the tool was developed with; none of their code is in this repository.

**{good} of {total} migrate with status 0, {sum(statuses["crash"] for statuses in counts.values())} crash.** A migration takes {sorted(times)[total // 2]:.1f} s (median), {max(times):.1f} s
at most, with Python's start.

| | scripts | status 0 | status 1: sites are left | status 2: cannot be read | nothing missing | of these status 0 |
| --- | --- | --- | --- | --- | --- | --- |""")
    for kind, label in KINDS.items():
        statuses, able = counts.get(kind, Counter()), can.get(kind, Counter())
        print(
            f"| {label} | {statuses.total()} | {statuses['0']} | {statuses['1']} | {statuses['2']} | {able.total()} | {able['0']} |"
        )
    print("""
"Nothing missing": no site is left because of a symbol, a library or a module that neither TensorFlow 2.21, nor our
runtime, nor the script's folder has. Status 0 alone says that the tool sees nothing in the way; `tf2towers verify` shows
for a script that it trains the same.

| script | kind | Python 2 | status | what it lacks |
| --- | --- | --- | --- | --- |""")
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |")


if __name__ == "__main__":
    main()
