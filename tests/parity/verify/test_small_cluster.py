"""A cluster with all that is replayed: queues' batches, dropout, stale first steps."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tests.parity.clusters import at_once
from tests.parity.migrating import migrate_into
from tf2towers.parity.cluster.tasks import Shape
from tf2towers.parity.sides import Options
from tf2towers.parity.verify import verify
from tf2towers.report.parity_result import ParityResult

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.tensorflow, pytest.mark.long]

SCRIPT = Path(__file__).with_name("legacy") / "dropout_ps.py"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """By the flag: the verdict on 5 steps."""
    folder = tmp_path_factory.mktemp("migrated")
    migrate_into(SCRIPT, folder)

    def run(flag: str) -> ParityResult:
        options = Options(steps=5, timeout=120)
        return verify(SCRIPT, folder / SCRIPT.name, [flag], options, cluster=Shape())

    flags = ["--nosync", "--sync"]
    return dict(zip(flags, at_once(*(functools.partial(run, flag) for flag in flags)), strict=True))


@pytest.mark.parametrize(("flag", "losses"), [("--nosync", 1), ("--sync", 2)])
def test_every_bit_is_equal(flag: str, losses: int, results: dict[str, ParityResult]) -> None:
    result = results[flag]
    assert (result.outcome, result.error) == ("bitwise", "")
    assert result.steps == 5
    assert len([one for one in result.comparisons if one.kind == "loss"]) == losses
    assert len([one for one in result.comparisons if one.kind == "gradient"]) == 6


@pytest.mark.parametrize("flag", ["--nosync", "--sync"])
def test_moving_averages_are_compared(flag: str, results: dict[str, ParityResult]) -> None:
    """TF1's follow the weights by a step, in a cluster: the variables of another process are read when it begins."""
    compared = {one.name for one in results[flag].comparisons if one.kind == "variable"}
    assert len([name for name in compared if name.endswith("/ExponentialMovingAverage")]) == 6
    assert any("rule 'order left open'" in note for note in results[flag].notes)


def test_statistics_that_workers_share_are_compared(results: dict[str, ParityResult]) -> None:
    for flag, rule in (("--nosync", False), ("--sync", True)):
        compared = {one.name for one in results[flag].comparisons if one.kind == "variable"}
        assert compared >= {"norm/moving_mean", "norm/moving_variance"}
        assert any("rule 'every worker in turn'" in note for note in results[flag].notes) == rule
