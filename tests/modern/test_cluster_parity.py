"""The modern cluster trainers make the steps of legacy/mnist_supervisor.py: gradients and weights.

Both run as clusters of processes. Each modern step is made on the variables and the batches of a legacy step.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.modern.clusters import Job

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

HERE, STEPS, RATE = "tests/modern", 4, 0.01
FLAGS = ("--batch_size=20", "--hidden_units=16", f"--learning_rate={RATE}", "--seed=3")
NAMES = ("hid_w", "hid_b", "sm_w", "sm_b")
#: Keras takes 1 - 0.9 and 1 - 0.999 in double precision, TF1's Adam in single: tests/verify/test_mobilenet.py
FIRST_MOMENT, SECOND_MOMENT, UPDATE = 5e-7, 2e-5, 5e-5
#: What three workers' mean may differ by, in ulps of its largest element. The accumulator adds in the order in which
#: gradients arrive, then divides by 3. An all-reduce adds thirds, each of them rounded, in an order of its own for each
#: part of a gradient. So each element is held against the mean in the nearest order. Of two workers it is exact.
#: An Adam whose `update_step` divides the sum comes within 1 ulp, not nearer; it would be a second idiom of the mean.
THREE_WORKERS = 3.0
#: What the options may change of a gradient, in parts of its largest element
OPTIONS = {"jit": (0.0, 1e-5), "bfloat16": (1e-4, 0.05), "float16": (1e-5, 0.01)}


class Both(NamedTuple):
    """The values that record_legacy.py and drive_cluster.py wrote, by step and worker."""

    legacy: dict[tuple[int, int], dict[str, np.ndarray]]
    modern: dict[tuple[int, int], dict[str, np.ndarray]]
    options: dict[str, dict[tuple[int, int], dict[str, np.ndarray]]]


def arrays(
    folder: Path, keys: list[tuple[int, int]], option=""
) -> dict[tuple[int, int], dict[str, np.ndarray]]:
    return {(step, worker): dict(np.load(folder / f"{option}{step}-{worker}.npz")) for step, worker in keys}


def made(folder: Path, issync: int, workers: int) -> Both:
    """A legacy cluster of one server, then a modern one that follows it."""
    legacy, modern = folder / "legacy", folder / "modern"
    every = [(step, worker) for step in range(STEPS) for worker in range(workers)]
    last = [(STEPS - 1, 0)]
    keys = every if issync else [(step, step % workers) for step in range(STEPS)]
    for where, program, of in (
        (legacy, [f"{HERE}/record_legacy.py", str(legacy)], keys),
        (
            modern,
            [f"{HERE}/drive_cluster.py", str(legacy), str(modern), ["async", "sync"][issync]],
            every if issync else last,
        ),
    ):
        where.mkdir()
        servers = [("ps", 0)] if where == legacy or not issync else []
        own = (*FLAGS, f"--issync={issync}") if where == legacy else FLAGS
        with Job(program, folder, "--train_steps=1000000", *own, ps=1, workers=workers) as job:
            for task in [*servers, *(("worker", index) for index in range(workers))]:
                job.start(*task)
            job.wait(lambda of=of, where=where: all((where / f"{s}-{w}.npz").exists() for s, w in of))
            if where == modern:  # its last files are whole when it has ended
                for index in range(workers if issync else 1):
                    job.processes["worker", index].wait(timeout=60)
        for path in where.glob(
            "[0-9]*-*"
        ):  # until it was ended, one worker may have made more steps than another
            if int(path.name.partition("-")[0]) >= STEPS:
                path.unlink()
    own = every if issync else [(step, 0) for step in range(STEPS)]
    kept = ([], OPTIONS)[workers == 2] if issync else ["bfloat16"]
    return Both(
        arrays(legacy, keys), arrays(modern, own), {option: arrays(modern, own, option) for option in kept}
    )


@pytest.fixture(scope="module")
def synchronous(tmp_path_factory):
    return {workers: made(tmp_path_factory.mktemp("synchronous"), 1, workers) for workers in (2, 3)}


@pytest.fixture(scope="module")
def asynchronous(tmp_path_factory):
    return made(tmp_path_factory.mktemp("asynchronous"), 0, 2)


def means(parts: list[np.ndarray]) -> np.ndarray:
    """As SyncReplicasOptimizer's accumulator makes them: a sum, then a division; of workers that arrive in turn."""
    orders = [parts[first:] + parts[:first] for first in range(len(parts))]
    return np.stack([sum(order[1:], order[0]) / np.float32(len(parts)) for order in orders])


@pytest.mark.parametrize(("workers", "ulps"), [(2, 0.0), (3, THREE_WORKERS)])
def test_synchronous_workers_apply_the_legacy_mean(synchronous, workers, ulps):
    legacy, modern, _ = synchronous[workers]
    for (step, worker), own in modern.items():
        assert own["loss"] == legacy[step, worker]["loss"]
        for name in NAMES:
            parts = [legacy[step, other][f"gradient:{name}"] for other in range(workers)]
            expected = means(parts)
            apart = np.abs(own[f"gradient:{name}"] - expected).min(axis=0).max()
            assert apart <= ulps * np.spacing(np.abs(expected).max()), (step, name)
            # a control: another worker's gradients instead of the mean would be seen
            assert np.abs(parts[0] - expected[0]).max() > 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("kind", "option"), [*(("synchronous", option) for option in OPTIONS), ("asynchronous", "bfloat16")]
)
def test_options_round_otherwise(request, kind, option):
    """Against float32's steps from the same state: losses, gradients of each variable, and that Adam applied them."""
    made = request.getfixturevalue(kind)
    both = made[2] if kind == "synchronous" else made
    least, most = OPTIONS[option]
    found = []
    for key, right in both.modern.items():
        own = both.options[option][key]
        assert own["loss"] == pytest.approx(right["loss"], rel=most)
        for name in NAMES:
            gradient = right[f"gradient:{name}"]
            found.append(np.abs(own[f"gradient:{name}"] - gradient).max() / np.abs(gradient).max())
    print(kind, option, max(found))
    assert least <= max(found) <= most


def test_asynchronous_steps_have_the_legacy_gradients(asynchronous):
    """Of two workers in turns; the coordinator hands out the same steps in the same order."""
    for (step, _), expected in asynchronous.legacy.items():
        own = asynchronous.modern[step, 0]
        assert own["loss"] == expected["loss"]
        for name in NAMES:
            np.testing.assert_array_equal(own[f"gradient:{name}"], expected[f"gradient:{name}"])


def test_weights_and_moments_after_each_step(synchronous, asynchronous):
    """From the same state, within what Adam's constants explain."""
    for both in (*synchronous.values(), asynchronous):
        for (step, worker), expected in both.legacy.items():
            own = both.modern[step, worker if both is not asynchronous else 0]
            for name in NAMES:
                for suffix, bound in (("", 0.0), ("/Adam", FIRST_MOMENT), ("/Adam_1", SECOND_MOMENT)):
                    right, got = expected[f"after:{name}{suffix}"], own[f"after:{name}{suffix}"]
                    allowed = (
                        bound * np.abs(right).max() if suffix else UPDATE * RATE + np.spacing(np.abs(right))
                    )
                    assert (np.abs(got.astype(np.float64) - right) <= allowed).all(), (step, name + suffix)
                changed = np.abs(expected[f"after:{name}"] - expected[f"before:{name}"]).max()
                assert changed > 0.1 * RATE  # a control: the step did something
