"""Functions of a tower that begin by taking their batch: the tower takes it instead, and hands it to them."""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst

from tf2towers.certain.building import Building
from tf2towers.certain.queues import is_of_queues
from tf2towers.certain.straight_line import straight_line
from tf2towers.exact.deep import with_deep_stack
from tf2towers.exact.file import File
from tf2towers.exact.program import Program
from tf2towers.source.conversion import Conversion
from tf2towers.source.script import Script
from tf2towers.source.tree import one_statement_a_line, parse_tree, text_of


def with_batches_handed_over(program: Program) -> Script | None:
    """The main script with `tower_loss(scope, images, labels)` for a `tower_loss(scope)` that takes batches of queues.

    None where no tower has such a call. The statement moves from the function's beginning to the line before the call;
    its names are free there, and what it reads is the module's.
    """
    return with_deep_stack(lambda: _handed_over(program))


def _handed_over(program: Program) -> Script | None:
    building = Building(program)
    for file, loop in building.loops:
        for statement in straight_line(getattr(loop.statement, "body", [])):
            if file is not program.main or not isinstance(statement, ast.Assign):
                continue
            function = _function_called(building, file, statement)
            taken = _taken_first(building, file, function) if function is not None else None
            if function is None or taken is None or not _may_move(file, function, taken, statement):
                continue
            return _moved(file.script, function, taken)
    return None


def _function_called(building: Building, file: File, statement: ast.Assign) -> ast.FunctionDef | None:
    """The script's function that a statement calls with plain arguments, and that nothing else calls."""
    call = statement.value
    if (
        not isinstance(call, ast.Call)
        or call.keywords
        or any(isinstance(argument, ast.Starred) for argument in call.args)
    ):
        return None
    function = building.function_called(file, call)
    if not isinstance(function, ast.FunctionDef) or function not in file.tree.body:
        return None
    taken = function.args
    plain = len(taken.args) == len(call.args) and not (taken.vararg or taken.kwarg or taken.kwonlyargs)
    alone = [name for name in file.all(ast.Name) if name.id == function.name] == [call.func]
    return function if plain and alone and not function.decorator_list else None


def _taken_first(building: Building, file: File, function: ast.FunctionDef) -> ast.Assign | None:
    """`images, labels = distorted_inputs()` where a function begins."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    first = body[0] if body else None
    return first if isinstance(first, ast.Assign) and is_of_queues(building, file, first) else None


def _may_move(file: File, function: ast.FunctionDef, taken: ast.Assign, call: ast.Assign) -> bool:
    """Whether a statement means the same in front of a call: it reads the module's names, binds names unused there."""
    read = [node for node in ast.walk(taken.value) if isinstance(node, ast.Name)]
    homes = [file.meanings.scope(node).lookup(node.id) for node in read]
    if any(home is not None and home[0].node is not file.tree for home in homes):
        return False
    bound = {node.id for target in taken.targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    around = file.function_around(call) or file.tree
    named = [node for node in file.all(ast.Name) if around in file.ancestors(node)]
    own = {node.id for node in named if _is_of(file, node, around) and function not in file.ancestors(node)}
    stored = {node.id for node in named if not isinstance(node.ctx, ast.Load)} & own
    functions = [function, around] if isinstance(around, ast.FunctionDef) else [function]
    taken_names = {parameter.arg for definition in functions for parameter in definition.args.args}
    shared = {name for node in file.all(ast.Global) for name in node.names}
    if around is not file.tree and {node.id for node in read} & stored:
        return False
    return not bound & (own | taken_names | shared)


def _is_of(file: File, node: ast.Name, around: ast.AST) -> bool:
    """Whether a name is one of a function's or module's own, or of nothing that is seen."""
    home = file.meanings.scope(node).lookup(node.id)
    return home is None or home[0].node is around


def _moved(script: Script, function: ast.FunctionDef, taken: ast.Assign) -> Script:
    names = [node.id for node in ast.walk(taken.targets[0]) if isinstance(node, ast.Name)]
    tree = one_statement_a_line(parse_tree(script))
    definition = next(
        node for node in tree.body if isinstance(node, cst.FunctionDef) and node.name.value == function.name
    )
    changed = tree.visit(_Mover(definition, names))
    assert isinstance(changed, cst.Module)
    text = text_of(changed, script)
    conversion = script.conversion
    conversion = Conversion(script.text, text) if conversion is None else replace(conversion, after=text)
    return replace(script, text=text, conversion=conversion)


class _Mover(cst.CSTTransformer):
    """Takes the first statement out of a function, and writes it above the one call, which hands its names over."""

    def __init__(self, definition: cst.FunctionDef, names: list[str]) -> None:
        super().__init__()
        self._definition = definition
        self._function = definition.name.value
        self._names = names
        self._place = 0 if definition.get_docstring() is None else 1
        self._taken = cst.ensure_type(definition.body.body[self._place], cst.SimpleStatementLine)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        if original_node is not self._definition:
            return updated_node
        body = [*updated_node.body.body]
        del body[self._place]
        params = [*updated_node.params.params, *(cst.Param(cst.Name(name)) for name in self._names)]
        return updated_node.with_changes(
            params=updated_node.params.with_changes(params=_separated(params)),
            body=updated_node.body.with_changes(body=body),
        )

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if not isinstance(updated_node.func, cst.Name) or updated_node.func.value != self._function:
            return updated_node
        args = [*updated_node.args, *(cst.Arg(cst.Name(name)) for name in self._names)]
        return updated_node.with_changes(args=_separated(args))

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        match original_node.body[0]:
            case cst.Assign(value=cst.Call(func=cst.Name(value=name))) if name == self._function:
                lines = [*updated_node.leading_lines, *self._taken.leading_lines]
                return cst.FlattenSentinel(
                    [
                        self._taken.with_changes(leading_lines=lines),
                        updated_node.with_changes(leading_lines=[]),
                    ]
                )
        return updated_node


def _separated(parts: list) -> list:  # type: ignore[type-arg]
    """Parameters or arguments with a comma and a space between them."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    spaced = [
        part if isinstance(part.comma, cst.Comma) else part.with_changes(comma=comma) for part in parts[:-1]
    ]
    return [*spaced, *parts[-1:]]
