"""Watches where TF1 programs differentiate, and the updates that they build."""

from typing import Any, Callable, List, Tuple

from .wrapping import NestingOfThread, wrap


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
        given = args[0] if args else ()  # type: Any
        if hasattr(given, "__next__"):  # the script gets an iterator, too, which can be read once
            given = list(given)
            args = (iter(given),) + args[1:]
        returned = apply(optimizer, *args, **kwargs)
        found = given if isinstance(given, (list, tuple)) else []
        pairs = [pair for pair in found if isinstance(pair, tuple) and len(pair) == 2 and pair[1] is not None]
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
