"""The original on TensorFlow's own `tf.layers` and cells, which tf_keras keeps: the runtime's are nowhere in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytest.importorskip("tf_keras")
pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).with_name("legacy") / "layers_and_cells.py"


def test_the_same_trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradients of `tf.nn.dynamic_rnn`'s loop are rounded otherwise in a session than in a function, no more."""
    monkeypatch.delenv("TF2TOWERS_TF_KERAS")
    migrate_into(SCRIPT, tmp_path)
    result = verify(SCRIPT, tmp_path / SCRIPT.name, [], Options(steps=3, timeout=240))
    assert result.outcome in ("bitwise", "within"), result.error
    assert max(comparison.max_rel for comparison in result.comparisons) < 2e-6
    assert len([comparison for comparison in result.comparisons if comparison.kind == "gradient"]) == 12
