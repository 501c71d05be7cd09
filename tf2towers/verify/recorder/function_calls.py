"""TF2: calls of `tf.function`s and of concrete functions from eager code, and which of them train.

A function trains when an optimizer was called while it was traced. It is traced before its first call, as that call
would do: so it is known before it has done anything.
"""

import contextlib
import weakref
from typing import Any, Callable

from .wrapping import Nesting, wrap


class FunctionCalls:
    """Lets something stand around each call that is no part of another one.

    Args:
        applied: how often an optimizer has been called so far.
        nesting: which calls are part of another one; also entered by who makes calls that are to be passed over.
    """

    def __init__(self, tf: Any, applied: Callable[[], int], nesting: Nesting) -> None:
        self._tf, self._applied, self.nesting = tf, applied, nesting
        self._training = weakref.WeakKeyDictionary()  # type: Any

    def around(self, around: Callable[..., Any]) -> None:
        """`around(call, function, args, kwargs)` stands for each call of a `tf.function`, from now on."""
        self._around(type(self._tf.function(lambda: None)), lambda _: True, around)

    def around_concrete(self, wanted: Callable[[Any], bool], around: Callable[..., Any]) -> None:
        """The same for concrete functions, those that are wanted.

        None is made to know their class: that would start TensorFlow, and some settings only go before.
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
        """Whether a `tf.function` trains that is about to be called so."""
        if function not in self._training:
            applied_before = self._applied()
            with contextlib.suppress(Exception):  # the call says so better
                function.get_concrete_function(*args, **kwargs)
            self._training[function] = self._applied() != applied_before
        return bool(self._training[function])
