"""Batches that come out of TF1's queues, made in functions of the program that do nothing else."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tf2towers.certain.building import SESSIONS, Building
from tf2towers.certain.parameters import values
from tf2towers.certain.pipelines import reads_graph
from tf2towers.certain.straight_line import reads_of, straight_line
from tf2towers.exact.file import File
from tf2towers.exact.functions.pipelines import is_plain
from tf2towers.names.old_names import is_of_summaries, todays_name
from tf2towers.source.nodes import Function

START = "tf.train.start_queue_runners"
PREFETCH = "tf.contrib.slim.prefetch_queue.prefetch_queue"
_MONITORED = "tf.train.MonitoredTrainingSession"
#: what puts examples together to batches
_MAKE_BATCHES = frozenset(
    f"tf.train.{name}" for name in ("batch", "batch_join", "shuffle_batch", "shuffle_batch_join")
)
#: what belongs to the graph that trains: nothing of it may be made or asked for beside the batches
_OF_THE_TRAINER = (
    "tf.Variable", "tf.get_variable", "tf.variable_scope", "tf.placeholder", "tf.get_collection", "tf.assign",
    "tf.add_to_collection", "tf.global_variables", "tf.trainable_variables", "tf.get_default_graph", "tf.Graph",
    "tf.gradients", "tf.layers.", "tf.losses.", "tf.data.", "tf.Session", "tf.summary.merge", "tf.summary.FileWriter",
    "tf.train.get_", "tf.train.Saver", "tf.train.Exponential", "tf.contrib.",
)  # fmt: skip
_SUMMARIES = ("tf.summary.merge_all", "tf.GraphKeys.SUMMARIES")


@dataclass(frozen=True)
class Queued:
    """`images, labels = distorted_inputs()` beside the towers; `functions` make the batches.

    `prefetched` is `batch_queue = prefetch_queue([images, labels])`, of which every tower takes a batch; `start` begins
    the queues in the session, or None where a monitored session does. With `in_towers` the statement stands in the
    loop: every tower has queues of its own.
    """

    file: File
    statement: ast.Assign
    functions: frozenset[Function]
    prefetched: ast.Assign | None
    start: ast.Call | None
    in_towers: bool

    @property
    def function(self) -> ast.expr:
        """The function that is called."""
        assert isinstance(self.statement.value, ast.Call)
        return self.statement.value.func


def queued(building: Building) -> Queued | None:
    """The queues that the batches of towers, or of a worker, come out of; None where what they do is not certain."""
    if len(building.owners) != 1 or len(building.loops or building.placed) != 1:
        return None
    if building.loops:
        file, loop = building.loops[0]
        around = list(straight_line(getattr(building.owners[0], "body", [])))
        inside = list(straight_line(getattr(loop.statement, "body", [])))
    else:
        file, block = building.placed[0]
        around, inside = list(straight_line(block.body)), []
    found = [
        (statement, functions)
        for statement in [*around, *inside]
        if isinstance(statement, ast.Assign) and (functions := _functions(building, file, statement))
    ]
    starts = [call for call in file.all(ast.Call) if file.canonical(call.func) == START]
    if len(found) != 1 or not _are_started(building, file, starts):
        return None
    statement, functions = found[0]
    names = _names(statement.targets[0])
    if not names or not _is_certain(building, functions) or _loses_summaries(building, functions):
        return None
    if statement in inside and _named(statement.value) & _bound(building.loops[0][1].statement):
        return None
    prefetched = [
        other for other in around if isinstance(other, ast.Assign) and _prefetches(file, other, names)
    ]
    reads = [reads_of(file, name, building.owners[0]) for name in names]
    if prefetched and (
        len(prefetched) > 1 or statement in inside or any(len(places) > 1 for places in reads)
    ):
        return None
    return Queued(
        file,
        statement,
        frozenset(functions),
        prefetched[0] if prefetched else None,
        starts[0] if starts else None,
        statement in inside,
    )


def is_of_queues(building: Building, file: File, statement: ast.Assign) -> bool:
    """Whether a statement calls functions for batches of queues, that nothing else calls."""
    functions = _functions(building, file, statement)
    return bool(functions) and _is_certain(building, functions)


def tower_functions(building: Building) -> list[tuple[File, Function]]:
    """The functions of the program that become a part of the towers' functions: not those that make the batches."""
    batches = queued(building)
    return [
        (file, function)
        for file, function in building.reached
        if batches is None or function not in batches.functions
    ]


def _named(part: ast.AST | None) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)} if part is not None else set()


