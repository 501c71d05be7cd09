"""Watches a script from inside its process. Runs on Python 3.6 and TensorFlow 1.12 or later.

Imports only the standard library; and TensorFlow, once the script has imported it.
"""
