"""Whoever applies gradients: the optimizers of TF1, of Keras 3 and of the Kerases before it."""

import functools
import threading
from typing import Any, Callable

from tf2towers.sidebyside.watch.imports import WhenImported

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
Listener = Callable[[Any, Any], None]


class Optimizers:
    """Tells listeners when an optimizer has been called: (the optimizer, what it returned).

    An optimizer that calls another (SyncReplicasOptimizer, LossScaleOptimizer) counts, the one inside does not.
    """

    def __init__(self) -> None:
        self._listeners = []  # type: list[Listener]
        self._inside = threading.local()

    def listen(self, listener: Listener) -> None:
        """Adds one."""
        self._listeners.append(listener)

    def watch_imports(self, imports: WhenImported) -> None:
        """Keras's optimizers, as soon as they are there."""
        for module, name in KERAS.items():
            imports.then(module, functools.partial(self._watch_keras, name))

    def _watch_keras(self, name: str, module: Any) -> None:
        owner = getattr(module, name, None)
        if owner is not None:
            self.watch(owner)

    def watch(self, owner: Any, methods: Any = ("apply", "apply_gradients", "minimize")) -> None:
        """A class's own methods; not those it inherits."""
        for name in methods:
            if name in vars(owner):
                setattr(owner, name, self._watched(vars(owner)[name]))

    def _watched(self, method: Any) -> Any:
        @functools.wraps(method)
        def watched(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if getattr(self._inside, "on", False):
                return method(optimizer, *args, **kwargs)
            self._inside.on = True
            try:
                returned = method(optimizer, *args, **kwargs)
            finally:
                self._inside.on = False
            for listener in self._listeners:
                listener(optimizer, returned)
            return returned

        return unconverted(watched)


def unconverted(function: Any) -> Any:
    """Marks a function so that AutoGraph calls it as it is: tracing would otherwise rewrite our own code.

    The mark is that of `tf.autograph.experimental.do_not_convert` (tensorflow/python/autograph/impl/api.py,
    autograph_artifact), which is not there yet when TensorFlow imports an optimizer.
    """
    function.autograph_info__ = {}
    return function
