"""`Names`: a converted text's tree with its metadata: bindings, full names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import cast

import libcst as cst
from libcst import matchers as m
from libcst import metadata

from tf2towers.source.cst_nodes import scopes_of, walk_module, write_module

#: builtins of Python 2 that `grammar` does not convert
_OF_PYTHON2 = frozenset(
    {"cmp", "execfile", "file", "long", "raw_input", "reduce", "unichr", "unicode", "xrange"}
)
#: the modules under which scripts import TensorFlow
_TENSORFLOW = re.compile(r"^(tensorflow(\.compat\.v1)?|tf\.compat\.v1)(?=\.|$)")


class Names:
    """One module, and LibCST's metadata on its names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.module = cst.parse_module(text)
        self.nodes, self._parents, self._contexts = walk_module(self.module)
        self._scopes = scopes_of(self.module, self._contexts)
        #: the modules of star imports
        self.star_imports = [
            dotted(node.module) or "." if node.module is not None else "."
            for node in self.nodes
            if isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar)
        ]
        self._active: set[cst.CSTNode] = set()

    @cached_property
    def _spans(self) -> Mapping[cst.CSTNode, tuple[int, int]]:
        return write_module(self.module).spans

    @cached_property
    def _lines(self) -> list[int]:
        """The offset where each line starts."""
        return [0, *(found.end() for found in re.finditer(r"\r\n?|\n", self.text))]

    def line(self, node: cst.CSTNode) -> int:
        """The first line of a node."""
        return bisect_right(self._lines, self._spans[node][0])

    def last_line(self, node: cst.CSTNode) -> int:
        """The line that a node ends in."""
        return bisect_right(self._lines, self._spans[node][1])

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The parent of a node; None for the module."""
        return self._parents.get(node)

    def is_read(self, node: cst.CSTNode) -> bool:
        """True if a name or an attribute is only read: not bound, deleted or changed."""
        return self._contexts.get(node) is metadata.ExpressionContext.LOAD

    def call_around(self, node: cst.CSTNode) -> cst.Call | None:
        """The call that a value is an argument of; None if it is not one."""
        around = self.parent(node)
        call = self.parent(around) if isinstance(around, cst.Arg) else None
        return call if isinstance(call, cst.Call) else None

    def scope(self, node: cst.CSTNode) -> metadata.Scope:
        """The scope that a node is in."""
        while (found := self._scopes.get(node)) is None:
            node = self._parents[node]
        return found

    def assignments(self, name: cst.CSTNode) -> list[metadata.Assignment]:
        """All bindings of a name in its scope; empty for a builtin, and for other nodes."""
        if not isinstance(name, cst.Name):
            return []
        return [each for each in self.scope(name)[name.value] if isinstance(each, metadata.Assignment)]

    def canonical(self, node: cst.CSTNode) -> str:
        """The full dotted name of a node (`numpy.mean`), if all its bindings agree; else empty."""
        full = dotted(node)
        if full is None:
            return ""
        root, _, rest = full.partition(".")
        name = root_of(node)
        bound = self.assignments(name)
        found = self.scope(node).get_qualified_names_for(full)
        if not found:
            return f"builtins.{full}" if root in _OF_PYTHON2 else ""
        if any(each.source is not metadata.QualifiedNameSource.LOCAL for each in found):
            return _rooted(next(iter(found)).name) if len(found) == 1 else ""
        meanings = {self._meaning(each.node) for each in bound if each.node not in self._active}
        base = meanings.pop() if len(meanings) == 1 else ""
        return _rooted(f"{base}.{rest}" if rest else base) if base else ""

    def calls(self, node: cst.CSTNode | None, *names: str) -> bool:
        """True if an expression is a call of one of these functions."""
        return isinstance(node, cst.Call) and self.canonical(node.func) in names

    def value(self, target: cst.CSTNode) -> cst.BaseExpression | None:
        """The value that an assignment binds to a name, if visible: `a = 1`, `a, b = 1, 2`."""
        around = self.parent(target)
        if isinstance(around, cst.AnnAssign):
            return around.value
        if isinstance(around, cst.AssignTarget):
            return cast(cst.Assign, self.parent(around)).value
        several = self.parent(around) if isinstance(around, cst.Element) else None
        if isinstance(several, cst.Tuple | cst.List) and isinstance(self.parent(several), cst.AssignTarget):
            value = self.value(several)
            if isinstance(value, cst.Tuple | cst.List) and len(value.elements) == len(several.elements):
                pairs = list(zip(several.elements, value.elements, strict=True))
                if not any(isinstance(each, cst.StarredElement) for pair in pairs for each in pair):
                    return next(own.value for element, own in pairs if element is around)
        return None

    def _meaning(self, node: cst.CSTNode) -> str:
        value = self.value(node) if isinstance(node, cst.Name) else None
        if value is None:
            return ""
        self._active.add(node)
        try:
            return self.canonical(value)
        finally:
            self._active.discard(node)


def dotted(node: cst.CSTNode) -> str | None:
    """A dotted name as a string; None if its first part is not a name."""
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else None


def is_like(node: cst.CSTNode | None, pattern: m.BaseMatcherNode) -> bool:
    """True if a node is not None and matches a pattern."""
    return node is not None and m.matches(node, pattern)


def root_of(node: cst.CSTNode) -> cst.CSTNode:
    """The first node of a dotted name."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def is_plain_call(call: cst.Call) -> bool:
    """True if a call has arguments, and all are positional."""
    return bool(call.args) and all(given.keyword is None and not given.star for given in call.args)


def keywords_of(call: cst.Call) -> set[str]:
    """The names of a call's keywords; `**` and `*` stand for unpacked arguments."""
    return {given.keyword.value if given.keyword else given.star for given in call.args} - {""}


def _rooted(name: str) -> str:
    """A dotted name, rooted at `tf` if it is TensorFlow's."""
    return _TENSORFLOW.sub("tf", name)
