"""Wraps functions and methods; all patches of the recorder are made with it."""

import contextlib
import functools
import threading
from typing import Any, Callable, Iterator


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """From now on, `owner.name(...)` is `around(original, ...)`.

    Args:
        owner: a module or a class. An inherited method becomes the class's own.
        name: the name of a function or a method.
        around: called with the original and the arguments; for a method, `self` is the first argument.
    """
    original = getattr(owner, name)

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        return around(original, *args, **kwargs)

    # AutoGraph leaves a function with this mark as it is; otherwise tracing would rewrite our own code. The mark is
    # that of `tf.autograph.experimental.do_not_convert` (tensorflow/python/autograph/impl/api.py, autograph_artifact),
    # which cannot be imported yet when TensorFlow imports an optimizer.
    call.autograph_info__ = {}  # type: ignore[attr-defined]
    setattr(owner, name, call)


class Nesting:
    """Tells outermost calls from calls inside other ones.

    Attributes:
        inside: whether a call is running.
    """

    inside = False

    @contextlib.contextmanager
    def entered(self) -> Iterator[bool]:
        """A context for one call; yields whether it is the outermost one."""
        outermost = not self.inside
        self.inside = True
        try:
            yield outermost
        finally:
            if outermost:
                self.inside = False


class NestingOfThread(Nesting, threading.local):
    """A `Nesting` with a separate state for each thread."""