def _bound(part: ast.AST) -> set[str]:
    nodes = (node for node in ast.walk(part) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def _functions(building: Building, file: File, statement: ast.Assign) -> dict[Function, File]:
    """The functions that a statement calls for batches of queues; none where it is another statement."""
    call = statement.value
    if not isinstance(call, ast.Call) or len(statement.targets) != 1:
        return {}
    function = building.function_called(file, call)
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if function is None or not all(_is_plain(building, file, value) for value in given):
        return {}
    home, _ = building.functions_named(file, call.func)[0]
    reached = {
        part: where
        for where, part in building.with_functions([(home, function)])
        if isinstance(part, Function)
    }
    makes = any(
        todays_name(canonical) in _MAKE_BATCHES
        for where in {*reached.values()}
        for node, canonical in where.symbols
        if any(around in reached for around in where.ancestors(node))
    )
    uses = [use for part in reached for use in building.uses_of(part)]
    only_here = all(
        use is call.func
        or any(
            around in reached or around in building.program.never_called for around in where.ancestors(use)
        )
        for where, use in uses
    )
    return reached if makes and only_here else {}


def _is_plain(building: Building, file: File, value: ast.expr) -> bool:
    """Whether a value is Python's own, and what the function's callers give is so, too."""
    names = [
        node for node in ast.walk(value) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    parameters = [
        name
        for name in names
        if (home := building.home(file, name)) is not None
        and all(isinstance(getattr(binding, "node", None), ast.arg) for binding in home[1])
    ]
    for name in parameters:
        given = values(building, file, name)
        if given is None or not all(is_plain(where, found) for where, found in given):
            return False
    return is_plain(file, value, frozenset(name.id for name in parameters))


def _is_certain(building: Building, functions: dict[Function, File]) -> bool:
    """Whether functions do nothing to the graph that trains, nor read anything of it."""
    for function, file in functions.items():
        inside = set(ast.walk(function))
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return False
        if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for node in inside):
            return False
        if reads_graph(building, file, function):
            return False
        if any(
            todays_name(name).startswith(_OF_THE_TRAINER) for node, name in file.symbols if node in inside
        ):
            return False
    return True


def _loses_summaries(building: Building, functions: dict[Function, File]) -> bool:
    """Whether the program writes all summaries, and some are made with the batches."""
    inside = {node for function in functions for node in ast.walk(function)}
    made = any(
        is_of_summaries(name)
        for file in {*functions.values()}
        for node, name in file.symbols
        if node in inside
    )
    return made and any(
        name in _SUMMARIES and not _is_of_scope(file, node)
        for file in building.files
        for node, name in file.symbols
    )


def _is_of_scope(file: File, node: ast.AST) -> bool:
    """Whether it is the collection's name in `tf.get_collection(tf.GraphKeys.SUMMARIES, scope)`."""
    call = file.parent(node)
    return isinstance(call, ast.Call) and len(call.args) == 2


def _prefetches(file: File, statement: ast.Assign, names: list[str]) -> bool:
    """Whether it is `name = prefetch_queue([images, labels], ...)` of just these names."""
    call = statement.value
    if not (isinstance(call, ast.Call) and file.canonical(call.func) == PREFETCH and call.args):
        return False
    plain = all(_does_nothing(keyword.value) for keyword in call.keywords) and len(call.args) == 1
    named = isinstance(statement.targets[0], ast.Name) and len(statement.targets) == 1
    return plain and named and _names(call.args[0]) == names


def _does_nothing(value: ast.expr) -> bool:
    """Whether a setting of the queue may go: a number, `2 * FLAGS.num_gpus`, and nothing that is called."""
    return not any(isinstance(node, ast.Call | ast.NamedExpr | ast.Await) for node in ast.walk(value))


def _are_started(building: Building, file: File, starts: list[ast.Call]) -> bool:
    """Whether one call starts the queues, or the one monitored session of a worker does."""
    if building.loops:
        return len(starts) == 1 and _is_plain_start(file, starts[0])
    sessions = [call for call in file.all(ast.Call) if file.canonical(call.func) in SESSIONS]
    return not starts and [file.canonical(call.func) for call in sessions] == [_MONITORED]


def _is_plain_start(file: File, call: ast.Call) -> bool:
    """Whether it is `tf.train.start_queue_runners(sess, coord)`, on a line of its own or `threads = ` it."""
    around = file.parent(call)
    given = {keyword.arg for keyword in call.keywords}
    if not given <= {"sess", "coord"} or len(call.args) > 2:
        return False
    return isinstance(around, ast.Expr) or (
        isinstance(around, ast.Assign) and _are_joined_alone(file, around)
    )


def _are_joined_alone(file: File, threads: ast.Assign) -> bool:
    """Whether the threads in a name are only waited for: how many there are is another number now."""
    name = threads.targets[0]
    if not isinstance(name, ast.Name) or len(threads.targets) > 1:
        return False
    reads = [node for node in file.all(ast.Name) if node.id == name.id and isinstance(node.ctx, ast.Load)]
    calls = [file.parent(node) for node in reads]
    return all(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "join"
        for call in calls
    )


def _names(node: ast.expr) -> list[str]:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len({*names}) == len(parts) else []
