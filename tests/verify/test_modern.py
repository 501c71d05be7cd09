"""Legacy towers against the modern twin: bitwise on the same weights; the trajectory differs by Keras's momentum.

Each legacy run crosses drops of the learning rate at steps 5 and 10. The twin's gradients are taken on the weights and
the batch of every legacy step (replay); then it trains by itself from the same first weights (training).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tf2towers.verify.process import ENVIRONMENT
from tf2towers.verify.recording import Recording
from tf2towers.verify.sides import Options, record_original

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

LEGACY = Path(__file__).resolve().parents[2] / "legacy" / "cifar10_towers.py"
STEPS = 12
FLAGS = [f"--max_steps={STEPS}", "--decay_steps=5", "--batch_size=8", "--summary_every=50", "--log_every=50"]
DROP, OLD_RATE, NEW_RATE = 5, 0.02, 0.002
RUNS = {  # towers, batch norm, momentum
    "1 tower": (1, False, 0.9),
    "2 towers, batch norm": (2, True, 0.9),
    "4 towers, batch norm": (4, True, 0.9),
    "4 towers, no momentum": (4, False, 0.0),
}
# Of a variable's largest element, by rounding. Measured: 3e-7 over 10 steps; 0 at 2 towers without momentum.
TRAJECTORY = 1e-6
# With batch norm and 4 towers the sum's order tips a max-pool or a ReLU: one channel of conv1 goes another way, by up
# to 7e-3. Whether it does within 10 steps depends on the processor (with ONEDNN_MAX_CPU_ISA=AVX2 it does, with AVX512
# it does not). So only the gradients of that run are compared, on the same weights.
TRAINED = {
    kind: momentum for kind, (towers, batch_norm, momentum) in RUNS.items() if towers < 4 or not batch_norm
}


class Three(NamedTuple):
    """A legacy run, its replay by the twin, and a training by the twin."""

    legacy: Recording
    replay: Recording
    training: Recording


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Three]:
    """By the name in RUNS; all are made at the first question, two at a time."""

    def make(kind: str) -> Three:
        towers, batch_norm, momentum = RUNS[kind]
        folder = tmp_path_factory.mktemp("legacy")
        flags = [
            f"--num_gpus={towers}",
            f"--momentum={momentum}",
            "--input=feed",
            f"--train_dir={folder / 'train'}",
        ]
        flags += [*FLAGS, "--batch_norm" if batch_norm else "--nobatch_norm"]
        original = record_original(LEGACY, flags, folder / "run", Options(steps=STEPS)).folder
        driver = Path(__file__).with_name("drive_modern.py")
        done = subprocess.run(
            [sys.executable, str(driver), str(original), str(towers), str(momentum)],
            env={**os.environ, **ENVIRONMENT},
            text=True, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        replay, training = (Recording.load(original.with_name(what)) for what in ("replay", "training"))
        return Three(Recording.load(original), replay, training)

    with ThreadPoolExecutor(2) as pool:
        made = dict(zip(RUNS, pool.map(make, RUNS), strict=True))
    return made.__getitem__


def relative(expected: np.ndarray, got: np.ndarray) -> float:
    """The largest difference by the largest element; what is smaller than 0.01 counts as 0.01."""
    return float(np.abs(expected - got).max() / max(np.abs(expected).max(), 0.01))


@pytest.mark.parametrize("kind", RUNS)
def test_gradients_and_losses_on_the_same_weights_are_bitwise_equal(kind, three):
    """At every step; with more than 2 replicas too, because the shares are added up in tower order here."""
    legacy, replay, _ = three(kind)
    assert len(replay.steps) == len(legacy.steps) == STEPS
    for place, (step, other) in enumerate(zip(legacy.steps, replay.steps, strict=True)):
        assert step.gradients.keys() == other.gradients.keys()
        for name, gradient in step.gradients.items():
            np.testing.assert_array_equal(other.gradients[name], gradient, err_msg=f"{name}, step {place}")
        np.testing.assert_array_equal(other.losses, step.losses, err_msg=f"losses, step {place}")


def test_the_comparison_sees_another_batch(three):
    """A control: with the gradients of the step after, every variable's differ."""
    legacy, replay, _ = three("1 tower")
    apart = [
        relative(gradient, other.gradients[name])
        for step, other in zip(legacy.steps, replay.steps[1:], strict=False)
        for name, gradient in step.gradients.items()
    ]
    assert min(apart) > 1e-4


@pytest.mark.parametrize("kind", [kind for kind, momentum in TRAINED.items() if not momentum])
def test_without_momentum_the_whole_trajectory_is_the_same(kind, three):
    """Across both drops of the learning rate: the schedule and the plain update are TF1's."""
    legacy, _, training = three(kind)
    for step, other in zip(legacy.steps, training.steps, strict=True):
        for name in step.gradients:
            assert relative(step.variables[name], other.variables[name]) <= TRAJECTORY, name
        np.testing.assert_allclose(other.losses[0], np.mean(step.losses), rtol=TRAJECTORY)


@pytest.mark.parametrize("kind", [kind for kind, momentum in TRAINED.items() if momentum])
def test_momentum_is_the_same_until_the_rate_drops(kind, three):
    legacy, _, training = three(kind)
    for step, other in zip(legacy.steps[: DROP + 1], training.steps[: DROP + 1], strict=True):
        for name in step.gradients:
            assert relative(step.variables[name], other.variables[name]) <= TRAJECTORY, name


@pytest.mark.parametrize("kind", [kind for kind, momentum in TRAINED.items() if momentum])
def test_momentum_after_the_drop_differs_by_what_the_formulas_say(kind, three):
    """TF1 takes the new rate of the whole sum of gradients, Keras goes on with steps that were made at the old one."""
    legacy, _, training = three(kind)
    legacy_variables, modern_variables = legacy.steps[DROP + 1].variables, training.steps[DROP + 1].variables
    for name in legacy.steps[DROP].gradients:
        accumulated = legacy.steps[DROP].variables[f"{name}/Momentum"]
        expected = legacy_variables[name] - 0.9 * (OLD_RATE - NEW_RATE) * accumulated
        assert relative(expected, modern_variables[name]) <= TRAJECTORY, name
    assert (
        max(relative(legacy_variables[name], modern_variables[name]) for name in legacy.steps[DROP].gradients)
        > 0.1
    )
