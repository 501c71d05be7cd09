"""What NumPy, SciPy and Python had when TensorFlow 1 scripts were written, and no longer have."""
