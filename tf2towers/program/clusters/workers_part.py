"""Which statements every worker of a cluster runs for itself: all behind its graph, and what they need of before.

In TF1 each worker's process ran the whole script. Migrated and asynchronous, one process runs the loops of all workers,
so whatever belongs to one worker (its reader, its hooks, what depends on its index) has to be made once a worker.
"""

from __future__ import annotations

import libcst as cst

from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.clusters.region import Region
from tf2towers.program.problem import Problem
from tf2towers.program.python_code.data_flow import flow_of, upward_exposed
from tf2towers.program.python_code.search import find_all
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, MIXED, TOWERS, Leaf
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
_module = cst.Module([])


def read_region(training: Training, cluster: Cluster) -> Region | Problem:
    """What the workers run, or why it cannot be told apart."""
    order: dict[cst.CSTNode, Leaf] = {leaf.node: leaf for leaf in training.leaves}
    session = next((leaf for leaf in training.leaves if leaf.kind == SESSION and leaf.kind != TOWERS), None)
    if session is None:
        return Problem(cluster.stage, "T2T504", "no session runs the graph in the function that builds it")
    stand: cst.CSTNode = session.node
    for parent in reversed(cluster.around[session.node]):
        if parent is cluster.owner or parent in cluster.parents or parent is cluster.stage:
            break
        stand = parent  # a with block of the session
    suite = cluster.blocks.get(stand)
    if suite is None:
        return Problem(session.node, "T2T504", "a session at a place the tool does not know")
    body: list[cst.CSTNode] = list(suite.body)
    place = body.index(stand)
    while place > 0 and _goes_along(body[place - 1], order, cluster):
        place -= 1
    region = Region(suite, body[place])
    _bring(training, cluster, region)
    _check_after(training, cluster, region)
    _check_graph(training, cluster, region)
    return region


def _goes_along(node: cst.CSTNode, order: dict[cst.CSTNode, Leaf], cluster: Cluster) -> bool:
    """Whether a statement just before the session is part of what a worker does, and not of its graph or cluster."""
    leaf = order.get(node)
    if leaf is None or leaf.kind not in (PLAIN, DROPPED, SESSION) or leaf.detail == SERVER:
        return False
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return False
    return (
        not any(call is cluster.server for call in find_all(node, cst.Call))
        and cluster.name not in leaf.flow.reads
    )


def contains_index(node: cst.CSTNode, cluster: Cluster) -> bool:
    """Whether a statement reads this task's index as it was given to the server; False where that is a plain number."""
    if isinstance(cluster.task_index, cst.BaseNumber):
        return False
    code = _module.code_for_node(cluster.task_index)
    return any(
        _module.code_for_node(expression) == code for expression in find_all(node, type(cluster.task_index))
    )


def _bring(training: Training, cluster: Cluster, region: Region) -> None:
    inside = set(region.statements)
    before = [
        leaf for leaf in training.leaves if leaf.kind != TOWERS and not _is_inside(leaf, cluster, inside)
    ]
    dependent = _dependent(before, cluster)
    gone = {
        leaf.node
        for outer in training.leaves
        for leaf in outer.every()
        if leaf.kind == DROPPED and not leaf.inner
    }
    needed = upward_exposed([statement for statement in region.statements if statement not in gone]) | {
        name for leaf in training.graph for name in leaf.flow.reads & dependent
    }
    rebound = flow_of(*region.statements).binds
    chosen: list[Leaf] = []
    for leaf in reversed(before):
        if leaf.kind not in (PLAIN, INPUT) and leaf.detail not in (ITERATOR, DATASET):
            continue
        if leaf.detail in (SERVER, PLACEHOLDER) or any(
            call is cluster.server for call in find_all(leaf.node, cst.Call)
        ):
            continue
        if isinstance(leaf.node, cst.FunctionDef | cst.ClassDef | cst.Import | cst.ImportFrom):
            continue
        if isinstance(cluster.task_index, cst.Name) and cluster.task_index.value in leaf.flow.binds:
            continue  # says which task this is: the function is told
        if leaf.inner and all(inner.kind == DROPPED for inner in leaf.every()[1:] if not inner.inner):
            region.gone.append(leaf)  # tokens and queue runners only
            continue
        own_input = leaf.kind == INPUT or leaf.detail == ITERATOR
        if own_input or (leaf.flow.writes & needed and _is_own(leaf, dependent, rebound, training)):
            if leaf.kind == PLAIN and cluster.name in leaf.flow.reads:
                region.problems.append(
                    Problem(leaf.node, "T2T504", "a worker's own statement that uses the server")
                )
            chosen.insert(0, leaf)
            needed |= leaf.flow.reads
    own = {name for leaf in chosen for name in leaf.flow.binds}
    chosen = [leaf for leaf in before if leaf in chosen or (leaf.kind == PLAIN and _changes(leaf, own))]
    region.brought = chosen
    outside = [
        block
        for block in training.reader.opened
        if block not in inside and not any(parent in inside for parent in cluster.around.get(block, ()))
    ]
    for leaf in chosen:
        others = [other for other in before if other not in chosen and other.kind != DROPPED]
        used = any(leaf.flow.binds & other.flow.reads for other in others) or _in_tests(
            leaf.flow.binds, cluster
        )
        used = used or any(leaf.flow.binds & flow_of(*block.items).reads for block in outside)
        if not used or leaf.kind == INPUT or leaf.detail == ITERATOR:
            region.gone.append(leaf)


