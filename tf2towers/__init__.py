"""tf2towers: from TF1 towers and parameter servers to `tf.distribute`, with proof.

This package imports nothing heavy: `migrate` must never load TensorFlow.
"""

__version__ = "0.1.0"
