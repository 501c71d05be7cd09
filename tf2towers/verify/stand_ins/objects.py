"""Finds the object that replaces a TF1 name in codemod/symbols.tsv, or raises an error that says what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any

from tf2towers.codemod.symbols import Found, RuntimeName, find_replacement, is_for_sessions, is_still_there
from tf2towers.codemod.tables import argument_orders, keyword_renames

#: whole modules of tf.contrib that TensorFlow still has elsewhere
STILL_THERE = {"tf.contrib.framework.nest": "tensorflow.python.util.nest"}


class NoStandInError(AttributeError):
    """A TF1 name without a substitute; the message names it."""

    def __init__(self, canonical: str) -> None:
        super().__init__(
            f"{canonical} is not in TensorFlow 2, and has no substitute here ({find_replacement(canonical).why})"
            + ". Record the original on a real TensorFlow 1.15: name its interpreter with --legacy-python"
        )


class Objects:
    """Finds the object that replaces a canonical TF1 name ('tf.contrib.slim.conv2d').

    Args:
        real: the installed module `tensorflow`, not the one that scripts see.
    """

    def __init__(self, real: Any) -> None:
        self.real = real
        self.v1 = real.compat.v1

    def find_object(self, canonical: str) -> Any:
        """Returns the object that replaces the name.

        Raises:
            NoStandInError: the name has no substitute.
        """
        for name in _spellings(canonical):
            found = find_replacement(name)
            try:
                is_there = is_still_there(name) or name.startswith(("tf.keras.", "tf.distribute."))
                if is_there and (found.kind == "left" or is_for_sessions(name)):
                    return self._of_tensorflow(Found("v1", name))
                if found.runtime is not None:
                    return self._of_runtime(found.runtime)
                if found.kind != "left":
                    return in_old_order(name, self._of_tensorflow(found))
            except (AttributeError, ImportError):
                continue
        raise NoStandInError(canonical)

    def is_of_runtime(self, canonical: str) -> bool:
        """True if a function or class of the runtime replaces the name; False for a module, which is a stand-in."""
        target = find_replacement(canonical).runtime
        if target is None:
            return False
        with self._tensorflow_2():
            parent = import_module(target.module)
        name = f"{target.module}.{target.name}"
        return not hasattr(parent, "__path__") or PathFinder.find_spec(name, parent.__path__) is None

    @contextmanager
    def _tensorflow_2(self) -> Iterator[None]:
        """A context in which runtime modules, which use TensorFlow 2, can be imported late."""
        seen = sys.modules["tensorflow"]
        sys.modules["tensorflow"] = self.real
        try:
            yield
        finally:
            sys.modules["tensorflow"] = seen

    def _of_runtime(self, target: RuntimeName) -> Any:
        with self._tensorflow_2():
            return _attribute(import_module(target.module), target.name)

    def _of_tensorflow(self, found: Found) -> Any:
        module, _, name = found.target.rpartition(".")
        if found.kind == "private":
            return getattr(import_module(module), name)
        _, _, rest = found.target.partition(".")
        for root in (self.v1, self.real) if found.kind == "v1" else (self.real,):
            try:
                return _attribute(root, rest)
            except AttributeError as problem:
                missing = problem
        raise missing


def in_old_order(canonical: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; called in the order, or by the keywords, of an old release, it takes that, as `migrate` does."""
    order, when, _ = argument_orders().get(canonical, ((), "", ""))
    renamed = keyword_renames().get(canonical, {})
    if not order and not renamed:
        return function

    @wraps(function)
    def in_old_order(*given: Any, **options: Any) -> Any:
        kept = _places_kept(when, given, len(order))
        options.update(zip(order[kept:], given[kept:], strict=False))
        named = {renamed.get(name, name): value for name, value in options.items()}
        named.pop("", None)  # without effect now
        return function(*given[:kept], **named)

    return in_old_order


def _places_kept(when: str, given: tuple[Any, ...], most: int) -> int:
    """How many arguments keep their places; those after them are of the old order (`argument_orders`)."""
    if when == "any-positional":
        return 0
    if when == "third-positional":
        return min(2, len(given))
    if when == "last-positional" and len(given) == most:
        return most - 1
    if when in ("first-is-int", "int-or-list-second") and len(given) > 1:
        lists = [isinstance(value, list | tuple) for value in given[:2]]
        if isinstance(given[0], int) or (when == "int-or-list-second" and lists == [False, True]):
            return 0
    return len(given)


def _attribute(value: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


def _spellings(canonical: str) -> list[str]:
    """The name, and for a private one its public forms: `tf.contrib.layers.python.layers.layers.conv2d`."""
    parts = canonical.split(".")
    if parts[:2] != ["tf", "contrib"] or "python" not in parts[3:-1]:
        return [canonical]
    package = parts[: parts.index("python")]
    homes = [package, [*package, parts[-2]]]
    if package[2] == "slim":
        homes.append(["tf", "contrib", "layers"])
    return [canonical, *(".".join([*home, parts[-1]]) for home in homes)]
