"""The modules of TensorFlow 1 for a script: `tensorflow` is `tf.compat.v1`, completed from the tables.

`tensorflow.contrib` and `tensorflow.examples`, which TensorFlow 2 no longer has, are made from the tables, too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, NoReturn

from tf2towers.codemod.symbols import is_for_sessions, is_module, is_of_old_release, symbol_table
from tf2towers.codemod.tables import argument_orders, keyword_renames
from tf2towers.verify.stand_ins.objects import STILL_THERE, NoStandInError, Objects, in_old_order


@cache
def _modules() -> frozenset[str]:
    """The modules whose members the tables list, and the packages of tf.contrib that the tables report as removed."""
    found = {*STILL_THERE}
    for row in symbol_table().values():
        if row.name.startswith(("tf.contrib.", "tf.examples.")):
            parts = row.name.split(".")
            parts = parts if row.advice and parts[-1].islower() else parts[:-1]
            found.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
    return frozenset(found)


class StandIn(ModuleType):
    """A module that looks up each attribute in the tables on its first use.

    A name without a substitute raises `NoStandInError`. If it is imported (`from tensorflow.contrib.crf import
    crf_decode`), it becomes a module of this class too, which raises when it is called, subclassed or asked for an
    attribute: a script may import names that it never uses.
    """

    def __init__(self, canonical: str, objects: Objects) -> None:
        super().__init__("tensorflow" + canonical[2:], f"Stands for {canonical} of TensorFlow 1.")
        self._canonical = canonical
        self._objects = objects
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        canonical = f"{self._canonical}.{name}"
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if not self._objects.is_of_runtime(canonical) and (
            canonical in _modules()
            or is_module(canonical)
            or (self._canonical == "tf.contrib" and name.islower())
        ):
            return import_module(f"{self.__name__}.{name}")
        value = self._objects.find_object(canonical)
        setattr(self, name, value)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NoStandInError: the imported name has no substitute."""
        raise NoStandInError(self._canonical)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        raise NoStandInError(self._canonical)


class StandInFinder(MetaPathFinder, Loader):
    """Finds the modules of TF1 that TensorFlow 2 has no file for; has to be the last finder."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of `tensorflow.contrib` and other modules that TF 2 lacks, and of those inside them."""
        root, _, rest = fullname.partition(".")
        if root != "tensorflow" or not rest:
            return None
        gone = ("contrib", "estimator", "examples", "python.estimator")
        if f"{rest}.".startswith(tuple(f"{home}." for home in gone)) or is_module("tf." + rest):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Creates the stand-in module."""
        canonical = "tf" + spec.name[len("tensorflow") :]
        return StandIn(canonical, self._objects)

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the stand-in by TensorFlow's module, where TensorFlow still has it elsewhere."""
        canonical = "tf" + module.__name__[len("tensorflow") :]
        if canonical in STILL_THERE:
            sys.modules[module.__name__] = import_module(STILL_THERE[canonical])


class KerasFinder(MetaPathFinder, Loader):
    """Finds the runtime's standalone Keras, unless the script's folder has its own; has to be the first finder."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of `keras`, whose import also registers its submodules."""
        if fullname != "keras" or PathFinder.find_spec(fullname, sys.path[:1]) is not None:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the new module by the runtime's."""
        home = import_module("tf2towers.runtime.tf1.standalone_keras")
        inside = [name for name in sys.modules if name.startswith(f"{home.__name__}.")]
        sys.modules.update({"keras" + name.removeprefix(home.__name__): sys.modules[name] for name in inside})
        sys.modules["keras"] = home


class Tensorflow1(ModuleType):
    """`tf.compat.v1` under the name `tensorflow`, with its packages (`tensorflow.python`, `.contrib`)."""

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
        raise NoStandInError(f"tf.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Keeps imported modules here; sets any other attribute on `tf.compat.v1`, for TensorFlow to see."""
        if isinstance(value, ModuleType) or name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self._v1, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._v1)})


def modules_by_name(real: Any) -> dict[str, ModuleType]:
    """TF1's modules by the names under which scripts import them: 'tensorflow.nn' is `tf.compat.v1.nn`.

    Otherwise Python would search TensorFlow 2's folder, or make a second copy of `tensorflow.compat.v1`.
    """
    v1 = real.compat.v1
    found: dict[str, ModuleType] = {"tensorflow.compat": real.compat, "tensorflow.compat.v1": v1}
    inside = v1.nn.__name__[: -len("nn")]  # v1 has another name with tf_keras
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
    """Adds the names of TF1 that the tables know and that `tf.compat.v1` and `tensorflow.python` lack.

    Names that TensorFlow has are kept, so that `tf.layers` comes from `tf_keras` where that is in use.
    """
    if not _has(objects.v1, "estimator"):
        objects.v1.estimator = StandIn("tf.estimator", objects)
    for canonical in _names():
        parent, _, name = canonical.rpartition(".")
        module = _module(objects, parent)
        if module is None or isinstance(module, StandIn) or (_has(module, name) and not _is_layer(canonical)):
            continue
        try:
            setattr(module, name, objects.find_object(canonical))
        except NoStandInError:
            continue


def take_old_arguments(objects: Objects) -> None:
    """Lets functions and classes that TensorFlow still has take the orders and keywords of old releases, too."""
    for canonical in sorted({*argument_orders(), *keyword_renames()}):
        parent, _, name = canonical.rpartition(".")
        if parent.startswith("tf.contrib"):  # `Objects` has wrapped the substitutes
            continue
        module = _module(objects, parent)
        if module is None or isinstance(module, StandIn) or not _has(module, name):
            continue
        found = getattr(module, name)
        if isinstance(found, type):
            maker = "__new__" if issubclass(found, tuple) else "__init__"
            setattr(found, maker, in_old_order(canonical, getattr(found, maker)))
        else:
            setattr(module, name, in_old_order(canonical, found))


def _is_layer(canonical: str) -> bool:
    """True if a name is a private one of a layer or cell: TensorFlow 2 has other code there, which needs Keras 2."""
    return canonical.startswith(("tf.python.layers.", "tf.python.ops.rnn_cell"))


def _names() -> list[str]:
    """The names outside tf.contrib and tf.examples to add: renamed ones, those of the runtime, and private ones."""
    return [
        row.name
        for row in symbol_table().values()
        if (row.kind == "runtime" and not is_for_sessions(row.name))
        or is_of_old_release(row.name)
        or row.public
        if not row.name.startswith(("tf.contrib.", "tf.examples."))
    ]


def _module(objects: Objects, canonical: str) -> Any:
    """TensorFlow 2's module for a module of TF1; where that was removed, a new stand-in."""
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
    """True if a module works; the loaders of `tf.layers` and `tf.nn.rnn_cell` do not when they would load Keras 3."""
    probe = {"tf.layers": "dense", "tf.nn.rnn_cell": "RNNCell"}.get(canonical)
    return probe is None or isinstance(module, StandIn) or _has(module, probe)


def _has(module: Any, name: str) -> bool:
    try:
        getattr(module, name)
    except (AttributeError, ImportError):
        return False
    return True
