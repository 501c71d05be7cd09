"""The table of roles."""

from importlib import resources

import pytest

from tf2towers.names.canonical import canonical_name
from tf2towers.program.statements.symbol_roles import role
from tf2towers.program.statements.value_kinds import _ROLE_KIND

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
