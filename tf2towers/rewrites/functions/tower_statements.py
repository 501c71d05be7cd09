"""What functions need to know of the tower loop's statements: the lists they fill, the names read after the loop."""

from __future__ import annotations

from typing import Any

import libcst as cst

from tf2towers.program.python_code.data_flow import flow_of, names_in
from tf2towers.program.python_code.search import call_statement, code_of, method_of
from tf2towers.program.statements.statement_reader import is_current_scope
from tf2towers.program.statements.trainer_statement import TOWERS, TrainerStatement
from tf2towers.program.training import TowerPart, Training
from tf2towers.rewrites.expressions.training_calls import TrainingRewriter
from tf2towers.rewrites.files.file_context import FileContext


class TowerStatements:
    """Knows the loop's body: what is collected, averaged, read afterwards."""

    def __init__(self, context: FileContext, training: Training, given: dict[str, str]) -> None:
        self.context = context
        self.training = training
        self.given = given
        self.replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
        self.tower_name = context.fresh("tower")
        self.live: list[str] = []
        self._single_append: dict[str, cst.Name] = {}
        self._part: TowerPart | None = None
        self._without_towers = False  # the step being built runs no tower
        self._now: dict[str, str] = {}  # schedule -> the name that holds its value in the step being built
        for node, name in training.renamed.items():
            self.replaced[node] = cst.Name(name)
        self._prepare()

    def _prepare(self) -> None:
        self._find_appends()
        for average in self.training.averages:
            name = self._average_argument(average.accumulator)
            self.replaced[average.call] = cst.Call(
                cst.Name(self.context.need("average_gradients")), [cst.Arg(name)]
            )
        self._find_live()

    def _tower_statements(self) -> list[TrainerStatement]:
        return [
            statement for inner in self.training.tower_loop_statement.inner for statement in inner.every()
        ]

    def _find_appends(self) -> None:
        """Lists that one `xs.append(name)` fills: the list itself is not needed, the name is."""
        found: dict[str, list[cst.Call]] = {}
        for statement in self._tower_statements():
            if statement.inner:
                continue
            for name in statement.flow.mutates:
                call = append_call(statement.node, name)
                found.setdefault(name, []).append(
                    call if call is not None else cst.Call(cst.Name("not_an_append"))
                )
        for name, calls in found.items():
            if len(calls) == 1 and calls[0].args and isinstance(calls[0].args[0].value, cst.Name):
                if self._never_read_inside(name):
                    self._single_append[name] = calls[0].args[0].value

    def _never_read_inside(self, name: str) -> bool:
        reads = 0
        for statement in self._tower_statements():
            if not statement.inner and name in statement.flow.reads:
                reads += 1
        return reads == 1

    def _collected(self) -> set[str]:
        return {average.accumulator for average in self.training.averages} | self.training.gathered

    def _average_argument(self, accumulator: str) -> cst.BaseExpression:
        if accumulator in self._single_append:
            return self._single_append[accumulator]
        return cst.parse_expression(f"{accumulator}[0]")

    def _find_live(self) -> None:
        """Names bound by the loop's body that a step reads after it, in the order of binding."""
        wanted: set[str] = set()
        for step in self.training.steps:
            if not step.uses_towers:
                continue
            for statement in step.slice.statements:
                if statement.kind != TOWERS:
                    wanted |= self._reads_after(statement)
            for fetch in step.fetches:
                wanted |= flow_of(fetch).reads
        for name, appended in self._single_append.items():
            if name in wanted:
                wanted.add(appended.value)
                wanted.discard(name)
        for average in self.training.averages:
            wanted |= names_in(self._average_argument(average.accumulator))
        order: list[str] = []
        for statement in self._tower_statements():
            for name in sorted(
                statement.flow.writes, key=lambda written: code_of(statement.node).find(written)
            ):
                if name not in order:
                    order.append(name)
        self.live = [name for name in order if name in wanted - self.training.body.optimizers]

    def _reads_after(self, statement: TrainerStatement) -> set[str]:
        return statement.flow.reads | {
            name for context in statement.contexts for name in flow_of(*context.items).reads
        }

    def _kept_items(self, node: cst.With) -> list[cst.WithItem]:
        return [item for item in node.items if not is_tower_stage(item, self.training)]

    def _rewritten(self, node: Any, original: Any = None) -> Any:
        if original is not None:  # a with block whose body is built already: its items only
            items = [self._rewritten(item) for item in self._kept_items(original)]
            items = [
                item.with_changes(comma=cst.MaybeSentinel.DEFAULT) if place == len(items) - 1 else item
                for place, item in enumerate(items)
            ]
            return original.with_changes(items=items)
        rewriter = TrainingRewriter(self.context, self.training, self.replaced, True, self.given)
        rewriter.now = self._now
        rewriter.without_towers = self._without_towers
        return node.visit(rewriter)


def append_call(node: cst.CSTNode, name: str) -> cst.Call | None:
    """The `name.append(value)` that a statement consists of."""
    call = call_statement(node)
    return call if call is not None and method_of(call, name) == "append" and len(call.args) == 1 else None


def is_enumerate(loop: cst.For, training: Training) -> bool:
    """Whether the loop runs over `enumerate(xs)`."""
    return (
        isinstance(loop.iter, cst.Call)
        and training.value_kinds.resolver.canonical(loop.iter.func) == "builtins.enumerate"
        and len(loop.iter.args) == 1
    )


def is_tower_stage(item: cst.WithItem, training: Training) -> bool:
    """A with item the strategy stands for: the tower's device, the variable scope in force."""
    call = item.item
    if not isinstance(call, cst.Call):
        return False
    canonical = training.value_kinds.resolver.canonical(call.func)
    if canonical == "tf.device":
        return any(item is own for own in training.tower.device_with.items)
    return (
        canonical in ("tf.variable_scope",)
        and is_current_scope(training.value_kinds, call)
        and item.asname is None
    )
