"""Runs an original and another program, and compares number by number what they compute."""
