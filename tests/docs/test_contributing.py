"""CONTRIBUTING.md says where things are: the files that it names are there, and have the names that it says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: folders from which the page names files: a row may leave out what the words around it say
_FOLDERS = (".", "tf2towers", "tf2towers/codemod", "tf2towers/codemod/data", "tf2towers/codemod/towers",
            "tf2towers/runtime/patches", "tables")  # fmt: skip
#: what the page shows as an example
_EXAMPLES = ("t2t699_app_run.py", "tf2towers/cli/COMMAND.py", "requirements.txt")

ROWS = [
    re.findall(r"`([^`]+)`", line)
    for line in PAGE.partition("| to change | go to |\n")[2].partition("\n\n")[0].splitlines()[1:]
]


def is_path(word: str) -> bool:
    return bool(re.fullmatch(r"\w[\w./]*(\.(py|tsv|md)|/)", word)) and word not in _EXAMPLES


def find(word: str) -> Path | None:
    return next((path for folder in _FOLDERS if (path := ROOT / folder / word).exists()), None)


def test_paths_exist() -> None:
    words = [word for word in re.findall(r"`([^`\n]+)`", PAGE) if is_path(word)]
    assert len(words) > 25
    assert [word for word in words if find(word) is None] == []


@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_names_are_in_the_files_of_their_row(row: list[str]) -> None:
    files = [
        path for word in row if is_path(word) and (path := find(word)) is not None and path.suffix == ".py"
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    names = [
        word.rpartition(".")[2] for word in row if re.fullmatch(r"[A-Za-z_.]+", word) and not is_path(word)
    ]
    assert not text or [name for name in names if not re.search(rf"\b{name}\b", text)] == []
