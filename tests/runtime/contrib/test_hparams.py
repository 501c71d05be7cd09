"""Hyperparameters give what TF 1.15's gave, and refuse in its words."""

import json
from pathlib import Path

import pytest

from tests.runtime.cases.hparams_cases import outcomes
from tf2towers.runtime.tf1.hparams import HParams

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "hparams.json").read_text())
FOUND = outcomes(HParams)


@pytest.mark.parametrize("line", GOLDENS)
def test_same_as_tf1(line: str) -> None:
    assert FOUND[line] == GOLDENS[line]


def test_the_protocol_buffer_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="hparam_def"):
        HParams(hparam_def="hparam {}")
