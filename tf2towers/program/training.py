"""A tower training program, understood: what is state, what each tower does, what each session call computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst
import libcst.matchers as m

from tf2towers.names.symbols import Names
from tf2towers.program import kinds as k
from tf2towers.program.averaging import is_mean_over_towers
from tf2towers.program.effects import COLLECTIONS, PRINTS, Effects, effects_of
from tf2towers.program.flow import flow_of, root_name, target_names, upward_exposed
from tf2towers.program.functions import Functions
from tf2towers.program.inputs import Input, read_input
from tf2towers.program.kinds import Kinds, family
from tf2towers.program.lifting import Lift, find_lift
from tf2towers.program.lists import read_lists
from tf2towers.program.pipelines import INLINE, read_inline_pipelines
from tf2towers.program.problems import Problem
from tf2towers.program.runs import Run, RunFinder
from tf2towers.program.slices import Slice, slice_for
from tf2towers.program.towers import TowerLoop, accumulators, range_count
from tf2towers.program.trainer import DROPPED, INPUT, MIXED, TOWERS, Leaf, Reader

RATE = "rate"  # the kind of a leaf that works out a learning rate


@dataclass
class Average:
    """A call that averages the towers' gradients: `grads = average_gradients(tower_grads)`."""

    call: cst.Call
    accumulator: str
    function: str


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


@dataclass
class TowerPart:
    """The part of the tower's statements that one step needs, where it is not fed all that the whole tower takes."""

    keep: set[Leaf]
    before: Slice
    inputs: list[Input] = field(default_factory=list)
    name: str = ""


@dataclass(eq=False)
class Training:
    """The whole program. `leaves` are the statements of the owner in order, the tower loop among them."""

    tower: TowerLoop
    module: cst.Module
    kinds: Kinds
    functions: Functions
    reader: Reader
    leaves: list[Leaf]
    effects: dict[Leaf, Effects] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    averages: list[Average] = field(default_factory=list)
    gathered: set[str] = field(default_factory=set)
    carried: dict[str, cst.BaseExpression] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    dropped_runs: list[cst.Call] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    renamed: dict[cst.CSTNode, str] = field(default_factory=dict)  # names of inputs that are bound twice
    asks_for_variables: bool = False  # the session's part asks which variables there are
    rates: dict[str, Slice] = field(default_factory=dict)
    fed_rates: list[Input] = field(default_factory=list)
    lifts: list[Lift] = field(default_factory=list)
    tower_binds: set[str] = field(default_factory=set)
    tower_needs: Slice = field(default_factory=Slice)

    @property
    def towers_leaf(self) -> Leaf:
        """The leaf of the tower loop."""
        return next(leaf for leaf in self.leaves if leaf.kind == TOWERS)

    @property
    def graph(self) -> list[Leaf]:
        """The leaves that make tensors, in order, the tower loop included."""
        return [leaf for leaf in self.leaves if leaf.kind in (k.TENSOR, MIXED, TOWERS)]

    def problem(self, node: cst.CSTNode, code: str, message: str) -> None:
        """Notes a site that stays by hand."""
        self.problems.append(Problem(node, code, message))


def understand(tower: TowerLoop, names: Names, functions: Functions) -> Training:
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
    if tower.synthetic:
        leaves.insert(0, Leaf(tower.loop, TOWERS, k.TENSOR, flow_of()))
    training = Training(tower, module, kinds, functions, reader, leaves)
    for leaf in leaves:
        training.effects[leaf] = effects_of(leaf.node, names, functions)
    read_lists(training)
    _read_inputs(training)
    _read_rates(training)
    _read_collected(training)
    _read_carried(training)
    _read_runs(training)
    _read_steps(training)
    return training


def _read_inputs(training: Training) -> None:
    towers = training.towers_leaf
    read_inline_pipelines(training)
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.kind != INPUT or leaf.inner:
                continue
            if outer.kind == k.SESSION:
                training.problem(leaf.node, "T2T305", "an input made inside the session's loop")
                continue
            found = read_input(leaf, training.kinds, each_tower=outer is towers)
            if isinstance(found, Problem):
                training.problems.append(found)
            else:
                training.inputs.extend(found)
    for call in list(training.kinds.with_input):
        lift = find_lift(training.module, call, training.kinds)
        if isinstance(lift, Problem):
            training.problems.append(lift)
        elif all(call is not other.call for other in training.lifts):
            training.lifts.append(lift)
            leaf = training.towers_leaf
            training.inputs.append(Input(leaf, lift.names, k.PIPELINE, lift.source, True, whole=lift.whole))
    for one in training.inputs:
        if one.kind == k.DEQUEUE:
            _link_queue(training, one)
    _rename_rebound(training)
    _check_sources(training)


