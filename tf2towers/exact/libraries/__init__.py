"""What other libraries than TensorFlow gave up since TF1's days, and what in a program is of them."""
