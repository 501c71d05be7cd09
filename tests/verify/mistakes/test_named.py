"""Mistakes seeded into a script that `migrate` wrote: each is caught and named. The right one gives no alarm."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).parent / "legacy" / "small_towers.py"
AVERAGE = "        grads = strategy.reduce('MEAN', tower_grads)\n"
CLIP = "        grads = [(tf.clip_by_norm(g, FLAGS.clip), v) for g, v in grads]\n"
CLIPPED = ("--optimizer=sgd", "--clip=0.05")


class Mistake(NamedTuple):
    """What is put in the place of `right`."""

    name: str  # of the diagnosis
    right: str
    wrong: str
    flags: tuple[str, ...] = ()


MISTAKES = {
    "sum for mean": Mistake(
        "sum for mean", AVERAGE, AVERAGE + "        grads = [(2.0 * g, v) for g, v in grads]\n"
    ),
    "a skipped tower": Mistake("no averaging", AVERAGE, "        grads = tower_grads[0]\n"),
    "a tower left out of the sum": Mistake(
        "skipped tower",
        AVERAGE,
        "        tower_grads[1] = [(0.0 * g, v) for g, v in tower_grads[1]]\n" + AVERAGE,
        ("--num_gpus=3",),
    ),
    "a dropped regulariser": Mistake("missing regulariser", "'softmax', 0.05)", "'softmax', 0.0)"),
    "another rate": Mistake("learning rate", "exponential_decay(0.1,", "exponential_decay(0.05,"),
    "clipping each tower": Mistake(
        "clipping order",
        "                        tower_grads.append(grads)\n",
        "                        tower_grads.append([(tf.clip_by_norm(g, FLAGS.clip), v) for g, v in grads])\n",
        CLIPPED,
    ),
    "no clipping": Mistake("missing clipping", "if FLAGS.clip > 0:", "if False:", CLIPPED),
    "another moving average": Mistake(
        "moving average", "ExponentialMovingAverage(0.9, global_step)", "ExponentialMovingAverage(0.1, global_step)"
    ),
    "statistics of the first tower": Mistake(
        "batch-norm policy",
        "update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)",
        "update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)[:1]",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdicts on every mistake, and on the right script for each set of flags; two at a time."""
    folder = tmp_path_factory.mktemp("mistakes")
    migrate_into(SCRIPT, folder)
    text = (folder / SCRIPT.name).read_text(encoding="utf-8")
    with ThreadPoolExecutor(2) as pool:
        runs = {}
        for name, mistake in {
            "right": Mistake("", "", ""),
            "right, clipped": Mistake("", "", "", CLIPPED),
            **MISTAKES,
        }.items():
            assert mistake.right in text, f"the mistake no longer applies: {mistake.right!r}"
            wrong = text.replace(mistake.right, mistake.wrong) if mistake.right else text
            if mistake.name == "clipping order":
                wrong = wrong.replace("if FLAGS.clip > 0:", "if False:")
            script = folder / name.replace(" ", "_") / SCRIPT.name
            script.parent.mkdir()
            script.write_text(wrong, encoding="utf-8")
            options = Options(steps=5, scratch=script.parent / "scratch")
            runs[name] = pool.submit(verify, SCRIPT, script, mistake.flags, options)
        return {name: run.result() for name, run in runs.items()}


@pytest.mark.parametrize("name", ["right", "right, clipped"])
def test_no_false_alarm(name: str, results: dict[str, ParityResult]) -> None:
    assert (results[name].outcome, results[name].error, results[name].diagnoses) == ("bitwise", "", [])


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str, results: dict[str, ParityResult]) -> None:
    result = results[name]
    found = [diagnosis.name for diagnosis in result.diagnoses]
    assert result.outcome == "differs"
    assert found[0] == MISTAKES[name].name, (found, result.diagnoses, result.notes)
    assert "first difference" in found
