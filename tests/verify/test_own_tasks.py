"""Scripts that start all their tasks by themselves: processes of three kinds, and threads with a server each."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tests.verify.migrating import migrate_into  # noqa: E402
from tf2towers.launch.program import find_shape  # noqa: E402
from tf2towers.report.parity_text import render_parity  # noqa: E402
from tf2towers.verify.sides import Options  # noqa: E402
from tf2towers.verify.verify import verify  # noqa: E402

TASKS = Path(__file__).parent / "tasks"
CLUSTER, TRIALS = TASKS / "starts_its_cluster.py", TASKS / "trials.py"


@pytest.mark.parametrize("way", ["fork", "threads", "mixed"])
def test_a_script_that_starts_its_cluster_is_verified(tmp_path: Path, way: str) -> None:
    migrate_into(CLUSTER, tmp_path / "out")
    migrated = tmp_path / "out" / CLUSTER.name
    assert find_shape([CLUSTER, migrated], None, None, None) is None
    options = Options(steps=4, timeout=150)
    result = verify(CLUSTER, migrated, [way], options, work=tmp_path / "work")
    assert result.outcome == "bitwise", render_parity(result)
    assert result.steps == 8  # of both workers
    for folder in ("original", "migrated"):
        recorded = {path.parent.name for path in (tmp_path / "work" / folder).glob("*/step-*.npz")}
        assert recorded == {"worker-0", "worker-1"}


def test_a_difference_names_the_task(tmp_path: Path) -> None:
    """After both scripts have run twice."""
    migrate_into(CLUSTER, tmp_path, "RandomState(index)", "RandomState(3 * index)")
    result = verify(CLUSTER, tmp_path / CLUSTER.name, ["fork"], Options(steps=1, timeout=150))
    assert result.outcome == "differs", render_parity(result)
    places = [
        f"worker 1: {CLUSTER.name}, line {path.read_text().partition('.run([train_op')[0].count(chr(10)) + 1} of the"
        for path in (CLUSTER, tmp_path / CLUSTER.name)
    ]
    assert f"({places[0]} original; {places[1]} migrated script)" in render_parity(result)


@pytest.mark.parametrize("way", [[], ["processes"]])
def test_a_script_that_starts_trials_is_verified(tmp_path: Path, way: list[str]) -> None:
    migrate_into(TRIALS, tmp_path / "out")
    migrated = tmp_path / "out" / TRIALS.name
    result = verify(TRIALS, migrated, way, Options(steps=10, timeout=150), work=tmp_path / "work")
    assert result.outcome == "bitwise", render_parity(result)
    assert result.steps == 6
    recorded = {path.parent.name for path in (tmp_path / "work" / "migrated").glob("*/step-*.npz")}
    assert recorded == {"process-3", "process-4"}  # after those of the pool
