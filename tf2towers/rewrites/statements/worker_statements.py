"""The worker of a cluster: the strategy in the place of the graph, the loop that every worker runs."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.clusters.cluster import Cluster
from tf2towers.program.clusters.region import Region
from tf2towers.program.python_code.data_flow import names_in
from tf2towers.program.python_code.search import code_of
from tf2towers.program.statements.trainer_statement import DROPPED, INPUT, TrainerStatement
from tf2towers.program.statements.value_kinds import DATASET, ITERATOR, SESSION, STATE, SUPERVISOR
from tf2towers.rewrites.files.file_context import parse_statement
from tf2towers.rewrites.statements.session_statements import SessionStatements
from tf2towers.rewrites.statements.unread_names import without_unread_names


class WorkerStatements(SessionStatements):
    """Decides what stands around the statements of a parameter-server program."""

    tail: list[cst.BaseStatement]  # what stood behind the session's block and belongs to it
    marker: cst.BaseStatement | None = None  # stands where the workers' function begins, until it is made

    def _cluster_stage(self, cluster: Cluster) -> None:
        """`with tf.device(tf.train.replica_device_setter(...))` becomes the strategy's scope."""
        strategy, variables = self.given["strategy"], self.given["variables"]
        head = parse_statement(f"with {strategy}.scope(), {variables}.scope():\n    pass")
        assert isinstance(head, cst.With)
        self.scope_items = head.items
        for block in self.training.reader.opened:
            self.stages[block] = "scope" if block is cluster.stage else self._kept_block(block)
        first = next(
            (
                statement.node
                for statement in self._statements_before_stage(cluster)
                if self._is_state(statement)
            ),
            cluster.stage,
        )
        store = parse_statement(f"{variables} = {self.context.need('VariableStore')}({strategy})")
        self.before_stage = (first, [self._strategy_statement(cluster, strategy), store])

    def _strategy_statement(self, cluster: Cluster, strategy: str) -> cst.BaseStatement:
        """The strategy: by the condition, where the script decides between the two at run time."""
        resolver = f"{cluster.name}.resolver()"
        mirrored = f"{strategy} = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver={resolver})"
        served = f"{strategy} = tf.distribute.ParameterServerStrategy({resolver})"
        if cluster.synchronous is None:
            lines = [cst.EmptyLine(comment=cst.Comment(_GOES_ON))]
            return parse_statement(served).with_changes(leading_lines=lines)
        condition = code_of(self.in_place(cluster.synchronous))
        if condition == "True":
            return parse_statement(mirrored)
        return parse_statement(f"if {condition}:\n    {mirrored}\nelse:\n    {_GOES_ON}\n    {served}")

    def _kept_block(self, block: cst.With) -> str:
        """A session's block stays where its object does something at the end; the others are opened."""
        canonical = self.training.value_kinds.resolver.canonical
        call = block.items[0].item
        if isinstance(call, cst.Call) and len(block.items) == 1:
            if canonical(call.func) == "tf.train.MonitoredTrainingSession":
                return "monitored"
            if (
                isinstance(call.func, cst.Attribute)
                and self.training.value_kinds.of(call.func.value) == SUPERVISOR
            ):
                return "managed"
        if len(block.items) == 1 and self._is_monitored(call):
            return "monitored"
        return "open"

    def _statements_before_stage(self, cluster: Cluster) -> list[TrainerStatement]:
        """The statements in front of the block in which the graph is placed."""
        statements = self.training.statements
        within = (
            place
            for place, statement in enumerate(statements)
            if cluster.stage in cluster.around.get(statement.node, ())
        )
        return statements[: next(within, 0)]

    def _is_state(self, statement: TrainerStatement) -> bool:
        return statement.kind == STATE and statement.detail not in (DATASET, ITERATOR) and not statement.inner

    def _workers(self, region: Region, steps: list[cst.BaseStatement]) -> None:
        """The steps' functions, the mark where the workers' function begins, and what is made once a worker."""
        self.marker = parse_statement("pass")
        self.tail = []
        brought = [line for statement in region.brought for line in self._brought(statement)]
        head = [self.marker, *brought, *steps] if region.graph_differs else [*steps, self.marker, *brought]
        for statement in region.trailing:
            made = self._session_statement(statement)
            self.tail.extend(made if made is not None else [self._state(statement)])
            self.actions[statement.node] = []
        for statement in region.gone:
            self.actions[statement.node] = []
        self.prefixes[region.first] = head

    def _brought(self, statement: TrainerStatement) -> list[cst.BaseStatement]:
        if statement.kind == INPUT:
            return self._input_statements(statement)
        if statement.detail == ITERATOR:
            return self._iterator(statement)
        if any(inner.kind == DROPPED and not inner.inner for inner in statement.every()[1:]):
            what = "a worker's own statements and the session's in one block"
            self.training.problem(statement.node, "T2T504", what)
        return [self._state(statement)]

    def workers_function(self, body: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """`def train(task_index)` around the statements, and the call that runs it for every worker."""
        cluster = self.training.tower.cluster
        assert cluster is not None
        index = cluster.task_index
        name = index.value if isinstance(index, cst.Name) else self._index_name()
        function = self.context.fresh("train" if "train" not in self.context.used_names else "run_worker")
        body = without_unread_names([*body, *self.tail], self._read_before())
        body = [line.visit(_Index(code_of(index), name)) for line in body]  # type: ignore[misc]
        used = any(name in names_in(line) for line in body)
        head = parse_statement(f"def {function}({name if used else '_'}):\n    pass")
        assert isinstance(head, cst.FunctionDef)
        lines = getattr(body[0], "leading_lines", ())
        comments = [line for line in lines if line.comment is not None]
        body[0] = body[0].with_changes(leading_lines=comments)
        doc = parse_statement('"""What every worker does, from its session on."""')
        made = head.with_changes(
            body=cst.IndentedBlock([doc, *body]), leading_lines=[cst.EmptyLine(indent=False)]
        )
        call = parse_statement(f"{cluster.name}.run_workers({function})")
        return [made, call.with_changes(leading_lines=[cst.EmptyLine(indent=False)])]

    def _read_before(self) -> set[str]:
        """Names that were read by statements which are gone."""
        return {
            name
            for statement in self.training.single
            if statement.kind in (DROPPED, SESSION)
            for name in statement.flow.reads
        }

    def _index_name(self) -> str:
        names = [name for name in ("task_index", "worker_index") if name not in self.context.used_names]
        return self.context.fresh(names[0] if names else "task_index")


class _Index(cst.CSTTransformer):
    """The task's index as the workers' function is given it."""

    def __init__(self, code: str, name: str) -> None:
        self._code = code
        self._name = name

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if isinstance(original_node, cst.Attribute | cst.Subscript | cst.Call):
            if code_of(original_node) == self._code:
                return cst.Name(self._name)
        return updated_node


_GOES_ON = "# asynchronous: worker 0 runs the loops of all workers, the others serve it from here on"
