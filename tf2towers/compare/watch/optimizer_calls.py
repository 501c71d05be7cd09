"""Watches the calls of optimizers: those of TF1, of Keras 3 and of earlier Keras."""

import functools
from typing import Any, Callable, List, Tuple

from tf2towers.verify.recorder.imports import WhenImported
from tf2towers.verify.recorder.wrapping import NestingOfThread, wrap

#: each module's class whose `apply` or `apply_gradients` all its optimizers call
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


class OptimizerCalls:
    """Calls listeners after each optimizer call with (the optimizer, its result).

    Where one optimizer calls another (SyncReplicasOptimizer, LossScaleOptimizer), only the outer call counts.
    """

    def __init__(self) -> None:
        self._listeners: List[Callable[[Any, Any], object]] = []
        self._nesting = NestingOfThread()

    def listen(self, listener: Callable[[Any, Any], object]) -> None:
        """Adds a listener."""
        self._listeners.append(listener)

    def watch_keras(self, imports: WhenImported) -> None:
        """Watches Keras's optimizers, as soon as their modules are imported."""
        for module, name in KERAS.items():
            imports.then(module, functools.partial(self._imported, name))

    def _imported(self, name: str, module: Any) -> None:
        self.watch(getattr(module, name, None), ("apply", "apply_gradients", "minimize"))

    def watch(self, kind: Any, methods: Tuple[str, ...] = ("apply_gradients", "minimize")) -> None:
        """Watches the methods that a class defines itself, not those that it inherits."""
        for name in methods:
            if name in getattr(kind, "__dict__", ()):
                wrap(kind, name, self._called)

    def _called(self, method: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        with self._nesting.entered() as outermost:
            returned = method(optimizer, *args, **kwargs)
        for listener in self._listeners if outermost else ():
            listener(optimizer, returned)
        return returned