def _rename_rebound(training: Training) -> None:
    """`x, y = inputs(train=True)` and later `x, y = inputs(train=False)`: two inputs, so the second gets other names."""
    sources = [
        one
        for one in training.inputs
        if one.kind == k.PIPELINE and not one.each_tower and one.leaf in training.leaves
    ]
    for place, one in enumerate(sources):
        if not any(set(one.names) & set(other.names) for other in sources[:place]):
            continue
        start = training.leaves.index(one.leaf) + 1
        for name in list(one.names):
            other_name = f"{name}_{place + 1}"
            for leaf in training.leaves[start:]:
                for node in m.findall(leaf.node, m.Name(name)) if name in leaf.flow.reads else []:
                    training.renamed[node] = other_name
                if name in leaf.flow.reads:
                    leaf.flow.reads = (leaf.flow.reads - {name}) | {other_name}
                if name in leaf.flow.binds:
                    break
            one.names = [other_name if n == name else n for n in one.names]
            training.kinds.names[other_name] = k.TENSOR


def _check_sources(training: Training) -> None:
    """A name must come from one place: one pipeline or iterator, and at most one placeholder."""
    for one in training.inputs:
        others = [o for o in training.inputs if o is not one and set(o.names) & set(one.names)]
        others = [o for o in others if o is not one.behind and o.behind is not one]
        if one.kind != k.PLACEHOLDER and any(o.kind != k.PLACEHOLDER for o in others):
            training.problem(
                one.leaf.node, "T2T305", f"{', '.join(one.names)} comes from more than one place"
            )
        if one.each_tower and one.leaf.kind == INPUT and not _straight_in_loop(training, one.leaf):
            training.problem(
                one.leaf.node, "T2T305", "an input that some towers or some runs make and others do not"
            )


def _straight_in_loop(training: Training, leaf: Leaf) -> bool:
    """Whether the leaf stands in the loop's body under nothing but with blocks."""

    def within(leaves: list[Leaf]) -> bool:
        return any(one is leaf or (isinstance(one.node, cst.With) and within(one.inner)) for one in leaves)

    return within(training.towers_leaf.inner)


def _link_queue(training: Training, one: Input) -> None:
    """Finds the pipeline behind `batch_queue.dequeue()`: what `prefetch_queue([images, labels])` was given."""
    queue = one.source.value if isinstance(one.source, cst.Name) else None
    for leaf in training.leaves:
        if leaf.assign is None or queue not in leaf.flow.binds or not isinstance(leaf.assign.value, cst.Call):
            continue
        call = leaf.assign.value
        given = call.args[0].value if call.args else None
        names = (
            [e.value.value for e in given.elements if isinstance(e.value, cst.Name)]
            if isinstance(given, cst.List | cst.Tuple)
            else []
        )
        for other in training.inputs:
            if other is not one and other.names == names and other.kind in (k.PIPELINE, k.GET_NEXT):
                one.behind, one.queue_leaf = other, leaf
                leaf.kind = INLINE
                return
    training.problem(one.leaf.node, "T2T305", "a queue whose batches the tool cannot follow")


def _read_rates(training: Training) -> None:
    """Learning rates that are tensors: fed through a placeholder, or worked out from the step.

    An optimizer is made once and outlives a call, so it takes its rate from a function of nothing.
    """
    bound = {name: leaf for leaf in training.graph if leaf.kind == k.TENSOR for name in leaf.flow.binds}
    placeholders = {one.names[0]: one for one in training.inputs if one.kind == k.PLACEHOLDER}
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.detail != k.OPTIMIZER or leaf.inner:
                continue
            for name in sorted(leaf.flow.reads & (set(bound) | set(placeholders))):
                if name in placeholders:
                    training.fed_rates.append(placeholders[name])
                elif name in bound:
                    place = training.graph.index(bound[name])
                    piece = slice_for({name}, training.graph[: place + 1], training.effects)
                    if piece.needs & set(placeholders) or any(one.kind != k.TENSOR for one in piece.leaves):
                        continue
                    training.rates[name] = piece
                    bound[name].kind = RATE
                training.kinds.names[name] = k.SCHEDULE


