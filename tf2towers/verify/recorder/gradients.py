"""Where a TF1 program differentiates: `compute_gradients` of an optimizer, or `tf.gradients` in its place."""

from typing import Any, Callable, List, Tuple

from .wrapping import NestingOfThread, wrap

#: is called with (losses, pairs of gradient and variable or tensor, whether without an optimizer)
Callback = Callable[[List[Any], List[Tuple[Any, Any]], bool], object]


def watch_gradients(tf: Any, callback: Callback) -> None:
    """Calls back after each call that is no part of another one: an optimizer may hand on to another one.

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
