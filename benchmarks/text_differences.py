"""Migrates scripts with two revisions of this repository, and prints how the outputs differ, by kind.

   python benchmarks/text_differences.py OLD NEW FOLDER... [--show KIND]

OLD and NEW are revisions of git, '.' for the working tree, or folders that hold a tree of the
package. Each folder is a corpus, with dev.tsv, manifest.tsv or mains.tsv and a folder for each
script, or has scripts in it (`python tests/soundness/suite.py FOLDER` writes such). Every hunk of
every difference is of one kind or of none. The status is 1 if a hunk is of none, a script's status
is another, or an output has a name that nothing binds any more.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
#: what one process does for all scripts: a JSON line for each, of the status and the texts by their
#: paths
MIGRATE_ALL = """
import json, sys
from pathlib import Path
from tf2towers.codemod.migrate import migrate
from tf2towers.source.python2.reading import read_script
from tf2towers.source.script import Script
for line in sys.stdin:
    path = Path(line.strip())
    try:
        result = migrate(read_script(lambda checked: Script.read(path, checked=checked)))
        texts = {str(change.path): change.after for change in result.changes}
        findings = [f"{each.code} {each.message}" for each in result.findings]
        print(json.dumps([str(path), result.status, texts, findings]), flush=True)
    except Exception as problem:
        print(json.dumps([str(path), 2, {}, [f"{type(problem).__name__}: {problem}"]]), flush=True)
"""
#: kind -> what a changed line of it has in it; the first kind that all changed lines of a hunk have
#: counts
KINDS = {
    "one strategy with a setter": r"ParameterServerStrategy\(.*towers=|parameter_server_strategy",
    "the device of variables": r"ParameterServerStrategy\(device=|ParameterServerStrategy\(\)",
    "the last tower's value": r"experimental_local_results|\.values\[-1\]|results = ",
    "gradients returned": r"\.append\(|return |= \[\]$|_local_results\(\w*grad",
    "a flag of the tower's number": r"= .* > 0( else \w+)?$|nonlocal \w*reuse|= (None|True|False)$",
    "a loop is a function": r"strategy\w*\.towers\(|def (build_)?tower",
    "the names of a function": r"\bnonlocal |\bglobal |= None$",
    "the mean": r"\.reduce\('MEAN'",
    "the strategy and its scope": r"Strategy\(|\.scope\(\)|tf\.device\(",
    "what run takes": r"strategy\w*\.run\(",
    "imports": r"^\s*(from|import) |^[+-]?\)$",
    "something dead": r"^-",
    "empty lines": r"^[+-]\s*$",
}


class Output(NamedTuple):
    """What one revision makes of a script."""

    status: int
    texts: dict[str, str]
    findings: list[str]


def find_scripts(folder: Path) -> list[Path]:
    """The main scripts of a corpus, or every script in a folder."""
    tables = [path for path in (folder / "dev.tsv", folder / "manifest.tsv") if path.exists()]
    if (mains := folder / "mains.tsv").exists():  # folder, main script
        rows = (line.split("\t")[:2] for line in mains.read_text(encoding="utf-8").splitlines() if line)
        return [path for row in rows if (path := folder.joinpath(*row)).exists()]
    if not tables:
        return sorted(folder.rglob("*.py"))
    with tables[0].open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = []
    for row in rows:
        homes = [folder / row["folder"]] if row.get("folder") else sorted(folder.glob(f"*{row['name']}"))
        found += [path for home in homes[:1] if (path := home / row["main"]).exists()]
    return found


def migrate_all(revision: str, scripts: list[Path], scratch: Path) -> dict[str, Output]:
    """The outputs of one revision, by script."""
    home = ROOT
    if revision != "." and Path(revision, "tf2towers").is_dir():
        home = Path(revision)
    elif revision != ".":
        home = scratch / f"at_{revision.replace('/', '_')}"
        home.mkdir()
        archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x"], cwd=home, input=archive.stdout, check=True)
    run = subprocess.run(
        [sys.executable, "-c", MIGRATE_ALL],
        cwd=home,
        input="\n".join(str(path.resolve()) for path in scripts),
        text=True,
        capture_output=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    rows = (json.loads(line) for line in run.stdout.splitlines() if line.startswith("["))
    return {script: Output(*rest) for script, *rest in rows}


def find_hunks(old: str, new: str) -> Iterator[list[str]]:
    """The changed lines of each difference, with their signs."""
    hunk: list[str] = []
    for line in difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0):
        if line.startswith(("---", "+++")):
            continue
        if line.startswith("@@"):
            if hunk:
                yield hunk
            hunk = []
        else:
            hunk.append(line)
    if hunk:
        yield hunk


def kind_of(hunk: list[str]) -> str:
    """The kind of a difference: the first whose words are in its lines."""
    if not any(line[1:].strip() for line in hunk):
        return "empty lines"
    for kind, words in KINDS.items():
        if kind == "something dead":
            if all(line.startswith("-") for line in hunk):
                return kind
        elif any(re.search(words, line[1:]) for line in hunk):
            return kind
    return "?"


def find_undefined(texts: dict[str, str], scratch: Path) -> set[tuple[str, str]]:
    """The names that nothing binds, with their file, as ruff sees them."""
    by_file = {str(scratch / f"{number}.py"): path for number, path in enumerate(texts)}
    for file, path in by_file.items():
        Path(file).write_text(texts[path], encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "--output-format=json"]
    run = subprocess.run([*ruff, str(scratch)], capture_output=True, text=True, check=False)
    return {(by_file[each["filename"]], each["message"]) for each in json.loads(run.stdout)}


def main() -> int:
    """Prints the differences by kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--show", help="prints the hunks of a kind; 'all' for every hunk")
    options = parser.parse_args()
    scripts = [path for folder in options.folders for path in find_scripts(folder)]
    with tempfile.TemporaryDirectory() as scratch:
        old, new = (migrate_all(each, scripts, Path(scratch)) for each in (options.old, options.new))
    kinds: Counter[str] = Counter()
    differ = others = 0
    for script, before in old.items():
        after = new[script]
        if before.status != after.status:
            others += 1
            print(f"{script}: status {before.status}, then {after.status}: {after.findings}")
        differ += before.texts != after.texts
        for path in {*before.texts, *after.texts}:
            for hunk in find_hunks(before.texts.get(path, ""), after.texts.get(path, "")):
                kind = kind_of(hunk)
                kinds[kind] += 1
                if kind == "?" or options.show in (kind, "all"):
                    print(f"{path}: {kind}", *hunk, sep="\n")
    names = []
    for outputs in (old, new):
        with tempfile.TemporaryDirectory() as scratch:
            texts = {path: text for output in outputs.values() for path, text in output.texts.items()}
            names.append(find_undefined(texts, Path(scratch)))
    undefined = sorted(names[1] - names[0])
    for path, message in undefined:
        print(f"{path}: {message}")
    print(f"{differ} of {len(old)} outputs differ")
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}")
    return 1 if others or kinds["?"] or undefined else 0


if __name__ == "__main__":
    sys.exit(main())
