"""Which of an optimizer's methods update a variable: those that TF1 called, which a script may have written anew.

An optimizer has two methods for the same update: one for TF1's variables (`_apply_dense`), one for resources
(`_resource_apply_dense`). TF1 called the first, here variables are resources. So a class of the script's that has the
first is called by it, whatever else it has; and TensorFlow's own first, which a script calls through `super()`, does
what its second does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources

_OURS = __name__.partition(".")[0]


def updates_by_tf1s_methods() -> None:
    """Makes it so for all classes of optimizers, also those that are written from now on."""
    base = tf.compat.v1.train.Optimizer
    if "_is_answered_by_tf1s_methods" in vars(base):
        return
    base._is_answered_by_tf1s_methods = True
    base._resource_apply_dense = _dense_by(lambda optimizer: optimizer._apply_dense)
    base._resource_apply_sparse = _sparse_by(lambda optimizer: optimizer._apply_sparse)
    waiting = base.__subclasses__()
    while waiting:
        made = waiting.pop()
        waiting += made.__subclasses__()
        _connect(made)
    base.__init_subclass__ = classmethod(lambda made, **options: _connect(made))


def _connect(made: Any) -> None:
    """Has one of a class's two methods answered by the other."""
    for tf1s, resources, by_tf1s, by_resources in (
        ("_apply_dense", "_resource_apply_dense", _dense_by, _dense_by),
        ("_apply_sparse", "_resource_apply_sparse", _sparse_by, _slices_by),
        (
            "_apply_sparse_duplicate_indices", "_resource_apply_sparse_duplicate_indices", _sparse_by, _slices_by,
        ),
    ):  # fmt: skip
        if _root(made) == "tensorflow":
            if tf1s in vars(made) and resources in vars(made):
                setattr(made, tf1s, by_resources(vars(made)[resources].__get__))
            continue
        owner = next(
            (parent for parent in made.__mro__ if tf1s in vars(parent)), tf.compat.v1.train.Optimizer
        )
        if _root(owner) not in ("tensorflow", _OURS) and not own_resources.switched_on:
            setattr(made, resources, by_tf1s(vars(owner)[tf1s].__get__))


def _root(made: Any) -> str:
    return str(made.__module__).partition(".")[0]


def _dense_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda optimizer, grad, variable: method(optimizer)(grad, variable)


def _sparse_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any, Any], Any]:
    def update(optimizer: Any, grad: Any, variable: Any, indices: Any) -> Any:
        return method(optimizer)(tf.IndexedSlices(grad, indices, tf.shape(variable)), variable)

    return update


def _slices_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda optimizer, grad, variable: method(optimizer)(grad.values, variable, grad.indices)
