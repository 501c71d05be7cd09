# ruff: noqa: E501 - its page is a text
"""What public repositories use of TF1 that TF 2 has no more, and what serves it: docs/contrib.md, from one command.

    python benchmarks/contrib.py FOLDER... > docs/contrib.md

A folder holds one folder for each repository: Python files, or a git directory (its HEAD is read, nothing is checked
out). A folder with a manifest.tsv (see corpus.py) names the repository of each. Symbols are found as `migrate` finds
them; a file in Python 2 is searched as text. docs/contrib_packages.md, what was tried, is put in as it stands.
"""

from __future__ import annotations

import argparse
import ast
import csv
import io
import re
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tf2towers.codemod.canonical import canonical_name
from tf2towers.codemod.meanings import Meanings
from tf2towers.codemod.symbols import find_replacement
from tf2towers.source.errors import SourceError
from tf2towers.source.script import Script

ROOT = Path(__file__).parents[1]
GONE = ("tf.contrib.", "tf.python.", "tf.keras.", "tf.layers.", "tf.nn.rnn_cell.", "tf.estimator.")
_IN_TEXT = re.compile(r"\b(?:tf|tensorflow)\.(?:contrib|python|keras|estimator|layers)(?:\.\w+)+")


def texts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every Python file of a repository: its name and bytes."""
    git = next((head.parent for head in (*folder.glob("HEAD"), *folder.glob("*/HEAD"))), None)
    git = git or next(iter(folder.glob("*/.git")), None)
    if git is None:
        for path in sorted(folder.rglob("*.py")):
            yield str(path.relative_to(folder)), path.read_bytes()
        return
    archive = subprocess.run(
        ["git", "--git-dir", str(git), "archive", "--format=tar", "HEAD", "--", ":(glob)**/*.py"],
        capture_output=True,
        check=False,
    )
    if archive.returncode:
        print(f"{folder.name}: {archive.stderr.decode().strip()}", file=sys.stderr)
        return
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        for member in tar:
            if member.name.endswith(".py") and member.isfile():
                yield member.name, tar.extractfile(member).read()


def symbols(name: str, data: bytes) -> set[str]:
    """The TensorFlow symbols in a file."""
    try:
        script = Script.from_bytes(data, name, main=False)
        tree = Meanings(ast.parse(script.text))
    except (SourceError, RecursionError, SyntaxError):
        return {canonical_name(name) for name in _IN_TEXT.findall(data.decode("latin-1"))}
    found = set()
    for node in tree.nodes:
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(
            tree.parents.get(node), ast.Attribute
        ):
            canonical = tree.canonical(node)
            if canonical is not None and canonical.startswith("tf."):
                found.add(canonical)
    return found


def served(symbol: str) -> str:
    """What `migrate` writes for a symbol, in a few words; empty where it is left."""
    found = find_replacement(symbol)
    if found.kind == "runtime":
        return f"tf2towers: `{found.runtime.module.removeprefix('tf2towers.')}.{found.runtime.name}`"
    if found.kind == "private":
        return f"TensorFlow: `{found.target}`"
    if found.kind in ("v1", "tf2"):
        return f"TensorFlow: `{found.target.replace('tf', 'tf.compat.v1', 1) if found.kind == 'v1' else found.target}`"
    return ""


def is_gone(symbol: str) -> bool:
    """Whether TF 2 has a symbol no more under that name, as far as graphs go."""
    return symbol.startswith(GONE) or find_replacement(symbol).kind == "left"


def main() -> None:
    """Writes the page to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    uses: dict[str, set[str]] = defaultdict(set)
    repositories, files = set(), 0
    for parent in parser.parse_args().folders:
        names = {}
        if (manifest := parent / "manifest.tsv").exists():
            for row in csv.DictReader(manifest.open(), delimiter="\t", quoting=csv.QUOTE_NONE):
                names[row["folder"]] = row["source"].partition(":")[0].replace("/", "+")
        for folder in sorted(entry for entry in parent.iterdir() if entry.is_dir()):
            repository = names.get(folder.name, folder.name)
            repositories.add(repository)
            for name, data in texts(folder):
                files += 1
                for symbol in symbols(name, data):
                    uses[symbol].add(repository)
    gone = {symbol: found for symbol, found in uses.items() if is_gone(symbol)}
    table = sorted(gone, key=lambda symbol: (-len(gone[symbol]), symbol))
    left = [symbol for symbol in table if not served(symbol)]
    parts = defaultdict(lambda: (set(), set()))
    for symbol in table:
        part = ".".join(symbol.split(".")[: 3 if symbol.startswith(("tf.contrib", "tf.python")) else 2])
        for index in (0, 1) if symbol in left else (0,):
            parts[part][index].update(gone[symbol])
    print(f"""# What TF 2 has no more, and what serves it

Written by `python benchmarks/contrib.py FOLDERS`: {len(repositories)} public repositories, {files} Python files. Counted is in how many
repositories a symbol stands, whatever it is for. **{len(table) - len(left)} of {len(table)} symbols are served**; a script that uses one of the
others ends with status 1 and says which.

{(ROOT / "docs/contrib_packages.md").read_text(encoding="utf-8").strip()}

## By module

| module | repositories | of these, with a symbol that is left |
| --- | --- | --- |""")
    for part, (every, lacking) in sorted(parts.items(), key=lambda row: (-len(row[1][0]), row[0])):
        print(f"| `{part}` | {len(every)} | {len(lacking) or ''} |")
    several = [symbol for symbol in table if len(gone[symbol]) > 1]
    print(f"""
Below stands what is in two repositories at least; {len(table) - len(several)} symbols are in one.

## What is left

| symbol | repositories |
| --- | --- |""")
    for symbol in several:
        if symbol in left:
            print(f"| `{symbol}` | {len(gone[symbol])} |")
    print("\n## What is served\n\n| symbol | repositories | by |\n| --- | --- | --- |")
    for symbol in several:
        if symbol not in left:
            print(f"| `{symbol}` | {len(gone[symbol])} | {served(symbol)} |")


if __name__ == "__main__":
    main()
