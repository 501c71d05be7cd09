"""The main script rewritten: the assembler's statements in their places, everything else symbol by symbol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import find_all, is_pass
from tf2towers.program.statements.statement_reader import is_current_scope
from tf2towers.rewrites.expressions.training_calls import TrainingRewriter
from tf2towers.rewrites.files.file_context import FileContext
from tf2towers.rewrites.files.module_rewriter import ModuleRewriter
from tf2towers.rewrites.functions.moved_statements import is_reuse_call
from tf2towers.rewrites.statements.assembler import Assembler
from tf2towers.rewrites.statements.unread_names import without_unread_names

Made = cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel


class TrainerModuleRewriter(ModuleRewriter, TrainingRewriter):
    """Applies an Assembler's decisions to the module."""

    def __init__(self, context: FileContext, assembler: Assembler, removed: set[cst.CSTNode]) -> None:
        replaced = assembler.replaced()
        TrainingRewriter.__init__(self, context, assembler.training, replaced, False, assembler.given)
        self._assembler = assembler
        self._actions = assembler.actions
        self._prefixes = assembler.prefixes
        place, statements = assembler.before_stage
        self._heads = {place: statements} if statements else {}
        self._removed = removed

    def on_visit(self, node: cst.CSTNode) -> bool:
        if node in self._actions or node in self._removed:
            return False
        return super().on_visit(node)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        made = self._left(original_node, updated_node)
        if original_node in self._prefixes:
            made = cst.FlattenSentinel([*self._prefixes[original_node], *_as_list(made)])
        if original_node in self._heads and isinstance(original_node, cst.BaseStatement):
            statements = self._heads[original_node]
            lines = getattr(original_node, "leading_lines", ())
            own = getattr(statements[0], "leading_lines", ())
            head = [statements[0].with_changes(leading_lines=[*lines, *own]), *statements[1:]]
            rest = _as_list(made)
            if rest:
                rest = [rest[0].with_changes(leading_lines=[]), *rest[1:]]
            return cst.FlattenSentinel([*head, *rest])
        return made

    def _left(self, original_node: Any, updated_node: Any) -> Any:
        if original_node in self._removed:
            return cst.RemoveFromParent()
        if original_node in self._actions:
            made = self._actions[original_node]
            return cst.FlattenSentinel(made) if made else cst.RemoveFromParent()
        if is_reuse_call(original_node) and isinstance(original_node, cst.SimpleStatementLine):
            return cst.RemoveFromParent()
        return super().on_leave(original_node, updated_node)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        super().visit_FunctionDef(node)
        self.elsewhere += self._is_elsewhere(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Made:
        self.elsewhere -= self._is_elsewhere(original_node)
        made = super().leave_FunctionDef(original_node, updated_node)
        if original_node is not self.training.tower.owner or not isinstance(made, cst.FunctionDef):
            return made
        body = without_unread_names(made.body.body, flow_of(original_node.body).reads)  # type: ignore[arg-type]
        return made.with_deep_changes(made.body, body=body) if body else made

    def _is_elsewhere(self, node: cst.FunctionDef) -> bool:
        """Whether a function has no part in the trainer's own statements."""
        owner = self.training.tower.owner
        return isinstance(owner, cst.FunctionDef) and node is not owner

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> Made:
        stage = self._assembler.stages.get(original_node)
        if stage == "scope":
            return updated_node.with_changes(items=self._assembler.scope_items)
        if stage in ("monitored", "managed"):
            items = list(updated_node.items)
            return updated_node.with_changes(
                items=[items[0].with_changes(asname=None)] if stage == "managed" else items
            )
        kept = [
            new
            for old, new in zip(original_node.items, updated_node.items, strict=True)
            if not self._only_reuses(old)
        ]
        if stage == "open" or not kept or original_node in self._assembler.training.tower.parents:
            statements = [
                statement for statement in updated_node.body.body if not _is_filler(statement, original_node)
            ]
            if not statements:
                return cst.RemoveFromParent()
            first = statements[0].with_changes(
                leading_lines=[*original_node.leading_lines, *getattr(statements[0], "leading_lines", ())]
            )
            return cst.FlattenSentinel([first, *statements[1:]])  # type: ignore[list-item]
        if not updated_node.body.body:
            return cst.RemoveFromParent()
        if len(kept) < len(original_node.items):
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return updated_node.with_changes(items=kept)
        return updated_node

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> Any:
        """`if is_chief:` around nothing but queue runners and tokens: nothing is left to do."""
        if self._assembler.training.tower.cluster is None or updated_node.orelse is not None:
            return updated_node
        calls = find_all(original_node.test, cst.Call)
        return cst.RemoveFromParent() if _emptied(original_node, updated_node) and not calls else updated_node

    def _only_reuses(self, item: cst.WithItem) -> bool:
        """`tf.variable_scope(tf.get_variable_scope(), reuse=...)`: the store reuses whatever exists."""
        call = item.item
        return (
            item.asname is None
            and isinstance(call, cst.Call)
            and self.names.canonical(call.func) == "tf.variable_scope"
            and is_current_scope(self.value_kinds, call)
        )

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        updated_node = updated_node.with_changes(body=self._with_workers(updated_node.body))
        if not updated_node.body and original_node.body:
            return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])
        return updated_node.with_changes(body=spaced(updated_node.body))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=spaced(self._with_workers(updated_node.body)))

    def _with_workers(self, body: Sequence[Any]) -> list[Any]:
        """A block with the statements behind a worker's mark in a function."""
        made = list(body)
        place = next(
            (index for index, statement in enumerate(made) if statement is self._assembler.marker), None
        )
        if place is None:
            return made
        return [*made[:place], *self._assembler.workers_function(made[place + 1 :])]


def _emptied(before: cst.If, after: cst.If) -> bool:
    """Whether all that stood in a block is gone."""
    return all(is_pass(statement) for statement in after.body.body) and not any(
        is_pass(statement) for statement in before.body.body
    )


def spaced(body: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """A block with a blank line after every function that a statement follows."""
    made: list[cst.BaseStatement] = []
    for statement in body:
        lines = getattr(statement, "leading_lines", None)
        if made and isinstance(made[-1], cst.FunctionDef) and lines is not None:
            if not lines or (lines[0].comment is not None):
                made.append(_with_lines(statement, [cst.EmptyLine(indent=False), *lines]))
                continue
        made.append(statement)
    return made


def _with_lines(node: Any, lines: Sequence[cst.EmptyLine]) -> cst.BaseStatement:
    changed: cst.BaseStatement = node.with_changes(leading_lines=lines)
    return changed


def _is_filler(node: cst.CSTNode, block: cst.With) -> bool:
    """A `pass` that the script did not have: what was in the block is gone."""
    own = any(is_pass(statement) for statement in block.body.body)
    return not own and is_pass(node)


def _as_list(made: Any) -> list[Any]:
    if isinstance(made, cst.FlattenSentinel):
        return list(made)
    if isinstance(made, cst.RemovalSentinel):
        return []
    return [made]
