"""A cluster with all that is replayed: queues' batches, dropout, stale first steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tf2towers.parity.cluster.sides import Shape
from tf2towers.parity.migrating import migrate_into
from tf2towers.parity.sides import Options
from tf2towers.parity.verify import verify

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]

SCRIPT = Path(__file__).with_name("legacy") / "dropout_ps.py"


@pytest.mark.parametrize(("flag", "losses"), [("--nosync", 1), ("--sync", 2)])
def test_every_bit_is_equal(flag: str, losses: int, tmp_path: Path) -> None:
    migrate_into(SCRIPT, tmp_path)
    options = Options(steps=5, timeout=120)
    result = verify(SCRIPT, tmp_path / SCRIPT.name, [flag], options, cluster=Shape())
    assert (result.outcome, result.error) == ("bitwise", "")
    assert result.steps == 5
    assert len([one for one in result.comparisons if one.kind == "loss"]) == losses
    assert len([one for one in result.comparisons if one.kind == "gradient"]) == 4
