"""A function that builds a part of the worker's graph, written out where it is called (T2T118).

`global_step, loss, train_op = build_model(x, y_)`: placeholders, optimizers and the placed graph made in a helper
are state and inputs of the program. The helper is called once, so its statements can stand in the place of the call.
"""

from __future__ import annotations

import difflib
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all
from tf2towers.program.flow import flow_of, target_names
from tf2towers.program.functions import Functions
from tf2towers.rewrites.inlining_sites import Site, functions_of, next_site

_MOST = 8  # functions written out in one script


def written_out(wrapper: MetadataWrapper, names: Names, functions: Functions) -> cst.Module | None:
    """The module with the helpers of the function that makes the server written out; None where there are none."""
    module = wrapper.module
    changed = False
    for _ in range(_MOST):
        site = next_site(module, names, functions)
        if site is None:
            break
        owner = next(
            f
            for f in functions_of(module)
            if any(one is site.line for one in find_all(f, cst.SimpleStatementLine))
        )
        statements = _statements(site, owner)
        if statements is None:
            break
        put = module.visit(_Put(site, statements))
        wrapper = MetadataWrapper(cst.parse_module(put.code), unsafe_skip_copy=True)
        module, names, changed = wrapper.module, Names(wrapper), True
    return module if changed else None


def _statements(site: Site, owner: cst.FunctionDef) -> list[cst.BaseStatement] | None:
    body = list(site.function.body.body)
    assert all(isinstance(one, cst.BaseStatement) for one in body)
    result: cst.BaseExpression | None = None
    last = body[-1]
    if isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return):
        result = last.body[-1].value
        body = body[:-1] if len(last.body) == 1 else [*body[:-1], last.with_changes(body=last.body[:-1])]
    if body and _is_docstring(body[0]):
        body = body[1:]
    bound = flow_of(*body).binds
    renames: dict[str, str] = {}
    heads: list[cst.BaseStatement] = []
    given = _arguments(site)
    if given is None:
        return None
    taken = {one.value for one in find_all(owner, cst.Name)} | {
        one.value for one in find_all(site.function, cst.Name)
    }
    ends = _ends(site.target, result, bound, renames, {name for name, _ in given}, owner, site.line)
    if ends is None:
        return None
    own = {one.value for one in find_all(owner, cst.Name)}
    for name, value in given:
        if isinstance(value, cst.Name) and name not in bound:
            if name != value.value:
                renames[name] = value.value
            continue
        fresh = _fresh(name, taken) if name in own else name
        if fresh != name:
            renames[name] = fresh
        heads.append(_assigned(fresh, value))
    for name in sorted(bound - set(renames) - {n for n, _ in given}):
        if name in own and name not in ends[1]:
            renames[name] = _fresh(name, taken)
    renamer = _Renamer(renames)
    made: list[Any] = [*heads, *(one.visit(renamer) for one in body)]
    made.extend(_assigned_to(target, value.visit(renamer)) for target, value in ends[0])  # type: ignore[arg-type]
    if not made:
        return None
    lines = [*site.line.leading_lines, *getattr(made[0], "leading_lines", ())]
    return [made[0].with_changes(leading_lines=lines), *made[1:]]


def _arguments(site: Site) -> list[tuple[str, cst.BaseExpression]] | None:
    params = site.function.params.params
    found: dict[str, cst.BaseExpression] = {}
    for place, argument in enumerate(site.call.args):
        if argument.star:
            return None
        if argument.keyword is None and place >= len(params):
            return None
        found[argument.keyword.value if argument.keyword is not None else params[place].name.value] = (
            argument.value
        )
    made: list[tuple[str, cst.BaseExpression]] = []
    for param in params:
        value = found.get(param.name.value, param.default)
        if value is None:
            return None
        made.append((param.name.value, value))
    return made


