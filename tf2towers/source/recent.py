"""`Recent`: what was made of the last texts, which programs of a folder share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")

#: the length, in characters, of the texts whose results are kept: some 40,000 lines
_LIMIT = 1_500_000


#: every `Recent` of this process
_everything: list[Recent[Any]] = []


def forget() -> None:
    """Forgets all that is kept, for a measurement of what the work costs the first time."""
    for each in _everything:
        each.clear()


class Recent(Generic[Kept]):
    """The results used last, by key; the lengths of their texts together have a limit."""

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._length = 0
        self._kept: OrderedDict[Hashable, tuple[Kept, int]] = OrderedDict()
        _everything.append(self)

    def clear(self) -> None:
        """Keeps nothing any longer."""
        self._kept.clear()
        self._length = 0

    def get(self, key: Hashable) -> Kept | None:
        """The result of a key; None where it is not kept."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Hashable, result: Kept, length: int) -> Kept:
        """Keeps and returns a result; those that were not used for longest go."""
        if key not in self._kept:
            self._kept[key] = (result, length)
            self._length += length
        while self._length > self._limit and len(self._kept) > 1:
            self._length -= self._kept.popitem(last=False)[1][1]
        return result
