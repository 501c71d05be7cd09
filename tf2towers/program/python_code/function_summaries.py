"""What the functions a script calls do, found without running them: tensors, queues, variables, sessions.

Reads the script and the local modules it imports with the standard `ast` (fast; nothing here is rewritten).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.program.python_code.local_module import LocalModule
from tf2towers.program.statements.symbol_roles import role
from tf2towers.source.errors import SourceError
from tf2towers.source.nodes import dotted as dotted_name
from tf2towers.source.script import Script

_INITIAL_VALUES = frozenset(
    f"tf.{name}"
    for name in (
        "constant",
        "fill",
        "ones",
        "random_normal",
        "random_uniform",
        "sqrt",
        "truncated_normal",
        "zeros",
    )
)


@dataclass
class Summary:
    """What a function does, itself and through the local functions it calls."""

    roles: set[str] = field(default_factory=set)
    symbols: set[str] = field(default_factory=set)

    @property
    def makes_tensors(self) -> bool:
        """Whether calling it adds ops to the graph in force."""
        return bool(self.roles & {"tensor", "placeholder", "variables"})

    @property
    def makes_state(self) -> bool:
        """Whether it makes variables, optimizers, schedules or datasets."""
        return bool(self.roles & {"state", "optimizer", "average", "schedule", "dataset", "saver"})

    @property
    def only_makes_variables(self) -> bool:
        """Whether it is a helper such as `weight_variable(shape)`: a `tf.Variable` and its initial value."""
        tensors = {symbol for symbol in self.symbols if symbol.startswith("tf.") and role(symbol) == "tensor"}
        known = all(symbol in _INITIAL_VALUES or symbol.startswith("tf.random.") for symbol in tensors)
        return "tf.Variable" in self.symbols and known and self.roles <= {"state", "plain", "tensor"}

    @property
    def makes_inputs(self) -> bool:
        """Whether it makes placeholders, or a dataset: an iterator of it may be taken inside."""
        return bool(self.roles & {"placeholder", "dataset"})


class Functions:
    """Summaries of local functions, by the dotted name the script calls them with."""

    def __init__(
        self, script: Path | None, main: ast.Module, read: Callable[[Path], Script] = Script.read
    ) -> None:
        self._folder = script.parent if script is not None else None
        self._read = read
        self.main = LocalModule("", script or Path("<stdin>"), main)
        self._modules: dict[str, LocalModule | None] = {}
        self._summaries: dict[tuple[str, int], Summary] = {}

    def module(self, dotted: str) -> LocalModule | None:
        """The local module of a dotted name, parsed; None where there is none or it does not parse."""
        if dotted not in self._modules:
            self._modules[dotted] = self._load(dotted)
        return self._modules[dotted]

    def _load(self, dotted: str) -> LocalModule | None:
        if self._folder is None or not dotted:
            return None
        base = self._folder.joinpath(*dotted.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if not path.is_file():
                continue
            try:
                return LocalModule(dotted, path, ast.parse(self._read(path.absolute()).text))
            except SourceError:
                return None
        return None

    def find_definition(
        self, dotted: str, within: LocalModule | None = None
    ) -> tuple[LocalModule, ast.AST] | None:
        """The definition behind a dotted name: a function or class of the script or of a local module."""
        within = within or self.main
        if dotted in within.definitions:
            return within, within.definitions[dotted]
        for star in within.star_imports:
            module = self.module(star)
            if module is not None and dotted in module.definitions:
                return module, module.definitions[dotted]
        parts = dotted.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = self.module(".".join(parts[:cut]))
            if module is None:
                continue
            name = parts[cut]
            if name in module.definitions:
                return module, module.definitions[name]
            target = module.aliases.get(name)
            if target is not None and target != dotted:
                return self.find_definition(".".join([target, *parts[cut + 1 :]]), module)
            for star in module.star_imports:
                found = self.find_definition(f"{star}.{name}")
                if found is not None:
                    return found
        return None

    def summary(self, dotted: str) -> Summary | None:
        """What calling `dotted` does; None where it is not a local function or class."""
        found = self.find_definition(dotted)
        return self._summary_of(*found) if found is not None else None

    def _summary_of(self, module: LocalModule, definition: ast.AST) -> Summary:
        key = (module.name, getattr(definition, "lineno", 0))
        if key in self._summaries:
            return self._summaries[key]
        total = self._summaries[key] = Summary()  # a recursive call meets the unfinished one
        for dotted in used_names(definition):
            canonical = module.resolve(dotted)
            kind = role(canonical)
            if kind != "foreign":
                total.roles.add(kind)
                total.symbols.add(canonical)
                continue
            called = self.find_definition(canonical if canonical != dotted else dotted, module)
            if called is not None and called[1] is not definition:
                other = self._summary_of(*called)
                total.roles |= other.roles
                total.symbols |= other.symbols
        return total


def used_names(definition: ast.AST) -> Iterator[str]:
    """Every dotted name in a definition, the longest form of each."""
    inner: set[int] = set()
    own = _own_names(definition)
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute):
            dotted = dotted_name(node)
            if dotted is not None and dotted.split(".")[0] in own:
                dotted = None
            if id(node) not in inner:
                yield dotted if dotted is not None else f".{node.attr}"
            if isinstance(node.value, ast.Attribute | ast.Name):
                inner.add(id(node.value))
        elif isinstance(node, ast.Name) and id(node) not in inner and node.id not in own:
            yield node.id


def _own_names(definition: ast.AST) -> set[str]:
    """Parameters and local variables of a definition: they hide functions of the same name."""
    own: set[str] = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
    return own
