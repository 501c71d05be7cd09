"""Small TF1 programs that run both under a real TF 1.15 (`make_goldens.py`) and, with our layers, under TF 2.

Everything in this folder keeps to Python 3.7 and `tf.compat.v1`: TF 1.15 runs it.
"""
