"""The object that stands for a TF1 name: found in codemod/symbols.tsv, or an error that says what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any

from tf2towers.codemod.old_names import argument_orders
from tf2towers.codemod.symbols import (
    Found,
    RuntimeName,
    find_replacement,
    is_for_sessions,
    is_still_there,
    symbols,
)

#: modules of tf.contrib that TensorFlow still has elsewhere, whole
STILL_THERE = {"tf.contrib.framework.nest": "tensorflow.python.util.nest"}

#: objects that a migrated script has no use for: (module, name)
ONLY_HERE = {
    "tf.contrib.slim.prefetch_queue.prefetch_queue": (
        "tf2towers.runtime.slim.prefetch_queue",
        "prefetch_queue",
    ),
    **{
        f"tf.contrib.slim.learning.{name}": ("tf2towers.runtime.slim.learning", name)
        for name in (
            "add_gradients_summaries",
            "clip_gradient_norms",
            "create_train_op",
            "multiply_gradients",
            "train_step",
        )
    },
    "tf.contrib.slim.learning.train": ("tf2towers.stand_ins.slim_loops", "train"),
    "tf.contrib.slim.evaluation.evaluate_once": ("tf2towers.stand_ins.slim_loops", "evaluate_once_by_slim"),
    "tf.contrib.slim.evaluation.evaluation_loop": ("tf2towers.stand_ins.slim_loops", "evaluation_loop"),
    "tf.contrib.training.evaluate_once": ("tf2towers.stand_ins.slim_loops", "evaluate_once"),
    "tf.contrib.training.evaluate_repeatedly": ("tf2towers.stand_ins.slim_loops", "evaluate_repeatedly"),
    "tf.contrib.staging.StagingArea": ("tensorflow.python.ops.data_flow_ops", "StagingArea"),
    "tf.contrib.slim.layers": ("tf2towers.runtime.slim", "layers"),
    "tf.contrib.slim.utils": ("tf2towers.runtime.slim", "utils"),
    "tf.contrib.layers.utils": ("tf2towers.runtime.slim", "utils"),
}


class NoStandInError(AttributeError):
    """A TF1 name that nothing stands for; the text names it."""

    def __init__(self, canonical: str) -> None:
        super().__init__(
            f"{canonical} is not in TensorFlow 2 and nothing stands in for it ({find_replacement(canonical).why})"
            + ". Record the original on a real TensorFlow 1.15: name its interpreter with --legacy-python"
        )


def uses_keras_2() -> bool:
    """Whether TensorFlow's Keras is tf_keras, so that `tf.layers` and the cells are its own (see `install`)."""
    return os.environ.get("TF_USE_LEGACY_KERAS") == "1"


class Objects:
    """Finds what a canonical TF1 name ('tf.contrib.slim.conv2d') stands for.

    Args:
        real: the module `tensorflow` as it is installed, not what scripts see.
    """

    def __init__(self, real: Any) -> None:
        self.real = real
        self.v1 = real.compat.v1
        self.has_keras_2 = uses_keras_2()

    def find_object(self, canonical: str) -> Any:
        """The object.

        Raises:
            NoStandInError: there is none.
        """
        for name in _spellings(canonical):
            if name in ONLY_HERE:
                module, attribute = ONLY_HERE[name]
                return getattr(import_module(module), attribute)
            found = find_replacement(name)
            try:
                if is_still_there(name) and (found.kind == "left" or is_for_sessions(name)):
                    return self._of_tensorflow(Found("v1", name))
                if found.runtime is not None:
                    return self._ours(found.runtime)
                if found.kind != "left":
                    return _in_old_order(name, self._of_tensorflow(found))
            except (AttributeError, ImportError):
                continue
        raise NoStandInError(canonical)

    @contextmanager
    def _tensorflow_2(self) -> Iterator[None]:
        """For modules of the runtime that are imported late, which speak TensorFlow 2."""
        seen = sys.modules["tensorflow"]
        sys.modules["tensorflow"] = self.real
        try:
            yield
        finally:
            sys.modules["tensorflow"] = seen

    def _ours(self, target: RuntimeName) -> Any:
        if self.has_keras_2 and target.module == "tf2towers.runtime.rnn":
            return self._cell(target)
        with self._tensorflow_2():
            return _attribute(import_module(target.module), target.name)

    def _cell(self, target: RuntimeName) -> Any:
        """TensorFlow's own cell or loop of this name, where it has one: the two kinds are not to be mixed."""
        for home in (self.v1.nn.rnn_cell, self.v1.nn):
            if hasattr(home, target.name):
                return getattr(home, target.name)
        return _attribute(import_module(target.module), target.name)

    def make_ready(self) -> None:
        """Imports what speaks TensorFlow 2, before scripts' TensorFlow 1 takes its name."""
        rows = (row for row in symbols().values() if row.kind == "runtime" and not is_for_sessions(row.name))
        modules = {row.target.partition(":")[0] for row in rows}
        for module in sorted(modules | {module for module, _ in ONLY_HERE.values()}):
            import_module(module)

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


def _in_old_order(canonical: str, function: Any) -> Any:
    """The function, with its arguments in the order of `deprecated_flipped_softmax_cross_entropy_with_logits`."""
    order, when, _ = argument_orders().get(canonical, ((), "", ""))
    if when != "any-positional":
        return function

    @wraps(function)
    def in_old_order(*arguments: Any, **options: Any) -> Any:
        return function(**dict(zip(order, arguments, strict=False)), **options)

    return in_old_order


def _attribute(value: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


def _spellings(canonical: str) -> list[str]:
    """The name, and its public form where it names a file: `tf.contrib.layers.python.layers.layers.conv2d`."""
    parts = canonical.split(".")
    if parts[:2] != ["tf", "contrib"] or "python" not in parts[3:-1]:
        return [canonical]
    package = parts[: parts.index("python")]
    homes = [package, [*package, parts[-2]]]
    if package[2] == "slim":
        homes.append(["tf", "contrib", "layers"])
    return [canonical, *(".".join([*home, parts[-1]]) for home in homes)]
