"""What cannot be launched."""

from __future__ import annotations


class LaunchError(Exception):
    """The cluster cannot be started or kept: the message says what is wrong, for the user."""
