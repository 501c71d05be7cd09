"""Which statements every worker of a cluster runs for itself: all behind its graph, and what they need of before.

In TF1 each worker's process ran the whole script. Migrated and asynchronous, one process runs the loops of all workers,
so whatever belongs to one worker (its reader, its hooks, what depends on its index) has to be made once a worker.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.clusters.region import Region
from tf2towers.program.python_code.data_flow import flow_of, upward_exposed
from tf2towers.program.python_code.search import code_of, find_all, method_of
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, MIXED, TOWERS, TrainerStatement
from tf2towers.program.statements.value_kinds import (
    DATASET,
    ITERATOR,
    PLACEHOLDER,
    PLAIN,
    SAVER,
    SERVER,
    SESSION,
    STATE,
    TENSOR,
    WRITER,
)
from tf2towers.program.training import Training

_PURE = frozenset({
    "int", "float", "str", "len", "bool", "range", "list", "tuple", "dict", "min", "max", "abs", "round", "sorted",
    "print",
    "os.path.join", "os.environ.get", "os.getenv", "os.path.exists", "json.loads", "ast.literal_eval", "time.time",
    "argparse.ArgumentParser",
})  # fmt: skip
_PURE_METHODS = frozenset(
    {
        "parse_args",
        "parse_known_args",
        "split",
        "format",
        "strip",
        "lower",
        "upper",
        "join",
        "get",
        "replace",
        "startswith",
    }
)


def read_region(training: Training, cluster: Cluster) -> Region | None:
    """What the workers run; None where it cannot be told apart."""
    order: dict[cst.CSTNode, TrainerStatement] = {
        statement.node: statement for statement in training.statements
    }
    session = next((statement for statement in training.statements if statement.kind == SESSION), None)
    if session is None:
        what = "no session runs the graph in the function that builds it"
        training.problem(cluster.stage, "T2T504", what)
        return None
    stand: cst.CSTNode = session.node
    for parent in reversed(cluster.around[session.node]):
        if parent is cluster.owner or parent in cluster.parents or parent is cluster.stage:
            break
        stand = parent  # a with block of the session
    suite = cluster.blocks.get(stand)
    if suite is None:
        training.problem(session.node, "T2T504", "a session at a place the tool does not know")
        return None
    body: list[cst.CSTNode] = list(suite.body)
    place = body.index(stand)
    while place > 0 and _goes_along(body[place - 1], order, cluster):
        place -= 1
    region = Region(suite, body[place])
    _bring(training, cluster, region)
    _check_after(training, cluster, region)
    _check_graph(training, cluster, region)
    return region


def _goes_along(node: cst.CSTNode, order: dict[cst.CSTNode, TrainerStatement], cluster: Cluster) -> bool:
    """Whether a statement just before the session is part of what a worker does, and not of its graph or cluster."""
    statement = order.get(node)
    if statement is None or statement.kind not in (PLAIN, DROPPED, SESSION) or statement.detail == SERVER:
        return False
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return False
    return not _makes_server(statement, cluster) and cluster.name not in statement.flow.reads


def _makes_server(statement: TrainerStatement, cluster: Cluster) -> bool:
    return any(call is cluster.server for call in find_all(statement.node, cst.Call))


def contains_index(node: cst.CSTNode, cluster: Cluster) -> bool:
    """Whether a statement reads this task's index as it was given to the server; False where that is a plain number."""
    if isinstance(cluster.task_index, cst.BaseNumber):
        return False
    code = code_of(cluster.task_index)
    return any(code_of(expression) == code for expression in find_all(node, type(cluster.task_index)))


def _statements_outside(training: Training, cluster: Cluster, region: Region) -> list[TrainerStatement]:
    """The statements that stand in no worker's part, but the towers."""
    inside = set(region.nodes)
    return [
        statement
        for statement in training.statements
        if statement.kind != TOWERS and not _is_inside(statement, cluster, inside)
    ]


def _bring(training: Training, cluster: Cluster, region: Region) -> None:
    inside = set(region.nodes)
    statements_before = _statements_outside(training, cluster, region)
    dependent = _dependent(statements_before, cluster)
    gone = {statement.node for statement in training.single if statement.kind == DROPPED}
    needed = upward_exposed([node for node in region.nodes if node not in gone]) | {
        name for statement in training.graph for name in statement.flow.reads & dependent
    }
    rebound = flow_of(*region.nodes).binds
    chosen: list[TrainerStatement] = []
    for statement in reversed(statements_before):
        if statement.kind not in (PLAIN, INPUT) and statement.detail not in (ITERATOR, DATASET):
            continue
        if statement.detail in (SERVER, PLACEHOLDER) or _makes_server(statement, cluster):
            continue
        if isinstance(statement.node, cst.FunctionDef | cst.ClassDef | cst.Import | cst.ImportFrom):
            continue
        if isinstance(cluster.task_index, cst.Name) and cluster.task_index.value in statement.flow.binds:
            continue  # says which task this is: the function is told
        if statement.inner and all(
            inner.kind == DROPPED for inner in statement.every()[1:] if not inner.inner
        ):
            region.gone.append(statement)  # tokens and queue runners only
            continue
        own_input = statement.kind == INPUT or statement.detail == ITERATOR
        if own_input or (statement.flow.writes & needed and _is_own(statement, dependent, rebound)):
            if statement.kind == PLAIN and cluster.name in statement.flow.reads:
                what = "a worker's own statement that uses the server"
                training.problem(statement.node, "T2T504", what)
            chosen.insert(0, statement)
            needed |= statement.flow.reads
    own = {name for statement in chosen for name in statement.flow.binds}
    chosen = [
        statement
        for statement in statements_before
        if statement in chosen or (statement.kind == PLAIN and _changes(statement, own))
    ]
    region.brought = chosen
    outside = [
        block
        for block in training.reader.opened
        if block not in inside and not any(parent in inside for parent in cluster.around.get(block, ()))
    ]
    for statement in chosen:
        others = [other for other in statements_before if other not in chosen and other.kind != DROPPED]
        used = any(statement.flow.binds & other.flow.reads for other in others) or _in_tests(
            statement.flow.binds, cluster
        )
        used = used or any(statement.flow.binds & flow_of(*block.items).reads for block in outside)
        if not used or statement.kind == INPUT or statement.detail == ITERATOR:
            region.gone.append(statement)


