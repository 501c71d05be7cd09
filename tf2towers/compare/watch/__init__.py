"""Inside the process of a script that is watched. Runs on Python 3.6 and TensorFlow 1.12 or later.

Imports nothing but the standard library, and TensorFlow when the script has done so.
"""
