"""Notebooks: the code cells are one script; magics, outputs, metadata and layout stay."""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from codemod_texts import notebook, printed

from tf2towers.cli.main import main
from tf2towers.source.notebook import Notebook

TRAINER = [
    dedent(
        """\
        %matplotlib inline
        !pip install \\
           something
        import tensorflow as tf
        import numpy as np"""
    ),
    "",
    "%%bash\necho { not python",
    dedent(
        """\
        x = tf.placeholder(tf.float32, [None, 2])
        fmt = ('%d'
        % 3)
        grads = []
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        opt = tf.train.GradientDescentOptimizer(0.1)
        for i in range(2):
            %time pass
            with tf.device('/gpu:%d' % i):
                loss = tf.reduce_mean(tf.square(tf.split(x, 2)[i] * w - 1.0))
                grads.append(opt.compute_gradients(loss, [w]))
        w?"""
    ),
    "mean = [(tf.add_n([g for g, _ in pair]) / 2.0, pair[0][1]) for pair in zip(*grads)]\n"
    "train = opt.apply_gradients(mean)",
    dedent(
        """\
        files = !ls
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train, {x: np.arange(8.0).reshape(4, 2)})
        print(sess.run(w).tolist())"""
    ),
]


def sources(path: Path) -> list[str]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.fixture
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("indent", "end"), [(1, "\n"), (2, ""), (None, "\n"), ("\t", "\n")])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_only_the_cells_change(working_folder: Path, indent: Any, end: str, is_ascii: bool) -> None:
    text = json.dumps(notebook(TRAINER, z={"a": 1e5}), indent=indent, ensure_ascii=is_ascii) + end
    (working_folder / "a.ipynb").write_text(text, encoding="utf-8")
    assert main(["migrate", "-w", "a.ipynb"]) == 0
    new = (working_folder / "a.ipynb").read_text(encoding="utf-8")
    after = sources(working_folder / "a.ipynb")
    assert after[0].startswith(TRAINER[0].replace("tensorflow as", "tensorflow.compat.v1 as")[:60])
    assert "graph_mode()" in after[0] and after[1] == "" and after[2] == TRAINER[2]
    assert "    %time pass\n" in after[3] and after[3].endswith("\nw?")
    assert "    grads = strategy.run(tower, args=(strategy.replica_ids,))\n" in after[3]
    assert "    grads = strategy.experimental_local_results(grads)\n" in after[3]
    assert after[5].startswith("files = !ls\nsess = Session()\n")
    old, document = json.loads(text), json.loads(new)
    for cell in [*old["cells"], *document["cells"]]:
        cell.pop("source")
    assert document == old
    lost = set(text.splitlines()) - set(new.splitlines())
    edited = ("tf.", "range", "import", "grads")
    assert indent is None or all(any(word in line for word in edited) for line in lost)
    assert new.endswith("}" + end) and ("\\u" in new) == is_ascii
    assert main(["migrate", "--check", "a.ipynb"]) == 0  # a second run changes nothing


def test_sites_are_reported_by_cell(working_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [*TRAINER, "%%writefile other.py\nimport tensorflow as tf\n", "%time pass\nimport sonnet"]
    (working_folder / "a.ipynb").write_text(json.dumps(notebook(cells)))
    assert main(["migrate", "a.ipynb"]) == 1
    said = capsys.readouterr().err
    assert re.search(r"\n  cell 8:2:1: T2T625 [\w-]+: sonnet", said)
    assert re.search(r"\n  cell 7:1:1: T2T624 [\w-]+: %%writefile other.py", said)
    for form in ("json", "sarif", "github"):
        assert main(["migrate", "a.ipynb", "--format", form]) == 1
        assert "sonnet" in capsys.readouterr().out


def test_a_notebook_of_python2(working_folder: Path) -> None:
    cells = ["import tensorflow as tf", "x = 7 / 2\nprint x\nsess = tf.Session()"]
    kernel = {"display_name": "Python 2", "language": "python", "name": "python2"}
    (working_folder / "a.ipynb").write_text(json.dumps(notebook(cells, kernelspec=kernel), indent=1))
    assert main(["migrate", "-w", "a.ipynb"]) == 0
    assert sources(working_folder / "a.ipynb")[1] == "x = 7 // 2\nprint(x)\nsess = Session()"
    document = json.loads((working_folder / "a.ipynb").read_text())
    assert document["metadata"]["kernelspec"]["name"] == "python3"


def test_the_kernel_says_that_it_is_python_2(working_folder: Path) -> None:
    cells = ["import tensorflow as tf\nx = 7 / 2\nsess = tf.Session()"]
    (working_folder / "a.ipynb").write_text(json.dumps(notebook(cells, language_info={"version": "2.7.6"})))
    assert main(["migrate", "-w", "a.ipynb"]) == 0
    assert "x = 7 // 2" in sources(working_folder / "a.ipynb")[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[1]", "old format"),
        (b"{}", "old format"),
        (b"{", "not a notebook"),
        (b"\xff", "not a notebook"),
        (b"", "not a notebook"),
        (b'{"nbformat": 3, "worksheets": []}', "old format"),
        (json.dumps(notebook(["x = 1", "a b\n"])).encode(), "cell 2, line 1: not valid Python 3"),
    ],
)
def test_what_is_no_notebook(
    working_folder: Path, capsys: pytest.CaptureFixture[str], data: bytes, message: str
) -> None:
    (working_folder / "a.ipynb").write_bytes(data)
    assert main(["migrate", "-w", "a.ipynb"]) == 2
    assert message in capsys.readouterr().err
    assert (working_folder / "a.ipynb").read_bytes() == data


