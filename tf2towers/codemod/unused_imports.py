"""Imports of TensorFlow's private modules that nothing needs once the uses of their names are rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from tf2towers.codemod.edits import Edit
from tf2towers.codemod.file import File
from tf2towers.codemod.nodes import Statement, aliases, bound_by, module_of
from tf2towers.codemod.removal import removed
from tf2towers.codemod.taken_names import is_taken


def unused_imports(file: File, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The removal of each that these edits leave without a use; one that had none before stays."""
    for node in file.imports:
        if not isinstance(node, cst.ImportFrom) or not module_of(node).startswith("tensorflow.python."):
            continue
        if node not in file.body or any(_overlaps(file, node, edit) for edit in edits):
            continue
        if all(_loses_its_uses(file, bound_by(alias), edits) for alias in aliases(node)):
            yield removed(file, node)


def _overlaps(file: File, node: Statement, edit: Edit) -> bool:
    return edit.start < file.text.end(node) and edit.end > file.text.start(node)


def _loses_its_uses(file: File, name: str, edits: Sequence[Edit]) -> bool:
    """Whether each use of a name, of which there are some, is written anew without it."""
    uses = [node for node in file.all(cst.Name) if node.value == name]
    word = re.compile(rf"\b{re.escape(name)}\b(?!\.\w+ import)")
    written = len(word.findall(file.text.text)) - 1  # in texts and comments as well, where nobody knows
    if not uses or written != len(uses) or is_taken(file, name):
        return False
    return all(
        any(
            edit.start <= file.text.start(use)
            and file.text.end(use) <= edit.end
            and not word.search(edit.text)
            for edit in edits
        )
        for use in uses
    )
