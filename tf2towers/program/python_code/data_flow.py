"""What a statement reads, binds and changes in place: the dataflow every recogniser stands on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import libcst as cst

#: Methods that change the object they are called on.
MUTATORS = frozenset({"append", "extend", "insert", "update", "add", "setdefault", "pop", "remove", "clear"})


@dataclass
class Flow:
    """Names by what a piece of code does with them. `binds` and `mutates` also count as `reads` where they are read."""

    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    mutates: set[str] = field(default_factory=set)

    @property
    def writes(self) -> set[str]:
        """Names whose value may be another one afterwards."""
        return self.binds | self.mutates


def flow_of(*nodes: cst.CSTNode) -> Flow:
    """The flow of some statements or expressions together."""
    reader = _FlowReader()
    for node in nodes:
        node.visit(reader)
    return reader.flow


def names_in(node: cst.CSTNode) -> set[str]:
    """Every plain name read in an expression."""
    return flow_of(node).reads


def upward_exposed(statements: Iterable[cst.CSTNode]) -> set[str]:
    """Names that may be read before these statements bind them: what one turn of a loop gets from the one before."""
    bound: set[str] = set()
    exposed: set[str] = set()
    for statement in statements:
        exposed |= _exposed(statement, bound)
        bound |= _certainly_bound(statement)
    return exposed


def _exposed(statement: cst.CSTNode, bound: set[str]) -> set[str]:
    if isinstance(statement, cst.With | cst.If | cst.For):
        if isinstance(statement, cst.With):
            heads: list[cst.CSTNode] = list(statement.items)
        elif isinstance(statement, cst.If):
            heads = [statement.test]
        else:
            heads = [statement.iter]
        found = flow_of(*heads).reads - bound
        inner = set(bound)
        inner |= flow_of(*heads).binds
        if isinstance(statement, cst.For):
            inner |= flow_of(statement.target).reads | target_names(statement.target)
        inner_exposed = _block_exposed(statement.body, inner)
        found |= inner_exposed
        if isinstance(statement, cst.If) and statement.orelse is not None:
            orelse = statement.orelse
            found |= (
                _exposed(orelse, bound) if isinstance(orelse, cst.If) else _block_exposed(orelse.body, bound)
            )
        return found
    if isinstance(statement, cst.SimpleStatementLine):
        found = set()
        seen = set(bound)
        for small in statement.body:
            flow = flow_of(small)
            found |= flow.reads - seen
            seen |= flow.binds
        return found
    return flow_of(statement).reads - bound


def _block_exposed(block: cst.BaseSuite, bound: set[str]) -> set[str]:
    inner = set(bound)
    found: set[str] = set()
    for statement in block.body:
        found |= _exposed(statement, inner)
        inner |= _certainly_bound(statement)
    return found


def _certainly_bound(statement: cst.CSTNode) -> set[str]:
    if isinstance(statement, cst.With):
        bound = flow_of(*statement.items).binds
        for inner in statement.body.body:
            bound |= _certainly_bound(inner)
        return bound
    if isinstance(statement, cst.If):
        if statement.orelse is None:
            return set()
        first = set().union(*(_certainly_bound(inner) for inner in statement.body.body))
        orelse = statement.orelse
        if isinstance(orelse, cst.If):
            return first & _certainly_bound(orelse)
        return first & set().union(*(_certainly_bound(inner) for inner in orelse.body.body))
    if isinstance(statement, cst.For | cst.While | cst.Try):
        return set()
    return flow_of(statement).binds


def target_names(target: cst.BaseExpression) -> set[str]:
    """The plain names an assignment target binds."""
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, cst.Tuple | cst.List):
        return (
            set().union(*(target_names(element.value) for element in target.elements))
            if target.elements
            else set()
        )
    if isinstance(target, cst.StarredElement):
        return target_names(target.value)
    return set()


def root_name(node: cst.BaseExpression) -> str | None:
    """`x` of `x`, `x.y`, `x[i].y`, `x(...).y`; None when there is no name at the root."""
    current: cst.CSTNode = node
    while True:
        if isinstance(current, cst.Name):
            return current.value
        if isinstance(current, cst.Attribute | cst.Subscript):
            current = current.value
        elif isinstance(current, cst.Call):
            current = current.func
        else:
            return None


class _FlowReader(cst.CSTVisitor):
    """Fills a Flow. Comprehension targets, lambda and function parameters stay local."""

    def __init__(self) -> None:
        self.flow = Flow()
        self._local: list[set[str]] = []

    def _read(self, name: str) -> None:
        if not any(name in local for local in self._local):
            self.flow.reads.add(name)

    def visit_Name(self, node: cst.Name) -> None:
        self._read(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def _target(self, target: cst.BaseExpression) -> None:
        self.flow.binds |= target_names(target)
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._target(element.value)
        elif isinstance(target, cst.Attribute | cst.Subscript):
            root = root_name(target)
            if root is not None:
                self.flow.mutates.add(root)
            target.visit(self)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        self._target(node.target)
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        node.value.visit(self)
        node.target.visit(self)
        self._target(node.target)
        return False

    def visit_For(self, node: cst.For) -> bool:
        node.iter.visit(self)
        self._target(node.target)
        node.body.visit(self)
        if node.orelse is not None:
            node.orelse.visit(self)
        return False

    def visit_AsName(self, node: cst.AsName) -> bool:
        if isinstance(node.name, cst.Name | cst.Tuple | cst.List):
            self._target(node.name)
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            name = alias.evaluated_alias or alias.evaluated_name.split(".")[0]
            self.flow.binds.add(name)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                self.flow.binds.add(alias.evaluated_alias or alias.evaluated_name)
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in MUTATORS:
            root = root_name(func.value)
            if root is not None:
                self.flow.mutates.add(root)
        return True

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self.flow.binds.add(node.name.value)
        self._nested(node.params, node.body)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self.flow.binds.add(node.name.value)
        inner = _FlowReader()
        node.body.visit(inner)
        self.flow.reads |= inner.flow.reads - inner.flow.binds
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._nested(node.params, node.body)
        return False

    def _nested(self, params: cst.Parameters, body: cst.CSTNode) -> None:
        inner = _FlowReader()
        body.visit(inner)
        own = {
            parameter.name.value
            for parameter in (*params.params, *params.kwonly_params, *params.posonly_params)
        }
        for star in (params.star_arg, params.star_kwarg):
            if isinstance(star, cst.Param):
                own.add(star.name.value)
        for param in (*params.params, *params.kwonly_params):
            if param.default is not None:
                param.default.visit(self)
        for name in (inner.flow.reads | inner.flow.mutates) - inner.flow.binds - own:
            self._read(name)
        self.flow.mutates |= inner.flow.mutates - inner.flow.binds - own

    def _comprehension(self, node: cst.BaseComp) -> bool:
        local: set[str] = set()
        comp: cst.CompFor | None = node.for_in
        self._local.append(local)
        while comp is not None:
            comp.iter.visit(self)
            local |= target_names(comp.target)
            for condition in comp.ifs:
                condition.visit(self)
            comp = comp.inner_for_in
        if isinstance(node, cst.DictComp):
            node.key.visit(self)
            node.value.visit(self)
        else:
            assert isinstance(node, cst.BaseSimpleComp)
            node.elt.visit(self)
        self._local.pop()
        return False

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension
