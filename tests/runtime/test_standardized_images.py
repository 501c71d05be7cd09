"""`per_image_standardization`: the values were printed by TensorFlow 1.15.5."""

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

IMAGES = np.random.RandomState(0).randint(0, 255, (2, 4, 4, 3))


@pytest.mark.parametrize(
    ("kind", "first", "total"),
    [
        ("uint8", [141, 0, 0, 210, 0, 255], 8701),
        ("int16", [280, -585, -100, 419, -447, 827], -5),
        ("float32", [0.55224484, -1.1530915, -0.19810317, 0.82509863, -0.8802377, 1.6300174], 0),
        ("float64", [0.55224484, -1.15309155, -0.19810317, 0.82509863, -0.8802377, 1.6300174], 0),
    ],
)
def test_an_image_keeps_its_type(kind: str, first: list[float], total: float) -> None:
    from tf2towers.runtime.standardized_images import per_image_standardization

    found = per_image_standardization(tf.constant(IMAGES.astype(kind)))
    assert found.dtype == kind
    assert np.allclose(found.numpy().ravel()[:6], first, atol=1e-6)
    assert abs(found.numpy().astype("float64").sum() - total) < 1e-4


def test_less_than_an_image_is_refused() -> None:
    from tf2towers.runtime.standardized_images import per_image_standardization

    for kind in (tf.uint8, tf.float32):
        with pytest.raises(ValueError, match="three-dimensional"):
            per_image_standardization(tf.zeros([2, 2], kind))