def _read_collected(training: Training) -> None:
    """How each list the loop fills is used afterwards: averaged gradients, or something that needs every tower's."""
    loop = training.tower.loop
    collected = accumulators(loop)
    before = {
        name
        for leaf in training.leaves[: training.leaves.index(training.towers_leaf)]
        for name in leaf.flow.binds
    }
    inside = {
        name for leaf in training.towers_leaf.inner for inner in leaf.every() for name in inner.flow.binds
    }
    collected = {name for name in collected if name in before and name not in inside - before}
    averaged: set[str] = set()
    after = training.leaves[training.leaves.index(training.towers_leaf) + 1 :]
    for leaf in after:
        finder = _AverageFinder(training, collected)
        leaf.node.visit(finder)
        training.averages.extend(finder.found)
        averaged |= {average.accumulator for average in finder.found}
    uses: set[str] = set()
    for leaf in after:
        calls = [a.call for a in training.averages]
        uses |= _reads_outside(leaf.node, calls) & collected
        if leaf.assign is not None:
            collected = collected - leaf.flow.binds  # another value from here on
    training.gathered = uses
    for name in averaged & uses:
        training.averages = [a for a in training.averages if a.accumulator != name]


class _AverageFinder(cst.CSTVisitor):
    def __init__(self, training: Training, collected: set[str]) -> None:
        self._training = training
        self._collected = collected
        self.found: list[Average] = []

    def visit_Call(self, node: cst.Call) -> None:
        if len(node.args) != 1 or not isinstance(node.args[0].value, cst.Name):
            return
        name = node.args[0].value.value
        if name not in self._collected:
            return
        canonical = self._training.kinds.resolver.canonical(node.func)
        if canonical is not None and is_mean_over_towers(self._training.functions, canonical):
            self.found.append(Average(node, name, canonical))


def _reads_outside(node: cst.CSTNode, calls: list[cst.Call]) -> set[str]:
    """Names a statement reads, those inside the given calls left out."""
    reads: set[str] = set()

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, call: cst.Call) -> bool:
            return not any(call is other for other in calls)

        def visit_Name(self, name: cst.Name) -> None:
            reads.add(name.value)

        def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
            return not isinstance(node.target, cst.Name)

    node.visit(Visitor())
    return reads


def _read_carried(training: Training) -> None:
    """Plain values that one turn of the loop hands to the next, as a value of the tower's index."""
    loop = training.tower.loop
    exposed = upward_exposed(loop.body.body)
    bound = flow_of(loop.body).binds
    for name in sorted(exposed & bound - target_names(loop.target)):
        formula = _carried_formula(training, name)
        if formula is None:
            training.problem(
                loop, "T2T303", f"{name!r} goes from one tower to the next in a way the tool cannot follow"
            )
        else:
            training.carried[name] = formula


def _carried_formula(training: Training, name: str) -> cst.BaseExpression | None:
    loop = training.tower.loop
    before: cst.BaseExpression | None = None
    for leaf in training.leaves[: training.leaves.index(training.towers_leaf)]:
        assign = leaf.assign
        if assign is not None and name in leaf.flow.binds:
            before = assign.value
    changes = [leaf for outer in training.towers_leaf.inner for leaf in outer.every() if not leaf.inner]
    changes = [leaf for leaf in changes if name in leaf.flow.binds]
    if before is None or len(changes) != 1:
        return None
    small = changes[0].node.body[0] if isinstance(changes[0].node, cst.SimpleStatementLine) else None
    index = _index(training)
    if isinstance(small, cst.AugAssign) and isinstance(small.operator, cst.AddAssign):
        if isinstance(small.value, cst.Integer) and isinstance(before, cst.Integer):
            scaled = (
                index if small.value.value == "1" else cst.BinaryOperation(index, cst.Multiply(), small.value)
            )
            return scaled if before.value == "0" else cst.BinaryOperation(before, cst.Add(), scaled)
        return None
    if isinstance(small, cst.Assign) and not flow_of(small.value).reads - {"True", "False", "None"}:
        if _is(before, "False", "None") and _is(small.value, "True"):
            return cst.Comparison(index, [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))])
        if not flow_of(before).reads - {"True", "False", "None"} and runs_through(loop):
            return cst.IfExp(
                test=cst.Comparison(index, [cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))]),
                body=small.value,
                orelse=before,
            )
    return None


def _index(training: Training) -> cst.BaseExpression:
    """The tower's index: the loop's own variable where it counts, else `tower_index()`."""
    loop = training.tower.loop
    if range_count(loop.iter, training.kinds.resolver) is not None and isinstance(loop.target, cst.Name):
        return loop.target
    if (
        isinstance(loop.iter, cst.Call)
        and training.kinds.resolver.canonical(loop.iter.func) == "builtins.enumerate"
    ):
        if isinstance(loop.target, cst.Tuple) and isinstance(loop.target.elements[0].value, cst.Name):
            return loop.target.elements[0].value
    return cst.Call(cst.Name("tower_index"))


