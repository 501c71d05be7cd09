"""Clusters, as in TF1: every process runs the script and is a client of its own.

A worker's sessions run its functions in this process; variables, queues, accumulators and tables that the graph puts on
a parameter server are there, under the names they have in the graph, and so are the same for all workers. Nobody
coordinates: the chief initialises and the others wait, by the script's own means.

What the script gives to no task, TF1 put on the first task of the cluster by name, where all sessions shared it: in a
cluster with parameter servers on the first of these. So it is here, for variables and all else that has a name for
others; what has no state is computed in the process that runs it.

In-graph replication: where a worker's graph has operations on other workers, these and itself become servers as well
(`Task.share`). What it keeps is on its server then, for all to see; what it computes stays in its process.

Each process that has a session holds a `tf.distribute.ParameterServerStrategy`, whose cluster is the parameter servers
and itself as the one worker; its connection is what the functions run on.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import addresses, waiting
from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.graph_session import serving
from tf2towers.runtime.graph_session.nodes import Nodes, TensorName, parse, written
from tf2towers.runtime.graph_session.parcels import pack
from tf2towers.runtime.graph_session.private import eager_mode
from tf2towers.runtime.graph_session.process import LOCAL, Process
from tf2towers.runtime.graph_session.randomness import is_state
from tf2towers.runtime.graph_session.towers import Place, place_of

_v1 = tf.compat.v1

#: jobs whose tasks train; the tasks of any other job keep variables
WORKING = frozenset({"worker", "chief", "master", "evaluator"})
#: this process in the cluster that its connection makes
_CHIEF = "/job:chief/replica:0/task:0"

#: what was a session's own, if the script gave no name to it
_OWN = ("Iterator", "Queue", "Reader", "ConditionalAccumulator")

#: they hand a resource on
_ALIASES = frozenset({"Identity", "Switch", "Enter", "Merge"})

#: a task: its job and its index
Key = tuple[str, int]

_tasks: dict[bytes, Task] = {}
_making = threading.RLock()


def process_of(target: bytes) -> Process:
    """Where the sessions of a target run: '' is this process, other targets are those of this process's servers."""
    if target in (b"", b"local"):
        return Process()
    task = _tasks.get(target)
    if task is not None:
        return Member(task)
    # a session of another task: where it is made makes no difference to the graph
    for task in _tasks.values():
        if target in [f"grpc://{address}".encode() for address in task.everyone.values()]:
            return Member(task)
    known = ", ".join(repr(task.decode()) for task in _tasks) or "none"
    raise ClusterError(
        f"Session(target={target.decode()!r}): a session runs in its own process, and this is not the target of a "
        f"server that this process has made. Make a Server first, and give its `target`; those here: {known}."
    )


