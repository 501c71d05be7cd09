"""The first step and gradient that differ, where nothing better is known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify.diagnose.simulated import Trainer, both, run
from tf2towers.verify.diagnose import first_differences

ROWS = {
    "nothing": ({}, (None, "")),
    "regulariser": ({"l2": 0.1}, (0, "logits/weights")),
    "all gradients": ({"factor": 2.0}, (0, "logits/biases")),
    "epsilon of batch-norm": ({"bn_epsilon": 1e-2}, (0, "logits/biases")),
    "inputs, which batch-norm undoes": ({"shift": 1.0}, (0, "")),
    "a missed drop": ({"drop": (3, 0.1)}, (3, "")),
    "statistics": ({"policy": "first"}, (0, "")),
}


@pytest.mark.parametrize("what", ROWS)
def test_first_differences(what: str) -> None:
    mistake, expected = ROWS[what]
    assert first_differences(*both(Trainer(), True, 0.0, **mistake)) == expected


def test_bits_count_where_nothing_is_more_than_rounding() -> None:
    original, migrated = run(Trainer()), run(Trainer())
    assert first_differences(original, migrated) == (None, "")
    step = migrated.steps[3]
    step.gradients["bn/beta"] = np.nextafter(step.gradients["bn/beta"], np.float32(1))
    assert first_differences(original, migrated) == (3, "bn/beta")
    migrated.steps[4].gradients["logits/weights"] = 2 * migrated.steps[4].gradients["logits/weights"]
    assert first_differences(original, migrated) == (4, "logits/weights")
