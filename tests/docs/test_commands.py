"""Every command of ours in README and docs is one that the tool takes, and every file that it names is there."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tf2towers.cli.main import parse

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
#: what stands for something of the reader's
_OF_THE_READER = re.compile(r"/path/to/\S+|<\w+>")


def commands(page: Path) -> Iterator[list[str]]:
    """The command lines of a page that begin with `tf2towers`, in blocks, without comments."""
    text = page.read_text().replace("\\\n", " ")
    for line in re.findall(r"^(?: {4}|\$ |- run: )?(tf2towers .*)$", text, re.MULTILINE):
        words = shlex.split(line.split(" > ")[0], comments=True)
        yield words[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_a_page_are_taken(page: Path) -> None:
    for words in commands(page):
        if any(sign in word for word in words for sign in ("...", "[", "COMMAND")):
            continue  # a form, not a command
        options = parse(words)
        assert options.run, words
        for word in words:
            if word.startswith(("legacy/", "modern/", "docs/", "tests/")) and not _OF_THE_READER.search(word):
                assert (ROOT / word).exists(), f"{page.name} names {word}"


def test_commands_of_the_demonstrations_are_taken() -> None:
    made = subprocess.run(
        ["make", "-n", "demo", "demo-ps"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    lines = re.findall(r"-m tf2towers (.*?)(?: \|\| .*)?$", made.stdout.replace("\\\n", " "), re.MULTILINE)
    assert len(lines) >= 6
    for line in lines:
        assert parse(shlex.split(line)).run, line


def test_pages_have_commands() -> None:
    """The pattern still finds them."""
    assert sum(len(list(commands(page))) for page in PAGES) > 30


def test_each_page_has_its_line_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, page.name


def test_the_soundness_scripts_are_as_many_as_the_pages_say() -> None:
    """Where a line says `more than 160` and `over 20`."""
    texts = [(ROOT / name).read_text() for name in ("README.md", "docs/how-it-works.md")]
    said = {
        re.search(r"more than (\d+) (?:small )?scripts.*?over (\d+) of them", " ".join(t.split()))
        for t in texts
    }
    numbers = {found.groups() for found in said if found}
    assert len(said) == 2 and len(numbers) == 1, numbers
    [(all_of_them, of_clusters)] = numbers
    folder = ROOT / "tests" / "soundness" / "scripts"
    counts = {
        path: max(1, len(re.findall(r"^#: (?!end)\w", path.read_text(), re.M)))
        for path in folder.glob("*/*.py")
    }
    clusters = sum(count for path, count in counts.items() if path.parent.name == "clusters")
    assert 0 < sum(counts.values()) - int(all_of_them) < 40, sum(counts.values())
    assert 0 < clusters - int(of_clusters) < 15, clusters


def test_the_lines_that_each_step_of_modernizing_changes(tmp_path: Path) -> None:
    """As `diff -w` counts them."""
    migrate = [sys.executable, "-m", "tf2towers", "migrate", "-q", "legacy/cifar10_towers.py", "-o", tmp_path]
    subprocess.run(migrate, cwd=ROOT, check=True, capture_output=True)
    before = tmp_path / "cifar10_towers.py"
    rows = re.findall(
        r"^\| \d `(\w+\.py)` \|.*\| (\d+), (\d+) \|", (ROOT / "docs/modernizing.md").read_text(), re.M
    )
    assert len(rows) == 6
    for name, out, into in rows:
        after = ROOT / "docs/modernizing/cifar10" / name
        found = subprocess.run(
            ["diff", "-w", before, after], text=True, capture_output=True, check=False
        ).stdout
        lines = [sum(line.startswith(sign) for line in found.splitlines()) for sign in "<>"]
        assert lines == [int(out), int(into)], name
        before = after
