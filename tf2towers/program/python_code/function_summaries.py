"""What the functions a script calls do, found without running them: tensors, queues, variables, sessions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tf2towers.exact.file import File
from tf2towers.exact.program import Program
from tf2towers.names.meanings import Defined
from tf2towers.program.statements.symbol_roles import role
from tf2towers.source.nodes import Function, dotted

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
    """Summaries of the program's functions, by the canonical names the script calls them with."""

    def __init__(self, source: Program) -> None:
        self._main = source.main
        self._source = source
        self._summaries: dict[ast.AST, Summary] = {}

    def definition(self, canonical: str) -> tuple[File, ast.AST] | None:
        """The function or class that a name of the script means, where it is one of the program's."""
        if "<locals>" not in canonical:
            return self._defined(self._main, canonical)
        inner = self._main.all(ast.FunctionDef)
        found = next((each for each in inner if _qualified(self._main, each) == canonical), None)
        return (self._main, found) if found is not None else None

    def summary(self, canonical: str) -> Summary | None:
        """What calling a function does; None where it is none of the program's."""
        found = self.definition(canonical)
        if found is None:
            return None
        if found[1] not in self._summaries:
            summary = self._summaries[found[1]] = Summary()
            for file, part in self._with_called(found):
                summary.symbols |= _symbols(file, part)
            summary.roles |= {role(symbol) for symbol in summary.symbols}
        return self._summaries[found[1]]

    def reads(self, canonical: str, wanted: frozenset[str]) -> bool:
        """Whether a call of a function may read one of these dotted names, in it or in what it calls.

        `FLAGS.task_index` is the same name in every module; that of a function's own variable is not.
        """
        found = self.definition(canonical)
        return found is not None and any(_reads(part, wanted) for _, part in self._with_called(found))

    def _with_called(self, found: tuple[File, ast.AST]) -> list[tuple[File, ast.AST]]:
        """A function or class, and those of the program that it names, and that those name."""
        known = {found[1]: found[0]}
        waiting = [found[1]]
        while waiting:
            part = waiting.pop()
            for node in ast.walk(part):
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                    for home, unit in self._named(known[part], node):
                        if unit not in known:
                            known[unit] = home
                            waiting.append(unit)
        return [(file, part) for part, file in known.items()]

    def _named(self, file: File, node: ast.Name | ast.Attribute) -> list[tuple[File, ast.AST]]:
        """The functions and classes of the program that a name may stand for."""
        bindings = file.meanings.bindings(node) if isinstance(node, ast.Name) else []
        own = [binding.node for binding in bindings if isinstance(binding, Defined)]
        if own:
            return [(file, unit) for unit in own]
        canonical = file.canonical(node)
        found = self._defined(file, canonical) if canonical and not canonical.startswith("tf.") else None
        return [found] if found is not None else []

    def _defined(self, file: File, canonical: str) -> tuple[File, ast.AST] | None:
        """`Program.defined`, also in a local module without TensorFlow, which may be given a variable of the graph."""
        if (found := self._source.defined(file, canonical)) is not None:
            return found
        module, _, name = canonical.rpartition(".")
        path = self._source.imports.imports_of(file.path).get(module)
        if path is None or path not in self._source.others:
            return None
        other = self._source.plain_file(path)
        units = (unit for unit in other.tree.body if isinstance(unit, Function | ast.ClassDef))
        return next(((other, unit) for unit in units if unit.name == name), None)


def _qualified(file: File, function: Function) -> str:
    """The name of a function in a function (PEP 3155): `main.<locals>.weights`."""
    around = [each.name for each in file.ancestors(function) if isinstance(each, Function)]
    return ".<locals>.".join([*reversed(around), function.name])


def _symbols(file: File, part: ast.AST) -> set[str]:
    nodes = set(ast.walk(part))
    return {canonical for node, canonical in file.symbols if node in nodes}


def _reads(function: ast.AST, wanted: frozenset[str]) -> bool:
    nodes = list(ast.walk(function))
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    named = {dotted(node) or "" for node in nodes if isinstance(node, ast.Name | ast.Attribute)}
    return any(name.partition(".")[0] not in own for name in named & wanted)
