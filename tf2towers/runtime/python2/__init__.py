"""What Python 2 did and Python 3 does otherwise, for scripts that were converted from it."""
