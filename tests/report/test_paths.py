"""How files are named."""

from pathlib import Path

import pytest

from tf2towers.report.paths import short_names


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("train.py", "modern.py", ("train.py", "modern.py")),
        ("/a/train.py", "/a/out/train.py", ("a/train.py", "out/train.py")),
        ("/a/x/y/train.py", "/b/x/y/train.py", ("a/x/y/train.py", "b/x/y/train.py")),
        ("/train.py", "/out/train.py", ("/train.py", "out/train.py")),
        ("/a/train.py", "/a/b/../train.py", ("train.py", "train.py")),
    ],
)
def test_two_files_are_told_apart(first: str, second: str, names: tuple[str, str]) -> None:
    assert short_names(Path(first), Path(second)) == names
