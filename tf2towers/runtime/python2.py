"""Functions that behave as in Python 2, for scripts that were converted from it."""

from __future__ import annotations

import math
import numbers
import operator
import random
import sys
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any

#: the number of 64-bit words; Python 2 computed the hash of a string modulo it
_WORD = 1 << 64


def python2_division(left: Any, right: Any) -> Any:
    """`left / right` as in Python 2: floor division of integers, arrays and tensors of them."""
    if isinstance(left, numbers.Integral) and isinstance(right, numbers.Integral):
        return left // right
    if _is_dimension(left) or _is_dimension(right):
        return left // right
    if _is_tensor(left) or _is_tensor(right):
        return _divide_tensors(left, right)
    if _is_integral(left) and _is_integral(right):
        return left // right
    return left / right


def python2_division_in_place(left: Any, right: Any) -> Any:
    """The value of `left` after `left /= right`; an array is changed in place."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(left, numpy.ndarray):
        return python2_division(left, right)
    if _is_integral(left) and _is_integral(right):
        return operator.ifloordiv(left, right)
    return operator.itruediv(left, right)


def python2_round(number: Any, digits: int = 0) -> float:
    """`round` as in Python 2: returns a float, and rounds halves away from zero."""
    value = float(number)
    if not math.isfinite(value):
        return value
    nearest = round(value, digits)
    if digits == 0:
        whole = math.floor(abs(value))
        half = abs(value) - whole >= 0.5
        return math.copysign(float(whole + half), value)
    from decimal import ROUND_HALF_UP, Decimal

    exact = Decimal(value)  # the float's exact digits, so that only a true half counts as one
    step = Decimal(1).scaleb(-digits)
    try:
        return float(exact.quantize(step, rounding=ROUND_HALF_UP))
    except ArithmeticError:  # more digits than Decimal has: nothing to round
        return nearest


def _is_integral(value: Any) -> bool:
    """True if NumPy divides a value as integers: an integer, or an array or scalar of them."""
    if isinstance(value, numbers.Integral):
        return True
    numpy = sys.modules.get("numpy")
    # a tuple, not `|`: Python 3.7 runs this as well, with TF 1.15
    kinds = () if numpy is None else (numpy.ndarray, numpy.generic)
    return isinstance(value, kinds) and value.dtype.kind in "iub"


def _is_dimension(value: Any) -> bool:
    """True if a value is TF1's Dimension, whose `/` was floor division."""
    return type(value).__name__ == "Dimension" and type(value).__module__.startswith("tensorflow.")


def _is_tensor(value: Any) -> bool:
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is not None and isinstance(value, (tensorflow.Tensor, tensorflow.Variable))


def _divide_tensors(left: Any, right: Any) -> Any:
    """Divides tensors as TensorFlow's `/` did under Python 2; the operation is named `div`."""
    import tensorflow as tf

    kind = (left if _is_tensor(left) else right).dtype.base_dtype
    with tf.compat.v1.name_scope(None, "div", [left, right]) as scope:
        x = tf.convert_to_tensor(left, name="x", dtype=kind)
        y = tf.convert_to_tensor(right, name="y", dtype=kind)
        if kind.is_floating or kind.is_complex:
            return tf.realdiv(x, y, name=scope)
        return tf.raw_ops.FloorDiv(x=x, y=y, name=scope)


def python2_map(function: Callable[..., Any] | None, *iterables: Iterable[Any]) -> list[Any]:
    """`map` of Python 2: a list; shorter iterables get None; without a function tuples."""
    if len(iterables) == 1:
        return list(*iterables) if function is None else [function(value) for value in iterables[0]]
    together = zip_longest(*iterables)
    return list(together) if function is None else [function(*values) for values in together]


def python2_filter(function: Callable[[Any], Any] | None, values: Any) -> Any:
    """`filter` of Python 2: a string for a string, a tuple for a tuple, else a list."""
    kept = list(filter(function, values))
    if isinstance(values, str):
        return "".join(kept)
    return tuple(kept) if isinstance(values, tuple) else kept


def python2_seed(seed: Any = None) -> None:
    """`random.seed(seed)`, after which `random` draws the numbers that Python 2 drew.

    `shuffle`, `sample`, `choice` and `randrange` draw an integer by the method `_randbelow`. Python
    2 computed that integer from the next float; Python 3 takes the next bits.
    """
    if isinstance(seed, str):
        seed = _hash_string(seed)
    elif isinstance(seed, numbers.Integral):
        seed = int(seed)  # Python 3.11 and later refuse NumPy's integers
    random.seed(seed)
    if seed is not None:
        random._inst._randbelow = lambda n: int(random.random() * n)  # type: ignore[attr-defined]


def _hash_string(text: str) -> int:
    """The hash of a string in Python 2, as the unsigned number that `random` was seeded with."""
    characters = text.encode("utf-8")
    if not characters:
        return 0
    value = characters[0] << 7
    for character in characters:
        value = ((1000003 * value) % _WORD) ^ character
    value ^= len(characters)
    return value - 1 if value == _WORD - 1 else value


def python2_decode(text: Any, encoding: str, errors: str = "strict") -> Any:
    """`text.decode(encoding)`, `unicode(text, encoding)`; a string stays: Python 2 had bytes."""
    return text if isinstance(text, str) else text.decode(encoding, errors)


def python2_message(error: BaseException) -> Any:
    """`error.message`: the only argument of an error, or nothing, or what its class has."""
    return getattr(error, "message", error.args[0] if len(error.args) == 1 else "")


def python2_arguments(error: Any) -> Any:
    """What `error[0]` took the first of: an error's arguments, or the error if it has items."""
    return error if hasattr(type(error), "__getitem__") else error.args
