"""`--python-path`: modules of a program that runs with a PYTHONPATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from tf2towers.cli.main import main

TRAIN = "import tensorflow as tf\nfrom lib.net import loss\n\nx = tf.placeholder(tf.float32, [])\nprint(loss(x))\n"
NET = "import tensorflow as tf\n\n\ndef loss(x):\n    return tf.square(x, name='loss') + tf.to_float(1)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """tools/train.py, whose module lies above it: `PYTHONPATH=. python tools/train.py`."""
    for name, text in {"tools/train.py": TRAIN, "lib/__init__.py": "", "lib/net.py": NET}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_nothing_is_guessed_without(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "tools/train.py", "-o", "out"]) == 1
    printed = capsys.readouterr().out
    assert "T2T624" in printed
    assert "--python-path FOLDER" in printed


@pytest.mark.parametrize("path", ["tools/train.py", "."])
def test_modules_are_found_and_keep_their_places(project: Path, path: str) -> None:
    assert main(["migrate", path, "-o", "out", "--python-path", "."]) == 0
    assert files(project / "out") == ["lib/__init__.py", "lib/net.py", "tools/train.py"]
    assert "tensorflow.compat.v1" in (project / "out/lib/net.py").read_text(encoding="utf-8")
    assert main(["migrate", "out/tools/train.py", "--check", "--python-path", "out"]) == 0


def test_the_script_s_own_folder_comes_first(project: Path) -> None:
    (project / "tools/lib").mkdir()
    (project / "tools/lib/__init__.py").touch()
    (project / "tools/lib/net.py").write_text(NET.replace("loss'", "own'"), encoding="utf-8")
    assert main(["migrate", "tools/train.py", "-o", "out", "--python-path", "."]) == 0
    assert files(project / "out") == ["lib/__init__.py", "lib/net.py", "train.py"]
    assert "'own'" in (project / "out/lib/net.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("start", "arguments"),
    [
        ("", ["--python-path", "."]),
        ("import sys, os\nsys.path.append(os.path.dirname(__file__) + '/..')\n", []),
    ],
)
def test_a_package_without_init_keeps_its_folder(project: Path, start: str, arguments: list[str]) -> None:
    (project / "pkg").mkdir()
    (project / "pkg/net.py").write_text(NET, encoding="utf-8")
    (project / "pkg/train.py").write_text(start + TRAIN.replace("lib.net", "pkg.net"), encoding="utf-8")
    assert main(["migrate", "pkg/train.py", "-o", "out", *arguments]) == 0
    assert files(project / "out") == ["pkg/net.py", "pkg/train.py"]
