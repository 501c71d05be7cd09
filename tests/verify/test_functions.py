"""Of a recording of TF 2 functions: what optimizers apply, and which argument gets which of the original's batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


@pytest.fixture
def unwatched() -> Iterator[None]:
    """Puts back what watching replaces."""
    import keras
    import tensorflow as tf

    kinds = {
        kind for value in vars(keras.optimizers).values() if isinstance(value, type) for kind in value.__mro__
    }
    places = [(kind, name) for kind in kinds for name in ("apply", "update_step") if name in vars(kind)]
    places.append((tf.compat.v1.train.Optimizer, "apply_gradients"))
    before = [(kind, name, vars(kind)[name]) for kind, name in places]
    yield
    for kind, name, function in before:
        setattr(kind, name, function)


def optimizer(kind: str) -> Any:
    import keras

    class Plain(keras.optimizers.Optimizer):
        """Applies it itself."""

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            variable.assign(variable - learning_rate * gradient)

    class Halved(keras.optimizers.SGD):
        """Hands on half of it."""

        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            super().update_step(gradient / 2, variable, learning_rate)

    kinds = {"Keras": keras.optimizers.SGD, "own": Plain, "own, handing on": Halved}
    return kinds[kind](learning_rate=0.5)


@pytest.mark.parametrize(("kind", "part"), [("Keras", 1.0), ("own", 1.0), ("own, handing on", 0.5)])
def test_what_is_applied_is_seen_once(kind: str, part: float, unwatched: None) -> None:
    import tensorflow as tf

    from tf2towers.verify.rewrites.gradient_calls import Applied

    seen: list[tuple[float, str]] = []

    def note(pairs: Any) -> list[Any]:
        seen.extend((float(np.array(gradient)), variable.name) for gradient, variable in pairs)
        return []

    applied, opt = Applied(note), optimizer(kind)
    variable = tf.Variable(1.0, name="w")
    for gradient in (4.0, 8.0):
        opt.apply([tf.constant(gradient)], [variable])
    assert [value for value, _ in seen] == [4.0 * part, 8.0 * part]
    assert float(variable) == 1.0 - 0.5 * part * 12
    assert applied.optimizers == [opt]


# -- the original's batches, given to a training function

IMAGES = np.arange(24, dtype=np.float32).reshape(4, 6)
LABELS = np.arange(4, dtype=np.int32)


def test_labels_of_a_queue_have_one_more_dimension() -> None:
    from tf2towers.verify.rewrites.inputs import Inputs

    inputs = Inputs()
    (images, labels), _, used = inputs.replace_arguments(
        (IMAGES * 0, LABELS * 0), {}, {"queue:0": IMAGES, "queue:1": LABELS[:, None]}
    )
    assert np.array_equal(images, IMAGES) and np.array_equal(labels, LABELS)
    assert set(used) == inputs.different == {"queue:0", "queue:1"}
    assert inputs.unknown == []


def test_an_argument_that_nothing_is_like_is_named() -> None:
    from tf2towers.verify.rewrites.inputs import Inputs

    inputs = Inputs()
    (images, weights), _, _ = inputs.replace_arguments((IMAGES * 0, IMAGES[:, :5]), {}, {"queue:0": IMAGES})
    assert np.array_equal(images, IMAGES) and np.array_equal(weights, IMAGES[:, :5])
    assert inputs.unknown == ["[4, 5] float32"]
