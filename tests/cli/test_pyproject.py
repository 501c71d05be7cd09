"""`[tool.tf2towers]`: the nearest one counts, the command line wins, and what is wrong is one sentence."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tf2towers.cli import settings
from tf2towers.cli.main import main

Put = Callable[..., Path]
GONE = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [1])\ny = tf.contrib.image.dense_image_warp(x, x)\n"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    settings._nearest_table.cache_clear()
    yield
    settings._nearest_table.cache_clear()


def test_the_nearest_table_counts(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("pyproject.toml", '[tool.tf2towers]\nignore = ["T2T620"]\n')
    put("a/train.py", GONE)
    put("b/pyproject.toml", "[tool.tf2towers]\n")
    put("b/train.py", GONE)
    put("c/pyproject.toml", "[tool.ruff]\n# nothing for tf2towers\n")
    put("c/train.py", GONE)
    assert main(["migrate", "a/train.py", "b/train.py", "c/train.py"]) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if "to change" in line]
    assert ["accepted" in line for line in told] == [True, False, True]


def test_the_command_line_wins(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("pyproject.toml", '[tool.tf2towers]\nignore = ["T2T6"]\n')
    put("train.py", GONE)
    assert main(["migrate", "train.py"]) == 0
    for options in (["--ignore", "T2T624"], ["--isolated"]):
        assert main(["migrate", "train.py", *options]) == 1
        assert "1 site left by hand" in capsys.readouterr().out


def test_exclude_is_relative_to_the_project(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("pyproject.toml", '[tool.tf2towers]\nexclude = ["/src/old/"]\n')
    put("src/train.py", GONE)
    put("src/old/train.py", GONE)
    main(["migrate", "src"])
    assert "src: 1 file, 1 program" in capsys.readouterr().out
    main(["migrate", "src", "--exclude", "train.py"])
    assert "src: 0 files" in capsys.readouterr().out
    assert main(["migrate", "src/old/train.py"]) == 1  # who names a file means it


def test_a_folder_by_its_parent(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("pyproject.toml", '[tool.tf2towers]\nexclude = ["train.py"]\n')
    put("other/pyproject.toml", "[tool.tf2towers]\nnonsense = 1\n")
    put("src/train.py", GONE)
    monkeypatch.chdir(tmp_path / "other")
    assert main(["migrate", "../src"]) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("slect = []", "tool.tf2towers does not know the key slect; it knows select, ignore"),
        ('select = "T2T6"', "tool.tf2towers.select is 'T2T6': a list of codes"),
        ("ignore = [1]", "tool.tf2towers.ignore is [1]: a list of codes"),
        ('ignore = ["E501"]', "tool.tf2towers.ignore: no rule's code begins with E501"),
        ("towers = 2", "tool.tf2towers.towers is 2: an expression as a text"),
        ("write = true", "tool.tf2towers does not know the key write"),
        ("towers = ", "this is not TOML: "),
    ],
)
def test_what_is_wrong_is_one_sentence(
    put: Put, capsys: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    put("pyproject.toml", f"[tool.tf2towers]\n{text}\n")
    put("train.py", GONE)
    assert main(["migrate", "train.py"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"tf2towers migrate: pyproject.toml: {problem}") and err.count("\n") == 1
    assert main(["migrate", "train.py", "--isolated"]) == 1
