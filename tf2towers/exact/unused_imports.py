"""Imports of TensorFlow's private modules that nothing needs once the uses of their names are rewritten."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from tf2towers.exact.edits import Edit
from tf2towers.exact.file import File
from tf2towers.exact.removal import removed
from tf2towers.source.nodes import module_of


def unused_imports(file: File, edits: Sequence[Edit]) -> Iterator[Edit]:
    """The removal of each that these edits leave without a use; one that had none before stays."""
    for node in file.imports:
        if not isinstance(node, ast.ImportFrom) or not module_of(node).startswith("tensorflow.python."):
            continue
        if node not in file.tree.body or any(_overlaps(file, node, edit) for edit in edits):
            continue
        if all(_loses_its_uses(file, alias.asname or alias.name, edits) for alias in node.names):
            yield removed(file, node)


def _overlaps(file: File, node: ast.stmt, edit: Edit) -> bool:
    return edit.start < file.text.end(node) and edit.end > file.text.start(node)


def _loses_its_uses(file: File, name: str, edits: Sequence[Edit]) -> bool:
    """Whether each use of a name, of which there are some, is written anew without it."""
    uses = [node for node in file.all(ast.Name) if node.id == name]
    word = re.compile(rf"\b{re.escape(name)}\b(?!\.\w+ import)")
    written = len(word.findall(file.text.text)) - 1  # in texts and comments as well, where nobody knows
    if not uses or written != len(uses) or file.program.library_names.is_taken(file, name):
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