class Task:
    """A task of a cluster, and where it is seen from here.

    Attributes:
        servers: the tasks that keep variables, (job, index): address, in the order of the jobs.
    """

    def __init__(self, cluster: Any, job: str, index: int) -> None:
        self.spec = _v1.train.ClusterSpec(cluster)
        self.job, self.index = job, index
        if set(self.spec.jobs) <= {*addresses.JOBS, "evaluator"} and job in addresses.JOBS:
            addresses.read_addresses(self.spec, job, index)  # for what it finds wrong
        self.address = self.spec.task_address(job, index)
        self.everyone: dict[Key, str] = {}
        self.servers: dict[Key, str] = {}
        self.workers: dict[str, str] = {}
        for name in sorted(self.spec.jobs):
            for number in self.spec.task_indices(name):
                address = self.everyone[name, number] = self.spec.task_address(name, number)
                if name in WORKING or (name == job and name in ("local", "localhost")):
                    self.workers[f"{name} {number}"] = address
                else:
                    self.servers[name, number] = address
        #: those that keep variables, whatever the graph is
        self.keepers = frozenset(self.servers)
        self.serving: serving.Serving | None = None
        self._decided = False

    @property
    def name(self) -> str:
        """'worker 1'."""
        return f"{self.job} {self.index}"

    @property
    def serves(self) -> bool:
        """Whether it keeps variables."""
        return self.key in self.servers

    @property
    def key(self) -> Key:
        """('worker', 1)."""
        return self.job, self.index

    def decide(self, asked: Iterable[Key], keeps: bool) -> None:
        """Before this task's first run: it stays behind its door, or becomes a server, as those that it asks for.

        Args:
            asked: the tasks that its graph has operations for.
            keeps: whether it keeps what others use.
        """
        with _making:
            if self._decided or self.serving is None:
                return
            self._decided = True
            others = {key: self.everyone[key] for key in asked if key in self.everyone}
            others = {
                key: other for key, other in others.items() if key not in self.servers and key != self.key
            }
            if self.serves:
                return
            self.serving.says = serving.WILLING if others or keeps else serving.ALONE
            if (others or keeps) and self._all_willing(others):
                self.share(others)
            else:
                self.serving.says = serving.ALONE

    def only_serve(self) -> None:
        """A worker that has run nothing itself serves others from now on."""
        with _making:
            if not self._decided and not self.serves:
                self._decided = True
                self.share({})

    def _all_willing(self, others: Mapping[Key, str]) -> bool:
        """Waits until others have decided; whether all of them run the operations of others."""
        limit, start = waiting.time_limit(), time.monotonic()
        waiting.wait_for({f"{job} {index}": address for (job, index), address in others.items()})
        while True:
            states = [serving.state_of(other) for other in others.values()]
            if serving.ALONE in states:
                return False
            if not {serving.UNDECIDED, serving.SILENT} & set(states):
                return True
            if time.monotonic() - start > limit:
                return False
            time.sleep(0.2)

    def share(self, others: Mapping[Key, str]) -> None:
        """Makes this task a server, for what it keeps; `others` are servers, too."""
        assert self.serving is not None
        self.serving.serve()
        self.servers = dict(sorted({**self.servers, self.key: self.address, **others}.items()))
        limit, start = waiting.time_limit(), time.monotonic()
        while any(serving.state_of(other) == serving.WILLING for other in others.values()):
            if time.monotonic() - start > limit:
                raise ClusterError(
                    f"{self.name}: another worker did not become a server within {limit:g} seconds."
                )
            time.sleep(0.1)


class Connection:
    """What this process is connected to: one for all its servers and sessions."""

    current: Connection | None = None

    def __init__(self, task: Task) -> None:
        self.servers = list(task.servers.values())
        os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")  # or a task that has died is waited for
        waiting.wait_for({f"{job} {index}": address for (job, index), address in task.servers.items()})
        host = task.address.rpartition(":")[0]
        # the strategy's cluster has to have a worker; nothing is placed there
        self._worker_address = f"{host}:{waiting.free_port()}"
        alone = tf.train.ClusterSpec({"worker": [self._worker_address]})
        self._worker = tf.distribute.Server(alone, "worker", 0, protocol="grpc", start=True)
        spec = {
            "ps": self.servers,
            "worker": [self._worker_address],
            "chief": [f"{host}:{waiting.free_port()}"],
        }
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(spec), task_type="chief", task_id=0, rpc_layer="grpc"
        )
        with eager_mode():
            self.strategy = tf.distribute.ParameterServerStrategy(resolver)
            if task.serves:  # those who keep something for others, and use them, have to say so
                for index, server in enumerate(self.servers):
                    with tf.device(_server_device(index)):
                        tf.io.write_file(serving.present(server, task.address), task.address)
        Process.name = _CHIEF
        atexit.register(self._leave, task)

    @classmethod
    def of(cls, task: Task) -> Connection:
        """The connection, made at its first use."""
        with _making:
            if cls.current is None:
                cls.current = cls(task)
            elif cls.current.servers != list(task.servers.values()):
                raise ClusterError(
                    f"{task.name}: this process is connected to the parameter servers {cls.current.servers} already, "
                    f"and cannot be to {list(task.servers.values())} as well. A process for each cluster, please."
                )
            return cls.current

    def lost(self) -> list[str]:
        """The parameter servers that do not answer, as 'ps 0 (host:port)'."""
        return [
            f"ps {index} ({server})"
            for index, server in enumerate(self.servers)
            if not waiting.answers(server)
        ]

    def _leave(self, task: Task) -> None:
        """Tells the parameter servers, at the end of this process, that its training is over."""
        lost = bool(self.lost())
        if not lost and serving.ended_well():
            with eager_mode(), contextlib.suppress(tf.errors.OpError):
                for (job, index), address in task.servers.items():
                    with tf.device(_server_device(list(task.servers).index((job, index)))):
                        tf.io.write_file(serving.marker(address, task.address), task.name)
        if lost:
            serving.leave_at_once()


