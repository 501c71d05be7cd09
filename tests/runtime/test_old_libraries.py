"""What stands for functions that NumPy and SciPy have given up makes what these made."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.old_libraries import arrays, images

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: `python tests/runtime/make_goldens.py` says nothing of it: made by old_libraries.py in two old environments
GOLDENS = json.loads((Path(__file__).parent / "goldens" / "old_libraries.json").read_text())
#: newer Pillows round these otherwise, by one of 255
ROUNDED = ("read gray", "size")


def test_numpy() -> None:
    from tf2towers.runtime import numpy1

    assert json.loads(json.dumps(arrays(numpy1))) == GOLDENS["numpy 1.18.5"]
    assert numpy1.fromstring(b"\x01", np.uint8).flags.writeable
    assert type(numpy1.asscalar(np.array([7]))) is int


def test_images() -> None:
    pytest.importorskip("PIL")
    from tf2towers.runtime import scipy_misc

    made, wanted = json.loads(json.dumps(images(scipy_misc))), GOLDENS["scipy 1.1.0, Pillow 6.2.2"]
    for name in ROUNDED:
        mine, its = made.pop(name), wanted[name]
        assert mine[:2] == its[:2]
        assert np.abs(np.subtract(mine[3], its[3])).max() <= 1
    assert made == {name: one for name, one in wanted.items() if name not in ROUNDED}
    with pytest.raises(ValueError, match="suitable array shape"):
        scipy_misc.toimage(np.zeros((2, 2, 2)))
