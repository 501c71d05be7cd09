"""Watches where programs differentiate, and the calls of optimizers: those of TF1, of Keras 3 and of earlier Keras."""

import functools
from typing import Any, Callable, List, Tuple

from .imports import WhenImported
from .wrapping import NestingOfThread, wrap

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


def watch_updates(
    *optimizer_classes: Any, callback: Callable[[Any, Any, List[Tuple[Any, Any]]], object]
) -> None:
    """Calls back for each update that a TF1 program builds: (the optimizer, its operation, the pairs it applies).

    A script's optimizer may have an `apply_gradients` of its own, as BERT's Adam with weight decay. It counts where no
    other one is called in it.

    Args:
        optimizer_classes: TensorFlow's classes that define `apply_gradients`, the base of all optimizers first.
        callback: called when the operation has been built.
    """
    watched = set(optimizer_classes)
    built = []  # type: List[Any]

    def note(optimizer: Any, returned: Any, pairs: List[Tuple[Any, Any]]) -> None:
        built.append(getattr(returned, "op", returned))
        callback(optimizer, built[-1], pairs)

    def apply_gradients(apply: Any, optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        returned = apply(optimizer, pairs, *args, **kwargs)
        note(optimizer, returned, pairs)
        return returned

    def apply_of_script(apply: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        before = len(built)
        if "grads_and_vars" in kwargs:
            args = (kwargs.pop("grads_and_vars"),) + args
        args = tuple(
            list(each) if hasattr(each, "__next__") else each for each in args
        )  # `zip` is read twice
        returned = apply(optimizer, *args, **kwargs)
        pairs = [pair for pair in args[0] if isinstance(pair, tuple) and pair[1] is not None] if args else []
        if len(built) == before and pairs and hasattr(getattr(returned, "op", returned), "control_inputs"):
            note(optimizer, returned, pairs)
        return returned

    def begin(original: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        original(optimizer, *args, **kwargs)
        for kind in type(optimizer).__mro__:
            if "apply_gradients" in vars(kind) and kind not in watched:
                watched.add(kind)
                wrap(kind, "apply_gradients", apply_of_script)

    for kind in optimizer_classes:
        wrap(kind, "apply_gradients", apply_gradients)
    wrap(optimizer_classes[0], "__init__", begin)


class OptimizerCalls:
    """Calls listeners after each optimizer call with (the optimizer, its result).

    Where one optimizer calls another (SyncReplicasOptimizer, LossScaleOptimizer), only the outer call counts.
    """

    def __init__(self) -> None:
        self._listeners = []  # type: List[Callable[[Any, Any], object]]
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


# -- an optimizer's `compute_gradients`, or `tf.gradients` instead ----------------------------------------------------

#: called with the losses, the pairs of gradient and variable or tensor, and whether by `tf.gradients`
Callback = Callable[[List[Any], List[Tuple[Any, Any]], bool], object]


def watch_gradients(tf: Any, callback: Callback) -> None:
    """Calls back after each such call that is not inside another one: one optimizer may call another.

    Args:
        tf: TensorFlow, or its TF1 module.
        callback: see `Callback`; called when the gradients have been built.
    """
    v1 = getattr(getattr(tf, "compat", None), "v1", None) or tf
    nesting = NestingOfThread()

    def compute_gradients(compute: Any, optimizer: Any, loss: Any, *args: Any, **kwargs: Any) -> Any:
        with nesting.entered() as outermost:
            pairs = compute(optimizer, loss, *args, **kwargs)
        if outermost:
            callback([loss], list(pairs), False)
        return pairs

    def gradients(compute: Any, ys: Any, xs: Any, *args: Any, **kwargs: Any) -> Any:
        with nesting.entered() as outermost:
            found = compute(ys, xs, *args, **kwargs)
        if outermost:
            callback(_listed(ys), list(zip(found, _listed(xs))), True)
        return found

    wrap(v1.train.Optimizer, "compute_gradients", compute_gradients)
    for module in {id(owner): owner for owner in (tf, v1)}.values():
        wrap(module, "gradients", gradients)


def _listed(given: Any) -> List[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]
