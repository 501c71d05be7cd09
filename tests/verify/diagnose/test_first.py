"""The first step, layer and gradient that differ, and the layer's name where nothing better is known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify.diagnose.simulated import Trainer, both, run
from tf2towers.verify.diagnose import diagnose, first_differences
from tf2towers.verify.recording import Recording

ROWS = {
    "nothing": ({}, (None, "", "")),
    "regulariser": ({"l2": 0.1}, (0, "", "logits/weights")),
    "all gradients": ({"factor": 2.0}, (0, "", "logits/biases")),
    "epsilon of batch-norm": ({"bn_epsilon": 1e-2}, (0, "bn/FusedBatchNormV3", "logits/biases")),
    "inputs, which batch-norm undoes": ({"shift": 1.0}, (0, "hidden/MatMul", "")),
    "a missed drop": ({"drop": (3, 0.1)}, (3, "", "")),
    "statistics": ({"policy": "first"}, (0, "", "")),
}


@pytest.mark.parametrize("what", ROWS)
def test_first_differences(what: str) -> None:
    mistake, expected = ROWS[what]
    assert first_differences(*both(Trainer(), True, 0.0, **mistake)) == expected


def test_bits_count_where_nothing_is_more_than_rounding() -> None:
    original, migrated = run(Trainer()), run(Trainer())
    assert first_differences(original, migrated) == (None, "", "")
    step = migrated.steps[3]
    step.gradients["bn/beta"] = np.nextafter(step.gradients["bn/beta"], np.float32(1))
    step.layers[1]["hidden/Relu"][0] += 1
    assert first_differences(original, migrated) == (3, "hidden/Relu", "bn/beta")
    migrated.steps[4].gradients["logits/weights"] = 2 * migrated.steps[4].gradients["logits/weights"]
    assert first_differences(original, migrated) == (4, "", "logits/weights")


def _other_layer(recording: Recording, name: str, digest: list[float]) -> None:
    for step in recording.steps:
        for tower in step.layers:
            for layer in list(tower)[list(tower).index(name) :]:
                tower[layer] = tower[layer] * np.array([1, *digest, 1])


@pytest.mark.parametrize(
    ("layer", "digest", "name"),
    [
        ("hidden/Relu", [1.2, 1.2, 1.44], "layer differs"),
        ("hidden/MatMul", [1.2, 1.2, 1.44], "layer differs"),
        ("bn/FusedBatchNormV3", [3.0, 1.2, 1.44], "layer differs"),  # it moves the sum: not an epsilon
        ("bn/FusedBatchNormV3", [1.0, 0.99, 0.98], "batch-norm epsilon"),
    ],
)
def test_a_layer_is_named(layer: str, digest: list[float], name: str) -> None:
    original, migrated = run(Trainer()), run(Trainer())
    _other_layer(migrated, layer, digest)
    assert diagnose(original, migrated) == [], "nothing comes of it"
    for step in migrated.steps:
        step.losses = [1.01 * loss for loss in step.losses]
    [found] = diagnose(original, migrated)
    assert found.name == name
    assert repr(layer) in found.message
