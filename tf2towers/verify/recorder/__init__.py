"""Records a TF1 training script, unedited, on the TensorFlow it was written for; patches that `compare` uses as well.

Runs on Python 3.6 to 3.13, TensorFlow 1.12 to 1.15 (and the `tf.compat.v1` of 2.21) and NumPy, and imports nothing else
of tf2towers. `python tf2towers/verify/recorder ...` starts it; the migrated side uses the same writer.
"""
