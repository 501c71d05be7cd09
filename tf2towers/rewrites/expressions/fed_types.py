"""Which placeholders took more than a `tf.function` takes."""

from __future__ import annotations

#: types that a `tf.function` converts Python's numbers and lists to as well
_TAKEN_AS_FED = ("tf.float", "tf.string", "tf.complex", "tf.double", "tf.half")


def converts_what_is_fed(dtype: str) -> bool:
    """Whether a session converted what was fed to a placeholder of this type, where TensorFlow may refuse it."""
    return not dtype.startswith(_TAKEN_AS_FED)
