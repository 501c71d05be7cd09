"""A tower training program, understood: what is state, what each tower does, what each session call computes."""

from __future__ import annotations

import libcst as cst

from tf2towers.exact.program import Program
from tf2towers.names.symbols import Names
from tf2towers.program.clusters.workers_part import read_region
from tf2towers.program.python_code.data_flow import flow_of
from tf2towers.program.python_code.function_summaries import Functions
from tf2towers.program.python_code.side_effects import effects_of
from tf2towers.program.sessions.fed_rates import read_fed_rates
from tf2towers.program.sessions.find_inputs import read_inputs
from tf2towers.program.sessions.pipelines import read_pipelines
from tf2towers.program.sessions.steps import read_runs, read_steps
from tf2towers.program.statements.lists_of_a_step import read_lists
from tf2towers.program.statements.statement_reader import StatementReader
from tf2towers.program.statements.trainer_statement import TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import PLAIN, TENSOR, ValueKinds
from tf2towers.program.statements.variables_bound_again import rename_rebound_state
from tf2towers.program.towers.collected_lists import read_collected, refuse_carried
from tf2towers.program.towers.tower_facts import tower_facts
from tf2towers.program.towers.tower_loop import TowerLoop
from tf2towers.program.training import TowerFacts, Training


def understand(tower: TowerLoop, names: Names, source: Program) -> Training:
    """Reads the program around a tower loop. What it cannot follow is in `problems`."""
    functions = Functions(source)
    facts = TowerFacts() if tower.is_of_devices else tower_facts(source)
    value_kinds = ValueKinds(names, functions, source, facts.batches)
    reader = StatementReader(value_kinds, tower.loop, keeps_devices=tower.is_of_devices)
    owner = tower.owner
    module = next(parent for parent in tower.parents if isinstance(parent, cst.Module))
    if isinstance(owner, cst.FunctionDef):
        for parameter in owner.params.params:
            value_kinds.names[parameter.name.value] = PLAIN
        body = owner.body.body
    else:
        body = owner.body
    statements = reader.read(body, set(tower.parents))
    if not tower.is_loop:
        statements.insert(0, TrainerStatement(tower.loop, TOWERS, TENSOR, flow_of()))
    training = Training(tower, module, value_kinds, functions, source, reader, statements)
    training.body = facts
    for statement in statements:
        training.effects[statement] = effects_of(statement.node, names, functions)
    if tower.cluster is not None:
        rename_rebound_state(training)
    read_lists(training)
    read_inputs(training)
    read_fed_rates(training)
    read_collected(training)
    refuse_carried(training)
    read_runs(training)
    training.pipelines = read_pipelines(training)
    read_steps(training)
    if tower.cluster is not None:
        training.region = read_region(training, tower.cluster)
    return training
