"""`Tree`: the one LibCST tree of a module, with what is around each node; `Text`: where it is in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, TypeVar

import libcst as cst
from libcst.metadata import (
    Assignment,
    ComprehensionScope,
    ExpressionContext,
    FunctionScope,
    GlobalScope,
    Scope,
)

from tf2towers.codemod import nodes
from tf2towers.source.cst_nodes import Written, scopes_of, text_of, walk_module, write_module
from tf2towers.source.errors import SourceError
from tf2towers.source.recent import Recent

Node = TypeVar("Node", bound=cst.CSTNode)


class Tree:
    """A module's nodes, in the order of the text, as rules see them (`nodes.py`), and LibCST's metadata of them.

    Nothing changes it: the programs of a folder share the trees of their modules (`tree_of`).
    """

    def __init__(self, text: str, path: Path, module: cst.Module | None = None) -> None:
        self.path = path
        self.text = text
        try:
            self.module = cst.parse_module(text) if module is None else module
        except cst.ParserSyntaxError as problem:
            raise SourceError(path, f"LibCST cannot read it: {problem.message}", problem.raw_line) from None
        self._walked = walk_module(self.module)
        self.nodes: list[cst.CSTNode] = []
        self._by_type: dict[type[cst.CSTNode], list[cst.CSTNode]] = {}
        pending: list[cst.CSTNode] = [self.module]
        while pending:
            node = pending.pop()
            self.nodes.append(node)
            if not isinstance(node, cst.Name) or nodes.is_name(node):
                self._by_type.setdefault(type(node), []).append(node)
            pending += reversed(nodes.children(node))

    @cached_property
    def written(self) -> Written:
        """Its text as LibCST writes it, and the offsets of its nodes."""
        return write_module(self.module)

    def text_of(self, module: cst.Module) -> str:
        """The text of a new module, with the white space at the text's end that LibCST loses."""
        if self.written.text == self.text:
            return text_of(module, self.written.lines)
        return text_of(module).rstrip() + self.text[len(self.text.rstrip()) :]

    def all(self, kind: type[Node]) -> list[Node]:
        """Every node of a kind, in the order of the text; the names are without None, True and False."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]

    @cached_property
    def literals(self) -> list[cst.CSTNode]:
        """Every constant: numbers, texts (a joined one once), None, True, False, the texts in f-strings."""
        return [node for node in self.nodes if nodes.is_literal(node)]

    @cached_property
    def texts(self) -> frozenset[str]:
        """What its texts say."""
        values = map(nodes.literal, self.literals)
        return frozenset(value for value in values if isinstance(value, str))

    @cached_property
    def read_names(self) -> list[cst.Name]:
        """Every name that is read, in the order of the text."""
        return [name for name in self.all(cst.Name) if self.is_read(name)]

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node around a node that does not only wrap it (`nodes.py`); nothing is around the module."""
        around = self.holder(node)
        while around is not None and nodes.is_wrapper(around):
            around = self.holder(around)
        assert around is not None, "the module is in no node"
        return around

    @cached_property
    def body(self) -> list[nodes.Statement]:
        """The statements of the module."""
        return nodes.block(self.module)

    @cached_property
    def imports(self) -> list[nodes.Import]:
        """Every import, at any depth."""
        return [*self.all(cst.Import), *self.all(cst.ImportFrom)]

    def function_around(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The innermost function that a node is in."""
        return self.around(node, cst.FunctionDef)

    def around(self, node: cst.CSTNode, *kinds: type[Node]) -> Node | None:
        """The innermost node of some kinds that a node is in."""
        return next((each for each in self.ancestors(node) if isinstance(each, kinds)), None)

    def holder(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """LibCST's own parent of a node: what it stands in, be it a block, a line or an argument."""
        return self._walked.parents.get(node)

    def holders(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """All nodes around a node, innermost first."""
        around = self.holder(node)
        while around is not None:
            yield around
            around = self.holder(around)

    def line(self, statement: nodes.Statement) -> cst.SimpleStatementLine | cst.BaseCompoundStatement | None:
        """The line of a statement, which may have others; None where it is in the line of an `if`, a loop ..."""
        line = statement if isinstance(statement, cst.BaseCompoundStatement) else self.holder(statement)
        return line if isinstance(line, cst.SimpleStatementLine | cst.BaseCompoundStatement) else None

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around a node, innermost first."""
        return (around for around in self.holders(node) if not nodes.is_wrapper(around))

    def steps_outwards(self, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """The nodes around a node, innermost first, each after the part of it that the node is in."""
        return pairwise(chain([node], self.ancestors(node)))

    def following(self, statement: cst.CSTNode) -> list[nodes.Statement] | None:
        """The statements after one in its block; None where it is in none: a test, a handler."""
        siblings: list[Any] = nodes.block(self.parent(statement))
        return siblings[siblings.index(statement) + 1 :] if statement in siblings else None

    def tries_around(self, node: cst.CSTNode) -> Iterator[cst.Try]:
        """The `try` statements with handlers in whose body a node is, innermost first."""
        for inner, around in self.steps_outwards(node):
            if isinstance(around, cst.Try) and around.handlers and inner in nodes.block(around):
                yield around

    def loop_of(self, node: cst.CSTNode) -> cst.For | cst.CompFor | None:
        """The innermost loop around a name, or the clause of a comprehension, that binds the name."""
        name = node.value if nodes.is_name(node) else ""
        for around in self.ancestors(node) if name else ():
            loops = nodes.generators(around) if isinstance(around, nodes.Comprehension) else [around]
            for loop in loops:
                if isinstance(loop, cst.For | cst.CompFor):
                    if any(nodes.is_name(part) and part.value == name for part in nodes.walk(loop.target)):
                        return loop
        return None

    def statement(self, node: cst.CSTNode) -> nodes.Statement:
        """The innermost statement a node is in."""
        return next(each for each in chain([node], self.ancestors(node)) if isinstance(each, nodes.Statement))

    def alias_of(self, node: cst.CSTNode) -> tuple[cst.Assign, str] | None:
        """The statement and the name in `name = tf.something`."""
        statement = self.parent(node)
        if isinstance(statement, cst.Assign) and nodes.is_name(target := nodes.only_target(statement)):
            return (statement, target.value) if statement.value is node else None
        return None

    @cached_property
    def scopes(self) -> Mapping[cst.CSTNode, Scope | None]:
        """LibCST's scope of each node, with the names that LibCST leaves out."""
        scopes = scopes_of(self.module, self._walked.contexts)
        self.__dict__["scopes"] = scopes
        self._complete_scopes()
        return scopes

    @cached_property
    def module_scope(self) -> Scope:
        """The scope of the module."""
        return self.scopes[self.module] or GlobalScope()

    def scope(self, node: cst.CSTNode) -> Scope:
        """LibCST's scope of a node."""
        for each in chain([node], self.holders(node)):
            if (found := self.scopes.get(each)) is not None:
                return found
        return self.module_scope

    def _complete_scopes(self) -> None:
        """Adds to LibCST's scopes what they lack: names of `match`, `:=` of comprehensions, `nonlocal` further out."""
        for kind in (cst.MatchAs, cst.MatchStar, cst.MatchMapping):
            for pattern in self.all(kind):
                name = getattr(pattern, "rest" if isinstance(pattern, cst.MatchMapping) else "name")
                if name is not None:
                    self.scope(pattern).record_assignment(name.value, pattern)
        for named in self.all(cst.NamedExpr):  # it is bound in the function around
            scope = self.scope(named)
            if isinstance(scope, ComprehensionScope) and isinstance(named.target, cst.Name):
                while isinstance(around := scope, ComprehensionScope):
                    around.record_nonlocal_overwrite(named.target.value)
                    scope = around.parent
                scope.record_assignment(named.target.value, named.target)
        # LibCST binds them in the next function around
        for declared in self.all(cst.Nonlocal):
            for item in declared.names:
                self._give_outwards(item.name.value, self.scope(declared).parent)

    def _give_outwards(self, name: str, scope: Scope) -> None:
        """Gives what inner functions bind under a name to the scope around one that does not bind it by itself."""
        while not isinstance(scope, GlobalScope):
            bound = [each for each in scope.assignments[name] if isinstance(each, Assignment)]
            if isinstance(scope, FunctionScope):
                if any(self.scope(each.node) is scope for each in bound):
                    return
                scope.record_nonlocal_overwrite(name)
                for each in bound:
                    scope.record_assignment(name, each.node)
            scope = scope.parent

    def context(self, node: cst.CSTNode) -> ExpressionContext:
        """LOAD, STORE or DEL, for a name, attribute or item that is read, written or deleted."""
        return self._walked.contexts.get(node) or ExpressionContext.LOAD

    def is_read(self, node: cst.CSTNode) -> bool:
        """True if a name, an attribute or an item is read, and neither bound nor deleted."""
        return self.context(node) is ExpressionContext.LOAD

    def is_bound(self, node: cst.CSTNode) -> bool:
        """True if a name, an attribute or an item is given a value."""
        return self.context(node) is ExpressionContext.STORE

    def start(self, node: cst.CSTNode) -> int:
        """The offset in the text where a node starts, without parentheses around it, but for a tuple or generator."""
        opened = node.lpar if isinstance(node, cst.Tuple | cst.GeneratorExp) else ()
        return self._spans[opened[-1] if opened else node][0]

    def end(self, node: cst.CSTNode) -> int:
        """The offset after a node."""
        closed = node.rpar if isinstance(node, cst.Tuple | cst.GeneratorExp) else ()
        return self._spans[closed[0] if closed else node][1]

    @cached_property
    def _spans(self) -> Mapping[cst.CSTNode, tuple[int, int]]:
        # LibCST loses empty lines at a text's end
        if self.written.text.rstrip() != self.text.rstrip():
            raise SourceError(self.path, "not migrated, please report it: LibCST changes the text")
        return self.written.spans


_trees: Recent[Tree] = Recent()


def tree_of(text: str, path: Path) -> Tree:
    """The tree of a module: what another program of this process has made of the same text, where it is kept."""
    return _trees.get((path, text)) or _trees.keep((path, text), Tree(text, path), len(text))


def keep_tree(module: cst.Module, path: Path) -> None:
    """Keeps a module that LibCST has parsed as the tree of its text."""
    text = text_of(module)
    _trees.keep((path, text), Tree(text, path, module), len(text))


_LINE_END = re.compile(r"\r\n|\r|\n")


class Text:
    """The text of a file, with the offsets of its nodes and of its lines, which are counted as Python does."""

    def __init__(self, tree: Tree) -> None:
        self.text = tree.text
        self.start, self.end = tree.start, tree.end
        self.starts = [0, *(found.end() for found in _LINE_END.finditer(self.text))]
        crlf, cr = "\r\n" in self.text, "\r" in self.text and "\n" not in self.text
        self.newline = "\r\n" if crlf else "\r" if cr else "\n"

    def of(self, node: cst.CSTNode) -> str:
        """A node's own text."""
        return self.text[self.start(node) : self.end(node)]

    def first_line(self, node: cst.CSTNode) -> int:
        """The line that a node starts in; decorators precede that of a definition."""
        return self.line_of(self.start(node))

    def last_line(self, node: cst.CSTNode) -> int:
        """The line that a node ends in."""
        return self.line_of(self.end(node))

    def column(self, node: cst.CSTNode) -> int:
        """The column that a node starts in, from 0."""
        start = self.start(node)
        return start - self.starts[self.line_of(start) - 1]

    def line_of(self, offset: int) -> int:
        """The line that an offset is in."""
        return bisect_right(self.starts, offset)

    def line_start(self, line: int) -> int:
        """The offset a line starts at; the end of the text for the line after the last."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.text)

    def line(self, line: int) -> str:
        """The text of a line, its end included."""
        return self.text[self.line_start(line) : self.line_start(line + 1)]

    def indent(self, line: int) -> str:
        """The white space a line starts with."""
        row = self.line(line)
        return row[: len(row) - len(row.lstrip(" \t\f"))]
