"""What a reader of the migrated program should know: kept as in TF1 and perhaps not meant, or not the same (T2T2xx)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from tf2towers.names.old_names import is_of_summaries
from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.python_code.call_arguments import value_of_argument
from tf2towers.program.python_code.data_flow import flow_of, target_names
from tf2towers.program.python_code.search import code_of, find_all
from tf2towers.program.python_code.side_effects import SUMMARIES
from tf2towers.program.sessions.steps import has_update
from tf2towers.program.statements.trainer_statement import TrainerStatement
from tf2towers.program.statements.value_kinds import AVERAGE, OP, STATE
from tf2towers.program.training import Step, Training
from tf2towers.rewrites.files.file_context import FileContext

Found = Iterator[tuple[cst.CSTNode, str, str]]

#: their gradient with respect to what they look up is a `tf.IndexedSlices`
_LOOKUPS = {"tf.gather", "tf.nn.embedding_lookup"}
_UPDATING = ("UPDATE_OPS", "batch_norm", "ExponentialMovingAverage", "moments")


def semantic_notes(training: Training, context: FileContext) -> None:
    """Adds a note for everything about the program that its text does not say."""
    cluster = training.tower.cluster
    if cluster is not None:
        for code, message in _of_cluster(cluster, training):
            context.note(cluster.server, code, message, kind="note")
        return
    for detect in _DETECTORS:
        for node, code, message in detect(training):
            context.note(node, code, message, kind="note")


def _of_cluster(cluster: Cluster, training: Training) -> Iterator[tuple[str, str]]:
    if cluster.synchronous is None or code_of(cluster.synchronous) != "True":
        yield (
            "T2T209",
            "asynchronous: the process of worker 0 runs the loops of all workers and prints their lines",
        )
    if cluster.synchronous is not None:
        yield (
            "T2T210",
            "synchronous: the workers average by an all-reduce, the parameter servers have nothing to do",
        )
        symbols = {
            symbol for statement in training.statements for symbol in training.effects[statement].symbols
        }
        if looked_up := sorted(symbols & _LOOKUPS):
            yield (
                "T2T212",
                f"{looked_up[0]}: a row's gradient is averaged over all workers, in TF1 over those that had the row",
            )


def _last_tower(training: Training) -> Found:
    collected = {average.accumulator for average in training.averages} | training.gathered
    for step in training.steps:
        if not step.uses_towers:
            continue
        for fetch in step.fetches:
            names, symbols = _read_from_towers(training, step, fetch)
            last = names - collected
            if last and training.value_kinds.of(fetch) != OP and not _is_summary(symbols):
                shown = code_of(fetch)
                yield step.runs[0].call, "T2T201", f"{shown} is one tower's, not the mean over the towers"
                break


def _first_summaries(training: Training) -> Found:
    for step in training.steps:
        if not step.uses_towers:
            continue
        for fetch in step.fetches:
            if _is_summary(_read_from_towers(training, step, fetch)[1]):
                yield (
                    step.runs[0].call,
                    "T2T202",
                    f"{code_of(fetch)}: the summaries of the first tower are written",
                )
                break


def _same_batch(training: Training) -> Found:
    batches = [input_ for input_ in training.inputs if input_ not in training.fed_rates]
    derived = {name for batch in batches if not _is_setting(batch.shape, batch.dtype) for name in batch.names}
    for statement in training.tower_needs.statements:
        if statement.flow.reads & derived:
            derived |= statement.flow.binds
    tainted = target_names(training.tower.loop.target)
    if not derived or flow_of(training.tower.loop.iter).reads & derived:
        return
    if any(batch.each_tower for batch in batches):
        return
    used = False
    for outer in training.tower_loop_statement.inner:
        for statement in outer.every():
            if statement.inner:
                continue
            used |= bool(statement.flow.reads & derived)
            if statement.flow.reads & tainted:
                if statement.flow.reads & derived:
                    return
                tainted |= statement.flow.binds
    if used:
        yield (
            training.tower.loop,
            "T2T203",
            "every tower is handed the same batch: each computes the same gradients",
        )


def _is_setting(shape: cst.BaseExpression | None, dtype: cst.BaseExpression | None) -> bool:
    """Whether a placeholder is a scalar or a switch (keep_prob, is_training), not data."""
    if dtype is not None and code_of(dtype).rpartition(".")[2].strip("'\"") == "bool":
        return True
    return isinstance(shape, cst.List | cst.Tuple) and not shape.elements


def _evaluation(training: Training) -> Found:
    symbols = training.effects[training.tower_loop_statement].symbols
    if not any(mark in symbol for symbol in symbols for mark in _UPDATING):
        return
    for step in training.steps:
        if step.uses_towers and not step.trains:
            message = "this step does not train: moving averages and statistics keep their values"
            yield step.runs[0].call, "T2T204", message


def _average_order(training: Training) -> Found:
    updated = False
    for statement in training.behind_towers(training.statements):
        updated |= has_update(training, statement)
        if _is_ordered(training, statement) or any(
            _is_ordered(training, block) for block in statement.contexts
        ):
            continue
        for call in find_all(statement.node, cst.Call):
            if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "apply":
                continue
            if training.value_kinds.of(call.func.value) == AVERAGE:
                place = "after" if updated else "before"
                message = f"TF1 ran it and the update in no fixed order; here it is taken {place} the update"
                yield call, "T2T206", message


def _is_ordered(training: Training, statement: TrainerStatement | cst.With) -> bool:
    node = statement.node if isinstance(statement, TrainerStatement) else statement
    if not isinstance(node, cst.With):
        return False
    calls = [item.item for item in node.items if isinstance(item.item, cst.Call)]
    return any(
        training.value_kinds.resolver.canonical(call.func) == "tf.control_dependencies" for call in calls
    )


def _unequal_parts(training: Training) -> Found:
    bound = {
        name: statement.assign.value
        for statement in training.statements
        if statement.assign is not None
        for name in statement.flow.binds
    }
    for statement in [*training.tower_needs.statements, training.tower_loop_statement]:
        for call in find_all(statement.node, cst.Call):
            if training.value_kinds.resolver.canonical(call.func) != "tf.split":
                continue
            sizes = value_of_argument(call, 1, "num_or_size_splits")
            if sizes is not None and _may_differ(sizes, bound):
                message = "the towers' parts may differ in size, and each counts alike in the mean"
                yield call, "T2T207", message


def _may_differ(sizes: cst.BaseExpression, bound: dict[str, cst.BaseExpression]) -> bool:
    if isinstance(sizes, cst.List | cst.Tuple):
        return len({code_of(element.value) for element in sizes.elements}) > 1
    if isinstance(sizes, cst.Name) and sizes.value in bound:
        value = bound[sizes.value]
        if isinstance(value, cst.Call):
            return any(word in sizes.value.lower() for word in ("size", "split", "part", "share"))
        return isinstance(value, cst.ListComp) or (isinstance(value, cst.List) and _may_differ(value, bound))
    return False


def _state_with_update(training: Training) -> Found:
    for step in training.steps:
        if not step.trains or training.tower.cluster is not None:
            continue
        for fetch in step.fetches:
            if isinstance(fetch, cst.Name) and training.value_kinds.of(fetch) == STATE:
                message = (
                    f"{fetch.value} in the same run as the update: TF1 read it before or after; here after"
                )
                yield step.runs[0].call, "T2T208", message
                break


def _summaries_of_queues(training: Training) -> Found:
    if training.batches is None:
        return
    message = "what is made with the batches is no summary any more: how full the queues are"
    in_towers = training.batches.each_tower and not training.body.are_prefetched
    if in_towers and SUMMARIES in training.effects[training.tower_loop_statement].reads:
        yield (
            training.batches.source,
            "T2T213",
            f"{message}, and the summaries of the function that makes them",
        )
    elif any(
        "tf.summary.merge_all" in training.effects[statement].symbols
        for step in training.steps
        for statement in step.slice.statements
    ):
        yield training.batches.source, "T2T213", message


def _read_from_towers(training: Training, step: Step, fetch: cst.BaseExpression) -> tuple[set[str], set[str]]:
    """Names bound in the tower loop that a fetched value is made of, and the symbols on the way."""
    names = set(flow_of(fetch).reads)
    symbols: set[str] = set()
    for statement in reversed(training.behind_towers(step.slice.statements)):
        if statement.flow.writes & names:
            if statement.assign is not None:
                names -= statement.flow.binds
            names |= statement.flow.reads
            symbols |= training.effects[statement].symbols
    return names & training.tower_binds, symbols


def _is_summary(symbols: set[str]) -> bool:
    return any(map(is_of_summaries, symbols))


_DETECTORS: tuple[Callable[[Training], Found], ...] = (
    _last_tower,
    _first_summaries,
    _same_batch,
    _evaluation,
    _average_order,
    _unequal_parts,
    _state_with_update,
    _summaries_of_queues,
)
