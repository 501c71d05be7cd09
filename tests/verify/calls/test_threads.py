"""Batches that threads make by chance: what the original took is given to the migrated script."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

LEGACY = Path(__file__).parent / "legacy"
#: what is put in the place of the first text in the migrated script (of `threads.py`), and what the verdict names
CASES = {
    "right": ("", "", "bitwise", ""),
    "once more": ("", "", "bitwise", ""),
    "the sum for the mean": (
        "grads = strategy.reduce('MEAN', tower_grads)\n",
        "grads = [(2.0 * g, v) for g, v in strategy.reduce('MEAN', tower_grads)]\n",
        "differs",
        "sum for mean",
    ),
    "another rate": ("MomentumOptimizer(0.1,", "MomentumOptimizer(0.2,", "differs", "learning rate"),
    "another number in what fills it": ("DISTORTION = 0.25", "DISTORTION = 0.5", "differs", "other input"),
}
TAKEN = """\
                    row, label, name = take()
"""
IN_A_BRANCH = """\
                    row, label, name = tf.cond(tf.constant(True), take, take)
                    row.set_shape([8, 4])
                    label.set_shape([8])
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdicts, by case; two runs at a time."""
    folder = tmp_path_factory.mktemp("threads")
    text = (LEGACY / "threads.py").read_text()
    assert TAKEN in text
    branch = folder / "threads.py"
    branch.write_text(text.replace(TAKEN, IN_A_BRANCH))
    runs: dict[str, tuple[Path, str, str, list[str]]] = {
        name: (LEGACY / "threads.py", right, wrong, []) for name, (right, wrong, _, _) in CASES.items()
    }
    runs["a dataset"] = (LEGACY / "threads.py", "", "", ["dataset"])
    runs["in a branch"] = (branch, "", "", [])
    runs["which is first"] = (LEGACY / "counting.py", "", "", [])

    def verified(name: str) -> ParityResult:
        script, right, wrong, arguments = runs[name]
        home = folder / name.replace(" ", "_")
        migrate_into(script, home, right, wrong)
        return verify(script, home / script.name, arguments, Options(timeout=200))

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(runs, pool.map(verified, runs), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_programs_with_queue_threads_have_the_expected_verdict(
    name: str, made: dict[str, ParityResult]
) -> None:
    result, (_, _, outcome, names) = made[name], CASES[name]
    assert (result.outcome, result.error) == (outcome, "")
    assert names in " ".join(found.name for found in result.diagnoses)
    assert any("shuffle_batch/random_shuffle_queue: 4 threads fill it" in note for note in result.notes)


def test_all_is_compared(made: dict[str, ParityResult]) -> None:
    result = made["right"]
    compared = {(found.kind, found.name) for found in result.comparisons}
    assert (result.steps, result.towers) == (6, 2)
    assert compared >= {("gradient", "weights"), ("variable", "weights/Momentum")}
    assert result.notes == made["once more"].notes


def test_a_dataset(made: dict[str, ParityResult]) -> None:
    result = made["a dataset"]
    assert (result.outcome, result.error) == ("bitwise", "")
    assert any("a parallel map draws random numbers" in note for note in result.notes)


def test_what_cannot_be_given(made: dict[str, ParityResult]) -> None:
    """A queue that is taken from in a branch: no verdict, and a sentence that says what to do."""
    result = made["in a branch"]
    assert result.outcome == "error"
    assert "prefetch_queue/fifo_queue" in result.error
    assert "num_threads=1" in result.error


def test_an_original_that_differs_from_itself(made: dict[str, ParityResult]) -> None:
    """Towers that race beside the graph: each run has other losses, and no verdict."""
    result = made["which is first"]
    assert (result.outcome, result.status, result.diagnoses) == ("unrepeatable", 2, [])
    assert "in one run" in result.error and "in the other" in result.error
