"""The migrated trainer put together: which statement stays, which goes, what stands in its place."""

from __future__ import annotations

from itertools import takewhile

import libcst as cst

from tf2towers.program.python_code.search import code_of, find_all
from tf2towers.program.sessions.session_runs import Run
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, MIXED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import PLAIN, SCHEDULE, SESSION, STATE, TENSOR
from tf2towers.program.training import Step
from tf2towers.rewrites.files.file_context import parse_statement
from tf2towers.rewrites.functions.kept_statistics import statistics_kept
from tf2towers.rewrites.functions.moved_statements import is_reuse_call
from tf2towers.rewrites.functions.strategy_and_store import strategy_statements
from tf2towers.rewrites.statements.input_statements import DROP
from tf2towers.rewrites.statements.session_calls import CannotCall
from tf2towers.rewrites.statements.worker_statements import WorkerStatements


class Assembler(WorkerStatements):
    """Fills `actions`: for each statement of the owner that does not stay as it is, the statements that replace it."""

    def run(self) -> None:
        """Decides everything; problems met on the way are added to the training's."""
        if self.training.region is not None:
            self.builder.name_optimizers()
        kept = statistics_kept(self.training)
        if kept is not None:
            self.given["keep_statistics"] = kept
        self._rewrite_runs()
        self._stage()
        self._graph_statements()
        self._session_statements()

    def _rewrite_runs(self) -> None:
        for step in self.training.steps:
            params = self.builder.parameters(step)
            for run in step.runs:
                extra = [name for name in self.feed_dicts.get(run.feed_name or "", []) if name not in params]
                params.extend(extra)
            for run in step.runs:
                if not step.slice.statements and self._direct(run):
                    continue
                try:
                    self.calls.rewrite(step, run, params)
                except CannotCall as why:
                    self.training.problem(run.call, "T2T402", f"cannot call {step.name} here: {why}")

    def _direct(self, run: Run) -> bool:
        """A run that fetches state alone reads it directly."""
        kinds = [self.training.value_kinds.of(fetch) for fetch in run.fetches]
        if not all(kind in (STATE, SCHEDULE) for kind in kinds):
            return False
        parts = [
            f"{code_of(fetch)}{'()' if kind == SCHEDULE else ''}.numpy()"
            for fetch, kind in zip(run.fetches, kinds, strict=True)
        ]
        row = ", ".join(parts)
        several = f"({row}{',' if len(parts) == 1 else ''})" if run.is_tuple else f"[{row}]"
        self.calls.replaced[run.call] = cst.parse_expression(several if run.is_list else parts[0])
        return True

    def _stage(self) -> None:
        """`with tf.Graph().as_default(), tf.device('/cpu:0')` becomes the strategy's scope; the others are opened."""
        if self.training.tower.cluster is not None:
            self._cluster_stage(self.training.tower.cluster)
            return
        if not self.training.tower.is_loop:
            self._stage_of_devices()
            return
        outer = next(
            (block for block in self.training.reader.opened if block in self.training.tower.parents), None
        )
        if outer is not None and self._makes_state_before(outer):
            outer = None
        made = strategy_statements(self.context, self.training, self.given, outer)
        for statement in made.hoisted:
            self.actions[statement.node] = DROP
        for block in self.training.reader.opened:
            self.stages[block] = "scope" if block is outer else "open"
        scope_items = f"with {self.given['strategy']}.scope(), {self.given['variables']}.scope():\n    pass"
        head = parse_statement(scope_items)
        assert isinstance(head, cst.With)
        self.scope_items = head.items
        if outer is not None:
            self.before_stage = (outer, made.statements)
        else:
            first = next(
                statement for statement in self.training.statements if statement.kind not in (PLAIN, DROPPED)
            )
            self.before_stage = (first.node, made.statements)

    def _makes_state_before(self, block: cst.With) -> bool:
        """Whether a variable is made before a block that the towers are in: it has to be the strategy's, too."""
        inside = set(find_all(block, cst.SimpleStatementLine))
        statements_before = takewhile(
            lambda statement: statement.kind != TOWERS and statement.node not in inside,
            self.training.statements,
        )
        return any(inner.detail == STATE for statement in statements_before for inner in statement.every())

    def _stage_of_devices(self) -> None:
        """A program without towers: a store for its variables, no strategy."""
        for block in self.training.reader.opened:
            self.stages[block] = "open"
        head = parse_statement(f"with {self.given['variables']}.scope():\n    pass")
        assert isinstance(head, cst.With)
        self.scope_items = head.items
        first = next(
            statement
            for statement in self.training.statements
            if statement.kind not in (PLAIN, DROPPED, TOWERS)
        )
        made: list[cst.BaseStatement] = []
        if self.builder.makes_variables:
            store = f"{self.context.need('VariableStore')}(tf.distribute.get_strategy())"
            made.append(parse_statement(f"{self.given['variables']} = {store}"))
        self.before_stage = (first.node, made)

    def _graph_statements(self) -> None:
        training = self.training
        seen_towers = False
        steps = self._step_functions()
        place = self._place_of_steps()
        for statement in training.statements:
            made: list[cst.BaseStatement] | None = None
            if statement.kind == TOWERS:
                seen_towers = True
                if not training.tower.is_loop:
                    continue
                made = [
                    self._state(part)
                    for inner in statement.inner
                    for part in inner.every()
                    if self._is_made_once(part)
                ]
                for input_ in training.inputs:
                    if input_.queued and input_.each_tower:
                        made.extend(self._source_statements(input_))
                if any(step.uses_towers and step.part is None for step in training.steps):
                    made.append(self.builder.tower_function())
            elif statement.kind == TENSOR or (statement.kind == DROPPED and statement.detail != PLAIN):
                made = (
                    self.builder.optimizers_of(statement, self.in_place)
                    if training.region is not None
                    else DROP
                )
            elif statement.kind == INPUT or self._is_inputs_and_tensors(statement):
                made = [line for part in statement.every() for line in self._input_statements(part)]
            elif statement.kind == MIXED:
                made = self._mixed(statement)
            elif statement.kind == STATE:
                made = self._state_statements(statement)
            elif is_reuse_call(statement.node) or (
                statement.kind == PLAIN and self._is_told_by_towers(statement)
            ):
                made = DROP
            if statement is place and seen_towers and training.region is None:
                self.prefixes[statement.node] = steps
            if made is not None:
                self.actions[statement.node] = made
        if training.region is not None:
            self._workers(training.region, steps)

    def _is_inputs_and_tensors(self, statement: TrainerStatement) -> bool:
        """Whether it is a scope around batches and what is made of them, in a program with towers."""
        kinds = {inner.kind for inner in statement.inner}
        return (
            isinstance(statement.node, cst.With) and self.training.tower.is_loop and kinds == {INPUT, TENSOR}
        )

    def _is_made_once(self, statement: TrainerStatement) -> bool:
        """Whether a statement of the loop makes an optimizer, which is one for all towers."""
        return statement.assign is not None and bool(statement.flow.binds & self.training.body.optimizers)

    def _step_functions(self) -> list[cst.BaseStatement]:
        steps = [
            (step, [name for run in step.runs for name in self.feed_dicts.get(run.feed_name or "", [])])
            for step in self.training.steps
            if not self._is_read_directly(step)
        ]
        made = [*self.builder.share_model(steps), *self.builder.share_signatures(steps)]
        for step, extra in steps:
            if step.part is not None:
                step.part.name = self.context.fresh(f"tower_of_{step.name}")
                made.append(self.builder.tower_function(step.part))
            made.append(self.builder.step_function(step, self.calls.returned(step), extra))
        return made

    def _is_read_directly(self, step: Step) -> bool:
        """Whether every run of it fetches state alone, and reads that where it stands."""
        return (
            not step.slice.statements
            and not step.inputs
            and all(run.call in self.calls.replaced for run in step.runs)
            and all(self.training.value_kinds.of(fetch) in (STATE, SCHEDULE) for fetch in step.fetches)
        )

    def _place_of_steps(self) -> TrainerStatement | None:
        """The first statement of the session after the loop: the steps are defined before it."""
        after = self.training.behind_towers(self.training.statements)
        return next((statement for statement in after if statement.kind == SESSION), None)

    def _is_told_by_towers(self, statement: TrainerStatement) -> bool:
        """Whether it is `tower_grads = []` of a list that the towers fill, or a flag that each tower sets."""
        if statement.assign is None or not statement.flow.binds:
            return False
        if statement.flow.binds <= self.training.body.flags:
            return True
        return (
            self.training.stands_before_towers(statement)
            and statement.flow.binds <= self.builder._collected()
        )

    def _session_statements(self) -> None:
        for statement in self.training.single:
            if statement.node in self.actions and statement.kind != SESSION:
                continue
            if statement.kind in (SESSION, DROPPED, PLAIN):
                made = self._session_statement(statement)
                if made is not None:
                    self.actions[statement.node] = made
