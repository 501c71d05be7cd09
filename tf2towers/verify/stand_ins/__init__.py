"""Runs an original TF1 script on TensorFlow 2: `tensorflow` is `tf.compat.v1`, with what that lost standing in.

`install()` comes first in a fresh process; the script then runs unedited, `tf.layers`, `tf.contrib` and all. Which
names are stood in for is in codemod/symbols.tsv, as for a migrated script.
"""

from tf2towers.verify.stand_ins.install import install

__all__ = ["install"]
