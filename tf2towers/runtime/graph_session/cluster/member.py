"""`Member`: a process that is a task of a cluster, and how it runs a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import waiting
from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.graph_session.cluster.anywhere import runs_anywhere
from tf2towers.runtime.graph_session.cluster.connection import Connection, server_device
from tf2towers.runtime.graph_session.cluster.reads_at_the_start import read_at_the_start
from tf2towers.runtime.graph_session.cluster.task import Key, Task, making
from tf2towers.runtime.graph_session.defined_functions import called_by, rename_functions
from tf2towers.runtime.graph_session.graph_nodes import Nodes, TensorName, built_at, copy_of, parse, read_once
from tf2towers.runtime.graph_session.parcels import pack
from tf2towers.runtime.graph_session.randomness import is_state
from tf2towers.runtime.graph_session.session_process import LOCAL, Process
from tf2towers.runtime.graph_session.towers import Place, place_of

#: parts of the types of ops whose resource belonged to its session in TF1, unless the script set a
#: shared name
_OWN = ("Iterator", "Queue", "Reader", "ConditionalAccumulator")

#: tables that are the same in each process: their contents are part of their name
_FIXED = ("HashTable", "HashTableV2")

#: ops that pass a resource on
_ALIASES = frozenset({"Identity", "Switch", "Enter", "Merge"})


class Member(Process):
    """This process as a task of a cluster."""

    # a process that is connected to others cannot run a collective on its own: the graph's own mean
    # stays
    collectives = False

    def __init__(self, task: Task) -> None:
        self.task = task
        self._seen: frozenset[Key] = frozenset()  # the tasks that the session's device filters allow
        self._refused: dict[str, str] = {}  # a node or a function -> its device in the script
        self._taken_over: dict[str, str] = {}  # a node that runs here instead -> its device in the script
        self._reported: set[str] = set()
        self._functions: Mapping[str, Any] = {}
        self._graph: Any = None
        self._order: dict[Key, int] = {}
        self._common: Key | None = None  # the task that keeps resources without a task
        #: type of an operation -> whether it can make a resource that other tasks share
        self._shared_kinds: dict[str, bool] = {}

    def connect(self, graph: tf.Graph, config: Any = None) -> None:
        """Connects this process to the tasks that keep variables, if there are any."""
        task = self.task
        seen = _seen(task, config)
        self._seen = frozenset(seen)
        task.meet(seen)
        operations = graph.get_operations()
        asked = self._asked(operations) & set(seen)
        self._common = next((key for key in seen if key in task.keepers), None)
        keeps = any(
            _key(operation.device) == task.key
            and (_is_named_queue(operation) or self._is_on_the_first(operation, place_of(operation.device)))
            for operation in operations
        )
        if (
            self._common is None
            and len(seen) > 1
            and any(_has_no_task(operation) for operation in operations)
        ):
            self._common = seen[0]
            asked.add(seen[0])
            keeps = keeps or seen[0] == task.key
        task.decide(asked, keeps)
        self._order = {key: index for index, key in enumerate(task.servers)}
        if task.servers:
            with making, tf.init_scope():
                Connection.of(task)

    def is_last(self) -> bool:
        """True if no other worker of the cluster answers: this process is the last one."""
        others = [address for address in self.task.workers.values() if address != self.task.address]
        return not any(waiting.answers(address) for address in others)

    def _asked(self, operations: Iterable[tf.Operation]) -> set[Key]:
        """The tasks that a graph names, and a job's first task for resources shared on that job."""
        asked = set()
        for operation in operations:
            place = place_of(operation.device)
            if place.job and (place.task != -1 or self._is_on_the_first(operation, place)):
                asked.add((place.job, max(place.task, 0)))
        return asked

    def _is_on_the_first(self, operation: tf.Operation, place: Place) -> bool:
        """True if an op makes a shared resource on a job without a task: on task 0 in TF1."""
        if place.job is None or place.task != -1:
            return False
        kind = operation.type
        if kind not in self._shared_kinds:
            self._shared_kinds[kind] = "shared_name" in _attributes(operation) and kind not in _FIXED
        return self._shared_kinds[kind] and self._is_for_all(operation.node_def)

    def container(self, session: str, node: Any) -> str:
        """The container of a resource: one for all sessions of a server, or the session's own."""
        shared = f"{self.task.job}.{self.task.index}"
        return session if is_state(node) else f"{shared}.{session}" if self.is_own(node) else shared

    def is_own(self, node: Any) -> bool:
        """True if a resource is its session's own, as TF1's queues without a shared name."""
        return not node.attr["shared_name"].s and (
            any(word in node.op for word in _OWN)
            or ("HashTable" in node.op and not node.attr["use_node_name_sharing"].b)
        )

    def ends(self, node: Any) -> bool:
        """True if a resource ends with its session; a shared one outlives a server's sessions."""
        return is_state(node) or ".session." in node.attr["container"].s.decode()

    def is_elsewhere(self, node: Any) -> bool:
        """True if a node is on a parameter server."""
        return bool(node.device.startswith("/job:ps/replica:0/"))

    def translate(self, nodes: Nodes) -> None:
        """Rewrites devices: no job for this task, servers by their name here; notes all others."""
        self._graph = nodes.graph
        self._refused, self._taken_over = {}, {}
        functions = {function.signature.name: function for function in nodes.library.function}
        self._functions = functions
        for node in nodes.by_name.values():
            self._translate(node, node.name)
        changed = {
            name
            for name, function in functions.items()
            if sum(self._translate(node, name) for node in function.node_def)
        }
        self._rename(nodes, functions, changed)

    def _rename(self, nodes: Nodes, functions: dict[str, Any], changed: set[str]) -> None:
        """Renames functions whose devices were changed, and their callers: old names are in use."""
        found = bool(changed)
        while found:
            callers = {
                name
                for name, function in functions.items()
                if name not in changed
                and any(called in changed for node in function.node_def for called in _called(node))
            }
            changed |= callers
            found = bool(callers)
        names = {name: f"{name}_on_{self.task.job}_{self.task.index}" for name in changed}
        if names:
            rename_functions(nodes.library, nodes.by_name.values(), names)
        for old, new in names.items():
            functions[new] = functions.pop(old)
            if old in self._refused:
                self._refused[new] = self._refused[old]

    def _is_for_all(self, node: Any) -> bool:
        """True if a node makes a resource that the sessions of other tasks share."""
        return _makes_handle(node) and not self.is_own(node)

    def _translate(self, node: Any, owner: str) -> bool:
        """Rewrites a node's device to its name here; returns whether the device has changed."""
        place = place_of(node.device)
        if place.job is None:
            server = self._order.get(self._common) if self._common is not None else None
            if server is None or not self._is_for_all(node):
                return False
            node.device = server_device(server)
            return True
        old_device = node.device
        self._move(node, place, owner)
        return bool(node.device != old_device)

    def _move(self, node: Any, place: Place, owner: str) -> None:
        own = place.job == self.task.job and place.task in (-1, self.task.index)
        if place.job == "localhost" or (own and not (self.task.serves and self._is_for_all(node))):
            node.device = _within(place)
            return
        first = str(place.job), max(place.task, 0)
        server = self._order.get(first)
        if (
            server is None
            and place.task == -1
            and first in self.task.everyone
            and (node.op in _FIXED or not self._is_for_all(node))
        ):
            node.device = _within(place)  # any task of that job would do, so this process may run it
            return
        if server is None:
            self._without_server(node, place, owner, hidden=first not in self._seen)
            return
        node.device = server_device(server)

    def _without_server(self, node: Any, place: Place, owner: str, hidden: bool) -> None:
        """Handles a node of a task that runs no ops for others: it may run here instead."""
        if node.op != "Const":  # a constant needs no warning
            if hidden or not runs_anywhere(node):
                self._refused.setdefault(owner, node.device)
                node.device = ""
                return
            self._taken_over.setdefault(owner, node.device)
        node.device = _within(place)

    def check(self, part: Iterable[Any]) -> None:
        """Raises an error for an op that only another worker could run; warns of those run here."""
        nodes = list(part) if self._refused or self._taken_over else []
        for node in nodes:
            device = self._refused.get(node.name) or self._refused_by(_called(node), set())
            if device is not None:
                raise _refusal(node, device, self.task)
        for node in nodes:
            self._warn(node)

    def _warn(self, node: Any) -> None:
        place = place_of(self._taken_over.get(node.name, ""))
        other = f"{place.job} {place.task}"
        if place.job and other not in self._reported:
            self._reported.add(other)
            tf.compat.v1.logging.warning(
                "%s: operations placed on %s run here, since that task runs no operations for others; the values are "
                "the same (the first operation is %s, %s)",
                self.task.name,
                other,
                node.name,
                built_at(self._graph.get_operation_by_name(node.name)),
            )

    def _refused_by(self, functions: Iterable[str], seen: set[str]) -> str | None:
        for name in functions:
            if name in self._refused:
                return self._refused[name]
            if name not in seen and name in self._functions:
                seen.add(name)
                for node in self._functions[name].node_def:
                    device = self._refused_by(_called(node), seen)
                    if device is not None:
                        return device
        return None

    def settle(
        self, nodes: Sequence[Any], outputs: Sequence[tuple[str, tf.DType]] = ()
    ) -> tuple[list[Any], list[str]]:
        """Places ops that use a server's resource on that server, as in TF1; others run here."""
        if not self.task.servers:
            return super().settle(nodes, outputs)
        there = {node.name: node.device for node in nodes if _makes_handle(node) and self.is_elsewhere(node)}
        for node in nodes:
            if self.is_elsewhere(node):
                continue
            sources = [
                each.node for each in map(parse, node.input) if each.output == 0 and each.node in there
            ]
            source = there[sources[0]] if sources else ""
            if source and not _called(node):
                node.device = source
                if node.op in _ALIASES:
                    there[node.name] = source
            else:
                node.device = node.device or LOCAL
        nodes = [*nodes, *read_at_the_start(nodes, self.is_elsewhere)]
        read_once(nodes)
        made = [*nodes, *self._repeat_constants(nodes)]
        brought = self._bring(made, outputs)
        made += pack(made, lambda node: node.device.partition("/device:")[0], self._known)
        return made, brought

    def _known(self, name: TensorName) -> tuple[tf.TensorShape, tf.DType] | None:
        """The shape and the dtype of a tensor of the graph; None if it is not in the graph."""
        with contextlib.suppress(KeyError):
            tensor = self._graph.get_tensor_by_name(f"{name.node}:{name.output}")
            return tensor.shape, tensor.dtype.base_dtype
        return None

    def _bring(self, nodes: list[Any], outputs: Sequence[tuple[str, tf.DType]]) -> list[str]:
        """Makes the function itself send a server's values: no fetch after the call."""
        by_name = {node.name: node for node in nodes}
        brought = []
        for index, (output, dtype) in enumerate(outputs):
            if self.is_elsewhere(by_name[parse(output).node]) and dtype not in (tf.resource, tf.variant):
                node = tf.compat.v1.NodeDef(
                    name=f"fetched_{index}", op="Identity", input=[output], device=LOCAL
                )
                node.attr["T"].type = dtype.base_dtype.as_datatype_enum
                nodes.append(node)
                brought.append(f"{node.name}:0")
            else:
                brought.append(output)
        return brought

    def _repeat_constants(self, nodes: Sequence[Any]) -> list[Any]:
        """Copies constants to the parameter server that needs them: not sent in every step."""
        constants = {node.name: node for node in nodes if node.op == "Const" and not self.is_elsewhere(node)}
        made: dict[tuple[str, str], Any] = {}
        for node in nodes:
            if not self.is_elsewhere(node):
                continue
            for index, text in enumerate(node.input):
                constant = constants.get(parse(text).node)
                if constant is None or text[0] == "^" or constant.input:
                    continue
                key = (constant.name, node.device)
                if key not in made:
                    made[key] = copy_of(constant)
                    made[key].name = f"{constant.name}/ps_{place_of(node.device).task}"
                    made[key].device = node.device
                node.input[index] = made[key].name
        return list(made.values())

    def failed(self, error: Exception) -> None:
        """Raises a ClusterError if a run failed because a parameter server is lost."""
        if Connection.current is None or not isinstance(error, tf.errors.OpError):
            return
        lost = Connection.current.lost() if isinstance(error, _LOSSES) else []
        again = "context_id" in str(error) or "incarnation" in str(error)
        if lost or again:
            who = ", ".join(lost) or "a parameter server, which was started again"
            raise ClusterError(
                f"{self.task.name}: lost {who}, and the variables on it. Start the whole job again: it "
                "continues from its last checkpoint."
            ) from error


