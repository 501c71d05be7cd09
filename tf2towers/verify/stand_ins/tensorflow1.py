"""The module `tensorflow` as a TF1 script sees it: `tf.compat.v1`, made whole from the tables."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from tf2towers.codemod.symbols import is_for_sessions, is_of_old_release, symbol_table
from tf2towers.verify.stand_ins.modules import StandIn
from tf2towers.verify.stand_ins.objects import NoStandInError, Objects


class Tensorflow1(ModuleType):
    """`tf.compat.v1` under the name `tensorflow`, with the packages beside it (`tensorflow.python`, `.contrib`)."""

    def __init__(self, objects: Objects) -> None:
        super().__init__("tensorflow", "TensorFlow 1, as far as tf.compat.v1 and tf2towers have it.")
        real = objects.real
        own = vars(self)
        own.update(
            _v1=objects.v1,
            _real=real,
            _objects=objects,
            __path__=real.__path__,
            __file__=real.__file__,
            __spec__=real.__spec__,
            __version__=real.__version__,
            __git_version__=real.version.GIT_VERSION,
            __compiler_version__=real.version.COMPILER_VERSION,
            compat=real.compat,
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module 'tensorflow' has no attribute {name!r}")
        try:
            return getattr(self._v1, name)
        except AttributeError:
            pass
        if name in ("contrib", "core", "examples", "python"):
            return import_module(f"tensorflow.{name}")
        if name == "estimator":
            return StandIn("tf.estimator", self._objects)
        raise NoStandInError(f"tf.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        """A module that was imported stays here; anything else a script sets is for TensorFlow to see."""
        if isinstance(value, ModuleType) or name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self._v1, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._v1)})


def modules_by_name(real: Any) -> dict[str, ModuleType]:
    """The modules of TF1 by the names that scripts import them by: 'tensorflow.nn' is `tf.compat.v1.nn`.

    Python would look for them in the folder of TensorFlow 2's own, or make a second copy of `tensorflow.compat.v1`.
    """
    v1 = real.compat.v1
    found: dict[str, ModuleType] = {"tensorflow.compat": real.compat, "tensorflow.compat.v1": v1}
    inside = v1.nn.__name__[: -len("nn")]  # v1's own name is another one where tf_keras is in use
    for name in [name for name in sys.modules if name.startswith(inside)]:
        value, parts = v1, name[len(inside) :].split(".")
        if parts[0] in ("compat", "keras"):
            continue
        for part in parts:
            value = getattr(value, part, None)
        if isinstance(value, ModuleType):
            found[".".join(["tensorflow", *parts])] = value
    return found


def complete(objects: Objects) -> None:
    """Gives `tf.compat.v1` and `tensorflow.python` the names of TF1 that they lack and the tables know.

    What TensorFlow has itself is left alone, so a `tf_keras` that is in use provides `tf.layers`.
    """
    for canonical in _names():
        parent, _, name = canonical.rpartition(".")
        module = _module(objects, parent)
        if module is None or isinstance(module, StandIn) or (_has(module, name) and not _is_layer(canonical)):
            continue
        try:
            setattr(module, name, objects.find_object(canonical))
        except NoStandInError:
            continue


def _is_layer(canonical: str) -> bool:
    """Whether it is a layer or cell under a private name: TensorFlow 2 keeps other code there, that wants Keras 2."""
    return canonical.startswith(("tf.python.layers.", "tf.python.ops.rnn_cell"))


def _names() -> list[str]:
    """The names outside tf.contrib and tf.examples: those renamed, those of the runtime, and private ones."""
    return [
        row.name
        for row in symbol_table().values()
        if (row.kind == "runtime" and not is_for_sessions(row.name))
        or is_of_old_release(row.name)
        or row.public
        if not row.name.startswith(("tf.contrib.", "tf.examples."))
    ]


def _module(objects: Objects, canonical: str) -> Any:
    """The module of TensorFlow 2 that holds the names of this one of TF1; a stand-in is made where it is gone."""
    if canonical == "tf":
        return objects.v1
    if canonical.startswith("tf.python."):
        try:
            return import_module("tensorflow" + canonical[2:])
        except ImportError:
            return None
    parent, _, name = canonical.rpartition(".")
    above = _module(objects, parent)
    if above is None:
        return None
    module = getattr(above, name, None)
    if module is None or not _works(module, canonical):
        module = StandIn(canonical, objects)
        setattr(above, name, module)
    return module


def _works(module: Any, canonical: str) -> bool:
    """False for the loaders of `tf.layers` and `tf.nn.rnn_cell` when Keras 3 stands behind them."""
    probe = {"tf.layers": "dense", "tf.nn.rnn_cell": "RNNCell"}.get(canonical)
    return probe is None or isinstance(module, StandIn) or _has(module, probe)


def _has(module: Any, name: str) -> bool:
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return False
    return True
