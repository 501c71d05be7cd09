"""`Decided`: what rules decide for a file beside the changes of its nodes: notes, new imports, new names."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.names import Names, first_name, imports_made_by
from tf2towers.codemod.symbols import PARTS, RUNTIME, Found, find_replacement, import_home
from tf2towers.codemod.tree import Text
from tf2towers.report.result import FindingKind


@dataclass(frozen=True)
class Note:
    """A message to the user about a location."""

    code: str
    message: str
    line: int
    column: int
    kind: FindingKind
    todo: str = ""


class Decided:
    """What is decided for one file.

    Args:
        names: TensorFlow's names in it.
        text: its text.
        names_by_stars: names that other files of the program take from each other by a star.
        is_unreached: whether no run reaches a node.
    """

    def __init__(
        self,
        names: Names,
        text: Text,
        names_by_stars: Callable[[], frozenset[str]],
        is_unreached: Callable[[cst.CSTNode], bool],
    ) -> None:
        self.names, self.text = names, text
        self._names_by_stars, self._is_unreached = names_by_stars, is_unreached
        self.notes: list[Note] = []
        #: imports to add: (module, name) -> the name that it gets in this file
        self.wanted: dict[tuple[str, str], str] = {}
        #: files in C or Cython that it imports
        self.compiled: list[Path] = []
        #: lines to write after the imports
        self.opening: str | None = None
        #: new imports have to precede the statement with this index in `body`
        self.imports_before: int | None = None
        self._reserved: set[str] = set()

    def fresh(self, name: str, taken: Set[str] = frozenset()) -> str:
        """`name`, or `name_2` and so on where the file has it already, or it is taken."""
        candidate, count = name, 1
        known = self.names.identifiers | self._reserved | self._names_by_stars() | taken
        while candidate in known:
            count += 1
            candidate = f"{name}_{count}"
        return candidate

    def open_with(self, line: str, *, first: bool = False) -> None:
        """Adds a line to those that are written after the imports."""
        known = [self.opening] if self.opening is not None else []
        self.opening = self.text.newline.join([line, *known] if first else [*known, line])

    def import_before(self, place: int) -> None:
        """Makes new imports precede the statement with an index in `body`."""
        self.imports_before = place if self.imports_before is None else min(place, self.imports_before)

    def bind(self, bound: str, module: str, name: str) -> None:
        """Writes `bound = ...`: binds a name to something of the runtime, after the imports and before its first use.

        So one import of the runtime is enough: `vgg = slim.nets.vgg` follows it.
        """
        self.open_with(f"{bound} = {self.runtime_text(module, name)}")
        names = {node for node in self.names.tree.all(cst.Name) if node.value == bound}
        for place, statement in enumerate(self.names.tree.body):
            if not isinstance(statement, nodes.Import) and not names.isdisjoint(nodes.walk(statement)):
                self.import_before(place)
                break

    def need(self, name: str, module: str = RUNTIME) -> str:
        """Adds `from module import name` to the file's imports; returns the name to write for it."""
        key = (import_home(module), name)
        if key not in self.wanted:
            own = self.fresh(name)
            if own != name:  # `tf1_layers`, beside the script's own `layers`
                own = self.fresh(f"{module.rpartition('.')[2]}_{name}")
            bound = self._imported_as(name, key[0]) or own
            self._reserved.add(bound)
            self.wanted[key] = bound
        return self.wanted[key]

    def _imported_as(self, name: str, module: str) -> str | None:
        """The name that an import at the file's top level gives it, or will give it once the imports are rewritten."""
        for statement in self.names.tree.body:
            if isinstance(statement, nodes.Import):
                for made in imports_made_by(self.names.keeps_plain, statement):
                    if (made.module, made.name) == (module, name) and not self.is_left_through(made.bound):
                        if self.names.meanings.imported_meaning(
                            made.bound
                        ) and not self.names.meanings.is_bound_inside(made.bound):
                            return made.bound
        return None

    def is_left_through(self, bound: str) -> bool:
        """True if a symbol that nothing replaces is used through a module of this name: its import then stays as it is.

        A use that no run reaches does not count: the import alone would stop the program.
        """
        return any(
            isinstance(symbol, cst.Attribute)
            and first_name(symbol).value == bound
            and find_replacement(canonical).kind == "left"
            and not self._is_unreached(symbol)
            for symbol, canonical in self.names.spelled_symbols
        )

    def name_of(self, found: Found) -> str:
        """The text for a symbol's replacement, where TensorFlow's name in the script does not lead to it."""
        if found.runtime is not None:
            return self.runtime_text(*found.runtime)
        if found.kind == "private":
            parent, _, name = found.target.rpartition(".")
            return self.need(name, parent)
        if found.kind == "tf2":
            return self.plain_tensorflow() + found.target[2:]
        names = self.names.top_names()
        plain = f"{names[0]}.compat.v1" if names else None
        head = next(filter(self.names.is_v1_name, names), plain) or self.need_module(
            "tensorflow.compat.v1", "tf"
        )
        return head + found.target[2:]

    def runtime_text(self, module: str, name: str) -> str:
        """The text for a name in a module of the runtime or of a library; adds the import: `slim.nets.vgg`."""
        homes = (home for home in (*PARTS, RUNTIME) if f"{module}.".startswith(f"{home}."))
        home = next(homes, "tf_slim" if module.rpartition(".")[0] == "tf_slim" else module)
        first, dot, rest = f"{module.removeprefix(home)}.{name}".lstrip(".").partition(".")
        return self.need(first, home) + dot + rest

    def plain_tensorflow(self) -> str:
        """A name for plain `tensorflow`, which has TF 2's strategies: the file's own, or that of a new import."""
        for name in self.names.top_names():
            if not self.names.is_v1_name(name):
                return name
        return self.need_module("tensorflow", "tf2")

    def need_module(self, module: str, name: str) -> str:
        """Adds `import module as name` to the file's imports; returns the name to write for it."""
        key = ("", module)
        if key not in self.wanted:
            self.wanted[key] = self.fresh(name)
            self._reserved.add(self.wanted[key])
        return self.wanted[key]

    def note(
        self, node: cst.CSTNode, code: str, message: str, kind: FindingKind = "left", todo: str = ""
    ) -> None:
        """Adds a note, unless the file has it. Kind 'left': the site is left to the user, and the status is 1.

        `todo` is the advice for this message, where it is not the rule's.
        """
        line, column = self.text.first_line(node), self.text.column(node) + 1
        made = Note(code, message, line, column, kind, todo)
        if made not in self.notes:
            self.notes.append(made)
