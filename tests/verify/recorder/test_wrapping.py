"""A function around another one, and calls that are part of one of their own kind."""

import threading
from typing import Any

from tf2towers.verify.recorder.wrapping import Nesting, NestingOfThread, wrap


class Base:
    """A class with a method that a subclass inherits."""

    def double(self, number: int) -> int:
        """Twice the number."""
        return 2 * number


class Inherits(Base):
    """A subclass without a method of its own."""


def test_a_method_of_a_subclass_alone() -> None:
    def around(original: Any, self: Any, number: int) -> int:
        return original(self, number=number) + 1  # type: ignore[no-any-return]

    wrap(Inherits, "double", around)
    wrap(Inherits, "double", around)
    assert (Inherits().double(4), Base().double(4)) == (10, 8)
    assert Inherits.double.__doc__ == Base.double.__doc__


def test_only_the_outermost_call_is_recorded() -> None:
    for nesting, others in ((Nesting(), False), (NestingOfThread(), True)):
        found = []
        with nesting.entered() as outermost:
            found.append(outermost)
            with nesting.entered() as inner:
                found.append(inner)

            def elsewhere(nesting: Nesting = nesting, found: list[bool] = found) -> None:
                with nesting.entered() as outermost:
                    found.append(outermost)

            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            assert nesting.inside
        assert found == [True, False, others]
        assert not nesting.inside
