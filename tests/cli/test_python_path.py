"""`--python-path`: modules of a program that runs with a PYTHONPATH."""

import shlex
from pathlib import Path

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Put

TRAIN = """\
import tensorflow as tf
from lib.net import loss

x = tf.placeholder(tf.float32, [])
print(loss(x))
"""
NET = """\
import tensorflow as tf


def loss(x):
    return tf.square(x, name='loss') + tf.to_float(1)
"""
#: tools/train.py, whose module lies above it: `PYTHONPATH=. python tools/train.py`
PROJECT = {"tools/train.py": TRAIN, "lib/__init__.py": "", "lib/net.py": NET}
OWN = {"tools/lib/__init__.py": "", "tools/lib/net.py": NET.replace("loss'", "own'")}
#: a package without __init__.py, found by the option or by what the script says
PACKAGE = {"pkg/net.py": NET, "pkg/train.py": TRAIN.replace("lib.net", "pkg.net")}
START = "import sys, os\nsys.path.append(os.path.dirname(__file__) + '/..')\n"
APPENDS = PACKAGE | {"pkg/train.py": START + PACKAGE["pkg/train.py"]}
#: more files, the command line, the output, and a part of its net.py
CASES = {
    "a script": ({}, "tools/train.py --python-path .", [*PROJECT], "tensorflow.compat.v1"),
    "a folder": ({}, ". --python-path .", [*PROJECT], "tensorflow.compat.v1"),
    "its own folder first": (
        OWN, "tools/train.py --python-path .", ["lib/__init__.py", "lib/net.py", "train.py"], "'own'",
    ),
    "a package": (PACKAGE, "pkg/train.py --python-path .", [*PACKAGE], "tensorflow.compat.v1"),
    "a package of sys.path": (APPENDS, "pkg/train.py", [*PACKAGE], "tensorflow.compat.v1"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_modules_are_found_and_keep_their_places(put: Put, tmp_path: Path, name: str) -> None:
    more, arguments, written, part = CASES[name]
    for path, text in (PROJECT | more).items():
        put(path, text)
    assert main(["migrate", *shlex.split(arguments), "-o", "out"]) == 0
    found = {str(path.relative_to(tmp_path / "out")): path for path in (tmp_path / "out").rglob("*.py")}
    assert sorted(found) == sorted(written)
    [net] = [path for path in found.values() if path.name == "net.py"]
    assert part in net.read_text()
    if name == "a script":
        assert main(["migrate", "out/tools/train.py", "--check", "--python-path", "out"]) == 0


def test_without_a_python_path_a_module_above_the_script_is_named(put: Put, capsys: Capture) -> None:
    for path, text in PROJECT.items():
        put(path, text)
    assert main(["migrate", "tools/train.py", "-o", "out"]) == 0
    printed = capsys.readouterr().err
    assert "lib.net is in .., above the script: it runs with PYTHONPATH=.., or by python -m" in printed


def test_a_folder_above_the_script_is_named_once(put: Put, capsys: Capture) -> None:
    for path, text in PROJECT.items():
        put(path, text)
    put("lib/other.py", "import tensorflow as tf\nimport lib.net\n")
    put("tools/train.py", TRAIN + "import lib.net\nimport lib.other\n")
    assert main(["migrate", "tools/train.py", "-v", "-o", "out"]) == 0
    assert capsys.readouterr().err.count("above the script") == 1


def test_without_a_python_path_a_module_elsewhere_is_not_guessed(put: Put, capsys: Capture) -> None:
    put("tools/train.py", TRAIN)
    put("elsewhere/lib/net.py", NET)
    assert main(["migrate", "tools/train.py", "-o", "out"]) == 1
    printed = capsys.readouterr().err
    assert "T2T624" in printed
    assert "--python-path FOLDER" in printed
