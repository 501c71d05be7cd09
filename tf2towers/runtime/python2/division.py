"""Division and rounding as Python 2 had them."""

from __future__ import annotations

import math
import numbers
import operator
import sys
from typing import Any


def python2_division(left: Any, right: Any) -> Any:
    """`left / right` as Python 2 had it: of integers, arrays of integers and tensors of integers it is the floor."""
    if isinstance(left, numbers.Integral) and isinstance(right, numbers.Integral):
        return left // right
    if _is_dimension(left) or _is_dimension(right):
        return left // right
    if _is_tensor(left) or _is_tensor(right):
        return _of_tensors(left, right)
    if _of_integers(left) and _of_integers(right):
        return left // right
    return left / right


def python2_division_in_place(left: Any, right: Any) -> Any:
    """What `left /= right` leaves in `left`: an array is changed where it is, as in Python 2."""
    numpy = sys.modules.get("numpy")
    if _divides_itself(left):
        return operator.itruediv(left, right)
    if numpy is None or not isinstance(left, numpy.ndarray):
        return python2_division(left, right)
    if _of_integers(left) and _of_integers(right):
        return operator.ifloordiv(left, right)
    return operator.itruediv(left, right)


def python2_round(number: Any, digits: int = 0) -> float:
    """`round` as Python 2 had it: a float, and what lies in the middle goes away from zero."""
    value = float(number)
    if not math.isfinite(value):
        return value
    nearest = round(value, digits)
    if digits == 0:
        whole = math.floor(abs(value))
        half = abs(value) - whole >= 0.5
        return math.copysign(float(whole + half), value)
    from decimal import ROUND_HALF_UP, Decimal

    exact = Decimal(value)  # the float's own digits: in the middle only where it truly is
    step = Decimal(1).scaleb(-digits)
    try:
        return float(exact.quantize(step, rounding=ROUND_HALF_UP))
    except ArithmeticError:  # more digits than Decimal has: nothing to round
        return nearest


def _of_integers(value: Any) -> bool:
    """Whether NumPy divides it as integers: an integer, or an array or a scalar of them."""
    if isinstance(value, numbers.Integral):
        return True
    numpy = sys.modules.get("numpy")
    kinds = (
        () if numpy is None else (numpy.ndarray, numpy.generic)
    )  # a tuple: Python 3.7 runs it beside TF 1.15
    return isinstance(value, kinds) and value.dtype.kind in "iub"


def _divides_itself(value: Any) -> bool:
    """Whether it is of a class with a `/=` of its own (`__idiv__`), whatever it divides."""
    has_it = "__itruediv__" in dir(type(value))
    return has_it and type(value).__module__.partition(".")[0] not in ("numpy", "tensorflow")


def _is_dimension(value: Any) -> bool:
    """Whether it is TF1's Dimension, whose `/` was the floor."""
    return type(value).__name__ == "Dimension" and type(value).__module__.startswith("tensorflow.")


def _is_tensor(value: Any) -> bool:
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is not None and isinstance(value, (tensorflow.Tensor, tensorflow.Variable))


def _of_tensors(left: Any, right: Any) -> Any:
    """TensorFlow's `/` under Python 2, whose operation is called `div`."""
    import tensorflow as tf

    kind = (left if _is_tensor(left) else right).dtype.base_dtype
    with tf.compat.v1.name_scope(None, "div", [left, right]) as scope:
        x = tf.convert_to_tensor(left, name="x", dtype=kind)
        y = tf.convert_to_tensor(right, name="y", dtype=kind)
        if kind.is_floating or kind.is_complex:
            return tf.realdiv(x, y, name=scope)
        return tf.raw_ops.FloorDiv(x=x, y=y, name=scope)
