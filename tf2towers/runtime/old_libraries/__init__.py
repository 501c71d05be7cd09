"""Functions of NumPy, SciPy and Python that TensorFlow 1 scripts use, and that later versions removed."""
