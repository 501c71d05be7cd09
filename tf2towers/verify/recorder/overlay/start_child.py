"""Puts the overlay under a Python that the script started, TensorFlow's part as soon as it is imported."""

from ..imports import WhenImported
from .paths import Overlay
from .python import patch_python
from .tf_data import patch_tensorflow


def start(folder: str) -> None:
    """The overlay of the parent: its scratch folder and its journal."""
    overlay = Overlay(folder)
    patch_python(overlay)
    WhenImported().then("tensorflow", lambda _: patch_tensorflow(overlay))
