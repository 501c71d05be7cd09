"""What LibCST's metadata says of a module's nodes, in less time: parents, places.

LibCST's providers visit all white space as well, and make a context manager for each node that they
write. Here a module is walked once, by its fields. The answers are LibCST's:
tests/source/test_cst_nodes.py compares them. White space, brackets and commas have none.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState
from libcst.metadata import (
    ExpressionContext,
    ExpressionContextProvider,
    MetadataWrapper,
    Scope,
    ScopeProvider,
)
from libcst.metadata.scope_provider import ScopeVisitor

#: what the fields begin with that have white space, brackets and commas
_SIGNS = (
    "whitespace", "leading_", "lines_after_decorators", "header", "footer", "trailing_", "lpar", "rpar", "lbracket",
    "rbracket", "lbrace", "rbrace", "comma", "semicolon",
)  # fmt: skip
#: the order of the text where the fields have another one
_FIRST: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Arg: ("keyword",),
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords"),
    cst.ExceptHandler: ("type", "name"),
    cst.ExceptStarHandler: ("type", "name"),
    cst.FunctionDef: ("decorators", "asynchronous", "name", "type_parameters", "params", "returns"),
    cst.IfExp: ("body",),
    cst.MatchCase: ("pattern", "guard"),
    cst.Parameters: ("posonly_params", "posonly_ind"),
    cst.TypeAlias: ("name", "type_parameters"),
    cst.UnaryOperation: ("operator",),
}

_BOUND, _DELETED, _READ = ExpressionContext.STORE, ExpressionContext.DEL, ExpressionContext.LOAD
#: by kind of node, what happens to the names in a field where it is not what happens to the node;
#: None: nothing
_CONTEXTS: dict[type[cst.CSTNode], dict[str, ExpressionContext | None]] = {
    cst.AnnAssign: {"target": _BOUND},
    cst.AsName: {"name": _BOUND},
    cst.AssignTarget: {"target": _BOUND},
    cst.Attribute: {"value": _READ, "attr": None},
    cst.AugAssign: {"target": _BOUND},
    cst.ClassDef: {"name": _BOUND, "type_parameters": None},
    cst.CompFor: {"target": _BOUND},
    cst.Del: {"target": _DELETED},
    cst.For: {"target": _BOUND},
    cst.FunctionDef: {"name": _BOUND, "type_parameters": None},
    cst.NamedExpr: {"target": _BOUND},
    cst.Param: {"name": _BOUND, "star": None},
    cst.Subscript: {"value": _READ, "slice": _READ},
}
_HAVE_CONTEXT = frozenset({cst.Attribute, cst.List, cst.Name, cst.StarredElement, cst.Subscript, cst.Tuple})


@cache
def fields_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a kind of node that may have parts in them, in the order of the text."""
    names = [field.name for field in dataclasses.fields(kind) if not field.name.startswith(_SIGNS)]
    first = _FIRST.get(kind, ())
    return (*first, *(name for name in names if name not in first))


@cache
def _is_node(kind: Any) -> bool:
    return issubclass(kind, cst.CSTNode)


@cache
def is_sign(kind: Any) -> bool:
    """True if nodes of a kind are signs or white space, without names, texts or calls."""
    return issubclass(kind, cst.CSTNode) and kind.__module__ in (
        "libcst._nodes.op",
        "libcst._nodes.whitespace",
    )


def _parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    found: list[cst.CSTNode] = []
    for field in fields_of(type(node)):
        value = getattr(node, field)
        if type(value) in (list, tuple):
            found += [part for part in value if _is_node(type(part))]  # type: ignore[arg-type]
        elif _is_node(type(value)):  # type: ignore[arg-type]  # classes can be hashed
            found.append(value)
    return found


class Walked(NamedTuple):
    """The nodes of a module.

    Attributes:
        nodes: all of them, in the order of the text.
        parents: by node, the one that it is a part of.
        contexts: by name, attribute, item, list or tuple, whether it is read, bound or deleted.
    """

    nodes: list[cst.CSTNode]
    parents: dict[cst.CSTNode, cst.CSTNode]
    contexts: dict[cst.CSTNode, ExpressionContext]


def walk_module(module: cst.Module) -> Walked:
    """Walks a module once."""
    nodes: list[cst.CSTNode] = []
    parents: dict[cst.CSTNode, cst.CSTNode] = {}
    contexts: dict[cst.CSTNode, ExpressionContext] = {}
    pending: list[tuple[cst.CSTNode, ExpressionContext | None]] = [(module, _READ)]
    while pending:
        node, context = pending.pop()
        nodes.append(node)
        kind = type(node)
        if context is not None and kind in _HAVE_CONTEXT:
            contexts[node] = context
        special = _CONTEXTS.get(kind)
        found: list[tuple[cst.CSTNode, ExpressionContext | None]] = []
        for field in fields_of(kind):
            value = getattr(node, field)
            for part in value if type(value) in (list, tuple) else (value,):
                if _is_node(type(part)):  # type: ignore[arg-type]  # classes can be hashed
                    parents[part] = node
                    inner = context if special is None or context is None else special.get(field, context)
                    found.append((part, inner))
        pending += reversed(found)
    return Walked(nodes, parents, contexts)


