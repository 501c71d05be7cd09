"""What the overlay does not do, and the errors that say so."""

import os
import re
from typing import Any

_REMOTE = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.\-]*)://")


class OverlayError(RuntimeError):
    """The script asks for what would leave a trace outside of the scratch folder."""


class RefusedCommand(OverlayError, FileNotFoundError):
    """A program that the overlay does not run; a library that can do without it takes it for not installed."""


def failure(code: int, path: Any) -> OSError:
    """The error that the system would raise; `OSError` itself picks the class, as `FileNotFoundError`."""
    return OSError(code, os.strerror(code), path)


def remote(path: Any) -> str:
    """The scheme of a path of TensorFlow ('gs', 'hdfs', ..); empty for local paths and for memory ('ram')."""
    found = _REMOTE.match(os.fsdecode(path))
    scheme = found.group(1).lower() if found else ""
    return "" if scheme in ("file", "ram") else scheme