def _ends(
    target: cst.BaseExpression | None,
    result: cst.BaseExpression | None,
    bound: set[str],
    renames: dict[str, str],
    params: set[str],
    owner: cst.FunctionDef,
    line: cst.SimpleStatementLine,
) -> tuple[list[tuple[cst.BaseExpression, cst.BaseExpression]], set[str]] | None:
    """The assignments at the end, and the names that may stay although the owner has them: the call's own targets."""
    if target is None:
        return [], set()
    if result is None:
        return None
    pairs = [(target, result)]
    if isinstance(target, cst.Tuple | cst.List):
        if not isinstance(result, cst.Tuple | cst.List) or len(target.elements) != len(result.elements):
            return None
        pairs = [(a.value, b.value) for a, b in zip(target.elements, result.elements, strict=True)]
    left: list[tuple[cst.BaseExpression, cst.BaseExpression]] = []
    kept: set[str] = set()
    returned = [value.value for _, value in pairs if isinstance(value, cst.Name)]
    for one, value in pairs:
        simple = (
            isinstance(one, cst.Name) and isinstance(value, cst.Name) and returned.count(value.value) == 1
        )
        if simple and value.value in bound and value.value not in params and _bound_once(one.value, owner):  # type: ignore[attr-defined]
            kept.add(one.value)  # type: ignore[attr-defined]
            if one.value != value.value:  # type: ignore[attr-defined]
                renames[value.value] = one.value  # type: ignore[attr-defined]
        elif not (
            isinstance(one, cst.Name)
            and isinstance(value, cst.Name)
            and one.value == value.value
            and value.value in params
        ):
            left.append((one, value))
    return left, kept


def _bound_once(name: str, owner: cst.FunctionDef) -> bool:
    count = 0
    for assign in find_all(owner, cst.Assign):
        count += sum(name in target_names(one.target) for one in assign.targets)
    return count == 1


def _fresh(name: str, taken: set[str]) -> str:
    count = 2
    while f"{name}_{count}" in taken:
        count += 1
    taken.add(f"{name}_{count}")
    return f"{name}_{count}"


def _assigned(name: str, value: cst.BaseExpression) -> cst.BaseStatement:
    return _assigned_to(cst.Name(name), value)


def _assigned_to(target: cst.BaseExpression, value: cst.BaseExpression) -> cst.BaseStatement:
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], value)])  # type: ignore[arg-type]


def _is_docstring(line: cst.CSTNode) -> bool:
    return (
        isinstance(line, cst.SimpleStatementLine)
        and isinstance(line.body[0], cst.Expr)
        and isinstance(line.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


class _Renamer(cst.CSTTransformer):
    """Names of the helper's own as they are called in their new place."""

    def __init__(self, renames: dict[str, str]) -> None:
        self._renames = renames

    def visit_Attribute_attr(self, node: cst.Attribute) -> None:
        self._renames, self._kept = {}, self._renames

    def leave_Attribute_attr(self, node: cst.Attribute) -> None:
        self._renames = self._kept

    def visit_Arg_keyword(self, node: cst.Arg) -> None:
        self._renames, self._kept = {}, self._renames

    def leave_Arg_keyword(self, node: cst.Arg) -> None:
        self._renames = self._kept

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        new = self._renames.get(original_node.value)
        return updated_node.with_changes(value=new) if new is not None else updated_node


class _Put(cst.CSTTransformer):
    """The statements in the place of the call; the function goes."""

    def __init__(self, site: Site, statements: list[cst.BaseStatement]) -> None:
        self._site = site
        self._statements = statements

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node is self._site.line:
            return cst.FlattenSentinel(self._statements)
        return updated_node

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node is self._site.function else updated_node


def line_map(before: str, after: str) -> list[int]:
    """For each line of `after` (from 1; place 0 is 1), the line of `before` it came from, or the last known one."""
    old = [line.strip() for line in before.splitlines()]
    new = [line.strip() for line in after.splitlines()]
    found = [0] * (len(new) + 1)
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            found[block.b + step + 1] = block.a + step + 1
    for place, line in enumerate(
        new, 1
    ):  # what has moved past something else is found where there is one of it
        if not found[place] and old.count(line) == 1:
            found[place] = old.index(line) + 1
    last = 1
    for place, value in enumerate(found):
        last = value or last
        found[place] = last
    return found
