"""Seeded mistakes in a hand-shaped script: each is caught, and its cause is named. The right script gives no alarm."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tf2towers.report.parity_result import ParityResult, Side
from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, Recorded, record_migrated, record_original
from tf2towers.verify.verify import explain, judge

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).parent / "legacy" / "small_towers.py"
RIGHT = SCRIPT.parents[1] / "hand_shaped" / SCRIPT.name
AVERAGE = "grads = average_gradients(grads)\n"
MOMENTUM, ADAM, CLIPPED = (), ("--optimizer=adam",), ("--optimizer=sgd", "--clip=0.05")


class Mistake(NamedTuple):
    """What is put in the place of `right`; '{indent}' in `wrong` is that of its line."""

    name: str  # of the diagnosis
    right: str
    wrong: str
    flags: tuple[str, ...] = MOMENTUM


CLIP = "grads = [(tf.clip_by_norm(g, FLAGS.clip), v) for g, v in grads]"
MISTAKES = {
    "sum for mean": Mistake("sum for mean", AVERAGE, AVERAGE + "{indent}grads = [(2.0 * g, v) for g, v in grads]\n"),
    "divided twice": Mistake("scaled twice", AVERAGE, AVERAGE + "{indent}grads = [(g / 2.0, v) for g, v in grads]\n"),
    "another factor": Mistake(
        "other constant factor", AVERAGE, AVERAGE + "{indent}grads = [(0.75 * g, v) for g, v in grads]\n"
    ),
    "sum over the batch": Mistake(
        "batch-size factor", AVERAGE, AVERAGE + "{indent}grads = [(8.0 * g, v) for g, v in grads]\n"
    ),
    "a skipped replica": Mistake(
        "skipped tower",
        AVERAGE,
        "grads = [(g if tower_index() == 0 else 0.0 * g, v) for g, v in grads]\n{indent}" + AVERAGE,
    ),
    "no averaging": Mistake("no averaging", AVERAGE, "pass\n"),
    "one tower's data": Mistake(
        "one tower's data used for all", "tower_loss(scope, image_splits[i], label_splits[i])",
        "tower_loss(scope, image_splits[0], label_splits[0])",
    ),
    "a dropped regulariser": Mistake("missing regulariser", "'softmax', 0.05)", "'softmax', 0.0)"),
    "another batch-norm epsilon": Mistake("batch-norm epsilon", "EPSILON = 1e-3", "EPSILON = 1e-2"),
    "a rate without stairs": Mistake("learning-rate schedule", "staircase=True", "staircase=False"),
    "another rate": Mistake("learning rate", "exponential_decay(0.1,", "exponential_decay(0.05,"),
    "statistics of no tower": Mistake("batch-norm policy", "statistics('last')", "statistics('none')"),
    "clipping each tower": Mistake(
        "clipping order", AVERAGE, CLIP + "\n{indent}" + AVERAGE, CLIPPED,
    ),
    "no clipping": Mistake("missing clipping", "if FLAGS.clip > 0:", "if False:", CLIPPED),
    "Keras's epsilon": Mistake("epsilon", "AdamOptimizer(lr)", "AdamOptimizer(lr, epsilon=1e-3)", ADAM),
    "another momentum": Mistake("optimizer constant", "MomentumOptimizer(lr, 0.9)", "MomentumOptimizer(lr, 0.8)"),
    "plain descent": Mistake(
        "other optimizer", "MomentumOptimizer(lr, 0.9)", "GradientDescentOptimizer(lr)"
    ),
    "another moving average": Mistake(
        "moving average", "ExponentialMovingAverage(0.9, global_step)", "ExponentialMovingAverage(0.1, global_step)"
    ),
}  # fmt: skip


def mutant(folder: Path, migrated: Path, mistake: Mistake) -> Path:
    text = migrated.read_text(encoding="utf-8")
    assert mistake.right in text, f"the mistake no longer applies: {mistake.right!r}"
    line = next(line for line in text.splitlines() if mistake.right.strip().splitlines()[0] in line)
    indent = line[: len(line) - len(line.lstrip())]
    text = text.replace(mistake.right, mistake.wrong.replace("{indent}", indent))
    if mistake.name == "clipping order":
        text = text.replace("if FLAGS.clip > 0:", "if False:")
    folder.mkdir()
    path = folder / SCRIPT.name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """Of every mistake, and of the right script for each set of flags; two runs at a time."""
    folder = tmp_path_factory.mktemp("mistakes")
    options = Options(steps=8, layers=True, scratch=folder / "scratch")
    everything = {"": MOMENTUM, "adam": ADAM, "clipped": CLIPPED}
    with ThreadPoolExecutor(2) as pool:
        originals = {
            flags: pool.submit(record_original, SCRIPT, flags, folder / f"original-{name}", options)
            for name, flags in everything.items()
        }

        def run(name: str, script: Path, flags: tuple[str, ...]) -> Future[Recorded]:
            original = originals[flags].result().folder
            return pool.submit(record_migrated, script, flags, folder / f"run-{name}", options, original)

        runs = {f"right {name}": (run(f"right {name}", RIGHT, flags), flags)
                for name, flags in everything.items()}  # fmt: skip
        for name, mistake in MISTAKES.items():
            script = mutant(folder / name, RIGHT, mistake)
            runs[name] = run(name, script, mistake.flags), mistake.flags
        return {
            name: judged(originals[flags].result(), done.result()) for name, (done, flags) in runs.items()
        }


def judged(original: Recorded, migrated: Recorded) -> ParityResult:
    result = ParityResult(Side("original", SCRIPT), Side("migrated", SCRIPT))
    judge(result, original, migrated)
    explain(result, Recording.load(original.folder), Recording.load(migrated.folder), lockstep=True)
    return result


@pytest.mark.parametrize("name", ["", "adam", "clipped"])
def test_no_false_alarm(name: str, results: dict[str, ParityResult]) -> None:
    result = results[f"right {name}"]
    assert (result.outcome, result.diagnoses, result.first_step) == ("bitwise", [], None)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_caught(name: str, results: dict[str, ParityResult]) -> None:
    assert results[name].outcome == "differs"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str, results: dict[str, ParityResult]) -> None:
    found = [diagnosis.name for diagnosis in results[name].diagnoses]
    assert found[:1] == [MISTAKES[name].name], (found, results[name].diagnoses)


def test_the_first_layer_and_the_first_variable(results: dict[str, ParityResult]) -> None:
    result = results["another batch-norm epsilon"]
    assert result.first_step == 0
    assert result.first_layer.startswith("norm/batchnorm/add") or "batchnorm" in result.first_layer
    assert results["sum for mean"].first_layer == ""
