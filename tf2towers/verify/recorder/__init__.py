"""Records an unedited TF1 training script on the TensorFlow it was written for; `compare` uses its patches too.

Runs on Python 3.6 to 3.13, TensorFlow 1.12 to 1.15 (and the `tf.compat.v1` of 2.21) and NumPy, and imports nothing else
of tf2towers. `python tf2towers/verify/recorder ...` starts it; `verify.rewrites` uses the same writer.
"""