def _changes(leaf: Leaf, own: set[str]) -> bool:
    """Whether a statement may change one of these objects: an assignment into it, or a call for its effect."""
    if leaf.flow.mutates & own:
        return True
    if not isinstance(leaf.node, cst.SimpleStatementLine):
        return False
    calls = [
        small.value
        for small in leaf.node.body
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call)
    ]
    return any(flow_of(call).reads & own for call in calls if _module.code_for_node(call.func) not in _PURE)


def _in_tests(names: set[str], cluster: Cluster) -> bool:
    tests = [holder.test for holder in cluster.holders if isinstance(holder, cst.If)]
    tests.extend(
        expression
        for expression in (cluster.job_name, cluster.task_index, cluster.cluster, cluster.synchronous)
        if expression is not None
    )
    return any(names & flow_of(test).reads for test in tests)


def _is_inside(leaf: Leaf, cluster: Cluster, inside: set[cst.CSTNode]) -> bool:
    return leaf.node in inside or any(parent in inside for parent in cluster.around.get(leaf.node, ()))


def names_of_task(training: Training, cluster: Cluster) -> set[str]:
    """Names of the owner that depend on the task's index."""
    return _dependent([leaf for leaf in training.leaves if leaf.kind != TOWERS], cluster)


def _dependent(leaves: list[Leaf], cluster: Cluster) -> set[str]:
    """Names that depend on the task's index."""
    names: set[str] = set()
    if isinstance(cluster.task_index, cst.Name):
        names.add(cluster.task_index.value)
    for leaf in leaves:
        calls = find_all(leaf.node, cst.Call)
        if leaf.detail == SERVER or any(call is cluster.server or call in cluster.wrapping for call in calls):
            continue  # a replica_id= means nothing here
        binds = {cluster.task_index.value} if isinstance(cluster.task_index, cst.Name) else set()
        if leaf.kind == INPUT:
            continue  # a batch is handed to the steps
        if leaf.flow.binds & binds:
            continue  # the statement that says which task this is
        if leaf.flow.reads & names or contains_index(leaf.node, cluster):
            names |= leaf.flow.binds
    return names


def _is_own(leaf: Leaf, dependent: set[str], rebound: set[str], training: Training) -> bool:
    if leaf.flow.binds & dependent or leaf.flow.binds & rebound:
        return True
    assign = leaf.assign
    if assign is None:
        return leaf.kind == PLAIN and isinstance(leaf.node, cst.For | cst.While)
    return any(_has_state(call, training) for call in find_all(assign.value, cst.Call))


def _has_state(call: cst.Call, training: Training) -> bool:
    """Whether a call may give something that a loop uses up: a reader, a generator, a hook."""
    if isinstance(call.func, cst.Name) and call.func.value in _PURE:
        return False
    code = _module.code_for_node(call.func)
    if code in _PURE:
        return False
    return not (isinstance(call.func, cst.Attribute) and call.func.attr.value in _PURE_METHODS)


def _check_after(training: Training, cluster: Cluster, region: Region) -> None:
    """Nothing behind the region may belong to it, and no graph may be inside."""
    inside = set(region.statements)
    bound = flow_of(*region.statements).binds
    seen = False
    for leaf in training.leaves:
        if leaf.kind == TOWERS:
            continue
        if _is_inside(leaf, cluster, inside):
            seen = True
            if leaf.kind in (TENSOR, MIXED, STATE) and leaf.detail not in (
                SAVER,
                WRITER,
                DATASET,
            ):
                region.problems.append(
                    Problem(leaf.node, "T2T404", "graph building inside the session's part of the program")
                )
        elif seen and (leaf.kind == SESSION or leaf.flow.reads & bound or region.trailing):
            region.trailing.append(leaf)
            if cluster.blocks.get(cluster.stage) is not cluster.blocks.get(leaf.node):
                message = "a statement of the training behind the block that the session stands in"
                region.problems.append(Problem(leaf.node, "T2T504", message))


def _check_graph(training: Training, cluster: Cluster, region: Region) -> None:
    """What of the graph depends on the task's index: the steps are then built once a worker."""
    inside = set(region.statements)
    before = [
        leaf for leaf in training.leaves if leaf.kind != TOWERS and not _is_inside(leaf, cluster, inside)
    ]
    dependent = _dependent(before, cluster)
    for leaf in before:
        if leaf.kind not in (TENSOR, MIXED) and not (leaf.kind == STATE and leaf.detail == STATE):
            continue
        wrapped = any(call in find_all(leaf.node, cst.Call) for call in cluster.wrapping)
        if wrapped or not (leaf.flow.reads & dependent or contains_index(leaf.node, cluster)):
            continue
        if leaf.kind == STATE or cluster.synchronous is not None:
            message = "a part of the graph that differs from worker to worker"
            region.problems.append(Problem(leaf.node, "T2T505", message))
        region.graph_differs = True