def _server_device(index: int) -> str:
    return f"/job:ps/replica:0/task:{index}/device:CPU:0"


class Member(Process):
    """This process as a task of a cluster."""

    # a process that is connected to others cannot lead a collective of its own: the mean stays what the graph has
    collectives = False

    def __init__(self, task: Task) -> None:
        self.task = task
        self._refused: dict[str, str] = {}  # a node or a function -> the device it asks for
        self._functions: Mapping[str, Any] = {}
        self._graph: Any = None
        self._order: dict[Key, int] = {}
        self._common: Key | None = None  # who keeps what the graph gives to no task

    def connect(self, graph: tf.Graph, config: Any = None) -> None:
        """Connects this process to those who keep variables, if there are any."""
        task = self.task
        seen = _seen(task, config)
        operations = graph.get_operations()
        places = map(place_of, {operation.device for operation in operations})
        asked = {
            key for key in ((place.job, max(place.task, 0)) for place in places if place.job) if key in seen
        }
        self._common = next((key for key in seen if key in task.keepers), None)
        keeps = any(
            _is_named_queue(operation) and _key(operation.device) == task.key for operation in operations
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
            with _making, tf.init_scope():
                Connection.of(task)

    def container(self, session: str, node: Any) -> str:
        """All sessions of a server share what is in its process, as in TF1, but for what is each session's own."""
        shared = f"{self.task.job}.{self.task.index}"
        return session if is_state(node) else f"{shared}.{session}" if self.own(node) else shared

    def own(self, node: Any) -> bool:
        """Without a shared name, a queue or the like was each session's own in TF1, wherever it was."""
        return not node.attr["shared_name"].s and (
            any(word in node.op for word in _OWN)
            or ("HashTable" in node.op and not node.attr["use_node_name_sharing"].b)
        )

    def ends(self, node: Any) -> bool:
        """What sessions of a server share outlives each of them."""
        return is_state(node) or ".session." in node.attr["container"].s.decode()

    def elsewhere(self, node: Any) -> bool:
        """Whether a node is on a parameter server."""
        return bool(node.device.startswith("/job:ps/replica:0/"))

    def translate(self, nodes: Nodes) -> None:
        """Devices of this task lose their job, those of parameter servers get their name here; the rest is noted."""
        self._graph = nodes.graph
        self._refused = {}
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
        """Gives functions whose devices were changed, and those that call them, another name: theirs is in use."""
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
        for function in functions.values():
            function.signature.name = names.get(function.signature.name, function.signature.name)
            for node in function.node_def:
                _call_by(node, names)
        for node in nodes.by_name.values():
            _call_by(node, names)
        for gradient in nodes.library.gradient:
            gradient.function_name = names.get(gradient.function_name, gradient.function_name)
            gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)
        for old, new in names.items():
            functions[new] = functions.pop(old)
            if old in self._refused:
                self._refused[new] = self._refused[old]

    def _is_for_all(self, node: Any) -> bool:
        """Whether a node makes what the sessions of other tasks can use as well."""
        return _makes_handle(node) and not self.own(node)

    def _translate(self, node: Any, owner: str) -> bool:
        """Gives a node its device's name here; whether that is another one."""
        place = place_of(node.device)
        if place.job is None:
            server = self._order.get(self._common) if self._common is not None else None
            if server is None or not self._is_for_all(node):
                return False
            node.device = _server_device(server)
            return True
        before = node.device
        self._move(node, place, owner)
        return bool(node.device != before)

    def _move(self, node: Any, place: Place, owner: str) -> None:
        own = place.job == self.task.job and place.task in (-1, self.task.index)
        if place.job == "localhost" or (own and not (self.task.serves and self._is_for_all(node))):
            node.device = _within(place)
            return
        server = self._order.get((str(place.job), max(place.task, 0)))
        if server is None:
            if node.op != "Const":  # which is the same anywhere
                self._refused.setdefault(owner, node.device)
            node.device = ""
            return
        node.device = _server_device(server)

    def check(self, part: Iterable[Any]) -> None:
        """Raises for an operation that another worker would have to run."""
        if not self._refused:
            return
        for node in part:
            device = self._refused.get(node.name) or self._refused_by(_called(node), set())
            if device is not None:
                raise _refusal(node, device, self.task)

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
        """What uses a resource of a parameter server is there, too, as TF1 put it; what has no device is here."""
        if not self.task.servers:
            return super().settle(nodes, outputs)
        there = {node.name: node.device for node in nodes if _makes_handle(node) and self.elsewhere(node)}
        for node in nodes:
            if self.elsewhere(node):
                continue
            source = next(
                (
                    there[source.node]
                    for source in map(parse, node.input)
                    if source.output == 0 and source.node in there
                ),
                "",
            )
            if source and not _called(node):
                node.device = source
                if node.op in _ALIASES:
                    there[node.name] = source
            else:
                node.device = node.device.replace(LOCAL, _CHIEF) or _CHIEF
        _read_once(nodes)
        made = [*nodes, *self._repeat_constants(nodes)]
        brought = self._bring(made, outputs)
        made += pack(made, lambda node: node.device.partition("/device:")[0], self._known)
        return made, brought

    def _known(self, name: TensorName) -> tuple[tf.TensorShape, tf.DType] | None:
        """The shape and the type of one of the graph's tensors."""
        with contextlib.suppress(KeyError):
            tensor = self._graph.get_tensor_by_name(f"{name.node}:{name.output}")
            return tensor.shape, tensor.dtype.base_dtype
        return None

    def _bring(self, nodes: list[Any], outputs: Sequence[tuple[str, tf.DType]]) -> list[str]:
        """A value of a parameter server is sent by the function itself, and not fetched after it."""
        by_name = {node.name: node for node in nodes}
        brought = []
        for index, (output, dtype) in enumerate(outputs):
            if self.elsewhere(by_name[parse(output).node]) and dtype not in (tf.resource, tf.variant):
                node = _v1.NodeDef(name=f"fetched_{index}", op="Identity", input=[output], device=_CHIEF)
                node.attr["T"].type = dtype.base_dtype.as_datatype_enum
                nodes.append(node)
                brought.append(f"{node.name}:0")
            else:
                brought.append(output)
        return brought

    def _repeat_constants(self, nodes: Sequence[Any]) -> list[Any]:
        """Constants that a parameter server needs are made there as well, and not sent in every step."""
        constants = {node.name: node for node in nodes if node.op == "Const" and not self.elsewhere(node)}
        made: dict[tuple[str, str], Any] = {}
        for node in nodes:
            if not self.elsewhere(node):
                continue
            for index, text in enumerate(node.input):
                constant = constants.get(parse(text).node)
                if constant is None or text[0] == "^" or constant.input:
                    continue
                key = (constant.name, node.device)
                if key not in made:
                    made[key] = _v1.NodeDef()
                    made[key].CopyFrom(constant)
                    made[key].name = f"{constant.name}/ps_{place_of(node.device).task}"
                    made[key].device = node.device
                node.input[index] = made[key].name
        return list(made.values())

    def failed(self, error: Exception) -> None:
        """Says of a parameter server's end that it is one."""
        if Connection.current is None or not isinstance(error, tf.errors.OpError):
            return
        lost = Connection.current.lost() if isinstance(error, _LOSSES) else []
        again = "context_id" in str(error) or "incarnation" in str(error)
        if lost or again:
            who = ", ".join(lost) or "a parameter server, which was started again"
            raise ClusterError(
                f"{self.task.name}: lost {who}, and the variables on it. Start the whole job again: it goes "
                "on from its last checkpoint."
            ) from error


