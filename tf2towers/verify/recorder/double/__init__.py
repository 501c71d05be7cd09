"""The original's gradients once more, in float64: what tells rounding from a real difference.

The part of the graph that they depend on is copied with every float32 in it a float64. Variables, inputs and random
numbers are fed, with the values that the step itself had.
"""

from .reference import Reference

__all__ = ["Reference"]
