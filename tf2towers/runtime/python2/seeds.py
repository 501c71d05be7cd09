"""Random numbers of Python that are seeded: shuffles, choices and integers are those of Python 2."""

from __future__ import annotations

import numbers
import random
from typing import Any

#: words of 64 bits, by which Python 2 computed the hash of a text
_WORD = 1 << 64


def python2_seed(seed: Any = None) -> None:
    """`random.seed(seed)`: what is drawn from now on is what Python 2 drew."""
    _begin(random._inst, seed)


def python2_random(seed: Any = None) -> random.Random:
    """`random.Random(seed)`, which draws what Python 2 drew."""
    generator = random.Random()
    _begin(generator, seed)
    return generator


def _begin(generator: random.Random, seed: Any) -> None:
    """Seeds a generator. `shuffle`, `sample`, `choice` and `randrange` draw an integer by its method `_randbelow`.

    In Python 2 that was a part of the next float; Python 3 takes the next bits.
    """
    if isinstance(seed, str):
        seed = _hash(seed)
    elif isinstance(seed, numbers.Integral):
        seed = int(seed)  # NumPy's, which Python 3.11 and later take no more
    generator.seed(seed)
    if seed is not None:
        generator._randbelow = lambda n: int(generator.random() * n)  # type: ignore[attr-defined]


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
