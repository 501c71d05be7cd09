"""A tower training program, understood: what is state, what each tower does, what each session call computes."""

from __future__ import annotations

import libcst as cst

from tf2towers.exact.program import Program
from tf2towers.names.symbols import Names
from tf2towers.program import kinds as k
from tf2towers.program.collected import read_collected, refuse_carried
from tf2towers.program.effects import effects_of
from tf2towers.program.flow import flow_of
from tf2towers.program.functions import Functions
from tf2towers.program.kinds import Kinds
from tf2towers.program.leaf import TOWERS, Leaf
from tf2towers.program.lists import read_lists
from tf2towers.program.model import Training
from tf2towers.program.problems import Problem
from tf2towers.program.rates import read_fed_rates
from tf2towers.program.rebound_state import rename_rebound_state
from tf2towers.program.sources import read_inputs
from tf2towers.program.steps import read_runs, read_steps
from tf2towers.program.towers import TowerLoop
from tf2towers.program.trainer import Reader
from tf2towers.program.workers import read_region


def understand(tower: TowerLoop, names: Names, functions: Functions, source: Program) -> Training:
    """Reads the program around a tower loop. What it cannot follow is in `problems`."""
    kinds = Kinds(names, functions)
    reader = Reader(kinds, tower.loop)
    owner = tower.owner
    module = next(parent for parent in tower.parents if isinstance(parent, cst.Module))
    if isinstance(owner, cst.FunctionDef):
        for parameter in owner.params.params:
            kinds.names[parameter.name.value] = k.PLAIN
        body = owner.body.body
    else:
        body = owner.body
    leaves = reader.read(body, set(tower.parents))
    if tower.cluster is not None:
        leaves.insert(0, Leaf(tower.loop, TOWERS, k.TENSOR, flow_of()))
    training = Training(tower, module, kinds, functions, source, reader, leaves)
    for leaf in leaves:
        training.effects[leaf] = effects_of(leaf.node, names, functions)
    if tower.cluster is not None:
        rename_rebound_state(training)
    read_lists(training)
    read_inputs(training)
    read_fed_rates(training)
    read_collected(training)
    refuse_carried(training)
    read_runs(training)
    read_steps(training)
    if tower.cluster is not None:
        region = read_region(training, tower.cluster)
        if isinstance(region, Problem):
            training.problems.append(region)
        else:
            training.region = region
            training.problems.extend(region.problems)
    return training
