"""Legacy towers against the migrated program: every gradient, loss, weight, moving average and batch-norm statistic."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.verify.conftest import STEPS, Pair
from tf2towers.report.parity_result import Comparison
from tf2towers.verify.compare import compare
from tf2towers.verify.recording import Recording

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

PLAIN, BATCH_NORM = "--nobatch_norm", "--batch_norm"
#: towers, input and normalization; the others are in `make test-long`
FEW = [(1, "dataset", PLAIN), (2, "feed", BATCH_NORM), (2, "dataset", BATCH_NORM)]
ALL = [
    (towers, style, norm)
    for norm in (PLAIN, BATCH_NORM)
    for style in ("feed", "dataset")
    for towers in (1, 2)
]


def _either(often: str) -> pytest.MarkDecorator:
    """Both settings; the one that is tested often, the other in `make test-long`."""
    return pytest.mark.parametrize(
        "batch_norm",
        [
            pytest.param(model, marks=[] if model == often else pytest.mark.long)
            for model in (PLAIN, BATCH_NORM)
        ],
    )


def _not_bitwise(verdicts: list[Comparison]) -> list[str]:
    return [f"{verdict.kind} {verdict.name}" for verdict in verdicts if not verdict.bitwise]


@pytest.mark.parametrize(
    ("towers", "style", "batch_norm"),
    [pytest.param(*case, marks=[] if case in FEW else pytest.mark.long) for case in ALL],
)
def test_one_and_two_towers_are_bitwise_equal(pair: Pair, towers: int, style: str, batch_norm: str) -> None:
    original, migrated = pair(f"--num_gpus={towers}", f"--input={style}", batch_norm)
    assert len(original.steps) == STEPS and len(original.steps[0].losses) == towers
    verdicts = compare(original, migrated)
    assert {verdict.kind for verdict in verdicts} == {
        "loss",
        "tower gradient",
        "gradient",
        "variable",
        "fetched",
    }
    assert _not_bitwise(verdicts) == []


@_either(BATCH_NORM)
def test_four_towers_are_bitwise_equal_when_averaged_in_tower_order(pair: Pair, batch_norm: str) -> None:
    verdicts = compare(*pair("--num_gpus=4", "--input=feed", batch_norm, tower_order=True))
    assert _not_bitwise(verdicts) == []


@_either(BATCH_NORM)
def test_four_towers_differ_by_the_order_of_the_sum_alone(pair: Pair, batch_norm: str) -> None:
    steps = list(_step_by_step(*pair("--num_gpus=4", "--input=feed", batch_norm)))
    first = steps[0]  # the same weights on both sides
    gradients = [verdict for verdict in first if verdict.kind == "gradient"]
    assert max(verdict.ulps for verdict in gradients) <= 4, [str(verdict) for verdict in gradients]
    assert all(verdict.bitwise for verdict in first if verdict.kind == "loss")
    near = list(_until_something_tips(steps))
    assert batch_norm == "--batch_norm" or len(near) == STEPS
    assert all(verdict.max_abs < 1e-3 for step in near for verdict in step if verdict.kind == "loss")


@_either(PLAIN)
def test_every_step_of_four_towers_is_as_near_from_the_same_weights(lockstep: Pair, batch_norm: str) -> None:
    steps = list(_step_by_step(*lockstep("--num_gpus=4", "--input=feed", batch_norm)))
    assert len(steps) == STEPS
    for step in steps:
        gradients = [verdict for verdict in step if verdict.kind == "gradient"]
        assert max(verdict.ulps for verdict in gradients) <= 4, [str(verdict) for verdict in gradients]
        assert all(verdict.bitwise for verdict in step if verdict.kind == "loss")


def _step_by_step(original: Recording, migrated: Recording) -> Iterator[list[Comparison]]:
    for step, other in zip(original.steps, migrated.steps, strict=True):
        yield compare(Recording([step], original.facts), Recording([other], migrated.facts))


def _until_something_tips(steps: list[list[Comparison]]) -> Iterator[list[Comparison]]:
    """The steps that begin with weights that are equal to 1e-5.

    With batch norm a ReLU or a max-pool tips in the end, when depends on the processor (step 3 with AVX512), and the
    programs go apart: the steps that follow are compared from the same weights, in the test above.
    """
    for step in steps:
        yield step
        if any(verdict.max_abs > 1e-5 for verdict in step if verdict.kind == "variable"):
            return


def test_unequal_split_is_bitwise_equal(pair: Pair) -> None:
    verdicts = compare(*pair("--num_gpus=2", "--input=feed", "--split_by_speed=1,3", "--batch_norm"))
    assert _not_bitwise(verdicts) == []


def test_plain_gradient_descent_and_chosen_gpus(pair: Pair) -> None:
    verdicts = compare(*pair("--gpu_ids=2,0", "--input=dataset", "--momentum=0"))
    assert _not_bitwise(verdicts) == []
