"""The legacy trainer on a real TF 1.15, which TF2TOWERS_TF1_PYTHON names, against the migrated one here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.parity.conftest import LEGACY
from tf2towers.parity.sides import Options
from tf2towers.parity.verify import verify

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON")


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
@pytest.mark.parametrize("style", ["feed", "dataset"])
def test_gradients_of_ten_steps(style: str, migrated: Path) -> None:
    flags = ["--num_gpus=2", "--batch_size=16", f"--input={style}"]
    result = verify(LEGACY, migrated / LEGACY.name, flags, Options(steps=10, legacy_python=TF1))
    assert result.original.tensorflow.startswith("1."), result.error
    assert result.steps == 10
    gradients = {one.name: one for one in result.comparisons if one.kind == "gradient"}
    assert len(gradients) == 8
    assert max(one.max_rel for one in gradients.values()) <= 1e-5
    assert result.outcome == "within"
