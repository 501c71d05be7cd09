"""What runs in place of files: a notebook's cells, which tracebacks and verdicts name, and converted Python 2."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tf2towers.codemod.migrate import migrate  # noqa: E402
from tf2towers.report.parity_json import parity_as_json  # noqa: E402
from tf2towers.report.parity_page import page  # noqa: E402
from tf2towers.report.parity_text import render_parity  # noqa: E402
from tf2towers.source.python2.reading import read_notebook, read_script  # noqa: E402
from tf2towers.source.script import Script  # noqa: E402
from tf2towers.source.write import encoded  # noqa: E402
from tf2towers.verify.sides import Options  # noqa: E402
from tf2towers.verify.texts import texts_of  # noqa: E402
from tf2towers.verify.verify import verify  # noqa: E402

CELLS = [
    """
    %matplotlib inline
    !pip install \\
        something
    from __future__ import division
    import os
    import numpy as np
    import tensorflow as tf
    """,
    """
    %%bash
    exit 1
    """,
    """
    x = tf.placeholder(tf.float32, [None, 4])
    w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    files = !ls
    get_ipython().run_line_magic("matplotlib", "inline")
    """,
    """
    %%time
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            sess.run([train_op, loss], {x: np.full([7 // 2, 4], 1 / 4)})
    display(os.getcwd())
    """,
]


def write_notebook(path: Path, cells: list[str]) -> None:
    sources = [dedent(cell).strip() for cell in cells]
    made = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for source in sources
    ]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": made}))


def migrate_notebook(path: Path, folder: Path, right: str = "", wrong: str = "") -> Path:
    [change] = migrate(read_notebook(str(path))).changes
    folder.mkdir()
    text = encoded(change).decode()
    assert right in text
    (folder / path.name).write_text(text.replace(right, wrong))
    return folder / path.name


def test_the_cells_are_one_program(tmp_path: Path) -> None:
    notebook = tmp_path / "train.ipynb"
    write_notebook(notebook, CELLS)
    result = verify(notebook, migrate_notebook(notebook, tmp_path / "out"), options=Options(steps=3))
    assert result.outcome == "bitwise", render_parity(result)
    assert (result.calls, result.steps) == (4, 3)
    [note] = [note for note in result.notes if "left out" in note]
    assert note == (
        "left out of the notebook: 5 magics: %matplotlib inline (cell 1), !pip install \\ (cell 1), "
        "%%bash (cell 2), files = !ls (cell 3), %%time (cell 4)"
    )


def test_a_difference_and_an_error_name_the_cell_and_its_line(tmp_path: Path) -> None:
    notebook = tmp_path / "train.ipynb"
    write_notebook(notebook, CELLS)
    migrated = migrate_notebook(notebook, tmp_path / "out", "0.1", "0.2")
    result = verify(notebook, migrated, options=Options(steps=3))
    assert result.outcome == "differs"
    first = (
        "session call 1 (train.ipynb, cell 4, line 5 of the original; train.ipynb, cell 4, line 5 of the migr"
    )
    assert first in render_parity(result)
    assert "train.ipynb, cell 4, line 5" in page(result)
    assert "sess.run([train_op, loss], {x: np.full([7 // 2, 4], 1 / 4)})" in page(result)
    assert "cells" not in json.loads(parity_as_json(result))["original"]

    write_notebook(notebook, [*CELLS[:1], "\nraise ValueError('the disk is full')"])
    result = verify(notebook, migrated, options=Options(steps=3))
    assert "failed: ValueError: the disk is full (train.ipynb, cell 2, line 1)" in result.error
    assert "    raise ValueError('the disk is full')" in result.error


PYTHON_2 = """
    # of a time when a / b of integers was an integer
    import numpy as np
    import tensorflow as tf
    import batches

    x = tf.placeholder(tf.float32, [None, 4])
    w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in xrange(3):
            print "step %d" % step
            sess.run([train_op, loss], {x: batches.batch(step, 7)})
    """
BATCHES = """
    import numpy as np

    def batch(step, size):
        return np.ones([size / 2, 4]) / (1 + step)
    """


def test_python_2_runs_as_it_is_converted(tmp_path: Path) -> None:
    """Its module, valid Python 3 as it stands, has a division that Python 3 would make otherwise."""
    script = tmp_path / "train.py"
    script.write_text(dedent(PYTHON_2))
    (tmp_path / "batches.py").write_text(dedent(BATCHES))
    read = read_script(lambda checked: Script.read(script, checked=checked))
    (tmp_path / "out").mkdir()
    for change in migrate(read).changes:
        (tmp_path / "out" / change.path.name).write_bytes(encoded(change))
    migrated = tmp_path / "out" / "train.py"
    result = verify(script, migrated, options=Options(steps=3))
    assert result.outcome == "bitwise", render_parity(result)
    [note] = result.notes
    assert note.startswith("the original is Python 2: it ran in Python 3, as `migrate --python3` writes it (")

    migrated.write_text(migrated.read_text().replace("0.1", "0.2"))
    result = verify(script, migrated, options=Options(steps=2))
    assert result.outcome == "differs"
    assert (
        str(result.first_places[0]) == "train.py, line 15"
    )  # of the file, which the conversion has not changed
    assert script.read_text() == dedent(PYTHON_2)


def test_what_converted_texts_need_goes_to_another_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        dedent(
            """\
            import tensorflow as tf
            def half(x):
                print x / 2
            """
        )
    )
    texts = texts_of(script, original=True)
    assert Path("tf2towers/runtime/python2.py") in texts.needed()
    assert Path("tf2towers/__init__.py") not in texts.needed()  # the recorder has its own
    assert not texts_of(Path(__file__), original=True).settings()["converted"]
