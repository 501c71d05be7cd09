"""`migrate DIR`: which files are programs, what is passed over, and the same output whatever -j."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tf2towers.cli.main import main

Put = Callable[..., Path]
TRAIN = (
    "import tensorflow as tf\nimport model\nx = tf.placeholder(tf.float32, [])\n"
    "with tf.device('/gpu:0'):\n    y = model.net(x)\n"
)
MODEL = "import tensorflow as tf\n\n\ndef net(x):\n    return tf.log(x)\n"


@pytest.fixture
def project(put: Put, tmp_path: Path) -> Path:
    put("p/train.py", TRAIN)
    put("p/model.py", MODEL.replace("tf.log", "tf.mul(x, x) + tf.log"))
    put("p/empty.py", "")
    put("p/other.py", "print(1)\n")
    put("p/broken.py", "def (:\n")
    put("p/sub/old.py", "import tensorflow as tf\nprint 7 / 2\nwith tf.device('/gpu:0'):\n    tf.Session()\n")
    put("p/sub/eager.py", "import tensorflow as tf\nprint(tf.constant(1).numpy())\n")
    put("p/.gitignore", "ignored/\n*_gen.py\n!kept_gen.py\n")
    put("p/ignored/a.py", TRAIN)
    put("p/a_gen.py", TRAIN)
    put("p/kept_gen.py", TRAIN)
    put("p/.venv/x.py", TRAIN)
    put("p/env/pyvenv.cfg", "")
    put("p/env/x.py", TRAIN)
    put("p/plain.py", "import tensorflow as tf\nimport sonnet\ntf.Session()\n")
    return tmp_path / "p"


def test_programs_and_their_modules(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "p"]) == 1
    out = capsys.readouterr().out
    printed = [line for line in out.splitlines() if line.startswith("p/")]
    assert printed == [
        "p/kept_gen.py: 2 files to change, nothing left by hand",
        "p/plain.py: 1 file to change, 1 site left by hand"
        " (no towers and no servers in it: it runs on one device, as before)",
        "p/sub/old.py: 1 file to change, nothing left by hand",
        "p/train.py: 1 file to change, nothing left by hand",
    ]
    assert (
        out.count("+++ b/p/model.py") == 1
        and "graph_mode()" not in out.split("+++ b/p/model.py")[1].split("+++")[0]
    )
    assert (
        "    2:1: T2T625" not in out
        and "  2:1: T2T625" in out
        and "      to do: Copy the library's package" in out
    )
    assert "T2T608" in out
    assert out.endswith("\np: 9 files, 4 programs with TF1: nothing left by hand in 3, sites left in 1\n")


def test_exclude(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["migrate", "p", "--exclude", "sub/", "--exclude", "/plain.py", "--exclude", "kept_gen.py"]) == 0
    )
    out = capsys.readouterr().out
    assert "p/train.py: 2 files to change" in out and "old.py" not in out and "plain.py" not in out


@pytest.mark.parametrize("options", [[], ["--format", "json"], ["--check"]])
def test_the_same_whatever_the_processes(
    project: Path, capfd: pytest.CaptureFixture[str], options: list[str]
) -> None:
    found = []
    for jobs in ("1", "2", "5"):
        status = main(["migrate", "p", "-j", jobs, *options])
        found.append((status, capfd.readouterr()))
    assert found[0] == found[1] == found[2] and found[0][0] == 1


def test_written_beside_keeps_the_paths(project: Path, tmp_path: Path) -> None:
    assert main(["migrate", "p", "-o", "p/out", "--exclude", "plain.py"]) == 0
    written = {str(path.relative_to(project / "out")) for path in (project / "out").rglob("*.py")}
    assert written == {"train.py", "kept_gen.py", "model.py", "sub/old.py"}
    assert main(["migrate", "p", "-o", "p/out", "--exclude", "plain.py"]) == 0  # the output is no input
    assert not (project / "out" / "out").exists()


def test_in_place_twice(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["migrate", "p", "-w"])
    assert "print(7 // 2)" in (project / "sub" / "old.py").read_text()
    assert "import tensorflow.compat.v1 as tf" in (project / "model.py").read_text()
    assert (project / "ignored" / "a.py").read_text() == TRAIN
    capsys.readouterr()
    main(["migrate", "p", "-w"])
    assert "wrote" not in capsys.readouterr().out


def test_a_module_that_is_a_script_too(put: Put, tmp_path: Path) -> None:
    put("p/a.py", "import tensorflow as tf\nimport b\nwith tf.device('/gpu:0'):\n    tf.Session()\n")
    put("p/b.py", "import tensorflow as tf\nif __name__ == '__main__':\n    tf.Session()\n")
    assert main(["migrate", "p", "-w"]) == 0
    assert all("graph_mode()\n" in (tmp_path / "p" / name).read_text() for name in ("a.py", "b.py"))


def test_modules_that_import_each_other(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("p/__init__.py", "from . import a\n")
    put("p/a.py", "import tensorflow as tf\nfrom . import b\nx = tf.placeholder(tf.float32)\n")
    put("p/b.py", "from . import a\n")
    assert main(["migrate", "p", "-w"]) == 0
    assert "wrote p/a.py" in capsys.readouterr().out


def test_a_folder_without_anything(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("p/a.txt", "x")
    assert main(["migrate", "p"]) == 0
    assert capsys.readouterr().out == "p: 0 files, 0 programs with TF1\n"
    assert main(["migrate", "p", "--verify"]) == 2


def test_a_site_that_is_reported_with_another_program(put: Put, capsys: pytest.CaptureFixture[str]) -> None:
    put("p/model.py", MODEL.replace("tf.log", "tf.contrib.tensorrt.nothing"))
    put("p/a.py", TRAIN)
    put("p/b.py", TRAIN)
    assert main(["migrate", "p", "--no-diff"]) == 1
    out = capsys.readouterr().out
    assert out.count("T2T620") == 1
    assert (
        "\np/b.py: 1 file to change, nothing left by hand here; sites left in p/model.py, reported above\n"
        in out
    )
    assert out.endswith("2 programs with TF1: sites left in 2\n")


def test_an_earlier_output_is_not_migrated_again(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate", "p", "-o", "p/first", "--exclude", "plain.py"]) == 0
    capsys.readouterr()
    assert main(["migrate", "p", "-o", "second", "--exclude", "plain.py"]) == 0
    assert "3 migrated before and left out" in capsys.readouterr().out
    assert not (tmp_path / "second" / "first").exists()


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_check_says_why_its_status_is_1(put: Put, capsys: pytest.CaptureFixture[str], form: str) -> None:
    put("train.py", TRAIN)
    put("model.py", MODEL)
    assert main(["migrate", "train.py", "--check", "--output-format", form]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("this line would be rewritten") == 2 and "T2T602" in shown.out
    assert shown.err == "tf2towers migrate: 2 files to change, 0 sites left by hand\n"
    assert main(["migrate", "train.py", "--output-format", form]) == 0
    assert "would be rewritten" not in capsys.readouterr().out
