"""Mistakes seeded into a script that `migrate` wrote: each is named. The right one gives no alarm.

Only the training steps are recorded here, the original's once for each set of flags; that the command finds the
difference, records the steps of both and reports the name is tests/verify/test_command.py's.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.verify.diagnose import diagnose
from tf2towers.verify.recording import Recording
from tf2towers.verify.rewrites.step_comparison import compare
from tf2towers.verify.sides import Options, record_original

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

SCRIPT = Path(__file__).parent / "legacy" / "small_towers.py"
AVERAGE = "        grads = strategy.reduce('MEAN', tower_grads)\n"
RETURN = "return grads, loss, update_ops\n"
CLIPPED = ("--optimizer=sgd", "--clip=0.05")


class Mistake(NamedTuple):
    """A mistake in the migrated script: `wrong` replaces the text `right`."""

    name: str  # of the diagnosis
    right: str
    wrong: str
    flags: tuple[str, ...] = ()


MISTAKES = {
    "sum for mean": Mistake(
        "sum for mean", AVERAGE, AVERAGE + "        grads = [(2.0 * g, v) for g, v in grads]\n"
    ),
    "a loss that is divided by the towers, too": Mistake(
        "scaled twice", "opt.compute_gradients(loss)", "opt.compute_gradients(loss / FLAGS.num_gpus)"
    ),
    "one tower's gradients alone": Mistake(
        "no averaging", AVERAGE, "        grads = strategy.experimental_local_results(tower_grads)[-1]\n"
    ),
    "a tower left out of the sum": Mistake(
        "skipped tower",
        RETURN,
        RETURN.replace("grads", "[((0.0 if i == 1 else 1.0) * g, v) for g, v in grads]", 1),
        ("--num_gpus=3",),
    ),
    "another rate": Mistake("learning rate", "exponential_decay(0.1,", "exponential_decay(0.05,"),
    "a dropped regulariser": Mistake("missing regulariser", "'softmax', 0.05)", "'softmax', 0.0)"),
    "a regulariser twice as strong": Mistake("regulariser added", "'softmax', 0.05)", "'softmax', 0.1)"),
    "clipping each tower": Mistake(
        "clipping order",
        RETURN,
        RETURN.replace("grads", "[(tf.clip_by_norm(g, FLAGS.clip), v) for g, v in grads]", 1),
        CLIPPED,
    ),
    "clipping that the original does not have": Mistake(
        "clipping added", AVERAGE, AVERAGE + "        grads = [(tf.clip_by_norm(g, 0.05), v) for g, v in grads]\n"
    ),
    "another moving average": Mistake(
        "moving average", "ExponentialMovingAverage(0.9, global_step)", "ExponentialMovingAverage(0.1, global_step)"
    ),
    "statistics of the first tower": Mistake(
        "batch-norm policy",
        "update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)",
        "update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)[:1]",
    ),
}  # fmt: skip
RIGHT = {"right": (), "right, clipped": CLIPPED}
Pair = tuple[Recording, Recording]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    """The original's steps, and those of each script; two runs at a time."""
    folder = tmp_path_factory.mktemp("mistakes")
    options = Options(steps=4, continuous=True, scratch=folder / "scratch")

    def record(script: Path, flags: tuple[str, ...], name: str, original: Path | None = None) -> Path:
        place, how = folder / name.replace(" ", "_") / "run", replace(options, in_step=original)
        return record_original(script, flags, place, how, migrated=original is not None).folder

    with ThreadPoolExecutor(2) as pool:
        flags = {name: mistake.flags for name, mistake in MISTAKES.items()} | RIGHT
        originals = {
            given: pool.submit(record, SCRIPT, given, f"original {given}") for given in set(flags.values())
        }
        runs = {}
        for name, given in flags.items():
            home = folder / name.replace(" ", "_")
            mistake = MISTAKES.get(name)
            migrate_into(SCRIPT, home, *((mistake.right, mistake.wrong) if mistake else ()))
            script = home / SCRIPT.name
            if name == "clipping each tower":
                script.write_text(script.read_text().replace("if FLAGS.clip > 0:", "if False:"))
            runs[name] = pool.submit(record, script, given, name, originals[given].result())
        pairs = {name: (originals[given].result(), runs[name].result()) for name, given in flags.items()}
    return {name: (Recording.load(mine), Recording.load(its)) for name, (mine, its) in pairs.items()}


@pytest.mark.parametrize("name", RIGHT)
def test_no_false_alarm(name: str, recorded: dict[str, Pair]) -> None:
    original, migrated = recorded[name]
    assert all(
        found.bitwise for found in compare(original.steps, migrated.steps, kinds=["gradient", "variable"])
    )
    assert diagnose(original, migrated) == []


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named(name: str, recorded: dict[str, Pair]) -> None:
    found = diagnose(*recorded[name])
    assert [diagnosis.name for diagnosis in found][:1] == [MISTAKES[name].name], found
