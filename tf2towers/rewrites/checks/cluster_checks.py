"""What a cluster program does and its counterpart cannot, told before it is rewritten (T2T501, T2T503 to T2T508)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.names.cluster_calls import cluster_calls
from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.clusters.find_cluster import SETTER
from tf2towers.program.clusters.workers_part import names_of_task
from tf2towers.program.problem import Problem
from tf2towers.program.python_code.call_arguments import is_none, named
from tf2towers.program.python_code.search import code_of, find_all
from tf2towers.program.sessions.steps import has_update
from tf2towers.program.statements.symbol_roles import role
from tf2towers.program.statements.trainer_statement import TrainerStatement
from tf2towers.program.statements.value_kinds import AVERAGE, COORDINATION, SCHEDULE, STATE, TENSOR
from tf2towers.program.training import Training

#: what a function reads variables by that it is not given
_OF_VARIABLES = frozenset(
    {"tf.Variable", "tf.get_variable", "tf.trainable_variables", "tf.global_variables", "tf.get_collection"}
)
_ONLY_IN_CLUSTERS = frozenset({"server", "supervisor", "monitored", "tensor_hook", "synchronous"})


def cluster_problems(training: Training) -> Iterator[Problem]:
    """Sites that are left to do by hand because of what they do with a cluster; also of programs without one."""
    cluster = training.tower.cluster
    canonical = training.value_kinds.resolver.canonical
    if cluster is None:
        for call in find_all(training.tower.owner, cst.Call):
            name = canonical(call.func)
            if role(name) in _ONLY_IN_CLUSTERS:
                yield Problem(call, "T2T501", f"{name} in a program with towers of its own")
        yield from _read_behind_update(training)
        return
    for call in find_all(training.tower.owner, cst.Call):
        name = canonical(call.func)
        if name == SETTER:
            yield from _placement(call)
        if role(name) == "tensor_hook" and training.value_kinds.of(call) != COORDINATION:
            yield Problem(call, "T2T506", f"{name}: a hook that asks the graph for tensors")
        yield from _unknown_arguments(name or "", call)
    yield from _state_of_workers(training)
    yield from _index_in_functions(training, cluster)
    yield from _different_steps(training, cluster)
    yield from _read_behind_update(training)
    yield from _returns(training)
    yield from _server_elsewhere(training, cluster)


def _unknown_arguments(name: str, call: cst.Call) -> Iterator[Problem]:
    found = cluster_calls().get(name)
    if found is None:
        return
    for keyword, argument in named(call, found.order):
        if keyword in found.kept or keyword in found.dropped or is_none(argument.value):
            continue
        message = f"{name}({keyword or '*args'}=...): an argument that has no counterpart"
        yield Problem(argument, "T2T508", message)


def _placement(call: cst.Call) -> Iterator[Problem]:
    """A strategy for the variables' places: ParameterServerStrategy has round-robin."""
    for keyword, argument in named(call, _OF_SETTER):
        if keyword == "ps_strategy" and not is_none(argument.value):
            yield Problem(argument, "T2T507", f"variables are placed by {code_of(argument.value)}")


_OF_SETTER = ("ps_tasks", "ps_device", "worker_device", "merge_devices", "cluster", "ps_ops", "ps_strategy")


def _state_of_workers(training: Training) -> Iterator[Problem]:
    """What every worker updates in its own time, in TF1: moving statistics, moving averages.

    TF1's worker averages what it was sent at the start of the run, a function what the update left.
    """
    for statement in dict.fromkeys(
        statement for step in training.steps for statement in step.slice.statements
    ):
        symbols = training.effects[statement].symbols
        if any("UPDATE_OPS" in symbol for symbol in symbols):
            yield Problem(statement.node, "T2T505", "moving statistics, which every worker updates")
        elif _averages(training, statement):
            yield Problem(statement.node, "T2T505", "moving averages, which every worker updates")


def _averages(training: Training, statement: TrainerStatement) -> bool:
    return _AVERAGE in training.effects[statement].symbols or any(
        training.value_kinds.names.get(name) == AVERAGE for name in statement.flow.reads
    )


_AVERAGE = "tf.train.ExponentialMovingAverage"


