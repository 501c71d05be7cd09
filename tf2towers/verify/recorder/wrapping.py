"""A function or method with another one around it: what all patches are made of."""

import contextlib
import functools
import threading
from typing import Any, Callable, Iterator


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """From now on `owner.name(...)` is `around(original, ...)`.

    Args:
        owner: a module or a class. A method that it inherits becomes its own.
        name: of a function or a method.
        around: is given what was there before, and the arguments; of a method, `self` is the first of them.
    """
    original = getattr(owner, name)

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    # AutoGraph calls it as it is: tracing would otherwise rewrite our own code. The mark is that of
    # `tf.autograph.experimental.do_not_convert` (tensorflow/python/autograph/impl/api.py, autograph_artifact), which is
    # not there yet when TensorFlow imports an optimizer.
    call.autograph_info__ = {}  # type: ignore[attr-defined]
    setattr(owner, name, call)


class Nesting:
    """Which calls are made by none of their own kind.

    Attributes:
        inside: one of them is under way.
    """

    inside = False

    @contextlib.contextmanager
    def entered(self) -> Iterator[bool]:
        """One begins; gives whether it is the outermost one."""
        outermost = not self.inside
        self.inside = True
        try:
            yield outermost
        finally:
            if outermost:
                self.inside = False


class NestingOfThread(Nesting, threading.local):
    """A `Nesting` that each thread has for itself."""
