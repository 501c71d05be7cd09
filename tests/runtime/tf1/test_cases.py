"""`tf.layers`, cells, slim and our own pieces, run on our session, against the real TensorFlow 1.15."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from .. import against_golden

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: case -> fact -> why it is not TensorFlow 1.15's (docs/differences.md has the list)
EXCEPTIONS: dict[str, dict[str, str]] = {
    "layers: conv1d strided": {"operations": "tf_keras calls its operation 'Conv1D'"},
    "rnn: LSTMBlockCell peephole": {"operations": "it is a slice of a sequence of one step"},
    "rnn: Keras's cells": {"operations": "tf_keras slices in other places"},
    "rnn: Keras's layers": {"operations": "tf_keras slices in other places"},
}
GOLDENS = {
    f"{module}: {title}": golden
    for module in ("contrib", "layers", "rnn", "slim")
    for title, golden in against_golden.goldens(module).items()
}


@pytest.fixture(scope="module")
def found(run_driver: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results that `drive_cases.py` wrote."""
    path = tmp_path_factory.mktemp("found") / "found.json"
    run_driver("drive_cases.py", str(path))
    made: dict[str, Any] = json.loads(path.read_text())
    return made


@pytest.mark.parametrize("name", GOLDENS)
def test_same_as_tf1(name: str, found: dict[str, Any]) -> None:
    made, golden = dict(found[name]), dict(GOLDENS[name])
    assert made.get("error") is None
    for fact in EXCEPTIONS.get(name, {}):
        assert made.pop(fact) != golden.pop(fact), "an exception that is none"
    against_golden.assert_same_digests(made, golden)


def test_every_case_has_a_golden(found: dict[str, Any]) -> None:
    assert sorted(found) == sorted(GOLDENS)
