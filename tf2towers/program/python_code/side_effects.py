"""What a statement does beside binding names: summaries made, collections filled, updates registered.

TF1 kept these in graph collections; `merge_all` or `get_collection` later reads what earlier statements put there. Each
collection is followed like a name, with '$' in front.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.names.old_names import is_of_summaries, todays_name
from tf2towers.names.symbols import Names
from tf2towers.program.python_code.function_summaries import Functions

SUMMARIES, COLLECTIONS, CHECKS = "$summaries", "$collections", "$checks"


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
        return True

    def _meet(self, symbol: str | None) -> None:
        if symbol is None or not symbol.startswith("tf."):
            return
        symbol = todays_name(symbol)
        if symbol in self.effects.symbols:
            return
        self.effects.symbols.add(symbol)
        last = symbol.rpartition(".")[2]
        if symbol in ("tf.summary.merge_all", "tf.GraphKeys.SUMMARIES"):
            self.effects.reads.add(SUMMARIES)
        elif is_of_summaries(symbol) and symbol not in ("tf.summary.merge", "tf.summary.FileWriter"):
            self.effects.writes.add(SUMMARIES)
        elif symbol == "tf.add_to_collection" or "regularizer" in last:
            self.effects.writes.add(COLLECTIONS)
        elif symbol == "tf.get_collection":
            self.effects.reads.add(COLLECTIONS)
