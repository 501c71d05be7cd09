"""What cannot be compared."""

from __future__ import annotations


class CompareError(Exception):
    """A script could not be run, or never trained: the message says what is wrong, for the user."""
