"""What TensorFlow 1 had and TensorFlow 2 has lost: ways to tf_keras and tf_slim, which have most of it, and our own.

Each module is imported when a script asks for it.
"""
