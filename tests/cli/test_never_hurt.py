"""Whatever stops a migration: a sentence, the right status, nothing lost."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tf2towers.cli.main import main
from tf2towers.cli.processes import map_in_processes

from .conftest import Capture, Put

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
DEEP = {
    "sum": "y = " + " + ".join(["tf.to_float(x)"] * 400),
    "elif": "if x == 0: y = 1\n" + "".join(f"elif x == {n}: y = tf.to_float(x)\n" for n in range(400)),
    "strings": "y = (" + "\n".join(["'tf.to_float'"] * 400) + ")",
    "calls": "y = " + "tf.to_float(" * 150 + "x" + ")" * 150,
    "lists": "y = " + "[" * 150 + "tf.to_float(x)" + "]" * 150,
    "attributes": "y = tf.to_float(x)" + ".real" * 400,
}
#: waits in the middle of an analysis, and says so
WAITS = """
import sys, time
from tf2towers.cli.main import main
from tf2towers.codemod import migrate
def wait(script, options):
    open("ready", "w").close()
    while True:
        sum(range(1000))
migrate.migrate = wait
sys.exit(main(sys.argv[1:]))
"""


def test_deep_code_is_migrated(put: Put, capsys: Capture) -> None:
    paths = {name: put(f"{name}.py", f"{HEAD}{code}\n") for name, code in DEEP.items()}
    assert main(["migrate", "-w", *map(str, paths.values())]) == 0
    assert capsys.readouterr().err.count("wrote ") == len(paths)
    for name, path in paths.items():
        text = path.read_text()
        compile(text, name, "exec")
        assert "import tensorflow.compat.v1 as tf" in text


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(
            " + ".join(["x"] * 3000), "it is nested more deeply than Python can parse",
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="takes more"),
        ),
        # looked at as Python 2, too, by a parser in Python
        (f"{'(' * 900}x{')' * 900}", "line 3: not valid Python 3: too many nested parentheses\n"),
    ],
)  # fmt: skip
def test_what_python_cannot_parse_is_refused(put: Put, capsys: Capture, code: str, said: str) -> None:
    path = put("x.py", text := f"{HEAD}y = {code}\n")
    assert main(["migrate", "-w", "x.py"]) == 2
    assert capsys.readouterr().err.startswith(f"tf2towers: x.py: {said}")
    assert path.read_text() == text


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_in_the_middle(put: Put, tmp_path: Path, jobs: str) -> None:
    names = ["x.py", "y.py", "z.py"]
    for name in names:
        put(name, HEAD)
    command = [sys.executable, "-c", WAITS, "migrate", "-w", "-j", jobs, *names]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "ready").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=180)
    assert process.returncode in (130, -signal.SIGINT)
    assert (out, error) == (b"", b"interrupted\n")
    assert [(tmp_path / name).read_text() for name in names] == [HEAD] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ready", *names]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "said", "written"),
    [
        ("x.py > /dev/full", "{FULL}", False),
        (
            "-w --format json x.py > /dev/full",
            "tf2towers migrate: everything is written, only the report of it is not\n{FULL}", True,
        ),
        ("-w x.py >&-", "tf2towers: the standard output is closed: nothing was done\n", False),
    ],
)  # fmt: skip
def test_a_full_or_closed_output(put: Put, tmp_path: Path, arguments: str, said: str, written: bool) -> None:
    path = put("x.py", HEAD)
    command = f'exec "{sys.executable}" -m tf2towers migrate {arguments}'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
    full = "tf2towers: the output cannot be written (No space left on device)\n"
    assert (done.returncode, done.stderr) == (2, said.format(FULL=full))
    assert ("compat.v1" in path.read_text()) == written


def test_a_read_only_file_stays(put: Put, capsys: Capture) -> None:
    paths = [put("x.py", HEAD), put("y.py", HEAD)]
    paths[0].chmod(0o444)
    assert main(["migrate", "-w", "x.py", "y.py"]) == 2
    said = "not written: the file is read-only (chmod u+w makes it writable)"
    assert capsys.readouterr().err.startswith(f"tf2towers: x.py: {said}\n")
    assert paths[0].read_text() == HEAD
    assert "compat.v1" in paths[1].read_text()


def test_a_copy_of_a_read_only_file_can_be_written_again(put: Put) -> None:
    path = put("x.py", HEAD)
    path.chmod(0o444)
    assert main(["migrate", "-o", "out", "x.py"]) == 0
    path.chmod(0o644)
    path.write_text(f"{HEAD}y = 1\n")
    assert main(["migrate", "-o", "out", "x.py"]) == 0
    assert (path.parent / "out" / "x.py").read_text().endswith("y = 1\n")


@pytest.mark.parametrize("arguments", [[""], ["x.py", ""], ["-o", "", "x.py"]])
def test_an_empty_path_is_no_folder(put: Put, capsys: Capture, arguments: list[str]) -> None:
    put("x.py", HEAD)
    assert main(["migrate", *arguments]) == 2
    assert "an empty path; . is the current folder" in capsys.readouterr().err


def test_one_file_by_several_names(put: Put, tmp_path: Path, capsys: Capture) -> None:
    path = put("x.py", HEAD)
    (tmp_path / "link.py").symlink_to("x.py")
    assert main(["migrate", "-w", "x.py", "./x.py", str(path), "link.py"]) == 0
    assert capsys.readouterr().err.count("wrote ") == 1
    assert (tmp_path / "link.py").is_symlink()
    assert path.read_text().count("compat.v1") == 1


@pytest.mark.parametrize(
    "name", ["a b.py", "new\nline.py", os.fsdecode(b"caf\xe9.py"), "per%cent#q?.py", "x" * 252 + ".py"]
)
@pytest.mark.parametrize("kind", ["text", "json", "sarif", "github"])
def test_files_with_odd_names(put: Put, capsys: Capture, name: str, kind: str) -> None:
    path = put(name, HEAD)
    assert main(["migrate", "-w", "-q", "--format", kind, name]) == 0
    assert capsys.readouterr().err == ""
    assert "compat.v1" in path.read_text()


def test_a_folder_of_odd_things(put: Put, tmp_path: Path, capsys: Capture) -> None:
    good = put("x.py", HEAD)
    put("cells.ipynb", '{"cells": [1, {"source": 2}], "metadata": {}, "nbformat": 4}')
    put("deep.ipynb", "[" * 100_000)
    put("list.ipynb", "[]")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "broken.py").symlink_to("nowhere")
    for name in ("pipe.py", ".gitignore"):
        os.mkfifo(tmp_path / name)
    assert main(["migrate", "-w", "."]) in (0, 2)
    err = capsys.readouterr().err
    assert "internal error" not in err
    assert "compat.v1" in good.read_text()


def _doubled(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_process_that_is_killed() -> None:
    """What is not done by then has a result as well."""
    found = list(map_in_processes(_doubled, range(20), 2, lambda number: -number))
    done = found.index(next(number for number in found if number < 0))
    assert done <= 7
    assert found == [2 * number if number < done else -number for number in range(20)]
