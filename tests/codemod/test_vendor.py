"""`--vendor`: the output runs without our package."""

import re
from pathlib import Path

import pytest
from codemod_texts import printed

from tf2towers.cli.main import main
from tf2towers.source.vendor import requirement_lines, vendored_files

SCRIPT = str(Path(__file__).parents[2] / "legacy/single_device.py")


def test_only_what_is_needed():
    files = {str(path) for path in vendored_files(["from tf2towers.runtime import Session, graph_mode\n"])}
    assert {"tf2towers/NOTICE.txt", "tf2towers/__init__.py", "tf2towers/runtime/__init__.py"} <= files
    assert "tf2towers/runtime/graph_session/session.py" in files
    assert not any(
        path.startswith(("tf2towers/cli", "tf2towers/rewrites", "tf2towers/verify")) for path in files
    )
    more = {str(path) for path in vendored_files(["from tf2towers.runtime import layers\n"])}
    assert {"tf2towers/runtime/tf1/layers.py", "tf2towers/runtime/tf1/keras.py"} <= more
    assert "tf2towers/runtime/tf1/slim.py" not in more
    assert vendored_files(["import numpy\n"]) == {}


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("from tf2towers.runtime import Session\n", ["numpy", "tensorflow"]),
        ("from tf2towers.runtime import layers\n", ["numpy", "tensorflow", "tf_keras"]),
        ("from tf2towers.runtime import slim\n", ["tensorflow", "tf_keras", "tf_slim"]),
        ("from tf_slim.training import training\nimport tf2towers.runtime\n",
         ["tensorflow", "tf_keras", "tf_slim"]),
    ],
)  # fmt: skip
def test_what_the_files_require(text: str, packages: list[str]) -> None:
    files = vendored_files([text])
    lines = requirement_lines([text], files)
    assert [re.split("[<>=]", line)[0] for line in lines] == packages
    assert "\n".join(lines) in files[Path("tf2towers/NOTICE.txt")].decode()


def test_it_goes_with_an_output(capsys):
    assert main(["migrate", "--vendor", SCRIPT]) == 2
    assert "--vendor goes with" in capsys.readouterr().err


def test_a_second_run_changes_nothing(tmp_path, capsys):
    assert main(["migrate", "--vendor", "-o", str(tmp_path), SCRIPT]) == 0
    assert "Apache License" in (tmp_path / "tf2towers/NOTICE.txt").read_text()
    capsys.readouterr()
    assert main(["migrate", "--vendor", "-w", str(tmp_path / "single_device.py")]) == 0
    assert "nothing to change" in capsys.readouterr().err


@pytest.mark.tensorflow
def test_the_output_runs_by_itself(tmp_path):
    assert main(["migrate", "--vendor", "-o", str(tmp_path), SCRIPT]) == 0
    code = "import runpy, sys; sys.path[:] = [p for p in sys.path if 'tf2towers' not in p]; sys.path.insert(0, '.');"
    code += "runpy.run_path('single_device.py'); import tf2towers; print(tf2towers.__file__)"
    out = printed("-c", code, folder=tmp_path)
    assert out.split()[-1] == str(tmp_path / "tf2towers/__init__.py") and "[7. 7.]" in out
