"""The replacements of functions that NumPy and SciPy removed return what these returned."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.old_libraries import arrays, images

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: not written by make_goldens.py, but by old_libraries.py in two old environments
GOLDENS = json.loads((Path(__file__).parent / "goldens" / "old_libraries.json").read_text())
#: newer versions of Pillow round these differently, by 1 of 255
ROUNDED = ("read gray", "size")


def test_functions_of_numpy_1() -> None:
    from tf2towers.runtime.old_libraries import numpy1

    assert json.loads(json.dumps(arrays(numpy1))) == GOLDENS["numpy 1.18.5"]
    assert numpy1.fromstring(b"\x01", np.uint8).flags.writeable
    assert type(numpy1.asscalar(np.array([7]))) is int


def test_images_of_scipy_misc() -> None:
    pytest.importorskip("PIL")
    from tf2towers.runtime.old_libraries import scipy_misc

    made, wanted = json.loads(json.dumps(images(scipy_misc))), GOLDENS["scipy 1.1.0, Pillow 6.2.2"]
    for name in ROUNDED:
        mine, its = made.pop(name), wanted[name]
        assert mine[:2] == its[:2]
        assert np.abs(np.subtract(mine[3], its[3])).max() <= 1
    assert made == {name: digest for name, digest in wanted.items() if name not in ROUNDED}
    with pytest.raises(ValueError, match="of shape"):
        scipy_misc.toimage(np.zeros((2, 2, 2)))


def test_load_source_is_imps(tmp_path):
    from tf2towers.runtime.old_libraries import old_imp

    path = tmp_path / "settings.py"
    path.write_text("count = globals().get('count', 0) + 1\n")
    module = old_imp.load_source("settings_of_a_test", str(path))
    assert (module.count, module.__file__, sys.modules.pop("settings_of_a_test")) == (1, str(path), module)
    sys.modules["settings_of_a_test"] = module
    assert old_imp.load_source("settings_of_a_test", str(path)) is module and module.count == 2
    del sys.modules["settings_of_a_test"]
    path.write_text("raise KeyError")
    with pytest.raises(KeyError):
        old_imp.load_source("settings_of_a_test", str(path))
    assert "settings_of_a_test" not in sys.modules
    with pytest.raises(FileNotFoundError):
        old_imp.load_source("settings_of_a_test", str(tmp_path / "none.py"))


def test_getargspec_returns_what_python_3_10_did() -> None:
    """As Python 3.10 says them."""
    from tf2towers.runtime.old_libraries.old_inspect import getargspec

    def layer(inputs, size, *rest, name="layer", **options): ...  # type: ignore[no-untyped-def]
    def plain(inputs, size, name="layer", *rest, **options): ...  # type: ignore[no-untyped-def]
    def annotated(inputs: int) -> None: ...

    spec = getargspec(plain)
    assert spec == (["inputs", "size", "name"], "rest", "options", ("layer",))
    assert (spec.args, spec.varargs, spec.keywords, spec.defaults) == tuple(spec)
    for other in (layer, annotated):
        with pytest.raises(ValueError, match="keyword-only"):
            getargspec(other)
    with pytest.raises(TypeError):
        getargspec(3)  # type: ignore[arg-type]
