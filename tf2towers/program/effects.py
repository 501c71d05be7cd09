"""What a statement does beside binding names: summaries made, collections filled, updates registered.

TF1 kept these in graph collections; `merge_all` or `get_collection` later reads what earlier statements put there. Each
collection is followed like a name, with '$' in front.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.functions import Functions

SUMMARIES, COLLECTIONS, PRINTS = "$summaries", "$collections", "$prints"
_SUMMARY_OPS = ("scalar", "histogram", "image", "audio", "text", "tensor_summary")
_OLD_SUMMARY_OPS = ("tf.scalar_summary", "tf.histogram_summary", "tf.image_summary", "tf.audio_summary")


@dataclass
class Effects:
    """Collections written and read by a piece of code, and the TensorFlow symbols it names or reaches by calls."""

    writes: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    symbols: set[str] = field(default_factory=set)


def effects_of(node: cst.CSTNode, names: Names, functions: Functions) -> Effects:
    """The effects of a statement, those of the local functions it calls included."""
    reader = _EffectReader(names, functions)
    node.visit(reader)
    return reader.effects


class _EffectReader(cst.CSTVisitor):
    def __init__(self, names: Names, functions: Functions) -> None:
        self._names = names
        self._functions = functions
        self.effects = Effects()

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        self._meet(self._names.canonical(node))
        return True

    def visit_Name(self, node: cst.Name) -> None:
        canonical = self._names.canonical(node)
        if canonical is not None and "." in canonical:
            self._meet(canonical)

    def visit_Call(self, node: cst.Call) -> bool:
        canonical = self._names.canonical(node.func)
        if canonical is None:
            return True
        self._meet(canonical)
        summary = self._functions.summary(canonical)
        if summary is not None:
            for symbol in summary.symbols:
                self._meet(symbol)
            if "updates_collections=None" in summary.symbols:
                self.effects.symbols.add("updates_collections=None")
        return True

    def _meet(self, symbol: str | None) -> None:
        if symbol is None or not symbol.startswith("tf.") or symbol in self.effects.symbols:
            return
        self.effects.symbols.add(symbol)
        parent, _, last = symbol.rpartition(".")
        if (
            parent in ("tf.summary", "tf.contrib.summary") and last in _SUMMARY_OPS
        ) or symbol in _OLD_SUMMARY_OPS:
            self.effects.writes.add(SUMMARIES)
        elif last in ("merge_all", "merge_all_summaries") or symbol == "tf.GraphKeys.SUMMARIES":
            self.effects.reads.add(SUMMARIES)
        elif last in ("add_to_collection", "add_to_collections", "add_loss") or "regularizer" in last:
            self.effects.writes.add(COLLECTIONS)
        elif last in ("get_collection", "get_collection_ref", "get_total_loss", "get_losses") or (
            last in ("get_regularization_losses", "get_regularization_loss")
        ):
            self.effects.reads.add(COLLECTIONS)
        if parent.endswith(".losses") and last not in ("get_total_loss", "get_losses"):
            self.effects.writes.add(COLLECTIONS)
