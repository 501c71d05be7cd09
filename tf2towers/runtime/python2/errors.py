"""What an error said of itself."""

from __future__ import annotations

from typing import Any


def python2_message(error: BaseException) -> Any:
    """`error.message`: the one argument of the error, else nothing; TensorFlow's own errors still have it."""
    try:
        return error.message  # type: ignore[attr-defined]
    except AttributeError:
        return error.args[0] if len(error.args) == 1 else ""