_LOSSES = (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.CancelledError, tf.errors.InternalError,
           tf.errors.UnknownError, tf.errors.DeadlineExceededError, tf.errors.FailedPreconditionError)  # fmt: skip


def _read_once(nodes: Sequence[Any]) -> None:
    """Lets those who use reads of a variable that wait for the same use one of them, which is sent once."""
    first: dict[Any, str] = {}
    same: dict[str, str] = {}
    for node in nodes:
        if node.op == "ReadVariableOp":
            kept = first.setdefault((node.device, *node.input), node.name)
            if kept != node.name:
                same[node.name] = kept
    for node in nodes if same else ():
        for index, text in enumerate(node.input):
            name = parse(text)
            if name.node in same:
                node.input[index] = written(name._replace(node=same[name.node]))


def _makes_handle(node: Any) -> bool:
    return "shared_name" in node.attr and "container" in node.attr


def _key(device: str) -> Key | None:
    """The task that a device string names."""
    place = place_of(device)
    return (place.job, max(place.task, 0)) if place.job else None


def _is_named_queue(operation: tf.Operation) -> bool:
    """Whether it makes a queue that the script has given a name to, for others to find."""
    return (
        "Queue" in operation.type
        and "shared_name" in _attributes(operation)
        and bool(operation.get_attr("shared_name"))
    )


