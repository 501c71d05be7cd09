"""Functions that make placeholders or the step for their one caller: their statements are written where it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from tf2towers.certain.building import PLACEHOLDERS
from tf2towers.certain.parameters import arguments
from tf2towers.exact.deep import with_deep_stack
from tf2towers.exact.file import File
from tf2towers.source.conversion import Conversion
from tf2towers.source.nodes import Function
from tf2towers.source.script import Script
from tf2towers.source.tree import one_statement_a_line, parse_tree, text_of

_STEPS = frozenset({"minimize", "apply_gradients"})
#: what reads names that are not written
_BY_NAME = frozenset({"eval", "exec", "globals", "locals", "vars", "dir"})
#: what a body is not written out with: it has names of its own, or ends before its end
_NOT_WRITTEN_OUT = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Yield,
    ast.YieldFrom, ast.Await, ast.Return, ast.Delete, ast.Import, ast.ImportFrom, ast.Try, ast.NamedExpr,
)  # fmt: skip
_Scope = ast.FunctionDef | ast.Module


def with_graph_functions_written_out(file: File) -> Script | None:
    """The file's script with one such function less; None where it has none.

    The function is one of the module's, called once, by `x, y, step = build(images)`; what it returns are names, one
    of them a placeholder or what `minimize` gave. Every name keeps its meaning, or the function is left.
    """
    return with_deep_stack(lambda: _with_one_written_out(file))


def _with_one_written_out(file: File) -> Script | None:
    for function in file.tree.body:
        if isinstance(function, ast.FunctionDef) and _makes_inputs_or_step(file, function):
            call = None if function.decorator_list else _only_call(file, function)
            around = _caller(file, function, call) if call is not None else None
            if call is None or around is None:
                continue
            given = arguments(function, call.value) if isinstance(call.value, ast.Call) else None
            if given is not None and _names_keep_their_meaning(file, function, call, around, given):
                return _with_body_for_call(file.script, function, call, given)
    return None


def _makes_inputs_or_step(file: File, function: ast.FunctionDef) -> bool:
    returned = _returned(function)
    made = [
        (target.id, statement.value)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        for target in statement.targets
        if isinstance(target, ast.Name)
    ]
    return any(
        name in returned
        and (
            file.canonical(value.func) in PLACEHOLDERS
            or (isinstance(value.func, ast.Attribute) and value.func.attr in _STEPS)
        )
        for name, value in made
    )


def _returned(function: ast.FunctionDef) -> list[str]:
    """The names that the last statement returns; none where it is another, or they are no names."""
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        return []
    return _plain_names(last.value)


def _plain_names(node: ast.expr) -> list[str]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) and len({*names}) == len(names) else []


def _only_call(file: File, function: ast.FunctionDef) -> ast.Assign | None:
    """The statement `a, b = function(...)`, where nothing else names the function or looks names up."""
    named = [node for node in file.all(ast.Name) if node.id == function.name]
    defined = [
        node
        for node in ast.walk(file.tree)
        if getattr(node, "name", None) == function.name or getattr(node, "asname", None) == function.name
    ]
    by_name = any(node.id in _BY_NAME for node in file.all(ast.Name)) or any(
        text.value == function.name for text in file.all(ast.Constant)
    )
    if len(named) != 1 or defined != [function] or by_name:
        return None
    statement = file.statement(named[0])
    if not (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and statement.value.func is named[0]
        and len(statement.targets) == 1
        and len(_plain_names(statement.targets[0])) == len(_returned(function))
    ):
        return None
    return statement


def _caller(file: File, function: ast.FunctionDef, call: ast.Assign) -> _Scope | None:
    """The function or the module that the call stands in, where it comes by it once, if at all."""
    for around in file.ancestors(call):
        if isinstance(around, ast.Module):
            return around
        if isinstance(around, Function):
            plain = isinstance(around, ast.FunctionDef) and around in file.tree.body
            return around if plain and around is not function else None  # type: ignore[return-value]
        if not isinstance(around, ast.With | ast.If):
            return None
    return None


def _names_keep_their_meaning(
    file: File, function: ast.FunctionDef, call: ast.Assign, around: _Scope, given: dict[str, ast.expr]
) -> bool:
    """Whether no name of the function's is another's where it is called, and none there hides one that it reads."""
    body = function.body[:-1]
    if any(isinstance(node, _NOT_WRITTEN_OUT) for statement in body for node in ast.walk(statement)):
        return False
    assigned = {name for statement in body for name in _names(statement, stored=True)}
    own = assigned | given.keys()
    handed_on = {name for name, value in given.items() if _is_name(value, name)}
    if handed_on & assigned:
        return False
    targets = dict(zip(_plain_names(call.targets[0]), _returned(function), strict=True))
    kept = {target for target, name in targets.items() if target == name}
    if not set(targets.values()) <= own:
        return False
    renamed = {name for target, name in targets.items() if target != name and name not in given}
    # what the module's own statements bind is everyone's
    in_module = isinstance(around, ast.Module)
    bound = (
        _module_names(file, {function, call}, True)
        if in_module
        else set(_names(around, stored=True, leave={call}))
    )
    if in_module and kept & bound:
        return False  # what the function calls may read what stood there before
    if (targets.keys() - kept) & set(_names(function)):
        return False
    elsewhere = _module_names(file, {function, call}) if in_module else set(_names(around, leave={call}))
    defaults = [value for value in given.values() if value in function.args.defaults]
    if not all(isinstance(value, ast.Constant) for value in defaults):
        return False
    read = {name for value in given.values() for name in _names(value)}
    if (own - handed_on) & read or (own - handed_on - kept - renamed) & elsewhere:
        return False
    shared = {name for node in ast.walk(around) if isinstance(node, ast.Global) for name in node.names}
    if own & shared:
        return False
    free = {name for statement in function.body for name in _names(statement)} - own
    return in_module or not free & bound


def _module_names(file: File, leave: set[ast.AST], stored: bool = False) -> set[str]:
    """The names in a file, or those that are bound, which are no function's own, without what is left out."""
    left_out = {node for part in leave for node in ast.walk(part)}
    found: set[str] = set()
    for node in ast.walk(file.tree):
        if node in left_out or isinstance(node, ast.arg):
            continue
        if isinstance(node, ast.Name):
            home = file.meanings.scope(node).lookup(node.id)
            if home is None or home[0].node is file.tree:
                found.update(_bound_or_named(node, stored))
        else:
            found.update(_bound_or_named(node, stored))
    return found


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _names(node: ast.AST, stored: bool = False, leave: set[ast.AST] | None = None) -> list[str]:
    """The names in a part of a file, or those that are bound there, without what is left out."""
    if leave and node in leave:
        return []
    found = _bound_or_named(node, stored)
    for child in ast.iter_child_nodes(node):
        found.extend(_names(child, stored, leave))
    return found


