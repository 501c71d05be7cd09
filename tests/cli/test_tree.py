"""`migrate DIR`: which files are programs, what is passed over, and the same output whatever -j."""

import json
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.cli.main import main

from .conftest import Capture, Put

TOWER = "with tf.device('/gpu:0'):\n    tf.Session()\n"
TRAIN = dedent(
    """\
        import tensorflow as tf
        import model
        x = tf.placeholder(tf.float32, [])
        with tf.device('/gpu:0'):
            y = model.net(x)
        """
)
MODEL = """\
import tensorflow as tf


def net(x):
    return tf.log(x)
"""
PROJECT = {
    "p/train.py": TRAIN,
    "p/model.py": MODEL.replace("tf.log", "tf.mul(x, x) + tf.log"),
    "p/empty.py": "",
    "p/other.py": "print(1)\n",
    "p/broken.py": "def (:\n",
    "p/sub/old.py": f"import tensorflow as tf\nprint 7 / 2\n{TOWER}",
    "p/sub/eager.py": "import tensorflow as tf\nprint(tf.constant(1).numpy())\n",
    "p/.gitignore": dedent(
        """\
        ignored/
        *_gen.py
        !kept_gen.py
        """
    ),
    "p/env/pyvenv.cfg": "",
    "p/plain.py": dedent(
        """\
        import tensorflow as tf
        import sonnet
        tf.Session()
        """
    ),
} | dict.fromkeys(["p/ignored/a.py", "p/a_gen.py", "p/kept_gen.py", "p/.venv/x.py", "p/env/x.py"], TRAIN)
MODULES = {
    "p/__init__.py": "from . import a\n",
    "p/a.py": dedent(
        """\
        import tensorflow as tf
        from . import b
        x = tf.placeholder(tf.float32)
        """
    ),
    "p/b.py": "from . import a\n",
}
SCRIPTS = {
    "p/a.py": f"import tensorflow as tf\nimport b\n{TOWER}",
    "p/b.py": dedent(
        """\
        import tensorflow as tf
        if __name__ == '__main__':
            tf.Session()
        """
    ),
}
TWICE = {"p/model.py": MODEL.replace("log", "contrib.tensorrt.nothing"), "p/a.py": TRAIN, "p/b.py": TRAIN}
ABOVE = "\np/b.py: 1 file to change, nothing left to you here; places left in p/model.py, reported above\n"
NOT_PLAIN = "--exclude plain.py"
OUTPUT = {"p/out/train.py", "p/out/kept_gen.py", "p/out/model.py", "p/out/sub/old.py"}
SECOND = {name.replace("p/out", "second") for name in OUTPUT}
#: the files, the command lines with their status and what the last one says, and the files that are
#: new then
CASES = {
    "exclude": (PROJECT, [("p --exclude sub/ --exclude /plain.py --exclude kept_gen.py", 0)],
                ["p/train.py: 2 files to change", "p: 5 files, 1 program with TF1: nothing left to you in 1"], set()),
    # the output is no input, of its own run and of another
    "an output within": (PROJECT, [(f"p -o p/out {NOT_PLAIN}", 0)] * 2, [": up to date"], OUTPUT),
    "an earlier output": (PROJECT, [(f"p -o p/out {NOT_PLAIN}", 0), (f"p -o second {NOT_PLAIN}", 0)],
                          ["3 migrated before and left out"], OUTPUT | SECOND),
    "a module that is a script": (SCRIPTS, [("p -w", 0)], ["wrote p/a.py", "wrote p/b.py"], set()),
    "modules that import each other": (MODULES, [("p -w", 0)], ["wrote p/a.py"], set()),
    "nothing": ({"p/a.txt": "x"}, [("p", 0)], ["p: 0 files, 0 programs with TF1\n"], set()),
    "not to be run": ({"p/a.txt": "x"}, [("p --verify", 2)], ["--verify takes scripts, no folder"], set()),
    "a site of two programs": (TWICE, [("p --no-diff", 1)],
                               ["T2T620", ABOVE, "2 programs with TF1: places left in 2\n"], set()),
}  # fmt: skip


@pytest.fixture
def project(put: Put, tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        put(name, text)
    return tmp_path / "p"


@pytest.mark.parametrize("name", CASES)
def test_commands_on_a_folder(put: Put, tmp_path: Path, capsys: Capture, name: str) -> None:
    files, commands, said, new = CASES[name]
    for path, text in files.items():
        put(path, text)
    for arguments, status in commands:
        capsys.readouterr()
        assert main(["migrate", *shlex.split(arguments)]) == status
    printed = "".join(capsys.readouterr())
    assert [printed.count(part) for part in said] == [1] * len(said), printed
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert found == files.keys() | new
    if files is SCRIPTS:
        assert all("graph_mode()\n" in (tmp_path / path).read_text() for path in SCRIPTS)


def test_programs_and_their_modules(project: Path, capsys: Capture) -> None:
    assert main(["migrate", "p"]) == 1
    out, said = capsys.readouterr()
    assert [line for line in said.splitlines() if line.startswith("p/")] == [
        "p/kept_gen.py: 2 files to change, nothing left to you",
        "p/plain.py: 1 file to change, 1 place left to you"
        " (no towers and no servers in it: it runs on one device, as before)",
        "p/sub/old.py: 1 file to change, nothing left to you",
        "p/train.py: 1 file to change, nothing left to you",
    ]
    assert out.count("+++ b/p/model.py") == 1
    assert "graph_mode()" not in out.split("+++ b/p/model.py")[1].split("+++")[0]
    assert "    2:1: T2T625" not in said and "  2:1: T2T625" in said and "T2T608" in said
    assert "      to do: Copy the library's package" in said
    assert said.endswith("\np: 9 files, 4 programs with TF1: nothing left to you in 3, places left in 1\n")


@pytest.mark.parametrize("options", [[], ["--format", "json"], ["--check"]])
def test_the_same_whatever_the_processes(project: Path, capfd: Capture, options: list[str]) -> None:
    found = [(main(["migrate", "p", "-j", jobs, *options]), capfd.readouterr()) for jobs in ("1", "2", "5")]
    assert found[0] == found[1] == found[2] and found[0][0] == 1


def test_a_second_migration_in_place_writes_nothing(project: Path, capsys: Capture) -> None:
    main(["migrate", "p", "-w"])
    assert "print(7 // 2)" in (project / "sub" / "old.py").read_text()
    assert "import tensorflow.compat.v1 as tf" in (project / "model.py").read_text()
    assert (project / "ignored" / "a.py").read_text() == TRAIN
    capsys.readouterr()
    main(["migrate", "p", "-w"])
    assert "wrote" not in capsys.readouterr().err


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_check_says_why_its_status_is_1(put: Put, capsys: Capture, form: str) -> None:
    put("train.py", TRAIN)
    put("model.py", MODEL)
    assert main(["migrate", "train.py", "--check", "--output-format", form]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("this line would be rewritten") == 2 and "T2T602" in shown.out
    assert shown.err == "tf2towers migrate: 2 files to change, 0 places left to you\n"
    assert form != "json" or json.loads(shown.out)["status"] == 1
    assert main(["migrate", "train.py", "--output-format", form]) == 0
    assert "would be rewritten" not in capsys.readouterr().out
