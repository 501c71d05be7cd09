"""A script under mutation: its text, its tree, and replacements by the places of nodes."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: a mutation: the files that come of a script (the main one is "script.py"), or None where it does not apply
Mutation = Callable[["Source", random.Random], "dict[str, str] | str | None"]

MUTATIONS: dict[str, Mutation] = {}

#: names that mean something to the migration, given to things that are something else
MISLEADING = (
    "sess", "session", "Session", "strategy", "towers", "tower_grads", "grads", "graph_mode", "TowerStrategy",
    "tower", "build_tower", "average_gradients", "train_op", "saver", "server", "cluster", "step", "optimizer", "opt",
    "loss", "i", "n", "devices", "tf_", "tensorflow", "compat", "v1", "runtime", "tf2towers", "train", "run", "np_",
    "device", "strategy_2", "Session_2", "graph", "num_gpus", "range_", "FLAGS", "flags", "app", "range", "zip",
    "list", "enumerate", "len", "map", "sum", "str", "int", "isinstance", "vars", "type", "id", "self", "cls", "_",
)  # fmt: skip


def mutation(function: Mutation) -> Mutation:
    """Adds a mutation to the campaign."""
    MUTATIONS[function.__name__] = function
    return function


@dataclass
class Source:
    """A script's text and tree."""

    text: str

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self.lines = [line.encode() for line in self.text.splitlines(keepends=True)]
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def all(self, *node_types: type[ast.AST]) -> list:
        """Every node of these kinds, outside f-strings (whose places Python 3.11 does not know)."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, node_types)
            and not any(isinstance(up, ast.JoinedStr) for up in self.around(node))
        ]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement around a node, or itself."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def start(self, node: ast.AST) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.AST) -> str:
        """A node's text."""
        return self.text.encode()[self.start(node) : self.end(node)].decode()

    def indent(self, statement: ast.stmt) -> str:
        return self.lines[statement.lineno - 1][: statement.col_offset].decode()

    def plain(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines for itself, with a block around it that is written in lines."""
        if self.indent(statement).strip():
            return False
        rest = self.lines[statement.end_lineno - 1][statement.end_col_offset :].decode().strip()
        return not rest or rest.startswith("#")

    def replaced(self, edits: list[tuple[ast.AST | tuple[int, int], str]]) -> str:
        """The text with nodes (or ranges of bytes) replaced; none may overlap another."""
        ranges = [
            (where if isinstance(where, tuple) else (self.start(where), self.end(where)), text)
            for where, text in edits
        ]
        out, last, data = [], 0, self.text.encode()
        for (start, end), text in sorted(ranges, key=lambda place: place[0]):
            if start < last:
                raise ValueError("edits overlap")
            out += [data[last:start], text.encode()]
            last = end
        return b"".join([*out, data[last:]]).decode()

    def one_of(self, rng: random.Random, options: list[tuple[ast.AST, list[str]]], most: int) -> str | None:
        """Up to `most` of the nodes give way to one of their forms; those in other chosen nodes stay."""
        chosen = pick(rng, options, most)
        nodes = {node for node, _ in chosen}
        edits = [(node, rng.choice(forms)) for node, forms in chosen if not nodes & set(self.around(node))]
        return self.replaced(edits) if edits else None

    def put(self, statement: ast.stmt, text: str) -> str:
        """The text with other lines in the place of a plain statement's, at its indentation."""
        return self.replaced([(self.lines_of(statement), indented(text, self.indent(statement)))])

    def top(self, statement: ast.stmt) -> int:
        """The first line of a statement or of its decorators."""
        return (getattr(statement, "decorator_list", None) or [statement])[0].lineno

    def whole(self, statement: ast.stmt) -> str:
        """The text of a statement at the top, with its decorators."""
        return b"".join(self.lines[self.top(statement) - 1 : statement.end_lineno]).decode().rstrip("\n")

    def before(self, statement: ast.stmt, text: str) -> tuple[tuple[int, int], str]:
        """An edit: lines before a statement (and before its decorators), at its indentation."""
        place = self.starts[self.top(statement) - 1]
        return (place, place), indented(text, self.indent(statement)) + "\n"

    def lines_of(self, statement: ast.stmt) -> tuple[int, int]:
        """The range of a plain statement's lines, without the last line's end."""
        return self.starts[statement.lineno - 1], self.end(statement)

    def block(self, statement: ast.stmt) -> str:
        """A plain statement's text, with its own indentation."""
        start, end = self.lines_of(statement)
        return self.text.encode()[start:end].decode()

    def names(self) -> set[str]:
        """Every identifier in the text, strings and comments included."""
        return set(re.findall(r"\w+", self.text))

    def fresh(self, rng: random.Random, *wanted: str) -> str:
        """A misleading name that the text has not."""
        used = self.names()
        free = [name for name in (wanted or MISLEADING) if name not in used]
        return rng.choice(free) if free else f"name_{rng.randrange(10**6)}"

    def after_imports(self) -> ast.stmt:
        """The first statement at the top that is no import and no docstring; StopIteration where there is none."""
        for node in self.tree.body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            guarded = isinstance(node, ast.Try) and isinstance(node.body[0], ast.Import | ast.ImportFrom)
            if not (isinstance(node, ast.Import | ast.ImportFrom) or docstring or guarded):
                return node
        raise StopIteration

    def function(self, node: ast.AST) -> ast.AST | None:
        """The function, lambda, class or comprehension that a node stands in."""
        scopes = (
            ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
        )  # fmt: skip
        return next((up for up in self.around(node) if isinstance(up, scopes)), None)

    def bound_at_top(self) -> list[str]:
        """The names that the module's own statements bind by assignment, loop or `with`."""
        names = {
            node.id
            for node in self.all(ast.Name)
            if isinstance(node.ctx, ast.Store) and self.function(node) is None
        }
        return sorted(names)


def indented(text: str, indent: str) -> str:
    """A text at another indentation; strings of several lines are not looked after."""
    return "\n".join(indent + line if line.strip() else line for line in text.splitlines())


def pick(rng: random.Random, items: list, most: int = 1) -> list:
    """One to `most` of the items at random, in their order."""
    if not items:
        return []
    count = rng.randint(1, min(most, len(items)))
    chosen = set(rng.sample(range(len(items)), count))
    return [item for place, item in enumerate(items) if place in chosen]


def has_long_string(node: ast.AST) -> bool:
    """Whether a string over several lines is in it, which cannot be indented."""
    return any(
        isinstance(part, ast.Constant | ast.JoinedStr) and part.end_lineno != part.lineno
        for part in ast.walk(node)
        if hasattr(part, "lineno")
    )
