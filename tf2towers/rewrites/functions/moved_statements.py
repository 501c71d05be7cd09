"""Moves statements of the TF1 graph into functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import call_statement, method_of
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, MIXED, TrainerStatement
from tf2towers.program.statements.value_kinds import PLAIN, STATE, TENSOR
from tf2towers.program.training import Training
from tf2towers.rewrites.files.file_context import parse_statement
from tf2towers.rewrites.functions.tower_statements import TowerStatements, append_call


class MovedStatements(TowerStatements):
    """Rewrites a statement for the function it moves into, and leaves out what TF2 has no use for."""

    def moved(self, statement: TrainerStatement) -> list[cst.BaseStatement]:
        """A statement as it stands in a function: rewritten, and without what TF2 has no use for."""
        if self._vanishes(statement):
            return []
        if self._part is not None and self._is_left_out(statement):
            return []
        if isinstance(statement.node, cst.If) and is_of_first_tower(statement.node, self.training):
            return with_lines_of(
                statement.node, [line for inner in statement.inner for line in self.moved(inner)]
            )
        if statement.inner and (isinstance(statement.node, cst.If | cst.With)):
            return self._moved_block(statement)
        return [self._rewritten(statement.node)]

    def moved_all(self, statements: Sequence[TrainerStatement]) -> list[cst.BaseStatement]:
        """Statements one after the other; the comments of a batch that a tower is given stand above what follows."""
        made: list[cst.BaseStatement] = []
        above: list[cst.EmptyLine] = []
        for statement in statements:
            rewritten = self.moved(statement)
            if not rewritten and statement.kind == INPUT:
                above += [line for line in statement.node.leading_lines if line.comment is not None]
            elif rewritten and above:
                lines = [*above, *getattr(rewritten[0], "leading_lines", ())]
                rewritten = [rewritten[0].with_changes(leading_lines=lines), *rewritten[1:]]
                above = []
            made.extend(rewritten)
        return made

    def _is_left_out(self, statement: TrainerStatement) -> bool:
        """Whether a statement of the tower is not in the part being built."""
        assert self._part is not None
        if isinstance(statement.node, cst.With) and statement.inner:
            return False  # its statements are asked one by one
        inside = any(statement is unit for unit in self._tower_statements())
        return inside and not any(statement in kept.every() for kept in self._part.keep)

    def _vanishes(self, statement: TrainerStatement) -> bool:
        if statement.kind in (INPUT, DROPPED) and not statement.inner:
            return True
        if is_reuse_call(statement.node):
            return True
        facts = self.training.body
        if statement.assign is not None and statement.flow.binds & (facts.flags | facts.optimizers):
            return True
        for name in statement.flow.mutates & set(self._single_append) & self._collected():
            if append_call(statement.node, name) is not None:
                return True
        return False

    def _moved_block(self, statement: TrainerStatement) -> list[cst.BaseStatement]:
        node = statement.node
        if isinstance(node, cst.With):
            apart = statement.kind == MIXED and not self.training.tower.is_loop  # its state is made outside
            to_move = [inner for inner in statement.inner if not (apart and inner.kind in (STATE, PLAIN))]
            body = self.moved_all(to_move)
            if not body:
                return []
            items = self._kept_items(node)
            if not items:
                return body
            rewritten = self._rewritten(node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()])), node)
            return [rewritten.with_changes(body=node.body.with_changes(body=body))]
        assert isinstance(node, cst.If)
        kept = self._project(node, statement, with_state=statement.kind != MIXED)
        return [kept] if kept is not None else []

    def _project(self, node: cst.If, statement: TrainerStatement, with_state: bool) -> cst.If | None:
        """An `if` without what vanishes and, unless `with_state`, without the state that is made elsewhere."""
        by_node: dict[cst.CSTNode, TrainerStatement] = {inner.node: inner for inner in statement.inner}

        def block(suite: cst.BaseSuite) -> list[cst.BaseStatement]:
            made: list[cst.BaseStatement] = []
            for inner in suite.body:
                found = by_node.get(inner)
                if found is None:  # a block that is opened: what is in it stands beside it
                    self.training.problem(inner, "T2T302", "a device's block in a branch")
                elif with_state or found.kind in (TENSOR, MIXED):
                    made.extend(self.moved(found))
            return made

        body = block(node.body)
        orelse = node.orelse
        other: cst.If | cst.Else | None = None
        if isinstance(orelse, cst.If):
            other = self._project(orelse, statement, with_state)
        elif orelse is not None:
            other_body = block(orelse.body)
            other = orelse.with_changes(body=cst.IndentedBlock(other_body)) if other_body else None
        if not body and other is None:
            return None
        test = self._rewritten(node.test)
        return node.with_changes(
            test=test, body=cst.IndentedBlock(body or [parse_statement("pass")]), orelse=other
        )

    def _definition(
        self, name: str, params: Sequence[str], body: Sequence[cst.BaseStatement], decorators: Sequence[str]
    ) -> cst.FunctionDef:
        head = parse_statement(f"def {name}({', '.join(params)}):\n    pass")
        assert isinstance(head, cst.FunctionDef)
        return head.with_changes(
            body=cst.IndentedBlock(list(body)),
            decorators=[cst.Decorator(cst.parse_expression(code)) for code in decorators],
            leading_lines=[cst.EmptyLine(indent=False)],
        )


def is_of_first_tower(node: cst.If, training: Training) -> bool:
    """`if i == 0:` around what is computed of the first tower: every tower computes it, and its result is picked."""
    binds = flow_of(node.body).binds
    return bool(binds) and binds <= training.body.of_first_tower


def with_lines_of(node: cst.If, statements: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """Statements with the comments in front of the block that they stood in."""
    if not statements:
        return []
    first = statements[0]
    lines = [*node.leading_lines, *getattr(first, "leading_lines", ())]
    return [first.with_changes(leading_lines=lines), *statements[1:]]


def without_empty_lines(statement: cst.BaseStatement) -> cst.BaseStatement:
    """A statement as it stands first in a block: the comments in front of it, and no empty lines before these."""
    lines = list(dropwhile(lambda line: line.comment is None, getattr(statement, "leading_lines", ())))
    return statement.with_changes(leading_lines=lines)


def is_reuse_call(node: cst.CSTNode) -> bool:
    """`tf.get_variable_scope().reuse_variables()` or `scope.reuse_variables()` as a statement."""
    return method_of(call_statement(node)) == "reuse_variables"
