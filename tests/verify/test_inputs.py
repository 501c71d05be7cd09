"""The original's batches, given to a training function: which argument gets which."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

IMAGES = np.arange(24, dtype=np.float32).reshape(4, 6)
LABELS = np.arange(4, dtype=np.int32)


def test_labels_of_a_queue_have_one_more_dimension() -> None:
    from tf2towers.verify.functions.inputs import Inputs

    inputs = Inputs()
    (images, labels), _, used = inputs.given(
        (IMAGES * 0, LABELS * 0), {}, {"queue:0": IMAGES, "queue:1": LABELS[:, None]}
    )
    assert np.array_equal(images, IMAGES) and np.array_equal(labels, LABELS)
    assert set(used) == inputs.different == {"queue:0", "queue:1"}
    assert inputs.unknown == []


def test_an_argument_that_nothing_is_like_is_named() -> None:
    from tf2towers.verify.functions.inputs import Inputs

    inputs = Inputs()
    (images, weights), _, _ = inputs.given((IMAGES * 0, IMAGES[:, :5]), {}, {"queue:0": IMAGES})
    assert np.array_equal(images, IMAGES) and np.array_equal(weights, IMAGES[:, :5])
    assert inputs.unknown == ["[4, 5] float32"]
