"""Parameter-server trainers, the originals against the migrated and the modern ones: clusters of processes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.parity.clusters import at_once, record_cluster, run_tasks
from tests.parity.conftest import ROOT
from tests.parity.migrating import migrate_into
from tf2towers.parity.compare import compare
from tf2towers.parity.recording import Arrays, Recording

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

STEPS = 12
FLAGS = (
    f"--train_steps={STEPS}",
    "--batch_size=20",
    "--hidden_units=16",
    "--learning_rate=0.01",
    "--log_every=100",
)
SUPERVISOR, MONITORED = "mnist_supervisor.py", "mnist_monitored.py"
MODERN = ROOT / "modern/mnist_parameter_server.py"
SIDES = ("legacy", "migrated")


@dataclass
class Kept(Recording):
    """A recording, and where it is."""

    folder: Path = Path()


Record = Callable[..., Kept]
Replayed = dict[tuple[object, ...], Kept]


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both migrated trainers."""
    folder = tmp_path_factory.mktemp("migrated")
    for script in (SUPERVISOR, MONITORED):
        migrate_into(ROOT / "legacy" / script, folder)
    return folder


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Record:
    """Recorded runs; those of the legacy trainers are made once for the same arguments."""
    made: dict[tuple[object, ...], Kept] = {}

    def run(side: str, script: str | Path, issync: int, workers: int = 2, **options: object) -> Kept:
        if issync and workers < 3:
            options["tower_order"] = False  # a sum of two is the same in both orders
        key = (side, script, issync, workers, *options.items())
        if key not in made:
            path = (ROOT / "legacy" if side == "legacy" else migrated) / script
            flags = [*FLAGS, f"--issync={issync}", f"--log_dir={tmp_path_factory.mktemp('log')}"]
            if path.parent == MODERN.parent:  # steps that are one call cannot be told apart
                flags += ["--log_every=1", *(["--steps_per_request=1"] if path == MODERN else [])]
            folder = tmp_path_factory.mktemp(side) / "recording"
            options |= {"to_the_end": False, "keep": folder}
            found = record_cluster(side, path, flags, STEPS, workers, **options)  # type: ignore[arg-type]
            made[key] = Kept(found.steps, found.facts, folder)
        return made[key]

    return run


def largest(original: Recording, other: Recording, *kinds: str) -> float:
    """The largest difference of these kinds, in units in the last place of the largest element."""
    return max(verdict.ulps for verdict in compare(original, other) if verdict.kind in kinds)


PAIRS = [(SUPERVISOR, 1, 3), (SUPERVISOR, 0, 2)]
MORE_PAIRS = [(SUPERVISOR, 1, 1), (SUPERVISOR, 1, 2), (MONITORED, 1, 2)]


@pytest.fixture(scope="module")
def both(request: pytest.FixtureRequest, record: Record) -> dict[tuple[str, int, int], tuple[Kept, Kept]]:
    """(legacy, migrated) by script, whether it is synchronous, how many workers."""
    asked = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}
    pairs = [run for run in (*PAIRS, *MORE_PAIRS) if "-".join(map(str, run)) in asked]
    found = iter(at_once(*(functools.partial(record, side, *run) for run in pairs for side in SIDES)))
    return {run: (next(found), next(found)) for run in pairs}


@pytest.mark.parametrize(
    ("script", "issync", "workers"),
    [*PAIRS, *(pytest.param(*run, marks=pytest.mark.long) for run in MORE_PAIRS)],
)
def test_migrated_workers_make_the_same_updates(
    both: dict[tuple[str, int, int], tuple[Kept, Kept]], script: str, issync: int, workers: int
) -> None:
    """Bit by bit: losses, averaged gradients, weights, optimizer slots, the global step, at every update.

    Asynchronous workers take their steps in turns; the gradients of three synchronous ones are added in their order.
    (mnist_monitored.py is asynchronous in test_clusters.py of tests/rewrites, as the case cluster_monitored.)
    """
    original, other = both[script, issync, workers]
    verdicts = compare(original, other)
    assert {"gradient", "variable", "loss"} == {verdict.kind for verdict in verdicts}
    assert not [verdict for verdict in verdicts if not verdict.bitwise]


@pytest.fixture(scope="module")
def replayed(record: Record) -> Replayed:
    """Runs on the weights of each step of the original: of the migrated or modern trainer, with so many workers."""

    def replay(side: str, workers: int, order: str = "") -> Kept:
        path = record("legacy", SUPERVISOR, 1, workers).folder
        script = SUPERVISOR if side == "migrated" else ROOT / "modern/mnist_multi_worker.py"
        return record("migrated", script, 1, workers, tower_order=bool(order), replay=path)

    record("legacy", SUPERVISOR, 1, 3)
    runs = [("migrated", 3), ("modern", 3), ("modern", 3, "in order")]
    return dict(zip(runs, at_once(*(functools.partial(replay, *run) for run in runs)), strict=True))


def test_three_synchronous_workers_as_they_stand(record: Record, replayed: Replayed) -> None:
    """On the same weights: the losses are equal, the averaged gradients but for the order of the sum.

    The original adds in the order in which the workers' gradients arrive, an all-reduce in an order of its own for each
    part of a gradient, and it multiplies by 1/3 where the accumulator divides by 3: each element is within 1 ulp of the
    largest element of the mean in one of the orders. (Of the mean in one order for all elements it is 2 to 3 ulp, as
    much as two orders of arrival differ.)
    """
    original, other = record("legacy", SUPERVISOR, 1, 3), replayed["migrated", 3]
    assert largest(original, other, "loss") == 0
    assert 0 < largest(original, other, "gradient") <= 4
    pairs = zip(original.steps, other.steps, strict=True)
    apart = [ulps_from_a_mean(step.tower_gradients, migrated.gradients) for step, migrated in pairs]
    assert max(apart) <= 1, apart


