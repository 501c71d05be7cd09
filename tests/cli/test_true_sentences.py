"""Each failure and each "nothing to change" has its own true sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Put

TF1 = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [])\n"
TF2 = "import tensorflow as tf\nprint(tf.constant(1).numpy())\n"
MIGRATED = """\
import tensorflow.compat.v1 as tf
from tf2towers.runtime import graph_mode

graph_mode()
"""
NOTHING = {
    "no TensorFlow": ({"x.py": "print(1)\n"}, "no TensorFlow in it"),
    "TensorFlow 2": ({"x.py": TF2}, "it is for TensorFlow 2 already"),
    "migrated": ({"x.py": MIGRATED}, "it is migrated already"),
    "a migrated module": ({"x.py": "import model\n", "model.py": MIGRATED}, "it is migrated already"),
    "of a module": ({"x.py": "import model\n", "model.py": TF2}, "it is for TensorFlow 2 already"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_why_nothing_is_to_change(name: str, put: Put, capsys: Capture) -> None:
    files, why = NOTHING[name]
    for path, text in files.items():
        put(path, text)
    assert main(["migrate", "x.py"]) == 0
    assert capsys.readouterr().err == f"x.py: nothing to change, nothing left to you ({why})\n"


def test_a_script_that_changes_is_not_called_migrated_already(put: Put, capsys: Capture) -> None:
    put("x.py", TF1)
    assert main(["migrate", "--no-diff", "x.py"]) == 0
    assert "already" not in capsys.readouterr().err


REFUSED = {
    "jobs": (["migrate", "-j", "x", "a.py"], "argument -j/--jobs: x is not a number from 0"),
    "fewer jobs": (["migrate", "-j", "-1", "a.py"], "argument -j/--jobs: -1 is not a number from 0"),
    "towers": (["migrate", "--towers=1 +", "a.py"], "argument --towers: '1 +' is no expression of Python"),
    "no towers": (["migrate", "--towers=", "a.py"], "argument --towers: '' is no expression of Python"),
    "arguments": (
        ["migrate", "a.py", "--", "--foo"], "--foo: the arguments of a script go with --verify, which runs it"
    ),
    "a tolerance": (["verify", "--tolerance=x", "a.py", "a.py"], "argument --tolerance: x is not a number from 0"),
    "a second file that cannot be read": (["verify", "a.py", "loop.py"], "loop.py: the file cannot be read"),
    "a second file that is no file": (["verify", "a.py", "/dev/null"], "/dev/null: this is a pipe or a device"),
    "a first file for another Python": (
        ["verify", "--legacy-python=python2", "loop.py", "a.py"], "loop.py: the file cannot be read"
    ),
    "a report": (["verify", "--report=a.py/x", "a.py", "a.py"], "a.py/x cannot be written (Not a directory)"),
    "JSON": (["verify", "--json=a.py/x.json", "a.py", "a.py"], "a.py cannot be written (File exists)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_its_reason(
    name: str, put: Put, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put("a.py", TF1)
    (path.parent / "loop.py").symlink_to("loop.py")
    monkeypatch.setattr("tf2towers.cli.verify.require_modules", lambda *_: None)
    command, words = REFUSED[name]
    assert main(command) == 2
    shown = capsys.readouterr()
    assert words in shown.err and shown.out == ""
    assert "report it" not in shown.err
    assert sorted(each.name for each in path.parent.iterdir()) == ["a.py", "loop.py"]


def test_a_file_that_is_not_there_has_a_neighbour(put: Put, capsys: Capture) -> None:
    put("p/train_towers.py", TF1)
    assert main(["migrate", "p/train_tower.py"]) == 2
    assert "there is no such file: did you mean p/train_towers.py?\n" in capsys.readouterr().err
    assert main(["migrate", "nowhere/x.py"]) == 2
    assert capsys.readouterr().err == "tf2towers: nowhere/x.py: there is no such file\n"


def test_a_wrong_number_of_towers_in_pyproject(put: Put, capsys: Capture) -> None:
    put("a.py", TF1)
    put("pyproject.toml", "[tool.tf2towers]\ntowers = '1 +'\n")
    assert main(["migrate", "a.py"]) == 2
    assert "towers: '1 +' is no expression of Python" in capsys.readouterr().err


def test_a_file_whose_name_begins_with_a_dash(put: Put, capsys: Capture) -> None:
    put("-x.py", TF1)
    assert main(["migrate", "--no-diff", "--", "-x.py"]) == 0
    assert "-x.py: 1 file to change" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_failed_write_is_neither_up_to_date_nor_unread(form: str, put: Put, capsys: Capture) -> None:
    put("a.py", TF1)
    put("file", "")
    assert main(["migrate", "a.py", "-o", "file/out", "--format", form]) == 2
    errors = capsys.readouterr().err
    assert "up to date" not in errors and "could not be migrated" not in errors
    assert "cannot be written" in errors or "1 that could not be written" in errors


def test_the_programs_of_a_folder_that_fail(put: Put, capsys: Capture) -> None:
    """A file that is already there cannot be replaced; a link that leads nowhere is no program."""
    path = put("p/a.py", TF1 + "with tf.device('/gpu:0'):\n    tf.Session()\n")
    (path.parent / "loop.py").symlink_to("loop.py")
    put("out", "")
    assert main(["migrate", "p", "-o", "out"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "p: 1 file, 1 program with TF1: 1 could not be written"


def test_a_folder_with_the_migrated_program_says_up_to_date_once_it_is(put: Put, capsys: Capture) -> None:
    put("a.py", TF1)
    for words in ("wrote out/a.py", "out: up to date"):
        assert main(["migrate", "a.py", "-o", str(Path("out"))]) == 0
        assert words in capsys.readouterr().err
