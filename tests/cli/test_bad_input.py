"""Bad input, as whole processes: a sentence, status 2, the file untouched, no traceback, no TensorFlow."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WATCH = """
import sys
from tf2towers.cli.main import main
status = main(sys.argv[1:])
heavy = {"tensorflow", "keras", "numpy", "rich"} & set(sys.modules)
assert not heavy, heavy
sys.exit(status)
"""
TOWER = """
import tensorflow as tf
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", WATCH, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"def f(:\n", "line 1: not valid Python 3"),
        (b"print 'x'\n", "line 1: this is Python 2 (the print statement)"),
        (b"\x7fELF\x02\x01\0\0\0", "binary"),
        (b"x = '\xe9'\n", "byte 0xe9 is not UTF-8"),
        (b"x = 1\r\nif x:\r\n        y = 1\r\n\tz = 2\r\n", "line 4: tabs and spaces"),
        (b"x = 1\n" * 1_000_000, "larger than 5 MB"),
        ("x = 1\n".encode("utf-16"), "UTF-16"),
        (b"x = " + b"(" * 3000 + b"\n", ""),
    ],
)
@pytest.mark.parametrize("option", ["--format=text", "-w"])
def test_file(tmp_path: Path, data: bytes, message: str, option: str) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(data)
    done = run("migrate", "x.py", option, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("tf2towers: x.py: ")
    assert message in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_a_migration_imports_no_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(TOWER)
    done = run("migrate", "x.py", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert b"Traceback" not in done.stderr
