"""Runs a training script unedited, in a process of its own, and records its steps: on Python 3.6 and later."""
