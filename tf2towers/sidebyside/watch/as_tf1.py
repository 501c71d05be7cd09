"""TensorFlow 1 for a script that says `import tensorflow as tf` and means it, where TensorFlow is 2."""

import builtins
import sys
from typing import Any


def as_tf1(tf: Any) -> None:
    """Makes `import tensorflow` give `tensorflow.compat.v1`, as TF1 behaved. A real TF 1 stays as it is.

    `tf.layers` and `tf.contrib`, which TF 2.21 has no more, are not here: their stand-ins belong in this function.
    """
    if tf.__version__.startswith("1."):
        return
    tf1 = tf.compat.v1
    tf1.disable_v2_behavior()
    tf1.compat = tf.compat
    sys.modules["tensorflow"] = tf1
    if not hasattr(builtins, "xrange"):
        builtins.xrange = range  # type: ignore[attr-defined]
