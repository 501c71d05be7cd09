"""The strategy and the variable store: one device a tower."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from tf2towers.program.python_code.data_flow import names_in, target_names
from tf2towers.program.python_code.search import code_of
from tf2towers.program.statements.trainer_statement import DROPPED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import PLAIN, SESSION
from tf2towers.program.training import Training
from tf2towers.rewrites.expressions.training_calls import TrainingRewriter
from tf2towers.rewrites.files.file_context import FileContext, parse_statement, unwrapped


@dataclass
class StrategyStatements:
    """The statements that make strategy and store, and the plain statements moved up in front of them."""

    statements: list[cst.BaseStatement]
    hoisted: list[TrainerStatement] = field(default_factory=list)


def strategy_statements(
    context: FileContext, training: Training, given: dict[str, str], stage: cst.With | None
) -> StrategyStatements:
    """`strategy = tf.distribute.MirroredStrategy(tower_devices([...]))` and the plain statements it needs.

    They stand before the `stage`, or, without one, before the first statement that makes anything.
    """
    devices, needs = _devices(context, training, given)
    hoisted = _hoisted(training, needs, stage)
    strategy, variables = given["strategy"], given["variables"]
    made: list[cst.BaseStatement] = []
    for statement in hoisted:
        made.append(statement.node.visit(TrainingRewriter(context, training, {}, False, given)))  # type: ignore[arg-type]
    made.append(
        parse_statement(
            f"{strategy} = tf.distribute.MirroredStrategy({context.need('tower_devices')}({devices}))"
        )
    )
    made.append(parse_statement(f"{variables} = {context.need('VariableStore')}({strategy})"))
    return StrategyStatements(made, hoisted)


def _devices(context: FileContext, training: Training, given: dict[str, str]) -> tuple[str, set[str]]:
    loop = training.tower.loop
    device = training.tower.device
    for name in training.tower.body_bound:
        if name in names_in(device) and name not in target_names(loop.target):
            training.problem(
                training.tower.device_with, "T2T302", "the tower's device is worked out in several statements"
            )
    iterable: cst.BaseExpression = loop.iter
    target: cst.BaseExpression = loop.target
    if (
        isinstance(iterable, cst.Call)
        and training.value_kinds.resolver.canonical(iterable.func) == "builtins.enumerate"
    ):
        if isinstance(target, cst.Tuple) and not names_in(device) & target_names(target.elements[0].value):
            target, iterable = target.elements[1].value, iterable.args[0].value
    needs = names_in(iterable) | (names_in(device) - target_names(target))
    for statement in training.statements:
        if statement.kind not in (PLAIN, TOWERS, SESSION) and statement.flow.binds & needs:
            training.problem(loop, "T2T302", "the towers' devices depend on tensors or state")
            break
    rewriter = TrainingRewriter(context, training, {}, False, given)
    iterable_code, device_code = code_of(iterable.visit(rewriter)), code_of(device.visit(rewriter))  # type: ignore[arg-type]
    target_code = unwrapped(target)
    if device_code == target_code:
        return iterable_code, needs
    return f"[{device_code} for {target_code} in {iterable_code}]", needs


def _hoisted(training: Training, needs: set[str], stage: cst.With | None) -> list[TrainerStatement]:
    """The plain statements that the devices depend on, and that stand behind the strategy's place."""
    statements_before: list[TrainerStatement] = []
    for statement in training.statements:
        if statement.kind == TOWERS:
            break
        statements_before.append(statement)
    inside = [statement for statement in statements_before if stage and _contains(stage, statement.node)]
    first = next(
        (
            place
            for place, statement in enumerate(statements_before)
            if statement.kind not in (PLAIN, DROPPED)
        ),
        len(statements_before),
    )
    kept: list[TrainerStatement] = []
    wanted = set(needs)
    for place in range(len(statements_before) - 1, -1, -1):
        statement = statements_before[place]
        if statement.kind == PLAIN and statement.flow.writes & wanted:
            wanted |= statement.flow.reads
            if statement in inside or (stage is None and place > first):
                kept.insert(0, statement)
    return kept


def _contains(block: cst.With, node: cst.CSTNode) -> bool:
    for child in block.body.body:
        if child is node:
            return True
        if isinstance(child, cst.With) and _contains(child, node):
            return True
    return False
