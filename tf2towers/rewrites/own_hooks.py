"""Hooks of the script's own that the runtime can run: they ask for tensors, look at the values, and touch no graph."""

from __future__ import annotations

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all

BASE, ARGS = "tf.train.SessionRunHook", "tf.train.SessionRunArgs"
_LOGGING = "tf.logging."


def own_hooks(module: cst.Module, names: Names) -> list[cst.ClassDef]:
    """The classes on `tf.train.SessionRunHook` that use nothing of TensorFlow but its logging, and no session."""
    return [
        one
        for one in find_all(module, cst.ClassDef)
        if len(one.bases) == 1 and names.canonical(one.bases[0].value) == BASE and _stands_alone(one, names)
    ]


def _stands_alone(definition: cst.ClassDef, names: Names) -> bool:
    for attribute in find_all(definition.body, cst.Attribute):
        if attribute.attr.value in ("session", "original_args", "graph"):
            return False
        canonical = names.canonical(attribute) or ""
        known = canonical in (ARGS, BASE) or canonical.startswith(_LOGGING)
        if canonical.startswith("tf.") and not known and not _is_inner(canonical):
            return False
    return True


def _is_inner(canonical: str) -> bool:
    """The parts of the known names: `tf.train`, `tf.logging`."""
    return any(known.startswith(canonical + ".") for known in (ARGS, BASE, _LOGGING))
