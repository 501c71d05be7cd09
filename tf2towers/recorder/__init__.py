"""What runs beside an original TF1 script, in its process: Python 3.6, TensorFlow 1.12 and NumPy are enough."""
