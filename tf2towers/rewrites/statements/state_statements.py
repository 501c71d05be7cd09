"""State in its place: variables, optimizers, savers, and the `if` that made state and tensors."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.search import code_of
from tf2towers.program.statements.trainer_statement import INPUT, MIXED, TrainerStatement
from tf2towers.program.statements.value_kinds import ITERATOR, PLAIN, STATE, TENSOR
from tf2towers.rewrites.files.file_context import parse_statement
from tf2towers.rewrites.statements.input_statements import DROP, InputStatements


class StateStatements(InputStatements):
    """The statements that make state, once, where they stood."""

    @property
    def has_stage(self) -> bool:
        """Whether one block of the script becomes the strategy's scope."""
        return "scope" in self.stages.values()

    def _state_statements(self, statement: TrainerStatement) -> list[cst.BaseStatement] | None:
        if statement.inner:
            return self._on_devices(statement)
        if statement.detail == ITERATOR:
            return self._iterator(statement)
        pipeline = next(
            (candidate for candidate in self.training.pipelines if candidate.statement is statement), None
        )
        made = self._state(statement) if pipeline is None else self._restartable(pipeline)
        if statement.detail in (STATE,) and (not self.has_stage or self._outside_cluster(statement)):
            head = cst.With(
                items=self.scope_items, body=cst.IndentedBlock([made.with_changes(leading_lines=[])])
            )
            return [head.with_changes(leading_lines=made.leading_lines)]  # type: ignore[attr-defined]
        return [made]

    def _on_devices(self, statement: TrainerStatement) -> list[cst.BaseStatement] | None:
        """`with tf.device('/cpu:0'):` around variables, in a program without towers."""
        if not self.training.tower.is_of_devices or not isinstance(statement.node, cst.With):
            return None
        made = self._state(statement)
        assert isinstance(made, cst.With)
        items = [*self.scope_items, *made.items]
        joined = [item.with_changes(comma=cst.MaybeSentinel.DEFAULT) for item in items]
        return [made.with_changes(items=joined)]

    def _outside_cluster(self, statement: TrainerStatement) -> bool:
        """Whether a variable was made outside the block on the parameter servers."""
        cluster = self.training.tower.cluster
        return cluster is not None and cluster.stage not in cluster.around.get(statement.node, ())

    def _iterator(self, statement: TrainerStatement) -> list[cst.BaseStatement]:
        assign = statement.assign
        assert assign is not None
        target = code_of(assign.targets[0].target)
        if any(self._initializes(run, target) for run in self.training.dropped_runs):
            return DROP
        batches = self.training.batches
        if (
            batches is not None
            and self.training.body.are_prefetched
            and flow_of(assign.value).reads & {*batches.names}
        ):
            self.given["batches"] = target
            made = parse_statement(f"{target} = {self.queued(batches)}")
            lines = [*batches.statement.node.leading_lines, *statement.node.leading_lines]
            return [made.with_changes(leading_lines=lines)]
        made = parse_statement(f"{target} = iter({self._dataset_of(assign.value)})")
        return [made.with_changes(leading_lines=statement.node.leading_lines)]

    def _initializes(self, call: cst.Call, iterator: str) -> bool:
        return f"{iterator}.initializer" in code_of(call)

    def _state(self, statement: TrainerStatement) -> cst.BaseStatement:
        made = self.in_place(statement.node)
        assert isinstance(made, cst.BaseStatement)
        return made

    def _mixed(self, statement: TrainerStatement) -> list[cst.BaseStatement]:
        """An `if` that makes state and tensors: its state stays here, its tensors are in the functions."""
        if isinstance(statement.node, cst.With) and not self.training.tower.is_loop:
            return self._mixed_with(statement.node, statement)
        if not isinstance(statement.node, cst.If):
            self.training.problem(
                statement.node, "T2T302", "state and tensors are made in one block that cannot be split"
            )
            return [statement.node]
        kept = self._project_state(statement.node, statement)
        return [kept] if kept is not None else []

    def _mixed_with(self, node: cst.With, statement: TrainerStatement) -> list[cst.BaseStatement]:
        """A scope around state and tensors: the scope again, around the state alone."""
        made: list[cst.BaseStatement] = []
        for inner in statement.inner:
            if inner.kind == STATE:
                state = self._state_statements(inner)
                made.extend(state if state is not None else [self._state(inner)])
            elif inner.kind == MIXED:
                made.extend(self._mixed(inner))
            elif inner.kind == INPUT:
                made.extend(self._input_statements(inner))
            elif inner.kind == PLAIN:
                made.append(self._state(inner))
        if not made or all(inner.kind in (INPUT, TENSOR) for inner in statement.inner):
            return made
        items = [self.in_place(item) for item in node.items]
        body = node.body.with_changes(body=made)
        return [node.with_changes(items=items, body=body)]

    def _project_state(self, node: cst.If, statement: TrainerStatement) -> cst.If | None:
        by_node: dict[cst.CSTNode, TrainerStatement] = {inner.node: inner for inner in statement.inner}

        def block(suite: cst.BaseSuite) -> list[cst.BaseStatement]:
            made: list[cst.BaseStatement] = []
            for inner in suite.body:
                found = by_node.get(inner)
                if found is None or found.kind not in (STATE, TENSOR, PLAIN, INPUT):
                    self.training.problem(inner, "T2T302", "a block in a branch that makes state and tensors")
                elif found.kind == INPUT:
                    made.extend(self._input_statements(found))
                elif found.kind == STATE:
                    state = self._state_statements(found)
                    made.extend(state if state is not None else [self._state(found)])
                elif found.kind == PLAIN:
                    made.append(self._state(found))
            return made

        body = block(node.body)
        other: cst.Else | None = None
        if isinstance(node.orelse, cst.If):
            self.training.problem(node, "T2T302", "an elif between branches that make state and tensors")
        elif node.orelse is not None:
            other_body = block(node.orelse.body)
            other = node.orelse.with_changes(body=cst.IndentedBlock(other_body)) if other_body else None
        test = self.in_place(node.test)
        if not body and isinstance(other, cst.Else):
            negated = negation(test)
            return node.with_changes(test=negated, body=other.body, orelse=None)
        if not body and other is None:
            return None
        return node.with_changes(
            test=test, body=cst.IndentedBlock(body or [parse_statement("pass")]), orelse=other
        )


def negation(test: cst.CSTNode) -> cst.BaseExpression:
    """`not test`, or `!=` for `==`."""
    assert isinstance(test, cst.BaseExpression)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        if isinstance(test.comparisons[0].operator, cst.Equal):
            return test.with_changes(comparisons=[test.comparisons[0].with_changes(operator=cst.NotEqual())])
    inner = test
    if isinstance(test, cst.BooleanOperation | cst.Comparison) and not test.lpar:
        inner = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)
