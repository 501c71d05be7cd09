"""Nodes of a kind, and statements of a shape. LibCST's own matchers do this too, and cost 0.4 s to import."""

from __future__ import annotations

from typing import TypeVar

import libcst as cst

Node = TypeVar("Node", bound=cst.CSTNode)


def find_all(node: cst.CSTNode, kind: type[Node]) -> list[Node]:
    """Every node of a kind within `node`, itself included, in the order of the text."""
    finder = _Finder(kind)
    node.visit(finder)
    return finder.found  # type: ignore[return-value]


class _Finder(cst.CSTVisitor):
    def __init__(self, kind: type[cst.CSTNode]) -> None:
        self._kind = kind
        self.found: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, self._kind):
            self.found.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Nothing to do; LibCST would look for a method a node otherwise."""

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        """Nothing to do, for the same reason."""

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        """Nothing to do, for the same reason."""


_module = cst.Module([])


def code_of(node: cst.CSTNode) -> str:
    """The source text of a node."""
    return _module.code_for_node(node)


def only_small(node: cst.CSTNode | None) -> cst.BaseSmallStatement | None:
    """The statement of a line that holds just one."""
    if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
        return node.body[0]
    return None


def call_statement(node: cst.CSTNode | None) -> cst.Call | None:
    """The call that a line consists of: `xs.append(x)`."""
    small = only_small(node)
    return small.value if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) else None


def method_of(call: cst.Call | None, owner: str | None = None) -> str | None:
    """The method's name of a call `owner.method(...)`; with `owner` None, of any owner."""
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    if owner is not None and not (isinstance(call.func.value, cst.Name) and call.func.value.value == owner):
        return None
    return call.func.attr.value


def is_pass(node: cst.CSTNode) -> bool:
    """Whether a line is `pass`."""
    return isinstance(only_small(node), cst.Pass)


def assigned_name(assign: cst.Assign) -> str | None:
    """`x` of `x = ...`."""
    target = assign.targets[0].target
    return target.value if len(assign.targets) == 1 and isinstance(target, cst.Name) else None
