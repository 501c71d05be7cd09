"""What is said where a seeded operation cannot go on where another run left it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

SCRIPT = """\
import tensorflow as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
size = tf.compat.v1.placeholder(tf.int32, [])
counted = tf.random.shuffle(tf.range(5), seed=1)
free = tf.random.shuffle(tf.range(size), seed=1)
with Session() as sess:
    sess.run([counted, free], {size: 3})
    sess.run(counted)
    sess.run(free, {size: 4})
    sess.run(free, {size: 5})
"""


def test_the_line_is_named(tmp_path: Path) -> None:
    script = tmp_path / "draws.py"
    script.write_text(SCRIPT)
    said = [line for line in run_python(str(script))[1].splitlines() if "sequence of its own" in line]
    assert len(said) == 1
    assert f"({script}:7)" in said[0]
