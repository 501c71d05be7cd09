"""Whoever applies gradients: the optimizers of TF1, of Keras 3 and of the Kerases before it."""

import functools
from typing import Any, Callable, List, Tuple

from .imports import WhenImported
from .wrapping import NestingOfThread, wrap

#: module -> the class in it whose `apply` or `apply_gradients` all others reach
KERAS = {
    "keras.src.optimizers.base_optimizer": "BaseOptimizer",
    "keras.src.optimizers.optimizer_experimental.optimizer": "_BaseOptimizer",
    "keras.src.optimizers.optimizer": "_BaseOptimizer",  # Keras 2.13 to 2.15
    "keras.optimizers.optimizer_experimental.optimizer": "_BaseOptimizer",
    "keras.optimizer_v2.optimizer_v2": "OptimizerV2",
    "tf_keras.src.optimizers.optimizer": "_BaseOptimizer",
    "tf_keras.src.optimizers.legacy.optimizer_v2": "OptimizerV2",
    "tensorflow.python.keras.optimizer_v2.optimizer_v2": "OptimizerV2",
    "tensorflow_core.python.keras.optimizer_v2.optimizer_v2": "OptimizerV2",
}


def watch_updates(
    *optimizer_classes: Any, callback: Callable[[Any, Any, List[Tuple[Any, Any]]], object]
) -> None:
    """Calls back for each update that a TF1 program builds: (the optimizer, its operation, what it applies).

    Args:
        optimizer_classes: those with an `apply_gradients` of their own.
        callback: called when the operation has been built.
    """

    def apply_gradients(apply: Any, optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        op = apply(optimizer, pairs, *args, **kwargs)
        callback(optimizer, getattr(op, "op", op), pairs)
        return op

    for kind in optimizer_classes:
        wrap(kind, "apply_gradients", apply_gradients)


class OptimizerCalls:
    """Tells listeners when an optimizer has been called: (the optimizer, what it returned).

    An optimizer that calls another (SyncReplicasOptimizer, LossScaleOptimizer) counts, the one inside does not.
    """

    def __init__(self) -> None:
        self._listeners = []  # type: List[Callable[[Any, Any], object]]
        self._nesting = NestingOfThread()

    def listen(self, listener: Callable[[Any, Any], object]) -> None:
        """Adds a listener."""
        self._listeners.append(listener)

    def watch_keras(self, imports: WhenImported) -> None:
        """Keras's optimizers, as soon as they are there."""
        for module, name in KERAS.items():
            imports.then(module, functools.partial(self._imported, name))

    def _imported(self, name: str, module: Any) -> None:
        self.watch(getattr(module, name, None), ("apply", "apply_gradients", "minimize"))

    def watch(self, kind: Any, methods: Tuple[str, ...] = ("apply_gradients", "minimize")) -> None:
        """A class's own methods; not those it inherits."""
        for name in methods:
            if name in getattr(kind, "__dict__", ()):
                wrap(kind, name, self._called)

    def _called(self, method: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        with self._nesting.entered() as outermost:
            returned = method(optimizer, *args, **kwargs)
        for listener in self._listeners if outermost else ():
            listener(optimizer, returned)
        return returned
