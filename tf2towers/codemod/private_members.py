"""Private members of TensorFlow 1's classes that the runtime's classes lack, where a script's subclass reads them.

What the runtime's own classes have is read from their source; TensorFlow is not imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import libcst as cst

from tf2towers.codemod.nodes import is_name, walk
from tf2towers.codemod.program import File
from tf2towers.codemod.symbols import RUNTIME, find_replacement

_PACKAGE = Path(__file__).parents[1]
#: members of layers and cells, which tf_keras has from TensorFlow 1
_OF_LAYERS = frozenset({
    "_add_inbound_node", "_activation", "_base_name", "_bias", "_bias_initializer", "_cell", "_current_scope", "_dtype",
    "_forget_bias", "_graph", "_init_set_name", "_kernel", "_kernel_initializer", "_keras_style", "_losses", "_name",
    "_non_trainable_weights", "_num_proj", "_num_units", "_reuse", "_rnn_get_variable", "_scope", "_set_scope",
    "_state_is_tuple", "_trainable", "_trainable_weights", "_updates",
})  # fmt: skip


def lost_members(file: File, own: frozenset[str]) -> Iterator[tuple[cst.Attribute, str]]:
    """Reads of such members through `self`, and the class that had them; `own` are the program's own attributes."""
    for kind in file.all(cst.ClassDef):
        for base in kind.bases:
            canonical = file.canonical(base.value)
            if canonical is None or not canonical.startswith("tf."):
                continue
            found = find_replacement(canonical).runtime
            if found is None or not found.module.startswith(f"{RUNTIME}.tf1."):
                continue
            members = members_of(found.module, found.name)
            if members is None:
                continue
            for node in walk(kind):
                if isinstance(node, cst.Attribute) and is_name(node.value) and node.value.value == "self":
                    name = node.attr.value
                    is_private = name.startswith("_") and not name.startswith("__")
                    if is_private and file.is_read(node) and name not in members | own | _OF_LAYERS:
                        yield node, canonical


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of one of the runtime's modules, by name."""
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    files = sorted(place.glob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    return {
        node.name: node
        for file in files
        if file.is_file()
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }


@cache
def members_of(module: str, name: str) -> frozenset[str] | None:
    """The members of one of the runtime's classes, with those of its bases there; None for what is no such class."""
    kinds = _classes(module)
    if name not in kinds:
        return None
    found: set[str] = set()
    pending = [name]
    while pending:
        kind = kinds.get(pending.pop())
        if kind is not None:
            found |= {node.attr for node in ast.walk(kind) if isinstance(node, ast.Attribute)}
            found |= {node.name for node in ast.walk(kind) if isinstance(node, ast.FunctionDef)}
            found |= {node.id for node in ast.walk(kind) if isinstance(node, ast.Name)}
            pending += [base.id for base in kind.bases if isinstance(base, ast.Name)]
    return frozenset(found)
