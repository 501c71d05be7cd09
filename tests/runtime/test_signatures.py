"""Argument names, order and defaults of every function, against those of TF 1.15 (written by `make_goldens.py`)."""

import ast
import inspect
import json
from collections import ChainMap
from typing import Any

import pytest

import tensorflow as tf

from tf2towers.runtime.tf1 import layers, rnn_cell, slim

from .against_golden import GOLDENS

SIGNATURES: dict[str, dict[str, list[list[str]]]] = json.loads((GOLDENS / "signatures.json").read_text())
MODULES: dict[str, Any] = {
    "layers": layers,
    "slim": slim,
    "slim.losses": slim.losses,
    "slim.utils": slim.utils,
    "rnn": ChainMap(vars(rnn_cell), vars(tf.compat.v1.nn)),
}


@pytest.mark.parametrize(
    "symbol",
    [f"{module}.{name}" for module, names in SIGNATURES.items() if module in MODULES for name in names],
)
def test_arguments(symbol: str) -> None:
    module, _, name = symbol.rpartition(".")
    home = MODULES[module]
    ours = home[name] if isinstance(home, ChainMap) else getattr(home, name)
    found = [
        (parameter.name, parameter.default)
        for parameter in inspect.signature(
            ours.__init__ if inspect.isclass(ours) else ours
        ).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.name != "self"
    ]
    expected = SIGNATURES[module][name]
    assert [parameter[0] for parameter in found][: len(expected)] == [parameter[0] for parameter in expected]
    for (argument, default), (_, shown) in zip(found, expected, strict=False):
        if default is inspect.Parameter.empty:
            assert shown == "required", argument
        elif isinstance(default, int) and shown.startswith(
            "("
        ):  # TF1's layer classes write strides as (1, 1)
            assert set(ast.literal_eval(shown)) == {default}, argument
        elif shown != "object":
            assert repr(default) == shown, argument
