"""What runs beside an original TF1 script, in its process: on Python 3.6 or later, TensorFlow 1.12 or later and NumPy alone."""
