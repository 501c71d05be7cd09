"""Bad input, as whole processes: a sentence, status 2, the file untouched, no traceback, no TensorFlow."""

import pytest

from tests.runtime.tasks import run_python

from .conftest import Put

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


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"def f(:\n", "line 1: not valid Python 3"),
        (b"print 'x'\n", "line 1: this is Python 2"),
        (b"\x7fELF\x02\x01\0\0\0", "binary"),
        (b"x = '\xe9'\n", "byte 0xe9 is not UTF-8"),
        (b"x = 1\r\nif x:\r\n        y = 1\r\n\tz = 2\r\n", "line 4: tabs and spaces"),
        (b"x = 1\n" * 1_000_000, "larger than 5 MB"),
        ("x = 1\n".encode("utf-16"), "UTF-16"),
        (b"x = " + b"(" * 3000 + b"\n", ""),
    ],
)
@pytest.mark.parametrize("option", ["--format=text", "-w"])
def test_a_file_that_is_no_script(put: Put, data: bytes, message: str, option: str) -> None:
    path = put("x.py", data)
    _, errors = run_python("-c", WATCH, "migrate", "x.py", option, seconds=120, status=2)
    assert errors.startswith("tf2towers: x.py: ")
    assert message in errors
    assert "Traceback" not in errors
    assert path.read_bytes() == data
    assert list(path.parent.iterdir()) == [path]


def test_a_migration_imports_no_tensorflow(put: Put) -> None:
    put("x.py", TOWER)
    _, errors = run_python("-c", WATCH, "migrate", "x.py", seconds=120)
    assert "Traceback" not in errors