def _changes(statement: TrainerStatement, own: set[str]) -> bool:
    """Whether a statement may change one of these objects: an assignment into it, or a call for its effect."""
    if statement.flow.mutates & own:
        return True
    if not isinstance(statement.node, cst.SimpleStatementLine):
        return False
    calls = [
        small.value
        for small in statement.node.body
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call)
    ]
    return any(flow_of(call).reads & own for call in calls if code_of(call.func) not in _PURE)


def _in_tests(names: set[str], cluster: Cluster) -> bool:
    tests = [holder.test for holder in cluster.holders if isinstance(holder, cst.If)]
    tests.extend(
        expression
        for expression in (cluster.job_name, cluster.task_index, cluster.cluster, cluster.synchronous)
        if expression is not None
    )
    return any(names & flow_of(test).reads for test in tests)


def _is_inside(statement: TrainerStatement, cluster: Cluster, inside: set[cst.CSTNode]) -> bool:
    return statement.node in inside or any(
        parent in inside for parent in cluster.around.get(statement.node, ())
    )


def _wraps(statement: TrainerStatement, cluster: Cluster) -> bool:
    """Whether a statement makes the optimizer of synchronous updates."""
    return any(call in cluster.wrapping for call in find_all(statement.node, cst.Call))


def names_of_task(training: Training, cluster: Cluster) -> set[str]:
    """Names of the owner that depend on the task's index."""
    return _dependent([statement for statement in training.statements if statement.kind != TOWERS], cluster)


def _dependent(statements: list[TrainerStatement], cluster: Cluster) -> set[str]:
    """Names that depend on the task's index."""
    index = {cluster.task_index.value} if isinstance(cluster.task_index, cst.Name) else set()
    names = set(index)
    for statement in statements:
        if statement.detail == SERVER or _makes_server(statement, cluster) or _wraps(statement, cluster):
            continue  # a replica_id= means nothing here
        if statement.kind == INPUT:
            continue  # a batch is handed to the steps
        if statement.flow.binds & index:
            continue  # the statement that says which task this is
        if statement.flow.reads & names or contains_index(statement.node, cluster):
            names |= statement.flow.binds
    return names


def _is_own(statement: TrainerStatement, dependent: set[str], rebound: set[str]) -> bool:
    if statement.flow.binds & (dependent | rebound):
        return True
    assign = statement.assign
    if assign is None:
        return statement.kind == PLAIN and isinstance(statement.node, cst.For | cst.While)
    return any(_has_state(call) for call in find_all(assign.value, cst.Call))


def _has_state(call: cst.Call) -> bool:
    """Whether a call may give something that a loop uses up: a reader, a generator, a hook."""
    return code_of(call.func) not in _PURE and method_of(call) not in _PURE_METHODS


def _check_after(training: Training, cluster: Cluster, region: Region) -> None:
    """Nothing behind the region may belong to it, and no graph may be inside."""
    inside = set(region.nodes)
    bound = flow_of(*region.nodes).binds
    seen = False
    for statement in training.statements:
        if statement.kind == TOWERS:
            continue
        if _is_inside(statement, cluster, inside):
            seen = True
            beside = (SAVER, WRITER, DATASET)
            if statement.kind in (TENSOR, MIXED, STATE) and statement.detail not in beside:
                what = "graph building inside the session's part of the program"
                training.problem(statement.node, "T2T404", what)
        elif seen and (statement.kind == SESSION or statement.flow.reads & bound or region.trailing):
            region.trailing.append(statement)
            if cluster.blocks.get(cluster.stage) is not cluster.blocks.get(statement.node):
                message = "a statement of the training behind the block that the session stands in"
                training.problem(statement.node, "T2T504", message)


def _check_graph(training: Training, cluster: Cluster, region: Region) -> None:
    """What of the graph depends on the task's index: the steps are then built once a worker."""
    statements_before = _statements_outside(training, cluster, region)
    dependent = _dependent(statements_before, cluster)
    for statement in statements_before:
        if statement.kind not in (TENSOR, MIXED) and not (
            statement.kind == STATE and statement.detail == STATE
        ):
            continue
        if _wraps(statement, cluster):
            continue
        if not (statement.flow.reads & dependent or contains_index(statement.node, cluster)):
            continue
        if statement.kind == STATE or cluster.synchronous is not None:
            message = "a part of the graph that differs from worker to worker"
            training.problem(statement.node, "T2T505", message)
        region.graph_differs = True
