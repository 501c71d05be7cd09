"""Functions of NumPy, SciPy and Python that TF1 scripts use, and later versions removed."""
