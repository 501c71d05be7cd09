"""Commands of README and docs, run in a folder as a reader has it. `tests/new_user` runs those that need TensorFlow."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.docs.test_commands import PAGES, ROOT, commands
from tf2towers.cli.main import main

PROGRAMS = ROOT / "tests" / "new_user" / "programs"
#: commands that import no TensorFlow, and the words that make them do so
LIGHT, HEAVY = ("migrate", "explain", "rules", "completion"), {"--verify"}


def light_commands(page: Path) -> list[list[str]]:
    """The commands of a page, in lines of their own and in sentences, that `migrate`'s packages are enough for."""
    spans = re.findall(r"`tf2towers ([^`]+)`", page.read_text().replace("\\\n", " "))
    found = [*commands(page), *(shlex.split(span) for span in spans)]
    forms = re.compile(r"\.\.\.|\[|\b(?:CODE|DIR|COMMAND|FOLDER|EXPRESSION)\b|^-$")
    return [
        words
        for words in found
        if words[0] in LIGHT and not HEAVY & {*words}
        if len(words) > 1 or words == ["rules"]
        if not any(forms.search(word) for word in words) and "T2T699" not in words  # a rule to be written
    ]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: train.py with its modules, the same in src/, tools/train.py, train.ipynb, and our legacy/."""
    shutil.copytree(PROGRAMS / "package", tmp_path, dirs_exist_ok=True)
    shutil.copytree(PROGRAMS / "package", tmp_path / "src")
    (tmp_path / "tools").mkdir()
    shutil.copy(tmp_path / "train.py", tmp_path / "tools")
    shutil.copy(PROGRAMS / "notebook.ipynb", tmp_path / "train.ipynb")
    (tmp_path / "legacy").symlink_to(ROOT / "legacy")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if light_commands(page)], ids=lambda page: page.name)
def test_commands_do_what_the_page_says(page: Path, reader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in light_commands(page):
        status = main(words)
        printed = capsys.readouterr()
        assert status == ("--check" in words), (words, printed.err)
        assert printed.out or printed.err, words
        if "-o" in words:
            out = reader / words[words.index("-o") + 1]
            assert any(path.suffix in (".py", ".ipynb") for path in out.rglob("*")), words
            shutil.rmtree(out)


def test_pages_have_commands_that_are_run() -> None:
    """The patterns still find them."""
    assert sum(len(light_commands(page)) for page in PAGES) > 12
