"""What becomes of the statements of a session: most go, a few mean something in TF2."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.search import code_of, only_small
from tf2towers.program.statements.statement_reader import OF_SUPERVISOR
from tf2towers.program.statements.trainer_statement import DROPPED, TrainerStatement
from tf2towers.program.statements.value_kinds import COORDINATION, GRAPH, ITERATOR, SESSION, SUPERVISOR
from tf2towers.rewrites.files.file_context import parse_statement
from tf2towers.rewrites.statements.state_statements import StateStatements


class SessionStatements(StateStatements):
    """The statements of the session."""

    def _session_statement(self, statement: TrainerStatement) -> list[cst.BaseStatement] | None:
        """What a statement of the session becomes; None where it stays, its expressions rewritten."""
        node = statement.node
        small = only_small(node)
        if small is None:
            return None
        value = small.value if isinstance(small, cst.Expr | cst.Assign) else None
        if isinstance(value, cst.Call) and value in self.training.dropped_runs:
            return self._initializers(value, statement)
        if statement.kind == DROPPED:
            return []
        if (
            isinstance(small, cst.Expr)
            and isinstance(value, cst.Call)
            and self._adds_coordination_hook(value)
        ):
            return []
        if isinstance(small, cst.Assign) and self._makes_session(value):
            return self._log_placement()
        if isinstance(small, cst.Assign) and self._starts(value):
            assert value is not None
            made = self.in_place(value)
            assert isinstance(made, cst.BaseExpression)
            return [node.with_changes(body=[cst.Expr(made)])]
        if isinstance(small, cst.Expr) and isinstance(value, cst.Call) and self._is_session_method(value):
            return []
        return None

    def _initializers(self, call: cst.Call, statement: TrainerStatement) -> list[cst.BaseStatement]:
        """`sess.run(init)` goes; `sess.run(iterator.initializer)` starts the iterator afresh."""
        made: list[cst.BaseStatement] = []
        code = code_of(call)
        for state in self.training.every:
            if state.detail == ITERATOR and state.assign is not None:
                name = code_of(state.assign.targets[0].target)
                if f"{name}.initializer" in code:
                    made.append(parse_statement(f"{name} = iter({self.started(state, call)})"))
        if made and isinstance(statement.node, cst.SimpleStatementLine):
            made[0] = made[0].with_changes(leading_lines=statement.node.leading_lines)
        return made

    def _starts(self, value: cst.CSTNode | None) -> bool:
        """`sv.prepare_or_wait_for_session(...)`: there is no session to keep."""
        return (
            isinstance(value, cst.Call)
            and isinstance(value.func, cst.Attribute)
            and value.func.attr.value in OF_SUPERVISOR
            and self.training.value_kinds.of(value.func.value) == SUPERVISOR
        )

    def _makes_session(self, value: cst.CSTNode | None) -> bool:
        canonical = self.training.value_kinds.resolver.canonical
        return isinstance(value, cst.Call) and canonical(value.func) == "tf.Session"

    def _is_session_method(self, call: cst.Call) -> bool:
        if not isinstance(call.func, cst.Attribute):
            return False
        owner = self.training.value_kinds.of(call.func.value)
        method = call.func.attr.value
        if owner == SESSION and method in ("close", "as_default", "__enter__", "graph"):
            return not (method == "close" and self._is_monitored(call.func.value))
        if owner == SUPERVISOR and method == "start_queue_runners":
            return True
        return owner == GRAPH and method == "finalize"

    def _adds_coordination_hook(self, call: cst.Call) -> bool:
        """`hooks.append(opt.make_session_run_hook(is_chief))`: the hook of synchronous updates has nothing to do."""
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value not in ("append", "insert", "extend"):
            return False
        return bool(call.args) and self.training.value_kinds.of(call.args[-1].value) == COORDINATION

    def _log_placement(self) -> list[cst.BaseStatement]:
        """`log_device_placement=FLAG` of the session's configuration keeps its meaning."""
        found: list[cst.BaseExpression] = []

        class Visitor(cst.CSTVisitor):
            def visit_Arg(self, node: cst.Arg) -> None:
                if node.keyword is not None and node.keyword.value == "log_device_placement":
                    found.append(node.value)

        for statement in self.training.statements:
            if statement.kind in (SESSION, DROPPED):
                statement.node.visit(Visitor())
        if not found or (isinstance(found[0], cst.Name) and found[0].value == "False"):
            return []
        code = code_of(self.in_place(found[0]))
        return [parse_statement(f"tf.debugging.set_log_device_placement({code})")]

    def _is_monitored(self, session: cst.BaseExpression) -> bool:
        """Whether a session's name holds a monitored one."""
        if not isinstance(session, cst.Name):
            return False
        name = session.value
        canonical = self.training.value_kinds.resolver.canonical
        for statement in self.training.every:
            if (
                statement.assign is not None
                and name in statement.flow.binds
                and isinstance(statement.assign.value, cst.Call)
            ):
                if canonical(statement.assign.value.func) == "tf.train.MonitoredTrainingSession":
                    return True
        return False
