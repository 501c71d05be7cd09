"""`[tool.tf2towers]` of pyproject.toml."""

from textwrap import dedent

import pytest

from tests.cli.conftest import Capture, Put
from tf2towers.cli.main import main

pytestmark = pytest.mark.usefixtures("engine")


def configure(put: Put, table: str) -> None:
    put("pyproject.toml", f"[tool.tf2towers]\n{dedent(table)}")


def test_a_project_says_what_is_always_ignored(put: Put, capsys: Capture) -> None:
    put("train.py", "HARD\n")
    assert main(["migrate", "train.py"]) == 1
    configure(put, 'ignore = ["T2T9"]')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tf2towers.codemod.rule.codes", lambda: ["T2T900"])
        assert main(["migrate", "train.py"]) == 0
    assert "1 accepted by you (T2T900)" in capsys.readouterr().err


def test_the_command_line_goes_before(put: Put, capsys: Capture) -> None:
    put(
        "src/train.py",
        dedent(
            """\
        import tensorflow
        OLD
        if __name__ == '__main__': tensorflow.placeholder
        """
        ),
    )
    configure(put, 'exclude = ["train.py"]')
    main(["migrate", "src"])
    assert "0 files" in capsys.readouterr().err
    main(["migrate", "src", "--exclude", "other.py"])
    assert "1 file," in capsys.readouterr().err


def test_the_nearest_pyproject_counts(put: Put, capsys: Capture) -> None:
    configure(put, "excludes = []")
    put("inner/pyproject.toml", "[project]\nname = 'without a table of ours'\n")
    put("inner/train.py", "OLD\n")
    assert main(["migrate", "inner/train.py"]) == 2
    assert "did you mean exclude?" in capsys.readouterr().err
    put("inner/pyproject.toml", "[tool.tf2towers]\ntowers = 2\n")
    assert main(["migrate", "inner/train.py"]) == 0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("jobs = 3", "unknown key, jobs: known are exclude, ignore, python, python-path, strict, towers"),
        ("exclude = 3", "exclude: a list of texts is needed"),
        ('ignore = ["X"]', "ignore: no rule's code begins with X"),
        ("python = 4", "python: 2 or 3 is needed"),
        ('strict = "yes"', "strict: true or false is needed"),
        ("towers = true", "towers: a text or a number is needed"),
        ("towers =", "cannot be read"),
    ],
)
def test_what_is_wrong_is_one_sentence(put: Put, capsys: Capture, table: str, message: str) -> None:
    put("train.py", "OLD\n")
    configure(put, table)
    assert main(["migrate", "train.py"]) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
