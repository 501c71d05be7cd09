"""TF2: wraps calls of `tf.function`s and concrete functions from eager code, and finds those that train.

A function trains when an optimizer was called while it was traced. `trains` traces it before its first call, in the
same way as that call would, so that the answer is known before the function runs.
"""

import contextlib
import weakref
from typing import Any, Callable

from .wrapping import Nesting, wrap


class FunctionCalls:
    """Wraps each call that is not inside another one.

    Args:
        applied: returns the number of optimizer calls so far.
        nesting: finds calls inside other calls; code may also enter it so that its calls are not wrapped.
    """

    def __init__(self, tf: Any, applied: Callable[[], int], nesting: Nesting) -> None:
        self._tf, self._applied, self.nesting = tf, applied, nesting
        self._training = weakref.WeakKeyDictionary()  # type: Any

    def around(self, around: Callable[..., Any]) -> None:
        """From now on, `around(call, function, args, kwargs)` replaces each call of a `tf.function`."""
        self._around(type(self._tf.function(lambda: None)), lambda _: True, around)

    def around_concrete(self, wanted: Callable[[Any], bool], around: Callable[..., Any]) -> None:
        """From now on, `around` replaces each call of a wanted concrete function.

        The class is imported, not taken from a function: making one starts TensorFlow, and fixes some of its settings.
        """
        try:
            from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction
        except ImportError:  # before 2.11
            from tensorflow.python.eager.function import ConcreteFunction
        self._around(ConcreteFunction, wanted, around)

    def _around(self, kind: Any, wanted: Callable[[Any], bool], around: Callable[..., Any]) -> None:
        def called(call: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
            if self.nesting.inside or not wanted(function) or not self._tf.executing_eagerly():
                return call(function, *args, **kwargs)
            with self.nesting.entered():
                return around(call, function, args, kwargs)

        wrap(kind, "__call__", called)

    def trains(self, function: Any, args: Any, kwargs: Any) -> bool:
        """True if a `tf.function` that is about to be called with these arguments trains."""
        if function not in self._training:
            applied_before = self._applied()
            with contextlib.suppress(Exception):  # the call itself raises the better error
                function.get_concrete_function(*args, **kwargs)
            self._training[function] = self._applied() != applied_before
        return bool(self._training[function])
