"""A last proof on the rewritten text: it compiles, and no name lost its definition (T2T408)."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator


def lost_names(before: str, after: str) -> list[str]:
    """Names that the new text reads and nothing defines, and that the old text had a definition for.

    Raises:
        SyntaxError: the new text does not compile.
    """
    compile(after, "script", "exec", dont_inherit=True)
    return sorted(_undefined(after) - _undefined(before))


def _undefined(text: str) -> set[str]:
    top = symtable.symtable(text, "script", "exec")
    known = {
        symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    known |= {child.get_name() for child in top.get_children()}
    for table in _tables(top):
        known |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_declared_global() and symbol.is_assigned()
        }
    known |= set(dir(builtins)) | {"__file__", "__name__", "__doc__"}
    found: set[str] = set()
    for table in _tables(top):
        for symbol in table.get_symbols():
            if (
                symbol.is_referenced()
                and (symbol.is_global() or table is top)
                and symbol.get_name() not in known
            ):
                found.add(symbol.get_name())
    return found


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)