def ulps_from_a_mean(handed: list[Arrays], averaged: Arrays) -> float:
    """How far the average of three is at most from their mean in the nearest order, in ulps of the largest element."""
    worst = 0.0
    for name, value in averaged.items():
        parts = [part[name] for part in handed]
        means = [
            ((a + b) + c) / np.float32(3) for a, b, c in (parts, parts[1:] + parts[:1], parts[2:] + parts[:2])
        ]
        assert value.dtype == means[0].dtype == np.float32
        nearest = np.min([np.abs(value - mean) for mean in means], axis=0)
        worst = max(worst, float(nearest.max() / np.spacing(np.abs(means[0]).max())))
    return worst


def test_three_modern_workers_make_the_same_gradients(record: Record, replayed: Replayed) -> None:
    """On the weights of each legacy step, with batches of their own: what the optimizer applies."""
    original, modern = record("legacy", SUPERVISOR, 1, 3), replayed["modern", 3]
    pairs = list(zip(original.steps, modern.steps, strict=True))
    assert all(len(step.losses) == 3 and step.losses == other.losses for step, other in pairs)
    apart = [ulps_from_a_mean(step.tower_gradients, other.gradients) for step, other in pairs]
    assert max(apart) <= 1, "of the mean in one of the orders, element by element"
    in_order = replayed["modern", 3, "in order"]  # of the workers, on both sides
    assert largest(original, in_order, "gradient") <= 1


@pytest.mark.long
def test_two_modern_workers_make_the_same_gradients(record: Record) -> None:
    """The same, bit by bit."""
    original = record("legacy", SUPERVISOR, 1, 2)
    script = ROOT / "modern/mnist_multi_worker.py"
    modern = record("migrated", script, 1, 2, tower_order=False, replay=original.folder)
    assert all(
        len(step.losses) == 2 and step.losses == other.losses
        for step, other in zip(original.steps, modern.steps, strict=True)
    )
    assert largest(original, modern, "gradient") == 0


def test_modern_asynchronous_steps_have_the_same_gradients(record: Record) -> None:
    """Scheduled with a coordinator of its own; on the weights and the batch of each legacy step, in their order."""
    original = record("legacy", SUPERVISOR, 0)
    modern = record("migrated", MODERN, 0, original=original.folder)
    verdicts = compare(original, modern, kinds=["loss", "gradient"])
    assert len(verdicts) == 1 + 4
    assert not [verdict for verdict in verdicts if not verdict.bitwise]


MISTAKES = {
    "sum for mean": (1, "minimize(opt, cross_entropy,", "minimize(opt, 2.0 * cross_entropy,"),
    "a skipped worker": (
        1,
        "minimize(opt, cross_entropy,",
        "minimize(opt, cross_entropy * (1.0 - tf.cast("
        "tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)),",
    ),
    "one worker's batches for all": (1, "seed=FLAGS.seed + task_index)", "seed=FLAGS.seed)"),
    "wrong epsilon": (0, "AdamOptimizer(FLAGS.learning_rate)", "AdamOptimizer(FLAGS.learning_rate, epsilon=1e-7)"),
    "another worker's batches": (0, "seed=FLAGS.seed + task_index)", "seed=FLAGS.seed + 1 - task_index)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def mistaken(
    record: Record, migrated: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Recording]:
    """What came of training with each mistake."""

    def train(issync: int, right: str, wrong: str) -> Recording:
        text = (migrated / SUPERVISOR).read_text(encoding="utf-8")
        assert right in text, f"the control no longer applies: {right!r}"
        mutant = tmp_path_factory.mktemp("mutant") / SUPERVISOR
        mutant.write_text(text.replace(right, wrong), encoding="utf-8")
        return record("migrated", mutant, issync)

    found = at_once(*(functools.partial(train, *mistake) for mistake in MISTAKES.values()))
    return dict(zip(MISTAKES, found, strict=True))


@pytest.mark.long  # mistakes in clusters are in continuous/test_clusters.py as well
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_seeded_mistake_is_caught(record: Record, mistaken: dict[str, Recording], mistake: str) -> None:
    verdicts = compare(record("legacy", SUPERVISOR, MISTAKES[mistake][0]), mistaken[mistake])
    assert not all(verdict.bitwise for verdict in verdicts if verdict.kind in ("gradient", "variable"))


@pytest.mark.long
def test_free_running_training_ends_in_the_same_band(migrated: Path, tmp_path: Path) -> None:
    """Asynchronous, nothing recorded or put in order: the validation cross-entropies of both, after 400 steps.

    Measured, of 150 digits: the original 55 to 77 from run to run, migrated 69 to 73; untrained 345. The band: 30.
    """
    flags = ["--train_steps=400", "--learning_rate=0.003", "--batch_size=50", "--issync=0"]
    marker = "validation cross entropy = "

    def train(side: str, folder: Path) -> list[float]:
        run = run_tasks(folder / SUPERVISOR, [*flags, f"--log_dir={tmp_path / side}"])
        lines = [line for member in run for line in member.lines if marker in line]
        return [float(line.partition(marker)[2]) for line in lines]

    both = at_once(lambda: train("legacy", ROOT / "legacy"), lambda: train("migrated", migrated))
    found = dict(zip(("legacy", "migrated"), both, strict=True))
    assert [len(values) for values in found.values()] == [2, 2], "each worker validates"
    assert max(max(values) for values in found.values()) < 110, found
    assert abs(np.mean(found["legacy"]) - np.mean(found["migrated"])) < 30, found
