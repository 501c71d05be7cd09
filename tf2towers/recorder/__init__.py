"""Records a TF1 training script, unedited, on the TensorFlow it was written for.

Runs on Python 3.6 to 3.13, TensorFlow 1.12 to 1.15 (and the `tf.compat.v1` of 2.21) and NumPy, with nothing else of
tf2towers than `instrumentation`. `python tf2towers/recorder ...` starts it; the migrated side uses the same writer.
"""
