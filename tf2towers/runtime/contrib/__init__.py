"""Parts of `tf.contrib` that TF 2 has no more, for graphs: most are TF 1.15's own files with TF 2's public names.

A file from TensorFlow keeps its licence and names its origin. `support` has the few private helpers that they used.
"""
