"""A tower training program as data: what the recognisers fill in and the rewrites read."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

import libcst as cst

from tf2towers.exact.program import Program
from tf2towers.program.clusters.region import Region
from tf2towers.program.problem import Problem
from tf2towers.program.python_code.backward_slices import Slice
from tf2towers.program.python_code.function_summaries import Functions
from tf2towers.program.python_code.side_effects import Effects
from tf2towers.program.sessions.batch_input import Input
from tf2towers.program.sessions.session_runs import Run
from tf2towers.program.statements.statement_reader import StatementReader
from tf2towers.program.statements.trainer_statement import MIXED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import PLACEHOLDER, TENSOR, ValueKinds
from tf2towers.program.towers.tower_loop import TowerLoop


@dataclass(frozen=True)
class TowerFacts:
    """What `certain` found in the loop's body: all of it are names of the function or module that the loop is in.

    `flags` are False in the first tower and True in the others; `lists_bound_again` stand for something else behind
    the loop; `optimizers` are made in every tower, alike; `of_first_tower` are computed under `if i == 0:`.
    """

    flags: frozenset[str] = frozenset()
    lists_bound_again: frozenset[str] = frozenset()
    optimizers: frozenset[str] = frozenset()
    of_first_tower: frozenset[str] = frozenset()
    placements: frozenset[str] = frozenset()  # functions that are called for `tf.device` alone
    batches: ast.AST | None = None  # the function that makes the batches, out of TF1's queues
    are_prefetched: bool = False  # and every tower takes one of `prefetch_queue`


@dataclass
class Average:
    """A call that averages the towers' gradients: `grads = average_gradients(tower_grads)`."""

    call: cst.Call
    accumulator: str
    function: str


@dataclass(eq=False)
class Pipeline:
    """`dataset = input_pipeline(rows, seed)`, whose iterator is begun by `sess.run(iterator.initializer, ...)`.

    `fed` are the placeholders that it is given: they have a value whenever the iterator is begun.
    """

    statement: TrainerStatement
    call: cst.Call
    dataset: str
    iterator: TrainerStatement
    fed: list[Input]


@dataclass(eq=False)
class Step:
    """What one kind of session call computes: a tf.function of the migrated program."""

    fetches: list[cst.BaseExpression]
    runs: list[Run]
    slice: Slice
    uses_towers: bool
    trains: bool
    inputs: list[Input] = field(default_factory=list)
    name: str = ""
    part: TowerPart | None = None  # set where the step runs a part of the tower only


def placeholders_of(step: Step, name: str, training: Training) -> list[Input]:
    """The placeholders that a step's parameter may stand for."""
    inputs = step.inputs if training.tower.is_of_devices else training.inputs
    return [input_ for input_ in inputs if input_.kind == PLACEHOLDER and input_.names == [name]]


@dataclass
class TowerPart:
    """The part of the tower's statements that one step needs, where it is not fed all that the whole tower takes."""

    keep: set[TrainerStatement]
    slice_before: Slice
    inputs: list[Input] = field(default_factory=list)
    name: str = ""


@dataclass(eq=False)
class Training:
    """The whole program. `statements` are those of the owner in order, the tower loop among them."""

    tower: TowerLoop
    module: cst.Module
    value_kinds: ValueKinds
    functions: Functions
    source: Program
    reader: StatementReader
    statements: list[TrainerStatement]
    effects: dict[TrainerStatement, Effects] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    averages: list[Average] = field(default_factory=list)
    gathered: set[str] = field(default_factory=set)
    runs: list[Run] = field(default_factory=list)
    dropped_runs: list[cst.Call] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    renamed: dict[cst.CSTNode, str] = field(default_factory=dict)  # state that is bound twice
    batches: Input | None = None  # those of TF1's queues
    fed_rates: list[Input] = field(default_factory=list)
    body: TowerFacts = field(default_factory=TowerFacts)
    pipelines: list[Pipeline] = field(default_factory=list)
    tower_binds: set[str] = field(default_factory=set)
    tower_needs: Slice = field(default_factory=Slice)
    region: Region | None = None  # what every worker of a cluster runs for itself

    @property
    def tower_loop_statement(self) -> TrainerStatement:
        """The statement that is the tower loop."""
        return next(statement for statement in self.statements if statement.kind == TOWERS)

    @property
    def every(self) -> list[TrainerStatement]:
        """All statements, those within others, too."""
        return [statement for outer in self.statements for statement in outer.every()]

    @property
    def single(self) -> list[TrainerStatement]:
        """Those within which there are no others."""
        return [statement for statement in self.every if not statement.inner]

    def stands_before_towers(self, statement: TrainerStatement) -> bool:
        """Whether one of the owner's statements stands in front of the tower loop."""
        return self.statements.index(statement) < self.statements.index(self.tower_loop_statement)

    def behind_towers(self, statements: Iterable[TrainerStatement]) -> list[TrainerStatement]:
        """Those of some of the owner's statements that stand behind the tower loop."""
        place = self.statements.index(self.tower_loop_statement)
        return [statement for statement in statements if self.statements.index(statement) > place]

    @property
    def graph(self) -> list[TrainerStatement]:
        """The statements that make tensors, in order, the tower loop included."""
        return [statement for statement in self.statements if statement.kind in (TENSOR, MIXED, TOWERS)]

    def problem(self, node: cst.CSTNode, code: str, message: str) -> None:
        """Notes a site that stays by hand."""
        self.problems.append(Problem(node, code, message))