def test_without_tf1_and_without_cells(working_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cells in ([], ["print(1)"]):
        (working_folder / "a.ipynb").write_text(json.dumps(notebook(cells)))
        assert main(["migrate", "a.ipynb"]) == 0
        assert "nothing to change" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = '''\n%no\n'''\n%yes", ["x = '''", "%no", "'''", "pass  # tf2towers: magic 0"]),
        ("x = (1\n% 2)", ["x = (1", "% 2)"]),
        ("x = 1 \\\n% 2", ["x = 1 \\", "% 2"]),
        ("%%time\nx = 1", ["pass  # tf2towers: magic 0", "x = 1"]),
        ("%%html\n<b>", ["pass  # tf2towers: magic 0"]),
        ("a = %env B  \nc.d??", ["a = ...  # tf2towers: magic 0", "pass  # tf2towers: magic 1"]),
        ("# it's\n!x", ["# it's", "pass  # tf2towers: magic 0"]),
    ],
)
def test_magics_are_hidden_and_shown_again(source: str, expected: list[str]) -> None:
    made = Notebook(json.dumps(notebook([source])).encode(), Path("a.ipynb"))
    assert made.text.splitlines()[1:] == expected
    assert made.shown(made.text) == f"# %% cell 1\n{source}\n"


@pytest.mark.tensorflow
def test_the_cells_train(working_folder: Path) -> None:
    (working_folder / "a.ipynb").write_text(json.dumps(notebook(TRAINER)))
    assert main(["migrate", "a.ipynb", "-o", "out"]) == 0
    old = ran(working_folder, "\n".join(plain(TRAINER)).replace("import tensorflow as tf", OLD))
    new = ran(working_folder, "\n".join(plain(sources(working_folder / "out" / "a.ipynb"))))
    assert old == new and old.startswith("[")


OLD = dedent(
    """\
        import tensorflow.compat.v1 as tf
        tf.disable_eager_execution()
        tf.config.set_soft_device_placement(True)
        """
)


def plain(cells: list[str]) -> list[str]:
    """The cells without their magics."""
    words = ("%", "!", "w?", "something", "echo", "files =")
    rows = [
        [row for row in cell.split("\n") if not row.strip().startswith(words) or "% 3" in row]
        for cell in cells
    ]
    return ["\n".join(source) for source in rows]


def ran(folder: Path, text: str) -> str:
    (folder / "cells.py").write_text(text)
    return printed("cells.py", folder=folder)


def test_imports_from_the_future_may_follow_magics(working_folder: Path) -> None:
    cells = [
        "%matplotlib inline\nfrom __future__ import division\nimport tensorflow as tf",
        "from __future__ import (print_function,\n                        absolute_import)\nsess = tf.Session()",
    ]
    (working_folder / "a.ipynb").write_text(json.dumps(notebook(cells)))
    assert main(["migrate", "-w", "a.ipynb"]) == 0
    first, second = sources(working_folder / "a.ipynb")
    assert first == cells[0].replace("tensorflow as tf", "tensorflow.compat.v1 as tf")
    assert second.startswith(cells[1].partition("sess")[0] + "from tf2towers.runtime import Session")
