"""Lets a script run without a trace on the user's disk: what it writes goes to a scratch folder.

The script reads back what it wrote, misses what it deleted, and otherwise reads the real files. Copy-on-write, in the
process itself, by patching Python and TensorFlow: no root, no namespaces. Pythons that it starts share the overlay;
other programs run only if they are known to leave the disk alone. It needs the standard library alone and runs
on Python 3.6 to 3.13, TensorFlow 1.12 to 1.15 and 2.21, on POSIX.

    overlay = Overlay("/scratch/run")
    patch_python(overlay)
    import tensorflow
    patch_tensorflow(overlay)
"""

from typing import Any, Dict

from .paths import Overlay
from .python import patch_python
from .refusals import OverlayError
from .tf_data import patch_tensorflow

__all__ = ["Overlay", "OverlayError", "keep_writes", "patch_python", "patch_tensorflow"]


def keep_writes(options: Dict[str, Any]) -> None:
    """Puts the overlay under this process, but for the recording.

    Args:
        options: of a recorder: "scratch", the folder, or None for no overlay; "out", which is left alone.
    """
    if options.get("scratch"):
        overlay = Overlay(options["scratch"], [options["out"]])
        patch_python(overlay)
        patch_tensorflow(overlay)
