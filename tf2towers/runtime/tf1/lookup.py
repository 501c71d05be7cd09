"""`tf.contrib.lookup` of TensorFlow 1.15: TensorFlow's own tables, and the functions that make one."""

# the V1 tables are public, the functions that make one are not: they stand where they stood in TF 1.15
from tensorflow.python.ops.lookup_ops import *  # noqa: F403 - a face, not a copy
