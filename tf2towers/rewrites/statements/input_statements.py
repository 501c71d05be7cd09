"""Where the batches come from in the migrated program: iterators, pipelines, fed values."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tf2towers.program.python_code.search import code_of
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.sessions.pipelines import values_fed
from tf2towers.program.statements.trainer_statement import TrainerStatement
from tf2towers.program.statements.value_kinds import GET_NEXT, PLACEHOLDER
from tf2towers.program.training import Pipeline, Training
from tf2towers.rewrites.expressions.fed_types import converts_what_is_fed
from tf2towers.rewrites.expressions.training_calls import TrainingRewriter
from tf2towers.rewrites.files.file_context import FileContext, parse_expression, parse_statement
from tf2towers.rewrites.functions.step_functions import ReplicaBuilder
from tf2towers.rewrites.functions.step_names import name_steps
from tf2towers.rewrites.statements.session_calls import SessionCalls

DROP: list[cst.BaseStatement] = []
#: a call that would be longer is written with an argument a line
_LONGEST_LINE = 90


class InputStatements:
    """The statements that make iterators and pipelines, and the feed dicts."""

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
        self.scope_items: Sequence[cst.WithItem] = []
        self.before_stage: tuple[cst.CSTNode, list[cst.BaseStatement]]
        self.prefixes: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
        self.feed_dicts: dict[str, list[str]] = {}
        self.feed_keys: dict[cst.CSTNode, cst.BaseExpression] = {}
        self._read_feed_dicts()
        self._name_inputs()
        name_steps(training, context)
        self.builder = ReplicaBuilder(context, training, self.given)
        self.calls = SessionCalls(context, training, self.given, self.feed_dicts)

    def in_place(self, node: cst.CSTNode) -> cst.CSTNode:
        """A node of plain Python, state or session code, rewritten where it stands."""
        replaced = self.replaced()
        made = node.visit(TrainingRewriter(self.context, self.training, replaced, False, self.given))
        assert isinstance(made, cst.CSTNode)
        return made

    def replaced(self) -> dict[cst.CSTNode, cst.BaseExpression]:
        """The nodes that have another expression wherever they stand."""
        return {**self.builder.replaced, **self.calls.replaced, **self.calls.targets, **self.feed_keys}

    def _read_feed_dicts(self) -> None:
        names = {run.feed_name for run in self.training.runs if run.feed_name is not None}
        placeholders = {
            name for input_ in self.training.inputs if input_.kind == PLACEHOLDER for name in input_.names
        }
        for statement in self.training.every:
            assign = statement.assign
            if assign is None or not isinstance(assign.value, cst.Dict) or not statement.flow.binds & names:
                continue
            keys = [
                element.key.value
                for element in assign.value.elements
                if isinstance(element, cst.DictElement) and isinstance(element.key, cst.Name)
            ]
            if len(keys) == len(assign.value.elements) and set(keys) <= placeholders:
                for element in assign.value.elements:
                    if isinstance(element, cst.DictElement) and isinstance(element.key, cst.Name):
                        self.feed_keys[element.key] = cst.SimpleString(repr(element.key.value))
                for name in statement.flow.binds & names:
                    assert name is not None
                    known_keys = self.feed_dicts.setdefault(name, keys)
                    if set(known_keys) != set(keys):
                        self.training.problem(
                            statement.node, "T2T402", f"{name} does not always feed the same placeholders"
                        )

    def _name_inputs(self) -> None:
        for input_ in self.training.inputs:
            if input_.kind == GET_NEXT and not isinstance(input_.source, cst.Name):
                self.given[f"input:{id(input_)}"] = self.context.fresh(
                    "batches" if input_.queued else "iterator"
                )
                if input_.queued:
                    self.given["batches"] = self.given[f"input:{id(input_)}"]

    def _input_statements(self, statement: TrainerStatement) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for input_ in self.training.inputs:
            if input_.statement is statement:
                made.extend(self._source_statements(input_))
        if made:
            made[0] = made[0].with_changes(leading_lines=getattr(statement.node, "leading_lines", []))
        return made

    def _source_statements(self, input_: Input) -> list[cst.BaseStatement]:
        if input_ in self.training.fed_rates and input_.dtype is not None:
            made = f"{self.context.need('FedRate')}({code_of(self.in_place(input_.dtype))})"
            return [parse_statement(f"{input_.names[0]} = {made}")]
        name = self.given.get(f"input:{id(input_)}")
        if input_.queued and name is not None:
            lines = [parse_statement(f"{name} = {self.queued(input_)}")]
            if self.training.tower.cluster is not None:  # the monitored session did
                lines.append(parse_statement(f"{name}.start()"))
            return lines
        if input_.kind == GET_NEXT and name is not None:
            return [parse_statement(f"{name} = iter({self._dataset_of(input_.source)})")]
        return []

    def queued(self, batches: Input) -> str:
        """`QueuedBatches(distorted_inputs)`, or `QueuedBatches(lambda: inputs(FLAGS.batch_size))`."""
        call = batches.source
        assert isinstance(call, cst.Call)
        made = self.in_place(call)
        assert isinstance(made, cst.Call)
        build = code_of(made.func) if not call.args else f"lambda: {code_of(made)}"
        towers = f", towers={self.given['strategy']}.num_replicas_in_sync" if batches.each_tower else ""
        return f"{self.context.need('QueuedBatches')}({build}{towers})"

    def _restartable(self, pipeline: Pipeline) -> cst.BaseStatement:
        """`dataset = restartable(lambda seed: pipeline(seed), FedTensorSpec([], tf.int64))`."""
        node = pipeline.statement.node
        made = self.in_place(node)
        specs = []
        for placeholder in pipeline.fed:
            shape = code_of(self.in_place(placeholder.shape)) if placeholder.shape is not None else "None"
            assert placeholder.dtype is not None
            dtype = code_of(self.in_place(placeholder.dtype))
            kind = self.context.need("FedTensorSpec") if converts_what_is_fed(dtype) else "tf.TensorSpec"
            specs.append(f"{kind}({shape}, {dtype})")
        assert isinstance(node, cst.SimpleStatementLine) and isinstance(made, cst.SimpleStatementLine)
        assign = made.body[0]
        assert isinstance(assign, cst.Assign)
        names = ", ".join(name for placeholder in pipeline.fed for name in placeholder.names)
        build = f"lambda {names}: {code_of(assign.value)}" if names else f"lambda: {code_of(assign.value)}"
        parts = [build, *specs]
        together = f"{self.context.need('restartable')}({', '.join(parts)})"
        rows = "".join(f"\n    {part}," for part in parts)
        apart = f"{self.context.need('restartable')}({rows}\n)"
        long = len(code_of(assign.targets[0].target)) + len(together) > _LONGEST_LINE
        return made.with_changes(
            body=[assign.with_changes(value=parse_expression(apart if long else together))]
        )

    def started(self, iterator: TrainerStatement, run: cst.Call) -> str:
        """The dataset that an iterator goes through from `sess.run(iterator.initializer, feed_dict)` on."""
        assert iterator.assign is not None
        pipeline = next(
            (candidate for candidate in self.training.pipelines if candidate.iterator is iterator), None
        )
        if pipeline is None:
            return self._dataset_of(iterator.assign.value)
        values = {name: code_of(self.in_place(value)) for name, value in values_fed(run).items()}
        given = ", ".join(values[name] for placeholder in pipeline.fed for name in placeholder.names)
        return f"{pipeline.dataset}({given})"

    def _dataset_of(self, iterator: cst.BaseExpression) -> str:
        """The dataset of `dataset.make_one_shot_iterator()` or `tf.data.make_one_shot_iterator(dataset)`."""
        assert isinstance(iterator, cst.Call)
        if iterator.args:
            return code_of(self.in_place(iterator.args[0].value))
        assert isinstance(iterator.func, cst.Attribute)
        return code_of(self.in_place(iterator.func.value))
