"""What the rewrites of one file share: names, imports wanted, findings, and what each node becomes."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.python_code.search import code_of


@dataclass(frozen=True)
class Note:
    """Something to tell the user about a site. `kind` is 'left', 'changed' or 'note'."""

    node: cst.CSTNode
    code: str
    message: str
    kind: str


@dataclass
class Imports:
    """Names the rewritten file imports, by module: name -> the name it gets in the file."""

    wanted: dict[str, dict[str, str]] = field(default_factory=dict)

    def need(self, name: str, module: str = "tf2towers.runtime", bound: str | None = None) -> str:
        """Asks for `from module import name [as bound]`; returns the name to write."""
        return self.wanted.setdefault(module, {}).setdefault(name, bound or name)


@dataclass
class FileContext:
    """A file that is being rewritten: what it needs and what is said of it."""

    names: Names
    imports: Imports = field(default_factory=Imports)
    notes: list[Note] = field(default_factory=list)
    used_names: set[str] = field(default_factory=set)
    freed: set[str] = field(default_factory=set)  # names of the script's that are gone afterwards
    text: str = ""  # the file before, to see at a glance what it does not have
    plain_tensorflow: bool = True  # the file will say `import tensorflow as tf` (else compat.v1 as tf)

    def need(self, name: str, module: str = "tf2towers.runtime") -> str:
        """Asks for a name of a module; returns what to write, another name where the script's own would hide it."""
        bound = self.imports.wanted.get(module, {}).get(name)
        if bound is None:
            bound = self.fresh(name) if name in self.used_names - self.freed else name
            self.imports.need(name, module, bound)
        return bound

    def note(self, node: cst.CSTNode, code: str, message: str, kind: str = "changed") -> None:
        """Adds a note, once a site and code."""
        if not any(note.node is node and note.code == code for note in self.notes):
            self.notes.append(Note(node, code, message, kind))

    def fresh(self, name: str) -> str:
        """`name`, or `name_2` and so on where the file uses it already; reserves it."""
        candidate, count = name, 1
        while candidate in self.used_names:
            count += 1
            candidate = f"{name}_{count}"
        self.used_names.add(candidate)
        return candidate


def parse_expression(code: str) -> cst.BaseExpression:
    """An expression from source text."""
    return cst.parse_expression(code)


def parse_statement(code: str) -> cst.BaseStatement:
    """One statement from source text."""
    parsed = cst.parse_statement(code)
    assert isinstance(parsed, cst.BaseStatement)
    return parsed


def unwrapped(target: cst.BaseExpression) -> str:
    """The source text of a loop's target, without parentheses around the whole of it."""
    return code_of(target.with_changes(lpar=[], rpar=[]))
