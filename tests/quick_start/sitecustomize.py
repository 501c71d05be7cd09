"""In every process that a test starts: TensorFlow is imported in 2.5 s, not in 4.5.

The garbage collector runs seldom: an import makes hundreds of thousands of objects, and hardly any
garbage. And Keras imports scikit-learn and matplotlib, where they are installed, for wrappers and
plots that no trainer here uses. To Keras, and to nobody else, they are not installed. TensorFlow's
annotations are 18 000 strings, of which few differ.

Python imports a module of this name at its start, see `site`; tests/conftest.py puts the folder in
PYTHONPATH. Runs on any Python 3.
"""

import functools
import gc
import sys
import typing

typing.compile = functools.lru_cache(None)(compile)  # in the place of the built-in one
gc.set_threshold(50000, 20, 50)
_HIDDEN = ("matplotlib", "pandas", "sklearn")


class _HiddenFromKeras:
    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname in _HIDDEN and _importer().startswith("keras.src."):
            raise ImportError(fullname + " is hidden from Keras, see tests/quick_start")


def _importer():
    """The name of the module whose import statement it is."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    return "" if frame is None else frame.f_globals.get("__name__", "")


sys.meta_path.insert(0, _HiddenFromKeras)
