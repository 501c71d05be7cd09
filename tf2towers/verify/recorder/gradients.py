"""Watches where a TF1 program differentiates: an optimizer's `compute_gradients`, or `tf.gradients` instead."""

from typing import Any, Callable, List, Tuple

from .wrapping import NestingOfThread, wrap

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
