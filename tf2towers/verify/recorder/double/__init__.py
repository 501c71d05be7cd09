"""Computes the original's gradients again in float64, which tells rounding from real differences.

The part of the graph that the gradients depend on is copied, with float64 for every float32. Variables, inputs and
random numbers are fed, with their values in the step itself.
"""

from .reference import Reference

__all__ = ["Reference"]