def _has_no_task(operation: tf.Operation) -> bool:
    """Whether it makes a variable that the script has given to no task."""
    return operation.type == "VarHandleOp" and place_of(operation.device).job is None


def _attributes(operation: tf.Operation) -> set[str]:
    return {attribute.name for attribute in operation.op_def.attr}


def _seen(task: Task, config: Any) -> list[Key]:
    """The tasks that a session sees, in the order in which TF1 asked them to take what has no device: by name."""
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
    """The part of a device string that says which device of a task."""
    if place.kind is None:
        return ""
    return f"/device:{place.kind}:{max(place.number, 0)}"


def _call_by(node: Any, names: Mapping[str, str]) -> None:
    """Gives the functions that a node calls their new names."""
    if not names:
        return
    for value in node.attr.values():
        kind = value.WhichOneof("value")
        for called in [value.func] if kind == "func" else value.list.func if kind == "list" else ():
            called.name = names.get(called.name, called.name)


def _called(node: Any) -> list[str]:
    """The functions that a node calls."""
    names = []
    for value in node.attr.values():
        kind = value.WhichOneof("value")
        if kind == "func":
            names.append(value.func.name)
        elif kind == "list":
            names += [called.name for called in value.list.func]
    return names


def _refusal(node: Any, device: str, task: Task) -> Exception:
    place = place_of(device)
    late = (
        " Operations on other workers have to be in the graph before the first run of a session, and not hidden by "
        "its device_filters: each worker decides then whether it runs those of others."
        if (str(place.job), max(place.task, 0)) in task.everyone
        else ""
    )
    servers = ", ".join(f"/job:{job}/task:{index}" for job, index in task.servers) or "there are none"
    return tf.errors.InvalidArgumentError(
        node,
        None,
        f"Cannot assign a device for operation {node.name} ({node.op}): it was explicitly assigned to {device}, "
        f"and this is {task.name}. Here every worker runs its own part of the graph and nobody else's; only parameter "
        f"servers ({servers}) are shared. "
        "Put what workers share, such as a queue, on a parameter server." + late,
    )