def _index_in_functions(training: Training, cluster: Cluster) -> Iterator[Problem]:
    """Functions of a worker's part that read this task's index: asynchronous, one process runs all workers' loops."""
    region = training.region
    if region is None or (cluster.synchronous is not None and code_of(cluster.synchronous) == "True"):
        return
    wanted = {code_of(cluster.task_index)} if not isinstance(cluster.task_index, cst.Name) else set()
    if isinstance(cluster.owner, cst.Module):
        wanted |= names_of_task(training, cluster)
    definitions = {
        definition.name.value: definition
        for definition in training.module.body
        if isinstance(definition, cst.FunctionDef)
    }
    told: set[str] = set()
    canonical = training.value_kinds.resolver.canonical
    parts = [*region.nodes, *(statement.node for statement in [*region.brought, *training.graph])]
    for call in (call for part in parts for call in find_all(part, cst.Call)):
        name = code_of(call.func)
        if name in told or definitions.get(name) is cluster.owner:
            continue
        told.add(name)
        if training.functions.reads(canonical(call.func) or "", frozenset(wanted)):
            message = f"{name} depends on {code_of(cluster.task_index)}, and is called for every worker"
            yield Problem(definitions.get(name, call), "T2T505", message)


def _different_steps(training: Training, cluster: Cluster) -> Iterator[Problem]:
    """Synchronous workers that run different training steps would wait for one another for ever."""
    if cluster.synchronous is None:
        return
    trains = [step for step in training.steps if step.trains]
    for step in trains[1:]:
        yield Problem(step.runs[0].call, "T2T505", "synchronous workers with another training step")


def _read_behind_update(training: Training) -> Iterator[Problem]:
    """Variables that a step reads behind its update: TF1's worker was sent them once, at the start of the run.

    Towers read them as they find them, mostly before the update, where nothing tells them to wait.
    """
    for step in training.steps:
        statements = [
            statement for outer in step.slice.statements for statement in outer.every() if not statement.inner
        ]
        updates = [place for place, statement in enumerate(statements) if has_update(training, statement)]
        every = [statement for outer in step.slice.statements for statement in outer.every()]
        waiting = [inner for block in every if _waits(training, block) for inner in block.every()]
        for statement in statements[updates[0] + 1 :] if updates else ():
            if has_update(training, statement) and _computes_gradients(statement):
                yield Problem(statement.node, "T2T208", "gradients that are computed behind another update")
            waits = training.tower.cluster is None and statement in waiting
            if statement.kind == TENSOR and not waits and _reads_variables(training, statement):
                yield Problem(statement.node, "T2T208", "a variable that is read behind the update")


def _computes_gradients(statement: TrainerStatement) -> bool:
    """Whether an update computes its gradients itself: TF1 computed those of a run beside one another."""
    return any(
        isinstance(call.func, cst.Attribute) and call.func.attr.value == "minimize"
        for call in find_all(statement.node, cst.Call)
    )


def _waits(training: Training, statement: TrainerStatement) -> bool:
    """Whether it is a block `with tf.control_dependencies(...)`."""
    canonical = training.value_kinds.resolver.canonical
    return isinstance(statement.node, cst.With) and any(
        isinstance(item.item, cst.Call) and canonical(item.item.func) == "tf.control_dependencies"
        for item in statement.node.items
    )


def _reads_variables(training: Training, statement: TrainerStatement) -> bool:
    """Whether a statement computes with variables; not where it updates them, or their averages."""
    value_kinds, calls = training.value_kinds, find_all(statement.node, cst.Call)
    methods = [call.func for call in calls if isinstance(call.func, cst.Attribute)]
    if has_update(training, statement) or any(value_kinds.of(method.value) == AVERAGE for method in methods):
        return False
    named = [value_kinds.resolver.canonical(call.func) or "" for call in calls]
    if statement.flow.binds and not _OF_VARIABLES.isdisjoint(named):
        return True
    summaries = [
        training.functions.summary(value_kinds.resolver.canonical(call.func) or "") for call in calls
    ]
    return any(value_kinds.names.get(name) in (STATE, SCHEDULE) for name in statement.flow.reads) or any(
        summary is not None and not _OF_VARIABLES.isdisjoint(summary.symbols) for summary in summaries
    )


def _returns(training: Training) -> Iterator[Problem]:
    if training.region is None:
        return
    for node in training.region.nodes:
        for returned in find_all(node, cst.Return):
            if returned.value is not None and not is_none(returned.value):
                yield Problem(returned, "T2T504", "the workers' part of the program returns a value")


def _server_elsewhere(training: Training, cluster: Cluster) -> Iterator[Problem]:
    """The server used for more than its target: `server.server_def`, or given to other code."""
    for attribute in find_all(training.tower.owner, cst.Attribute):
        if isinstance(attribute.value, cst.Name) and attribute.value.value == cluster.name:
            if attribute.attr.value not in ("join", "target"):
                yield Problem(
                    attribute, "T2T502", f"{code_of(attribute)}: a use of the server the tool does not know"
                )
