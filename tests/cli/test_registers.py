"""Which register a script is written in."""

import json
from pathlib import Path

import pytest

from tf2towers.cli.main import main
from tf2towers.exact.migrate import Options
from tf2towers.source.python2.reading import read_script
from tf2towers.registers import idiomatic_or_exact
from tf2towers.source.script import Script

LEGACY = Path(__file__).resolve().parents[2] / "legacy"
TOWERS = """\
import tensorflow as tf

opt = tf.train.GradientDescentOptimizer(0.1)
total = 0.0
for gpu in range(2):
    with tf.device('/gpu:%d' % gpu):
        w = tf.get_variable('w_%d' % gpu, [])
        total += tf.square(w - gpu)
train_op = opt.minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train_op, total])[1])
"""


def test_what_is_understood_is_idiomatic() -> None:
    result = idiomatic_or_exact(Script.read(LEGACY / "cifar10_towers.py"), Options())
    assert result.status == 0
    assert "strategy.run(" in result.changes[0].after


def test_what_is_not_is_exact_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TOWERS)
    result = idiomatic_or_exact(Script.read(path), Options())
    assert result.status == 0
    assert "in towers(strategy, range(2)):" in result.changes[0].after
    note = next(finding for finding in result.findings if finding.code == "T2T639")
    assert (note.kind, note.line) == ("note", 7)
    assert note.message.endswith("not certain in idiomatic form, so the exact one is written")


def test_what_neither_takes_is_left_as_the_exact_register_says(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import tensorflow as tf\n\nfor i in range(tf.contrib.gone()):\n    tf.device(i)\n")
    result = idiomatic_or_exact(Script.read(path), Options())
    assert result.status == 1
    assert [site.code for site in result.left] == ["T2T620"]


def test_a_second_time_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TOWERS)
    path.write_text(idiomatic_or_exact(Script.read(path), Options()).changes[0].after)
    again = idiomatic_or_exact(Script.read(path), Options())
    assert (again.status, again.changed, again.findings) == (0, False, [])


def test_python_2_is_read_as_python_3(tmp_path: Path) -> None:
    """What the register takes or doubts is the converted program: a line that is doubted is the old text's."""
    path, module = tmp_path / "train.py", tmp_path / "text.py"
    supervisor = (LEGACY / "mnist_supervisor.py").read_text()
    path.write_text(supervisor.replace("import math\n", "import math\nimport text\n", 1))
    module.write_text("def shown(n):\n    return [i for i in range(n)]\n")
    wanted = idiomatic_or_exact(Script.read(path), Options())
    assert "VariableStore(" in wanted.changes[0].after
    module.write_text("def shown(n):\n    return [i for i in xrange(n)]\n\nif 1 <> 1:\n    print 1\n")
    found = idiomatic_or_exact(read_script(lambda checked: Script.read(path, checked=checked)), Options())
    assert found.changes[0].after == wanted.changes[0].after
    assert found.changes[1].after.startswith("def shown(n):\n    return [i for i in range(n)]\n\nif 1 != 1:")
    assert [finding.code for finding in found.findings if finding.path == module] == ["T2T608"]


def test_a_doubt_in_python_2_has_the_line_of_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import tensorflow as tf\nprint 1 / len('a')\n" + TOWERS.partition("\n")[2])
    result = idiomatic_or_exact(read_script(lambda checked: Script.read(path, checked=checked)), Options())
    assert [site.line for site in result.findings if site.code == "T2T639"] == [8, 9]


@pytest.mark.parametrize("sign", ["\f", "\x0b", "\x1c", "\x85", "\u2028"])
def test_lines_are_pythons(tmp_path: Path, sign: str) -> None:
    """What `str.splitlines` takes for the end of a line is none in Python: the last lines are told apart by number."""
    path, trainer = tmp_path / "train.py", (LEGACY / "mnist_supervisor.py").read_text()
    texts = {}
    for written in (" ", sign):
        lines = f"# a{written}comment\nshown = 'a{written}text'\n"
        path.write_text(trainer.replace("import math\n", "import math\n" + lines, 1) + lines)
        result = idiomatic_or_exact(Script.read(path), Options())
        assert (result.status, "VariableStore(" in result.changes[0].after) == (0, True)
        assert result.changes[0].after.endswith(lines)
        texts[written] = result.changes[0].after
    assert texts[sign].replace(sign, " ") == texts[" "]


def test_notebooks_get_the_exact_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = tmp_path / "train.ipynb"
    cell = {"cell_type": "code", "source": TOWERS, "metadata": {}, "outputs": [], "execution_count": None}
    notebook.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert main(["migrate", "--idiomatic", "-w", str(notebook)]) == 0
    assert "towers(strategy" in notebook.read_text()
    assert "T2T640" in capsys.readouterr().out