_LOSSES = (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.CancelledError, tf.errors.InternalError,
           tf.errors.UnknownError, tf.errors.DeadlineExceededError, tf.errors.FailedPreconditionError)  # fmt: skip


def _makes_handle(node: Any) -> bool:
    return "shared_name" in node.attr and "container" in node.attr


def _key(device: str) -> Key | None:
    """The task that a device string names."""
    place = place_of(device)
    return (place.job, max(place.task, 0)) if place.job else None


def _is_named_queue(operation: tf.Operation) -> bool:
    """True if an operation makes a queue with a shared name, which other tasks can use."""
    return (
        "Queue" in operation.type
        and "shared_name" in _attributes(operation)
        and bool(operation.get_attr("shared_name"))
    )


def _has_no_task(operation: tf.Operation) -> bool:
    """True if an operation makes a variable whose device names no task."""
    return operation.type == "VarHandleOp" and place_of(operation.device).job is None


def _attributes(operation: tf.Operation) -> set[str]:
    return {attribute.name for attribute in operation.op_def.attr}


def _seen(task: Task, config: Any) -> list[Key]:
    """The tasks that a session sees, by name; TF1 placed ops without a device on the first."""
    filters = (
        [place_of(device_filter) for device_filter in config.device_filters] if config is not None else []
    )
    named = sorted(task.everyone, key=lambda key: f"/job:{key[0]}/replica:0/task:{key[1]}/")
    return [
        (job, index)
        for job, index in named
        if not filters
        or (job, index) == task.key
        or any(
            device_filter.job in (None, job) and device_filter.task in (-1, index)
            for device_filter in filters
        )
    ]


def _within(place: Place) -> str:
    """The part of a device string that names the device within a task."""
    if place.kind is None:
        return ""
    return f"/device:{place.kind}:{max(place.number, 0)}"


def _called(node: Any) -> list[str]:
    """The functions that a node calls."""
    return [called.name for called in called_by(node.attr)]


def _refusal(node: Any, device: str, task: Task) -> Exception:
    place = place_of(device)
    late = (
        " What other workers keep, print or read from files must be in the graph before the first run of a session, "
        "and allowed by its device_filters: each worker then decides whether it runs operations for others."
        if (str(place.job), max(place.task, 0)) in task.everyone
        else ""
    )
    servers = ", ".join(f"/job:{job}/task:{index}" for job, index in task.servers) or "there are none"
    return tf.errors.InvalidArgumentError(
        node,
        None,
        f"Cannot assign a device for operation {node.name} ({node.op}): it was explicitly assigned to {device}, "
        f"and this is {task.name}. Here each worker runs its own part of the graph only; just the parameter "
        f"servers ({servers}) are shared. "
        "Put what workers share, such as a queue, on a parameter server." + late,
    )
