"""Puts the overlay under a Python that the script started, TensorFlow's part as soon as it is imported."""

import sys
from typing import Any

from .paths import Overlay
from .python import patch_python
from .tf_data import patch_tensorflow


def start(folder: str) -> None:
    """The overlay of the parent: its scratch folder and its journal."""
    overlay = Overlay(folder)
    patch_python(overlay)
    sys.meta_path.insert(0, _AfterTensorFlow(overlay))


class _AfterTensorFlow(object):
    """Finds tensorflow as the others would, and patches it when it is loaded."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None and spec.loader is not None:
                self._extend(spec.loader)
                return spec
        return None

    def _extend(self, loader: Any) -> None:
        original = loader.exec_module

        def exec_module(module: Any) -> None:
            original(module)
            patch_tensorflow(self._overlay)

        loader.exec_module = exec_module
