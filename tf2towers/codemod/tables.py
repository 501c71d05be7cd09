"""What the tables kept by hand say of old calls and names. Without LibCST: `verify` needs it beside TensorFlow."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from tf2towers.codemod.symbols import RUNTIME, read_table
from tf2towers.source.python2.tables import read_words


@cache
def argument_orders() -> dict[str, tuple[tuple[str, ...], str, str]]:
    """Function -> its arguments in the old order, when a call is known to use that, and what changed."""
    return {
        name: (tuple(order.split(",")), when, note)
        for name, order, when, note, _ in read_table("data/argument_orders.tsv")
    }


@cache
def keyword_renames() -> dict[str, dict[str, str]]:
    """Function that renamed some keywords -> old keyword, where TF 2.21 no longer takes it, and its new name."""
    found: dict[str, dict[str, str]] = {}
    for name, old, new, accepted in read_table("data/keywords.tsv"):
        found.setdefault(name, {}).update({old: new} if accepted != "yes" else {})
    return found


@cache
def names_of_numpy() -> frozenset[str]:
    """The names that NumPy 1.18 and TensorFlow 1.15 both have, but for those of modules."""
    return frozenset(name for _, names in read_table("data/numpy_names.tsv") for name in names.split())


class LibraryChange(NamedTuple):
    """What became of a name of another library.

    Attributes:
        kind: 'name': it has another name, in the same module or in another one (`builtins.float` for `numpy.float`).
            'module': it was a module, which stands elsewhere. 'gone': nothing certainly replaces it.
        target: that name or module; for 'gone', what a person would write, where that is known.
    """

    kind: Literal["name", "module", "gone"]
    target: str = ""

    @property
    def home(self) -> str:
        """The module that has the name today."""
        return self.target.rpartition(".")[0]

    @property
    def last(self) -> str:
        """The name in that module."""
        return self.target.rpartition(".")[2]

    @property
    def is_in_runtime(self) -> bool:
        """True if the runtime has what the library has lost."""
        return self.target.startswith(f"{RUNTIME}.")


@cache
def library_changes() -> dict[str, LibraryChange]:
    """Dotted name (`numpy.float`) -> what became of it. A module that is gone has one row, for all that was in it."""
    found = {module: LibraryChange("gone") for module in read_words("modules")}
    for name, *rest in read_table("libraries.tsv"):
        found[name] = LibraryChange(*rest)  # type: ignore[arg-type]
    return found