class _Wrapper(MetadataWrapper):
    """LibCST's wrapper, which knows the contexts that ScopeProvider needs."""

    def __init__(self, module: cst.Module, contexts: Mapping[cst.CSTNode, ExpressionContext]) -> None:
        super().__init__(module, unsafe_skip_copy=True)
        self._metadata[ExpressionContextProvider] = contexts


class _Scopes(ScopeVisitor):
    """LibCST's visitor, which visits parts itself: LibCST would make new nodes."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Visits a node and its parts."""
        if super().on_visit(node):
            for part in _parts(node):
                part.visit(self)
        return False


def scopes_of(
    module: cst.Module, contexts: Mapping[cst.CSTNode, ExpressionContext]
) -> Mapping[cst.CSTNode, Scope | None]:
    """LibCST's scopes of a module's nodes, whose contexts are known."""
    provider = ScopeProvider()
    with provider.resolve(_Wrapper(module, contexts)):
        visitor = _Scopes(provider)
        module.visit(visitor)
        visitor.infer_accesses()
    return provider._computed  # type: ignore[return-value]  # none of them is computed later


# -- texts -----------------------------------------------------------------------------------------


class _Ignored:
    """A context manager that does nothing."""

    def __enter__(self) -> None: ...

    def __exit__(self, *problem: object) -> None: ...


class Writer(CodegenState):
    """Writes nodes as LibCST does, without a generator for each."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Any:
        """Nothing is recorded."""
        return _IGNORED


_IGNORED = _Ignored()


def text_of(module: cst.Module, known: Mapping[cst.CSTNode, str] | None = None) -> str:
    """The text of a module: LibCST's `Module.code`; `known` are texts of some lines."""
    state = Writer(module)
    if known is None or not module.has_trailing_newline:
        module._codegen(state)
        return "".join(state.tokens)
    for part in (*module.header, *module.body, *module.footer):
        if part in known:
            state.add_token(known[part])
        else:
            part._codegen(state)
    return "".join(state.tokens) or module.default_newline


class _Span:
    """Notes where a node begins and ends: what LibCST calls its syntactic position."""

    def __init__(
        self, writer: _Spans, node: cst.CSTNode, first: cst.CSTNode | None, last: cst.CSTNode | None
    ) -> None:
        self.writer, self.node, self.first, self.last = writer, node, first, last

    def __enter__(self) -> None:
        self.start = self.writer.position

    def __exit__(self, *problem: object) -> None:
        spans = self.writer.spans
        start = spans[self.first][0] if self.first is not None else self.start
        spans[self.node] = start, spans[self.last][1] if self.last is not None else self.writer.position


class _Spans(Writer):
    """Writes a module, and notes the offsets of all nodes."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module)
        self.position = 0
        self.spans: dict[cst.CSTNode, tuple[int, int]] = {}
        #: the offsets of the module's lines, with what is above them
        self.lines: dict[cst.CSTNode, tuple[int, int]] = {}
        #: where lines begin or end in brackets
        self.breaks: list[int] = []
        self._starts: list[int] = []

    def add_indent_tokens(self) -> None:
        """Writes the indentation of a block."""
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        """Writes a text."""
        self.tokens.append(value)
        self.position += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        """Is called before a node is written."""
        self._starts.append(self.position)

    def after_codegen(self, node: cst.CSTNode) -> None:
        """Is called after a node is written."""
        start = self._starts.pop()
        if len(self._starts) == 1:
            self.lines[node] = start, self.position
        if type(node) is cst.ParenthesizedWhitespace:
            self.breaks.append(start)
        if node not in self.spans:
            self.spans[node] = start, self.position

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Any:
        """Notes what is written of a node in a `with` statement."""
        return _Span(self, node, start_node, end_node)


class Written(NamedTuple):
    """A module's text.

    Attributes:
        text: as LibCST writes it.
        spans: by node, the offsets where it starts and ends.
        breaks: the offsets of the line ends in brackets, in order.
        lines: by line of the module, its text with what is above it.
    """

    text: str
    spans: dict[cst.CSTNode, tuple[int, int]]
    breaks: list[int]
    lines: dict[cst.CSTNode, str]

    def is_broken(self, node: cst.CSTNode) -> bool:
        """True if a line ends in brackets in a node."""
        decorators = getattr(node, "decorators", ())
        start, end = self.spans[decorators[0] if decorators else node][0], self.spans[node][1]
        place = bisect_left(self.breaks, start)
        return place < len(self.breaks) and self.breaks[place] < end


def write_module(module: cst.Module) -> Written:
    """Writes a module."""
    state = _Spans(module)
    module._codegen(state)
    text = "".join(state.tokens)
    lines = {node: text[start:end] for node, (start, end) in state.lines.items()}
    return Written(text, state.spans, state.breaks, lines)
