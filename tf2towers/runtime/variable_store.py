"""TF1 variables by name, made once: what `tf.get_variable` and its graph did for towers.

In TF1 the graph's variable store made a variable on the first `get_variable` of a name and `reuse` handed the same one
to the next tower. In TF2 the replica function is traced once a replica, so the store lives here instead: it makes a
mirrored variable the first time a name is asked for, whoever asks, and returns it ever after.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import tensorflow as tf

from tf2towers.runtime import collections as graph_collections
from tf2towers.runtime.initial_values import Drawing, initial_value, outside_every_graph
from tf2towers.runtime.printing import print_as_numpy1
from tf2towers.runtime.slot_names import slot_name

_v1 = tf.compat.v1
_active = threading.local()
_USED = "tf2towers/used"  # a collection of the variables that a tower has asked for


@dataclass
class _Entry:
    """One variable of the store and how it came to be."""

    variable: Any
    trainable: bool
    made_by_tower: bool  # made while a replica function was traced, not in the plain Python before it
    statistic: bool = False  # a non-trainable variable of the model, such as a batch-norm moving mean
    collections: tuple[str, ...] = (_v1.GraphKeys.GLOBAL_VARIABLES,)

    def is_in(self, collection: str) -> bool:
        """Whether `tf.get_collection(collection)` has the variable."""
        return collection in self.collections or (
            self.trainable and collection == _v1.GraphKeys.TRAINABLE_VARIABLES
        )


def current_store() -> VariableStore:
    """The store whose `scope()` this thread is in.

    Raises:
        RuntimeError: outside any `VariableStore.scope()`.
    """
    stack = getattr(_active, "stack", None)
    if not stack:
        raise RuntimeError("not inside VariableStore.scope(): decorate the function with @variables.scope()")
    store: VariableStore = stack[-1]
    return store


def updates_run() -> bool:
    """Whether the function being traced updates moving averages: see `VariableStore.scope`."""
    return bool(getattr(_active, "update", True))


class VariableStore:
    """Variables under their full TF1 names, mirrored across the towers of `strategy`.

    Args:
        strategy: where the variables live; the default is the strategy in force where the store is made.

    `tf.compat.v1.get_variable` and `tf.Variable` inside `scope()` go through the store. `reuse` needs no care: a name
    that exists is returned, one that does not is made (as `tf.compat.v1.AUTO_REUSE`).
    """

    def __init__(self, strategy: Any = None) -> None:
        print_as_numpy1()  # what a step gives is kept in lists, and printed
        self.strategy = strategy or tf.distribute.get_strategy()
        self.optimizers: list[tuple[Any, str]] = []  # those that have applied gradients, and where
        self._entries: dict[str, _Entry] = {}
        self._pending: dict[str, tuple[Any, bool]] = {}
        self._restored: list[tuple[frozenset[str], str, bool]] = []
        self._drawing = Drawing()
        self._tracing = 0

    # -- reading -------------------------------------------------------------------------------------------------

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> Any:
        """The variable called `name` (its TF1 name, without ':0').

        Raises:
            KeyError: no such variable has been made yet.
        """
        return self._entries[name].variable

    def names(self) -> list[str]:
        """Every name, in the order of creation."""
        return list(self._entries)

    def global_variables(self) -> list[Any]:
        """Every variable but the local ones, in the order of creation: `tf.global_variables()`."""
        return self.collection(_v1.GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Any]:
        """The trainable ones, in the order of creation: `tf.trainable_variables()`."""
        return self.collection(_v1.GraphKeys.TRAINABLE_VARIABLES)

    def collection(self, key: str, scope: str | None = None) -> list[Any]:
        """The variables made for a graph collection (`collections=` of `get_variable`): `tf.get_collection(key)`."""
        return [
            entry.variable
            for name, entry in self._entries.items()
            if entry.is_in(key) and (scope is None or name.startswith(scope))
        ]

    def name_of(self, variable: Any) -> str:
        """The TF1 name of `variable`.

        Raises:
            KeyError: the variable is not in this store.
        """
        for name, entry in self._entries.items():
            if entry.variable is variable:
                return name
        raise KeyError(f"{variable!r} is not in this store")

    # -- making --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def scope(self, update: bool = True) -> Iterator[VariableStore]:
        """Sends `tf.compat.v1.get_variable` to this store; also a decorator for the replica function.

        Args:
            update: False for a function that evaluates and does not train: moving averages and batch-norm statistics
                then keep their values, as in a TF1 `sess.run` that did not fetch their updates.

        Entered from outside, the graph's string-named collections start empty and are put back afterwards, so that a
        tower never sees another tower's losses or summaries.
        """
        stack = _active.__dict__.setdefault("stack", [])
        traced = not tf.executing_eagerly()
        # steps may be made and run inside the eager scope that made their variables
        within = _active.__dict__.setdefault("traced", []) if traced else stack
        outermost = self not in within
        stack.append(self)
        if traced:
            within.append(self)
        if outermost:
            _active.values_before = {}
            _active.update = update
            _active.graph = _v1.get_default_graph()
        isolate = graph_collections.set_aside() if outermost and traced else contextlib.nullcontext()
        scope = _v1.variable_scope(
            _v1.get_variable_scope(), custom_getter=self._get, reuse=_v1.AUTO_REUSE, use_resource=True
        )
        creator = contextlib.nullcontext() if traced else tf.variable_creator_scope(self._adopt)
        self._tracing += traced
        try:
            with isolate, scope, creator:
                if outermost and traced:
                    self._register_earlier_variables()
                yield self
                if outermost and traced and not update:
                    self.restore_statistics()
        finally:
            self._tracing -= traced
            stack.pop()
            if traced:
                within.pop()

    def make(
        self, name: str, value: Callable[[], Any], trainable: bool, mirrored: bool = True, **options: Any
    ) -> Any:
        """Makes the variable `name` (or returns it), with `value()` as its initial value.

        A random op in `value` with a seed draws what it drew in a TF1 graph. With `mirrored=False` the variable is this
        tower's alone, on its device.
        """
        if name in self._entries:
            return self._entries[name].variable
        traced = not tf.executing_eagerly()
        pending = self.take_pending(name, trainable)
        context = tf.distribute.get_replica_context()
        device = None if mirrored or context is None else str(context.devices[0][0])

        def build() -> Any:
            initial = self._drawing.compute(value) if pending is None else pending
            with self.strategy.scope() if mirrored else tf.device(device):
                return tf.Variable(initial, trainable=trainable, name=name, **options)

        variable = outside_every_graph(build)
        self._entries[name] = _Entry(variable, trainable, made_by_tower=traced)
        return variable

    def give_later(self, name: str, value: Any, only_trainable: bool = False) -> None:
        """Keeps a checkpoint's `value` for the variable `name`, to start with when it is made."""
        self._pending[name] = (value, only_trainable)

    def restored_from(self, path: str, names: Iterable[str], only_trainable: bool = False) -> None:
        """Notes that a checkpoint of all variables was restored: what the towers' step makes later has to be in it.

        TF1 had all variables before, and refused a checkpoint without one of them.
        """
        self._restored.append((frozenset(names), path, only_trainable))

    def waiting(self, only_trainable: bool) -> dict[str, Any]:
        """What a checkpoint of all variables, or of the trainable ones, gave, and no step has made yet."""
        return {name: value for name, (value, only) in self._pending.items() if only == only_trainable}

    def _check_restored(self, name: str, trainable: bool, collections: Any) -> None:
        is_global = collections is None or _v1.GraphKeys.GLOBAL_VARIABLES in collections
        for names, path, only_trainable in self._restored:
            if name not in names and (trainable if only_trainable else is_global):
                raise ValueError(f"{name!r} is not in checkpoint {path!r}")

    def take_pending(self, name: str, trainable: bool) -> Any:
        """The value kept for the variable `name`, or None; it is kept no longer."""
        value, only_trainable = self._pending.pop(name, (None, False))
        return None if only_trainable and not trainable else value

    def _get(self, getter: Callable[..., Any], name: str, **options: Any) -> Any:
        """The custom getter: `getter` is never called, the graph's own store stays empty."""
        if name.endswith("/"):  # an optimizer's slot is asked for as 'conv1/weights/Momentum/'
            name = slot_name(name.rstrip("/"), self._entries)
        if name not in self._entries:
            self._make_from_get_variable(name, options)
        entry = self._entries[name]
        if options.get("shape") is not None:
            _check_same(name, entry.variable, options)
        if not tf.executing_eagerly():
            with (
                _active.graph.as_default()
            ):  # not in a loop's body: TF1 makes variables and their penalties outside
                self._use(name, entry, options.get("regularizer"))
        return entry.variable

    def _use(self, name: str, entry: _Entry, regularizer: Any) -> None:
        """What the first `get_variable` of a name in a tower brings with it."""
        if not self._register(entry):
            return
        if entry.statistic:
            _active.values_before[name] = entry.variable.read_value()
        if regularizer is not None:
            with tf.name_scope(name + "/Regularizer/"):
                penalty = regularizer(entry.variable)
            if penalty is not None:
                _v1.add_to_collection(_v1.GraphKeys.REGULARIZATION_LOSSES, penalty)

    def _make_from_get_variable(self, name: str, options: dict[str, Any]) -> None:
        dtype = tf.as_dtype(options.get("dtype") or tf.float32).base_dtype
        initializer = options.get("initializer")
        if initializer is None:  # as tf.compat.v1.get_variable chooses
            initializer = _v1.glorot_uniform_initializer() if dtype.is_floating else _v1.zeros_initializer()
        trainable = options.get("trainable")
        trainable = True if trainable is None else bool(trainable)
        self._check_restored(name, trainable, options.get("collections"))
        value = initial_value(name, initializer, options.get("shape"), dtype)
        extra = {"constraint": options["constraint"]} if options.get("constraint") is not None else {}
        self.make(name, value, trainable, **extra)
        entry = self._entries[name]
        entry.statistic = entry.made_by_tower and not trainable
        if options.get("collections") is not None:
            entry.collections = tuple(options["collections"])

    def _adopt(self, next_creator: Callable[..., Any], **options: Any) -> Any:
        """Takes a plain `tf.Variable` made in `scope()` into the store, under the name TF1 would have given it."""
        if callable(options.get("initial_value")) and not self._tracing:
            options["initial_value"] = self._drawing.compute(options["initial_value"])
        if (
            self._tracing
        ):  # made on the way by a function, such as an optimizer's slots: found through their owner
            return next_creator(**options)
        asked, scope = options.get("name") or "Variable", tf.get_current_name_scope()
        whole = f"{scope}/{asked}" if scope else asked
        options["name"] = (
            asked + self._free(whole)[len(whole) :]
        )  # its own too: an optimizer calls its slots by it
        variable = next_creator(**options)
        name = self._free(variable.name.split(":")[0])
        self._entries[name] = _Entry(variable, bool(variable.trainable), made_by_tower=False)
        return variable

    def _free(self, name: str) -> str:
        """The name, with a number behind it where it is taken."""
        free, count = name, 0
        while free in self._entries:
            count += 1
            free = f"{name}_{count}"
        return free

    # -- collections of the function being traced ------------------------------------------------------------------

    def _register_earlier_variables(self) -> None:
        for entry in self._entries.values():
            if not entry.made_by_tower:
                self._register(entry)

    def _register(self, entry: _Entry) -> bool:
        """Adds the variable to the traced graph's collections; False when it is there already."""
        used = _v1.get_collection_ref(_USED)
        if any(entry.variable is other for other in used):
            return False
        used.append(entry.variable)
        _take_name(_v1.get_default_graph(), entry.variable.name.partition(":")[0])
        for name in entry.collections:
            _v1.add_to_collection(name, entry.variable)
        if entry.trainable and _v1.GraphKeys.TRAINABLE_VARIABLES not in entry.collections:
            _v1.add_to_collection(_v1.GraphKeys.TRAINABLE_VARIABLES, entry.variable)
        return True

    def statistics(self) -> list[Any]:
        """The model's non-trainable variables, such as batch norm's moving means: the towers' UPDATE_OPS targets."""
        return [entry.variable for entry in self._entries.values() if entry.statistic]

    def restore_statistics(self) -> None:
        """Undoes the updates that the function in force has made to the statistics."""
        for name, value in _active.values_before.items():
            self[name].assign(value)


_names_taken: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def _take_name(graph: Any, name: str) -> None:
    """Takes a variable's name in a graph, as the variable has it in TF1's: a summary of that name gets the next one."""
    taken = _names_taken.setdefault(graph, set())  # by all towers that are traced into it
    if name not in taken:
        taken.add(name)
        with graph.name_scope(None):
            graph.unique_name(name)


def _check_same(name: str, variable: Any, options: dict[str, Any]) -> None:
    """TF1's errors for a name asked for in two shapes or types; the first may have come from a checkpoint."""
    shape, dtype = (
        tf.TensorShape(options["shape"]),
        tf.as_dtype(options.get("dtype") or tf.float32).base_dtype,
    )
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(f"variable {name!r} has shape {variable.shape}, and is asked for with {shape}")
    if variable.dtype.base_dtype != dtype:
        raise ValueError(f"variable {name!r} is {variable.dtype.name}, and is asked for as {dtype.name}")
