"""`canonical_name`: one spelling for a TensorFlow symbol, whichever module path it was imported by."""

from __future__ import annotations

from collections.abc import Iterator

#: Builtins of Python 2 that Python 3 scripts of that age still name.
PYTHON2_BUILTINS = frozenset(
    {"xrange", "unicode", "raw_input", "basestring", "long", "unichr", "reduce", "cmp", "execfile"}
)

_ROOTS = ("tensorflow.compat.v1", "tensorflow")
_SAME_MODULE = (
    ("tf.compat.v1", "tf"),
    ("tf.flags", "tf.app.flags"),
    ("tf.python.platform.flags", "tf.app.flags"),
)


def canonical_name(dotted: str) -> str:
    """The canonical form of an imported dotted name: TensorFlow rooted at `tf`, one name per module."""
    for root in _ROOTS:
        if dotted == root or dotted.startswith(root + "."):
            dotted = "tf" + dotted[len(root) :]
            break
    if dotted.startswith("tf."):
        for other, name in _SAME_MODULE:
            if dotted == other or dotted.startswith(other + "."):
                dotted = name + dotted[len(other) :]
    return dotted


def beginnings(dotted: str) -> Iterator[tuple[str, str]]:
    """What a dotted name begins with, the longest first, and what follows: `tf.train`, `.Saver` of `tf.train.Saver`."""
    end = len(dotted)
    while end > 0:
        yield dotted[:end], dotted[end:]
        end = dotted.rfind(".", 0, end)