class Server:
    """`tf.compat.v1.train.Server`: this process's place in the cluster.

    A task that keeps variables ('ps') serves from now on; a worker connects at its first session.

    Args:
        server_or_cluster_def: a `tf.train.ClusterSpec`, a dict of jobs, or a ServerDef.
        job_name: the job of this process; the cluster's only one, if none is given.
        task_index: its place in the job; the job's only one, if none is given.
        protocol: 'grpc'.
        config: has no effect.
        start: has no effect for a worker.

    Raises:
        ClusterError: the addresses, the job or the index are wrong, or this task's port is taken.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self._server_def, job, index = _server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        self._task = Task(self._server_def.cluster, job, index)
        self._started = False
        self._target = f"grpc://{self._task.address}".encode()
        _tasks[self._target] = self._task
        if start:
            self.start()

    def start(self) -> None:
        """Begins to serve."""
        if not self._started:
            self._started = True
            task = self._task
            workers = task.workers if task.serves else {}
            task.serving = serving.Serving(task.spec, task.job, task.index, task.serves, workers)

    def join(self) -> None:
        """Serves until the training has ended; then the process ends, with status 0. TF1's ran until it was killed.

        Raises:
            SystemExit: the training has ended; for a worker that has run its own operations alone, at once.
        """
        self.start()
        self._task.only_serve()
        if self._task.serves:
            assert self._task.serving is not None
            self._task.serving.until_the_end()
        raise SystemExit(0)

    @property
    def server_def(self) -> Any:
        """The ServerDef."""
        return self._server_def

    @property
    def target(self) -> bytes:
        """What a session of this process is given as its target."""
        return self._target

    @property
    def strategy(self) -> tf.distribute.Strategy:
        """The strategy that this process's sessions run on; made at its first use."""
        if not self._task.servers:
            return tf.distribute.get_strategy()
        with tf.init_scope():
            return Connection.of(self._task).strategy

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A server of a cluster that is this process alone."""
        return Server(
            {"localhost": [f"localhost:{waiting.free_port()}"]}, protocol="grpc", config=config, start=start
        )


def _server_def(
    given: Any, job: str | None, index: Any, protocol: str | None, config: Any
) -> tuple[Any, str, int]:
    """The ServerDef of `tf.compat.v1.train.Server`'s arguments, and this task in it."""
    kind = type(tf.train.ServerDef())
    made = tf.train.ServerDef()
    if isinstance(given, kind):
        made.CopyFrom(given)
    else:
        with contextlib.suppress(TypeError, ValueError):
            made.cluster.CopyFrom(tf.train.ClusterSpec(given).as_cluster_def())
        if not made.cluster.job:
            tf.train.ClusterSpec(given)  # its own error
    if job is not None:
        made.job_name = job
    if index is not None:
        made.task_index = int(index)
    if not made.job_name:
        if len(made.cluster.job) != 1:
            raise ClusterError(
                "A `job_name` must be specified in `Server` if the cluster has more than one job."
            )
        made.job_name = made.cluster.job[0].name
    tasks = {job.name: job.tasks for job in made.cluster.job}
    if index is None and not isinstance(given, kind):
        here = list(tasks.get(made.job_name, {}))
        if len(here) > 1:
            raise ClusterError(
                "A `task_index` must be specified in `Server` if the job has more than one task."
            )
        made.task_index = here[0] if here else 0
    made.protocol = protocol or made.protocol or "grpc"
    if config is not None:
        made.default_session_config.MergeFrom(config)
    if made.job_name not in tasks or made.task_index not in tasks[made.job_name]:
        addresses.read_addresses(tf.train.ClusterSpec(made.cluster), made.job_name, made.task_index)
        raise ClusterError(f"the cluster has no task {made.task_index} of job {made.job_name!r}.")
    return made, str(made.job_name), int(made.task_index)
