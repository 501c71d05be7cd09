"""The table of roles."""

from importlib import resources

import pytest

from tf2towers.exact.program import Program
from tf2towers.names.canonical import canonical_name
from tf2towers.program.python_code.function_summaries import Functions
from tf2towers.program.statements.symbol_roles import role
from tf2towers.program.statements.value_kinds import _ROLE_KIND
from tf2towers.source.script import Script

ROWS = [
    line.split("\t")
    for line in resources.files("tf2towers.program").joinpath("data/roles.tsv").read_text().splitlines()
    if line and not line.startswith("#")
]


def test_rows_are_pairs_and_apart():
    assert all(len(row) == 2 for row in ROWS)
    symbols = [symbol for symbol, _ in ROWS]
    assert len(symbols) == len(set(symbols))


def test_roles_are_known_words():
    assert {word for _, word in ROWS} <= set(_ROLE_KIND)


@pytest.mark.parametrize("symbol", [symbol for symbol, _ in ROWS if not symbol.startswith("tf2towers.")])
def test_symbols_are_canonical(symbol):
    name = symbol.removesuffix(".")
    assert name == "tf" or name.startswith("tf.")
    assert canonical_name("tensorflow" + name[2:]) == name


@pytest.mark.parametrize(
    ("symbol", "word"),
    [
        ("tf.matmul", "tensor"),
        ("tf.app.flags.FLAGS", "plain"),
        ("tf.contrib.layers.conv2d", "tensor"),
        ("tf.contrib.layers.l2_regularizer", "plain"),
        ("numpy.zeros", "foreign"),
        (None, "foreign"),
        ("tf", "plain"),
    ],
)
def test_the_longest_row_wins(symbol, word):
    assert role(symbol) == word


def test_a_function_of_a_module_without_tensorflow_is_the_programs(tmp_path):
    """What it is given may be a variable of the graph."""
    (tmp_path / "helper.py").write_text("def double(value):\n    return value * 2.0\n")
    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\nimport helper\nfrom helper import double\n")
    functions = Functions(Program(Script.read(script)))
    assert functions.summary("helper.double") is not None
    assert functions.summary("helper.other") is None


def test_a_function_reads_a_flag_through_what_it_calls_and_by_any_name_of_its_module(tmp_path):
    helper = "import flags\nFLAGS = flags.FLAGS\n\n\nclass Shown:\n    index = FLAGS.task_index\n\n\n"
    (tmp_path / "helper.py").write_text(f"{helper}def shown():\n    return Shown()\n")
    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\nimport helper as h\n\n\ndef told():\n    return h.shown()\n")
    functions = Functions(Program(Script.read(script)))
    assert functions.reads("helper.shown", frozenset({"FLAGS.task_index"}))
    assert functions.reads("told", frozenset({"FLAGS.task_index"}))
    assert not functions.reads("told", frozenset({"FLAGS.steps"}))