def runs_through(loop: cst.For) -> bool:
    """Whether the loop runs to its end in every turn (no break, no continue)."""
    return not m.findall(loop.body, m.Break() | m.Continue())


def _is(node: cst.BaseExpression, *words: str) -> bool:
    return isinstance(node, cst.Name) and node.value in words


def _read_runs(training: Training) -> None:
    lists: dict[str, cst.BaseExpression] = {}
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.assign is not None and isinstance(leaf.assign.value, cst.List | cst.Tuple):
                for name in leaf.flow.binds:
                    if isinstance(leaf.assign.targets[0].target, cst.Name) and leaf.assign.value.elements:
                        lists[name] = leaf.assign.value
    finder = RunFinder(training.kinds, lists)
    for leaf in training.leaves:
        if leaf.kind in (k.SESSION, k.PLAIN):
            leaf.node.visit(finder)
    training.runs = finder.runs
    for outer in training.leaves:
        for leaf in outer.every():
            if leaf.assign is not None and leaf.flow.binds & finder.used_lists and not leaf.inner:
                leaf.kind = DROPPED  # a list of fetches: its runs know what it held
    training.dropped_runs = finder.dropped
    for unreadable in finder.unreadable:
        training.problem(unreadable.call, "T2T401", f"a session call the tool cannot read: {unreadable.why}")


def _read_steps(training: Training) -> None:
    graph = training.graph
    towers = training.towers_leaf
    effects = training.effects
    training.tower_binds = {
        name for inner in towers.inner for leaf in inner.every() for name in leaf.flow.writes
    } - target_names(training.tower.loop.target)
    before = graph[: graph.index(towers)]
    loop_reads = upward_exposed(training.tower.loop.body.body) | effects[towers].reads
    loop_reads |= flow_of(training.tower.loop.iter).reads  # `for part in image_parts:`
    for context in towers.contexts:
        loop_reads |= flow_of(*context.items).reads
    training.tower_needs = slice_for(loop_reads, before, effects)
    by_key: dict[tuple[str, ...], Step] = {}
    _make_steps(training, by_key)
    for step in training.steps:
        _part_of_tower(training, step, {n for fetch in step.fetches for n in flow_of(fetch).reads})


def _make_steps(training: Training, by_key: dict[tuple[str, ...], Step]) -> None:
    for run in training.runs:
        run.batch_of = _whole_batch(training, run)
        if run.batch_of is not None:
            continue
        key = tuple(_code(fetch) for fetch in run.fetches) + (("[]",) if run.is_list else ())
        step = by_key.get(key)
        if step is None:
            step = by_key[key] = _step(training, run)
            training.steps.append(step)
        else:
            step.runs.append(run)


def _whole_batch(training: Training, run: Run) -> Input | None:
    """The input whose batch a run fetches, whole and nothing else: `sess.run([images, labels])`."""
    names = [fetch.value for fetch in run.fetches if isinstance(fetch, cst.Name)]
    if len(names) != len(run.fetches) or run.feeds or run.feed_name:
        return None
    for one in training.inputs:
        if one.kind in (k.GET_NEXT, k.PIPELINE) and not one.each_tower and one.names == names:
            return one if run.is_list != one.whole else None
    return None


def _step(training: Training, run: Run) -> Step:
    wanted = set().union(*(flow_of(fetch).reads for fetch in run.fetches))
    graph = training.graph
    towers = training.towers_leaf
    piece = slice_for(wanted, graph, training.effects)
    trains = any(has_update(training, leaf) for leaf in piece.leaves)
    if trains:
        orphans = [leaf for leaf in graph if leaf not in piece.leaves and _is_orphan(leaf)]
        if orphans:
            wanted |= {PRINTS}
            for leaf in orphans:
                training.effects[leaf].writes.add(PRINTS)
            piece = slice_for(wanted, graph, training.effects)
    uses_towers = towers in piece.leaves
    needs = set(piece.needs)
    if uses_towers:
        needs |= training.tower_needs.needs
    step = Step(run.fetches, [run], piece, uses_towers, trains)
    behind = [i.behind for i in training.inputs if i.behind is not None] if uses_towers else []
    step.inputs = [i for i in training.inputs if i not in behind or set(i.names) & wanted]
    makers = [leaf for outer in training.leaves for leaf in outer.every() if leaf.detail == k.OPTIMIZER]
    makers = [leaf for leaf in makers if trains and leaf.flow.binds & (piece.needs | training.tower_binds)]
    needs |= {
        n for leaf in makers for n in leaf.flow.reads if any(n in one.names for one in training.fed_rates)
    }
    step.inputs.sort(key=lambda one: one.kind == k.PLACEHOLDER)  # what is fed comes last
    step.inputs = [
        i for i in step.inputs if set(i.names) & (needs | wanted) or (i.each_tower and uses_towers)
    ]
    return step


