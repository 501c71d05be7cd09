"""What Python 2 did and Python 3 does otherwise, for scripts that were converted from it."""

from __future__ import annotations

import math
import numbers
import operator
import random
import sys
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any

#: words of 64 bits, by which Python 2 computed the hash of a text
_WORD = 1 << 64


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
    # a tuple: Python 3.7 runs it beside TF 1.15
    kinds = () if numpy is None else (numpy.ndarray, numpy.generic)
    return isinstance(value, kinds) and value.dtype.kind in "iub"


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


def python2_map(function: Callable[..., Any] | None, *iterables: Iterable[Any]) -> list[Any]:
    """`map` of Python 2: a list as long as the longest of the others, which end with None; no function: tuples."""
    if len(iterables) == 1:
        return list(*iterables) if function is None else [function(value) for value in iterables[0]]
    together = zip_longest(*iterables)
    return list(together) if function is None else [function(*values) for values in together]


def python2_filter(function: Callable[[Any], Any] | None, values: Any) -> Any:
    """`filter` of Python 2: of a text a text, of a tuple a tuple, of anything else a list."""
    kept = list(filter(function, values))
    if isinstance(values, str):
        return "".join(kept)
    return tuple(kept) if isinstance(values, tuple) else kept


def python2_seed(seed: Any = None) -> None:
    """`random.seed(seed)`: what is drawn from now on is what Python 2 drew.

    `shuffle`, `sample`, `choice` and `randrange` draw an integer by the method `_randbelow`. In Python 2 that was a
    part of the next float; Python 3 takes the next bits.
    """
    if isinstance(seed, str):
        seed = _hash(seed)
    elif isinstance(seed, numbers.Integral):
        seed = int(seed)  # NumPy's, which Python 3.11 and later no longer take
    random.seed(seed)
    if seed is not None:
        random._inst._randbelow = lambda n: int(random.random() * n)  # type: ignore[attr-defined]


def _hash(text: str) -> int:
    """The hash of a text in Python 2, as the number without a sign that seeds were made of."""
    characters = text.encode("utf-8")
    if not characters:
        return 0
    value = characters[0] << 7
    for character in characters:
        value = ((1000003 * value) % _WORD) ^ character
    value ^= len(characters)
    return value - 1 if value == _WORD - 1 else value


def python2_decode(text: Any, encoding: str, errors: str = "strict") -> Any:
    """`text.decode(encoding)` and `unicode(text, encoding)`: what was read as bytes in Python 2 may be text already."""
    return text if isinstance(text, str) else text.decode(encoding, errors)