def _bound_or_named(node: ast.AST, stored: bool) -> list[str]:
    """The names that one node of the syntax tree binds, or, but for `stored`, reads."""
    match node:
        case ast.Name(id=name, ctx=context):
            return [] if stored and isinstance(context, ast.Load) else [name]
        case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=other):
            return [(other or name).partition(".")[0]]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return list(names)
    return []


def _with_body_for_call(
    script: Script, function: ast.FunctionDef, call: ast.Assign, given: dict[str, ast.expr]
) -> Script:
    targets = dict(zip(_plain_names(call.targets[0]), _returned(function), strict=True))
    lines_before = [
        f"{name} = ({ast.get_source_segment(script.text, value)})"
        if value.lineno != value.end_lineno
        else f"{name} = {ast.get_source_segment(script.text, value)}"
        for name, value in given.items()
        if not _is_name(value, name)
    ]
    renamed = {name: target for target, name in targets.items() if target != name and name not in given}
    lines_after = [
        f"{target} = {name}" for target, name in targets.items() if target != name and name in given
    ]
    tree = one_statement_a_line(parse_tree(script))
    definition = next(
        node for node in tree.body if isinstance(node, cst.FunctionDef) and node.name.value == function.name
    )
    changed = tree.visit(_Writer(definition, lines_before, lines_after, renamed))
    assert isinstance(changed, cst.Module)
    text = text_of(changed, script)
    conversion = script.conversion
    conversion = Conversion(script.text, text) if conversion is None else replace(conversion, after=text)
    return replace(script, text=text, conversion=conversion)


class _Writer(cst.CSTTransformer):
    """Takes the definition out, and writes its statements in place of the call."""

    def __init__(
        self,
        definition: cst.FunctionDef,
        lines_before: list[str],
        lines_after: list[str],
        renamed: dict[str, str],
    ) -> None:
        super().__init__()
        self._definition = definition
        self._renamed = renamed
        self._lines_before = [cst.parse_statement(line) for line in lines_before]
        self._lines_after = [cst.parse_statement(line) for line in lines_after]

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return node is not self._definition

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node is self._definition else updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body, behind = self._lines(updated_node.body)
        return updated_node.with_changes(body=body, footer=[*behind, *updated_node.footer])

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body, behind = self._lines(updated_node.body)
        return updated_node.with_changes(body=body, footer=[*behind, *updated_node.footer])

    def _lines(
        self, body: Sequence[cst.BaseStatement]
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        """A block's statements with those of the function, and the comments that stood behind its last, if any."""
        lines: list[cst.BaseStatement] = []
        behind: list[cst.EmptyLine] = []
        for line in body:
            match line:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(value=cst.Call(func=cst.Name(value=name)))]
                ) if name == self._definition.name.value:
                    statements, behind = self._statements(line)
                    lines += statements
                case _:
                    lines.append(_below(behind, line))
                    behind = []
        return lines, behind

    def _statements(
        self, call: cst.SimpleStatementLine
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        definition = self._definition
        assert isinstance(definition.body, cst.IndentedBlock)
        body = definition.body.visit(_Renamer(self._renamed))
        assert isinstance(body, cst.IndentedBlock)
        *statements, end = body.body
        assert isinstance(end, cst.SimpleStatementLine)
        above = [*call.leading_lines, *_comments(definition.leading_lines)]
        above += _comments([call.trailing_whitespace, definition.body.header])
        docstring = definition.get_docstring()
        if docstring is not None:
            statements = statements[1:]
            above += [_comment(f"# {line}".rstrip()) for line in docstring.strip().splitlines()]
        lines = [*self._lines_before, *statements, *self._lines_after]
        behind = _comments([*end.leading_lines, end.trailing_whitespace, *definition.body.footer])
        return [_below(above, lines[0]), *lines[1:]], behind


class _Renamer(cst.CSTTransformer):
    """Names of the function's that its caller calls otherwise."""

    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self._names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self._names.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


def _below(lines: Sequence[cst.EmptyLine], statement: cst.BaseStatement) -> cst.BaseStatement:
    """The statement with these lines (comments, empty ones) above it."""
    if not lines:
        return statement
    return statement.with_changes(leading_lines=[*lines, *statement.leading_lines])  # type: ignore[attr-defined]


def _comments(lines: Sequence[cst.EmptyLine | cst.TrailingWhitespace]) -> list[cst.EmptyLine]:
    return [_comment(line.comment.value) for line in lines if line.comment is not None]


def _comment(text: str) -> cst.EmptyLine:
    return cst.EmptyLine(comment=cst.Comment(text))