def _part_of_tower(training: Training, step: Step, wanted: set[str]) -> None:
    """Narrows a step to the part of the tower it needs, when the whole takes an input that the step does not.

    As in TF1, where a session call that does not need a batch does not take it from its iterator or queue.
    """
    if not step.uses_towers:
        return
    towers = training.towers_leaf
    after = [
        leaf for leaf in step.slice.leaves if training.leaves.index(leaf) > training.leaves.index(towers)
    ]
    names = set(wanted) | {n for leaf in after for n in leaf.flow.reads | training.effects[leaf].reads}
    units = list(_units(towers.inner))
    for unit in units:
        training.effects.setdefault(unit, effects_of(unit.node, training.kinds.resolver, training.functions))
    piece = slice_for(names, units, training.effects)
    heads = {n for leaf in towers.inner for n in _with_reads(leaf)}
    graph = training.graph
    before = slice_for(piece.needs | heads, graph[: graph.index(towers)], training.effects)
    needs = piece.needs | before.needs | names
    inputs = [i for i in step.inputs if set(i.names) & needs and not i.each_tower]
    inputs += [i for i in step.inputs if i.each_tower]
    if len(inputs) == len(step.inputs):
        return
    drawn = any(i.kind != k.PLACEHOLDER for i in step.inputs if i not in inputs)
    if not drawn and all(_available(training, run, step.inputs) for run in step.runs):
        return
    if all(_available(training, run, inputs) for run in step.runs):
        of_tower = [i for i in inputs if set(i.names) & (piece.needs | before.needs) or i.each_tower]
        step.part = TowerPart(set(piece.leaves), before, of_tower)
        step.inputs = inputs


def _available(training: Training, run: Run, inputs: list[Input]) -> bool:
    if run.feed_name is not None:
        return True  # told later
    for one in inputs:
        for name in one.names:
            others = [i for i in training.inputs if name in i.names]
            if name not in run.feeds and not any(
                i.kind != k.PLACEHOLDER or i.default is not None for i in others
            ):
                return False
    return True


def _units(leaves: list[Leaf]) -> Iterator[Leaf]:
    for leaf in leaves:
        if isinstance(leaf.node, cst.With) and leaf.inner:
            yield from _units(leaf.inner)
        else:
            yield leaf


def _with_reads(leaf: Leaf) -> set[str]:
    if not isinstance(leaf.node, cst.With):
        return set()
    reads = flow_of(*leaf.node.items).reads
    for inner in leaf.inner:
        reads |= _with_reads(inner)
    return reads


def has_update(training: Training, leaf: Leaf) -> bool:
    """Whether the statement applies gradients."""
    if leaf.kind == TOWERS:
        return False
    return any(
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in ("apply_gradients", "minimize")
        and training.kinds.of(call.func.value) == k.OPTIMIZER
        for call in _calls(leaf.node)
    )


def _calls(node: cst.CSTNode) -> list[cst.Call]:
    found: list[cst.Call] = []

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, call: cst.Call) -> None:
            found.append(call)

    node.visit(Visitor())
    return found


def _is_orphan(leaf: Leaf) -> bool:
    """A statement that is there for its effect on the reader alone: a print, a check, a log line about tensors."""
    if leaf.kind != k.TENSOR or not isinstance(leaf.node, cst.SimpleStatementLine) or leaf.flow.writes:
        return False
    return all(isinstance(small, cst.Assert) or _is_print(small) for small in leaf.node.body)


def _is_print(small: cst.BaseSmallStatement) -> bool:
    if not isinstance(small, cst.Expr) or not isinstance(small.value, cst.Call):
        return False
    root = root_name(small.value.func)
    return root in ("print", "logging", "log", "logger")


_module = cst.Module([])


def _code(node: cst.CSTNode) -> str:
    return _module.code_for_node(node)


__all__ = ["COLLECTIONS", "Average", "Step", "Training", "family", "has_update", "understand"]
