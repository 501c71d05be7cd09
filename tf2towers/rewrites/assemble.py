"""The migrated trainer put together: which statement stays, which goes, what stands in its place."""

from __future__ import annotations

import libcst as cst

from tf2towers.program import kinds as k
from tf2towers.program.flow import flow_of, target_names
from tf2towers.program.inputs import Input
from tf2towers.program.pipelines import INLINE
from tf2towers.program.trainer import INPUT, MIXED, TOWERS, Leaf
from tf2towers.program.training import RATE, Training
from tf2towers.rewrites.context import FileContext, code_of, statement
from tf2towers.rewrites.naming import name_steps
from tf2towers.rewrites.replica import ReplicaBuilder, is_reuse_call
from tf2towers.rewrites.session import SessionCalls
from tf2towers.rewrites.training_calls import TrainingRewriter

DROP: list[cst.BaseStatement] = []


class Assembler:
    """Fills `actions`: for each statement of the owner that does not stay as it is, the statements that replace it."""

    def __init__(self, context: FileContext, training: Training) -> None:
        self.context = context
        self.training = training
        self.given: dict[str, str] = {
            "variables": context.fresh("variables"),
            "strategy": context.fresh("strategy"),
        }
        self.actions: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
        self.stages: dict[cst.With, str] = {}
        self.state_inside: set[cst.CSTNode] = set()
        self.builder: ReplicaBuilder | None = None
        self.calls: SessionCalls | None = None
        self.prefixes: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
        self.feed_dicts: dict[str, list[str]] = {}
        self.feed_keys: dict[cst.CSTNode, cst.BaseExpression] = {}

    def run(self) -> None:
        """Decides everything; problems met on the way are added to the training's."""
        training = self.training
        self._read_feed_dicts()
        self._name_inputs()
        name_steps(training, self.context)
        self.builder = ReplicaBuilder(self.context, training, self.given)
        self.calls = SessionCalls(self.context, training, self.given, self.feed_dicts)
        self._statistics()
        self._rewrite_runs()
        self._stage()
        self._graph_statements()
        self._session_statements()

    # -- inputs ---------------------------------------------------------------------------------------------------------

    def _read_feed_dicts(self) -> None:
        names = {run.feed_name for run in self.training.runs if run.feed_name is not None}
        placeholders = {n for i in self.training.inputs if i.kind == k.PLACEHOLDER for n in i.names}
        for outer in self.training.leaves:
            for leaf in outer.every():
                assign = leaf.assign
                if assign is None or not isinstance(assign.value, cst.Dict) or not leaf.flow.binds & names:
                    continue
                keys = [
                    e.key.value
                    for e in assign.value.elements
                    if isinstance(e, cst.DictElement) and isinstance(e.key, cst.Name)
                ]
                if len(keys) == len(assign.value.elements) and set(keys) <= placeholders:
                    for element in assign.value.elements:
                        if isinstance(element, cst.DictElement) and isinstance(element.key, cst.Name):
                            self.feed_keys[element.key] = cst.SimpleString(repr(element.key.value))
                    for name in leaf.flow.binds & names:
                        assert name is not None
                        before = self.feed_dicts.setdefault(name, keys)
                        if set(before) != set(keys):
                            self.training.problem(
                                leaf.node, "T2T402", f"{name} does not always feed the same placeholders"
                            )

    def _name_inputs(self) -> None:
        for one in self.training.inputs:
            if one.kind in (k.PIPELINE, k.DEQUEUE):
                self.given[f"input:{id(one)}"] = self.context.fresh("batches")
            elif one.kind == k.GET_NEXT and not isinstance(one.source, cst.Name):
                self.given[f"input:{id(one)}"] = self.context.fresh("iterator")

    # -- steps --------------------------------------------------------------------------------------------------------------

    def _statistics(self) -> None:
        from tf2towers.rewrites.statistics import statistics_kept

        kept = statistics_kept(self.training)
        if kept is not None:
            self.given["keep_statistics"] = kept

    def _rewrite_runs(self) -> None:
        assert self.builder is not None and self.calls is not None
        for run in self.training.runs:
            if run.batch_of is not None:
                batch = self.calls.next_batch(run.batch_of)
                self.calls.replaced[run.call] = cst.parse_expression(
                    f"{self.context.need('to_numpy')}({batch})"
                )
        for step in self.training.steps:
            params = self.builder.parameters(step)
            for run in step.runs:
                extra = [n for n in self.feed_dicts.get(run.feed_name or "", []) if n not in params]
                params.extend(extra)
            for run in step.runs:
                if not step.slice.leaves and self._direct(run):
                    continue
                why = self.calls.rewrite(step, run, params)
                if why is not None:
                    self.training.problem(run.call, "T2T402", f"cannot call {step.name} here: {why}")

    def _direct(self, run: object) -> bool:
        """A run that fetches state alone reads it directly."""
        from tf2towers.program.runs import Run

        assert isinstance(run, Run) and self.calls is not None
        kinds = [self.training.kinds.of(fetch) for fetch in run.fetches]
        if not all(kind in (k.STATE, k.SCHEDULE) for kind in kinds):
            return False
        parts = [
            f"{code_of(fetch)}{'()' if kind == k.SCHEDULE else ''}.numpy()"
            for fetch, kind in zip(run.fetches, kinds, strict=True)
        ]
        self.calls.replaced[run.call] = cst.parse_expression(
            f"[{', '.join(parts)}]" if run.is_list else parts[0]
        )
        return True

    # -- the stage -----------------------------------------------------------------------------------------------------------

    def _stage(self) -> None:
        """`with tf.Graph().as_default(), tf.device('/cpu:0')` becomes the strategy's scope; the others are opened."""
        from tf2towers.rewrites.strategy import strategy_statements

        if self.training.tower.synthetic:
            self._stage_without_towers()
            return
        made = strategy_statements(self.context, self.training, self.given)
        for leaf in made.hoisted:
            self.actions[leaf.node] = DROP
        outer = next((w for w in self.training.reader.opened if w in self.training.tower.parents), None)
        for block in self.training.reader.opened:
            self.stages[block] = "scope" if block is outer else "open"
        scope_items = f"with {self.given['strategy']}.scope(), {self.given['variables']}.scope():\n    pass"
        head = statement(scope_items)
        assert isinstance(head, cst.With)
        self.scope_items = head.items
        if outer is not None:
            self.before_stage = (outer, made.statements)
        else:
            first = next(leaf for leaf in self.training.leaves if leaf.kind not in (k.PLAIN, "dropped"))
            self.before_stage = (first.node, made.statements)

    def _stage_without_towers(self) -> None:
        """An evaluation: its variables live in a store of their own, on one device."""
        variables = self.given["variables"]
        head = statement(f"with {variables}.scope():\n    pass")
        assert isinstance(head, cst.With)
        self.scope_items = head.items
        opened = self.training.reader.opened
        for place, block in enumerate(opened):
            self.stages[block] = "scope" if place == 0 else "open"
        first: cst.CSTNode | None = opened[0] if opened else None
        if first is None:
            first = next(
                (leaf.node for leaf in self.training.leaves if leaf.kind not in (k.PLAIN, "dropped", TOWERS)),
                None,
            )
        assert first is not None
        self.before_stage = (first, [statement(f"{variables} = {self.context.need('VariableStore')}()")])

    @property
    def has_stage(self) -> bool:
        """Whether one block of the script becomes the strategy's scope."""
        return "scope" in self.stages.values()

    # -- statements -----------------------------------------------------------------------------------------------------------

    def _graph_statements(self) -> None:
        assert self.builder is not None and self.calls is not None
        training = self.training
        seen_towers = False
        steps = self._step_functions()
        place = self._place_of_steps()
        for leaf in training.leaves:
            made: list[cst.BaseStatement] | None = None
            if leaf.kind == TOWERS:
                seen_towers = True
                if training.tower.synthetic:
                    continue
                made = [self._state(hoisted) for hoisted in self.builder.hoisted]
                made.extend(self._tower_pipelines())
                if any(step.uses_towers and step.part is None for step in training.steps):
                    made.append(self.builder.tower_function())
            elif leaf.kind == k.TENSOR or (leaf.kind == "dropped" and leaf.detail != k.PLAIN):
                made = DROP
            elif leaf.kind == RATE:
                made = [
                    self.builder.rate_function(name) for name in sorted(leaf.flow.binds & set(training.rates))
                ]
            elif leaf.kind == INLINE:
                made = self._inline_pipeline(leaf)
            elif leaf.kind == INPUT:
                made = self._input_statements(leaf)
            elif leaf.kind == MIXED:
                made = self._mixed(leaf)
            elif leaf.kind == k.STATE:
                made = self._state_statements(leaf)
            elif is_reuse_call(leaf.node) or (leaf.kind == k.PLAIN and self._list_of_towers(leaf)):
                made = DROP
            if leaf is place and seen_towers:
                self.prefixes[leaf.node] = steps
            if made is not None:
                self.actions[leaf.node] = made
        if place is None and not training.tower.synthetic:
            towers = training.towers_leaf
            self.actions[towers.node] = [*self.actions[towers.node], *steps]

    def _step_functions(self) -> list[cst.BaseStatement]:
        assert self.builder is not None and self.calls is not None
        made: list[cst.BaseStatement] = []
        for step in self.training.steps:
            if (
                not step.slice.leaves
                and all(run.call in self.calls.replaced for run in step.runs)
                and not step.inputs
            ):
                if all(self.training.kinds.of(f) in (k.STATE, k.SCHEDULE) for f in step.fetches):
                    continue
            extra = [n for run in step.runs for n in self.feed_dicts.get(run.feed_name or "", [])]
            if step.part is not None:
                step.part.name = self.context.fresh(f"tower_of_{step.name}")
                made.append(self.builder.tower_function(step.part))
            made.append(self.builder.step_function(step, self.calls.returned(step), extra))
        if self.training.asks_for_variables:
            made.extend(self._build_statement())
        return made

    def _build_statement(self) -> list[cst.BaseStatement]:
        """The variables made at once, where the script asks for them before the first step."""
        assert self.builder is not None and self.calls is not None
        step = next((s for s in self.training.steps if s.trains), self.training.steps[0])
        params = self.builder.parameters(step)
        arguments: list[str] = []
        if self.builder.signature(step, params) is None and params:
            sources = [i for i in step.inputs if i.kind != k.PLACEHOLDER]
            if len(sources) != 1 or sources[0].names != params or sources[0].each_tower:
                self.training.problem(
                    self.training.tower.loop, "T2T404", "variables are asked for before the first step"
                )
                return []
            batch = self.calls.next_batch(sources[0]).removesuffix(".get_next()")
            arguments = [f"{'' if sources[0].whole else '*'}{batch}.element_spec"]
        return [
            statement(f"{step.name}.get_concrete_function({', '.join(arguments)})  # makes the variables")
        ]

    def _place_of_steps(self) -> Leaf | None:
        """The first statement of the session after the loop: the steps are defined before it."""
        leaves = self.training.leaves
        after = leaves[leaves.index(self.training.towers_leaf) + 1 :]
        return next((leaf for leaf in after if leaf.kind == k.SESSION), None)

    def _list_of_towers(self, leaf: Leaf) -> bool:
        assert self.builder is not None
        if leaf.assign is None or not leaf.flow.binds:
            return False
        before = self.training.leaves.index(leaf) < self.training.leaves.index(self.training.towers_leaf)
        return before and leaf.flow.binds <= self.builder._collected() | set(self.training.carried)

    def _input_statements(self, leaf: Leaf) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for one in self.training.inputs:
            if one.leaf is leaf and not one.each_tower:
                made.extend(self._source_statements(one))
        if made:
            made[0] = made[0].with_changes(leading_lines=getattr(leaf.node, "leading_lines", []))  # type: ignore[call-arg]
        return made

    def _tower_pipelines(self) -> list[cst.BaseStatement]:
        """The pipelines that the loop built inside every tower: one a tower, made once."""
        made: list[cst.BaseStatement] = []
        for one in self.training.inputs:
            if one.each_tower and one.kind == k.PIPELINE:
                call = self.in_place(one.source)
                assert isinstance(call, cst.Call)
                arguments = [self.given["strategy"], code_of(call.func), *_argument_codes(call)]
                made.append(
                    statement(
                        f"{self.given[f'input:{id(one)}']} = {self.context.need('TowerInputs')}({', '.join(arguments)})"
                    )
                )
        return made

    def _source_statements(self, one: Input) -> list[cst.BaseStatement]:
        name = self.given.get(f"input:{id(one)}")
        if one in self.training.fed_rates and one.dtype is not None:
            return [
                statement(
                    f"{one.names[0]} = {self.context.need('FedRate')}({code_of(self.in_place(one.dtype))})"
                )
            ]
        if one.kind == k.GET_NEXT and name is not None:
            return [statement(f"{name} = iter({self._dataset_of(one.source)})")]
        if one.kind == k.PIPELINE:
            assert isinstance(one.source, cst.Call) and name is not None
            source = self.in_place(one.source)
            assert isinstance(source, cst.Call)
            arguments = [code_of(source.func), *_argument_codes(source)]
            return [statement(f"{name} = {self.context.need('GraphInput')}({', '.join(arguments)})")]
        return []

    def _inline_pipeline(self, leaf: Leaf) -> list[cst.BaseStatement]:
        """A pipeline written out in the trainer, as a function that a GraphInput builds; placed at its last statement."""
        one = next((i for i in self.training.inputs if i.inline and i.leaf is leaf), None)
        if one is None:
            return DROP
        assert self.builder is not None
        name = self.context.fresh("read_batch")
        body = [self.builder.plain(part.node) for part in one.inline]
        returned = one.names[0] if one.whole else ", ".join(one.names)
        function = self.builder._definition(name, [], [*body, statement(f"return {returned}")], [])
        batches = statement(f"{self.given[f'input:{id(one)}']} = {self.context.need('GraphInput')}({name})")
        return [function, batches.with_changes(leading_lines=[cst.EmptyLine(indent=False)])]

    def _dataset_of(self, iterator: cst.BaseExpression) -> str:
        """The dataset of `dataset.make_one_shot_iterator()` or `tf.data.make_one_shot_iterator(dataset)`."""
        assert isinstance(iterator, cst.Call)
        if iterator.args:
            return code_of(self.in_place(iterator.args[0].value))
        assert isinstance(iterator.func, cst.Attribute)
        return code_of(self.in_place(iterator.func.value))

    def _state_statements(self, leaf: Leaf) -> list[cst.BaseStatement] | None:
        if leaf.inner:
            return None
        if leaf.detail == k.ITERATOR:
            return self._iterator(leaf)
        made = self._state(leaf)
        if not self.has_stage and leaf.detail in (k.STATE,):
            head = cst.With(
                items=self.scope_items, body=cst.IndentedBlock([made.with_changes(leading_lines=[])])
            )  # type: ignore[call-arg]
            return [head.with_changes(leading_lines=made.leading_lines)]  # type: ignore[attr-defined]
        return [made]

    def _iterator(self, leaf: Leaf) -> list[cst.BaseStatement]:
        assign = leaf.assign
        assert assign is not None
        target = code_of(assign.targets[0].target)
        if any(self._initializes(run, target) for run in self.training.dropped_runs):
            return DROP
        made = statement(f"{target} = iter({self._dataset_of(assign.value)})")
        return [made.with_changes(leading_lines=leaf.node.leading_lines)]  # type: ignore[attr-defined]

    def _initializes(self, call: cst.Call, iterator: str) -> bool:
        return f"{iterator}.initializer" in code_of(call)

    def _state(self, leaf: Leaf) -> cst.BaseStatement:
        made = self.in_place(leaf.node)
        assert isinstance(made, cst.BaseStatement)
        return made

    def _mixed(self, leaf: Leaf) -> list[cst.BaseStatement]:
        """An `if` that makes state and tensors: its state stays here, its tensors are in the functions."""
        if not isinstance(leaf.node, cst.If):
            self.training.problem(
                leaf.node, "T2T302", "state and tensors are made in one block that cannot be split"
            )
            return [leaf.node]  # type: ignore[list-item]
        kept = self._project_state(leaf.node, leaf)
        return [kept] if kept is not None else []

    def _project_state(self, node: cst.If, leaf: Leaf) -> cst.If | None:
        by_node = {inner.node: inner for inner in leaf.inner}

        def block(suite: cst.BaseSuite) -> list[cst.BaseStatement]:
            made: list[cst.BaseStatement] = []
            for inner in suite.body:
                found = by_node.get(inner)
                if found is None or found.kind == k.TENSOR:
                    continue
                if found.kind == INPUT:
                    made.extend(self._input_statements(found))
                elif found.kind == k.STATE:
                    state = self._state_statements(found)
                    made.extend(state if state is not None else [self._state(found)])
                elif found.kind == MIXED:
                    made.extend(self._mixed(found))
                elif found.kind != "dropped":
                    made.append(self._state(found))
            return made

        body = block(node.body)
        orelse = node.orelse
        if isinstance(orelse, cst.If):
            other: cst.If | cst.Else | None = self._project_state(orelse, leaf)
        elif orelse is not None:
            statements = block(orelse.body)
            other = orelse.with_changes(body=cst.IndentedBlock(statements)) if statements else None
        else:
            other = None
        test = self.in_place(node.test)
        if not body and isinstance(other, cst.Else):
            negated = negation(test)
            return node.with_changes(test=negated, body=other.body, orelse=None)
        if not body and other is None:
            return None
        return node.with_changes(test=test, body=cst.IndentedBlock(body or [statement("pass")]), orelse=other)

    # -- session ---------------------------------------------------------------------------------------------------------------

    def _session_statements(self) -> None:
        for outer in self.training.leaves:
            for leaf in outer.every():
                if leaf.inner or (leaf.node in self.actions and leaf.kind != k.SESSION):
                    continue
                if leaf.kind in (k.SESSION, "dropped", k.PLAIN):
                    made = self._session_statement(leaf)
                    if made is not None:
                        self.actions[leaf.node] = made

    def _session_statement(self, leaf: Leaf) -> list[cst.BaseStatement] | None:
        from tf2towers.rewrites.plumbing import plumbing_statement

        return plumbing_statement(leaf, self)

    def in_place(self, node: cst.CSTNode) -> cst.CSTNode:
        """A node of plain Python, state or session code, rewritten where it stands."""
        replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
        if self.builder is not None:
            replaced.update(self.builder.replaced)
        if self.calls is not None:
            replaced.update(self.calls.replaced)
            replaced.update(self.calls.targets)
        replaced.update(self.feed_keys)
        made = node.visit(TrainingRewriter(self.context, self.training, replaced, False, self.given))
        assert isinstance(made, cst.CSTNode)
        return made


def _argument_codes(call: cst.Call) -> list[str]:
    return [code_of(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)).strip() for argument in call.args]


def negation(test: cst.CSTNode) -> cst.BaseExpression:
    """`not test`, or the opposite comparison where there is one."""
    assert isinstance(test, cst.BaseExpression)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator = test.comparisons[0].operator
        if isinstance(operator, cst.Equal):
            return test.with_changes(comparisons=[test.comparisons[0].with_changes(operator=cst.NotEqual())])
        if isinstance(operator, cst.NotEqual):
            return test.with_changes(comparisons=[test.comparisons[0].with_changes(operator=cst.Equal())])
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    inner = test
    if isinstance(test, cst.BooleanOperation | cst.Comparison) and not test.lpar:
        inner = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)


__all__ = ["Assembler", "flow_of", "target_names"]
