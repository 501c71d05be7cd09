"""`Session`: TF1's session, whose runs are TF 2 functions.

It is a subclass of `tf.compat.v1.Session`, so it works with `isinstance`,
`tf.compat.v1.get_default_session`, hooks, savers and queue runners. TensorFlow's own code handles
fetches and feeds, with its own error messages; but no C++ session is started.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from tf2towers.runtime.cluster.addresses import ClusterError
from tf2towers.runtime.graph_session.carried import sessions
from tf2towers.runtime.graph_session.cluster.server import process_of
from tf2towers.runtime.graph_session.config import configure
from tf2towers.runtime.graph_session.function import Function, Program
from tf2towers.runtime.graph_session.graph_nodes import built_at
from tf2towers.runtime.graph_session.layout import Layout
from tf2towers.runtime.graph_session.runs.cancelling import Runs
from tf2towers.runtime.graph_session.runs.failures import in_tf1s_words
from tf2towers.runtime.graph_session.runs.prepared import Prepared, key_of, known_by, prepare, value_of
from tf2towers.runtime.patches.functions import eager_mode, eager_tensor, run_options, runs_are_watched

_numbers = itertools.count()

#: the targets that stand for this process
_HERE = (b"", b"local")

#: added to the time limit of a function's first call, in which TensorFlow optimizes it: TF1 did so
#: before the run
_OPTIMIZING_MS = 10_000


class Session(tf.compat.v1.Session):
    """Runs a graph's operations, as `tf.compat.v1.Session`, on the strategy of its towers.

    Args:
        target: '' for this process, or the target of a `Server` that this process has made.
        graph: the graph to run; the default graph, if none is given.
        config: a `tf.compat.v1.ConfigProto`; placement is always soft.
    """

    def __init__(self, target: str | bytes = "", graph: tf.Graph | None = None, config: Any = None) -> None:
        # as in BaseSession.__init__, without the C++ session
        if graph is not None and not isinstance(graph, tf.Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if isinstance(target, tf.compat.v1.ConfigProto):
            raise TypeError(
                f'Argument `target` must be a string, but got "{type(target).__name__}". Did you do "Session(config)" '
                'instead of "Session(config=config)"?'
            )
        if config is not None and not isinstance(config, tf.compat.v1.ConfigProto):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        self._graph = graph if graph is not None else tf.compat.v1.get_default_graph()
        self._closed = False
        self._target = tf.compat.as_bytes(target or "")
        self._delete_lock = threading.Lock()
        self._dead_handles: list[Any] = []
        self._config = config
        self._add_shapes = bool(config is not None and config.graph_options.infer_shapes)
        self._session = None
        self._default_graph_context_manager = None
        self._default_session_context_manager = None
        number = next(_numbers)
        if config is not None:
            configure(config, first=not number)
            if config.isolate_session_state and target:
                raise NotImplementedError(
                    "ConfigProto(isolate_session_state=True): the sessions of a server share its variables"
                )
        # for running functions
        self._process = process_of(self._target)
        self._runs = Runs()
        self._container = f"session.{number}"
        self._functions: dict[Any, Function] = {}
        self._prepared: dict[Any, Prepared] = {}
        self.kept: dict[tuple[str, str], Any] = {}
        self._lost: set[tuple[str, str]] = set()
        self._building = threading.RLock()
        self._program: Program | None = None
        self._layout: Layout | None = None
        self._drawing: set[str] = set()
        self._reported: set[str] = set()
        self._was_reset = False
        sessions.add(self)

    @staticmethod
    def reset(target: str | bytes, containers: Sequence[str] | None = None, config: Any = None) -> None:
        """Ends all sessions of this process and their resources; later runs are cancelled.

        Raises:
            NotImplementedError: the target is a server; TF1 ended the sessions of all the server's
                clients.
        """
        if tf.compat.as_bytes(target or "") not in _HERE:
            raise NotImplementedError(
                f"Session.reset({target!r}): TF1's server ended the sessions of all processes, and forgot its "
                "variables. Close the sessions, and run the initializers in the next one."
            )
        for session in list(sessions):
            if session._target in _HERE and not session._closed:
                session._end()
                session._was_reset = True

    @property
    def sess_str(self) -> bytes:
        """The target, as in TF1."""
        return self._target

    def list_devices(self) -> list[Any]:
        """This process's devices, with as many CPUs as in TF1: towers may have made more."""
        cpus = self._config.device_count.get("CPU", 0) if self._config is not None else 0
        with eager_mode():
            gpus = [device for device in tf.config.list_logical_devices() if device.device_type != "CPU"]
            return [*tf.config.list_logical_devices("CPU")[: cpus or 1], *gpus]

    def close(self) -> None:
        """Ends the session; its runs that are under way in other threads raise a CancelledError."""
        if self._closed:
            return
        self._closed = True
        if not self._was_reset:
            self._end()

    def is_last(self) -> bool:
        """True if this process is the only one of its cluster's workers that still runs."""
        return self._process.is_last()

    def cancel_run_in(self, thread: int) -> None:
        """Ends the run under way in the thread of this identifier, with a CancelledError."""
        self._runs.cancel_in(thread)

    def _end(self) -> None:
        self._runs.cancel()
        ending = [node for node in self.kept.values() if self._process.ends(node)]
        if self._program is not None and ending:
            with eager_mode():
                self._program.ending(ending)()
        self._functions.clear()
        self._prepared.clear()

    def __del__(self) -> None:
        """Does nothing: there is no C++ session to free."""

    def _extend_graph(self) -> None:
        pass

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Any:
        """Returns a function that runs `fetches`, and takes values for `feed_list`."""
        if feed_list is not None and not isinstance(feed_list, list | tuple):
            raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")

        def run(*values: Any, **options: Any) -> Any:
            return self.run(fetches, dict(zip(feed_list or (), values, strict=False)), **options)

        return run

    def _make_callable_from_options(self, callable_options: Any) -> Any:
        """As `make_callable`, by a `CallableOptions`; TensorFlow's needs a C++ session."""
        targets = [self.graph.get_operation_by_name(name) for name in callable_options.target]
        fetches, feeds = list(callable_options.fetch), list(callable_options.feed)

        def run(*values: Any, run_metadata: Any = None) -> Any:
            fed = dict(zip(feeds, values, strict=True))
            return self.run([fetches, targets], fed, run_metadata=run_metadata)[0]

        return run

    @property
    def partial_run_setup(self) -> NoReturn:
        """Raises an error; TF1's partial run fed and fetched parts of a run in turn."""
        raise NotImplementedError("partial_run is not supported: fetch the values of all parts in one run")

    partial_run = partial_run_setup

    def _time_limit(self) -> int:
        """The config's time limit for a run in milliseconds; 0 means no limit."""
        return int(self._config.operation_timeout_in_ms) if self._config is not None else 0

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Same as `tf.compat.v1.Session.run`; a repeated run is faster (`prepared`)."""
        feed_dict = self._fed_by_tensors(feed_dict)
        # of the options, only a time limit has an effect here; sessions with hooks always pass
        # options
        unlimited = options is None or (
            isinstance(options, tf.compat.v1.RunOptions) and not options.timeout_in_ms
        )
        known = known_by(fetches, feed_dict) if unlimited else None
        if known is None or self._closed or runs_are_watched():
            return super().run(fetches, feed_dict, options, run_metadata)
        prepared = self._prepared.get(known)
        values = prepared.values(feed_dict) if prepared is not None else None
        if prepared is not None and values is not None:
            if run_metadata is not None:
                run_metadata.Clear()
            named = prepared.key, prepared.targets, prepared.fetches, prepared.feeds
            return prepared.results(self, self._do_call(self._execute, *named, values, self._time_limit()))
        result = super().run(fetches, feed_dict, options, run_metadata)
        if prepared is None and (made := prepare(self._graph, fetches, feed_dict)) is not None:
            self._prepared[known] = made
        return result

    def _fed_by_tensors(self, feed_dict: Any) -> Any:
        """Replaces a feed_dict's names by tensors; a variable's 'w:0' by its value, no handle."""
        if not isinstance(feed_dict, dict) or not any(isinstance(fed, str) for fed in feed_dict):
            return feed_dict
        return {self._fed(fed): value for fed, value in feed_dict.items()}

    def _fed(self, fed: Any) -> Any:
        if isinstance(fed, str):
            with contextlib.suppress(KeyError, ValueError):  # TensorFlow raises its own error later
                return value_of(self._graph.as_graph_element(fed, allow_operation=False))
        return fed

    def _do_call(self, fn: Any, *args: Any) -> Any:
        try:
            return fn(*args)
        except tf.errors.OpError as error:
            raise in_tf1s_words(error, self._graph) from error

    def _do_run(
        self, handle: Any, target_list: Any, fetch_list: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> list[Any]:
        feeds = {reference.deref(): value for reference, value in feed_dict.items()}
        fetches = [value_of(tensor) for tensor in fetch_list]
        milliseconds = self._time_limit()
        if options is not None:
            milliseconds = run_options(options).timeout_in_ms or milliseconds
        return self._do_call(self._call, target_list, fetches, feeds, milliseconds)

    def _call(self, targets: Any, fetches: Any, feeds: dict[Any, Any], milliseconds: int = 0) -> list[Any]:
        fed = list(feeds)
        key = key_of(targets, fetches, fed)
        return self._execute(key, targets, fetches, fed, list(feeds.values()), milliseconds)

    def _execute(
        self, key: Any, targets: Any, fetches: Any, feeds: Sequence[Any], values: Sequence[Any], milliseconds: int
    ) -> list[Any]:  # fmt: skip
        """Runs the function kept under `key`: the fetches' values, given the feeds'."""
        if self._was_reset:
            raise tf.errors.CancelledError(None, None, "Session has been closed.")
        function = self._functions.get(key)
        if function is None:
            with eager_mode():
                function = self._function(key, fetches, targets, feeds)
        fed = [
            eager_tensor(np.asarray(value, tensor.dtype.as_numpy_dtype), tensor.dtype)
            for tensor, value in zip(feeds, values, strict=True)
        ]
        if milliseconds > 0 and not function.called:
            milliseconds += _OPTIMIZING_MS
        try:
            with self._runs.running(milliseconds) as manager:
                return [value.numpy() for value in function(fed, manager)]
        except tf.errors.OpError as error:
            self._process.failed(error)
            raise

    def _function(self, key: Any, fetches: Any, targets: Any, feeds: Any) -> Function:
        with self._building:
            if key not in self._functions:
                if self._program is None or self._program.nodes.version != self._graph.version:
                    self._process.connect(self._graph, self._config)
                    self._program = Program(self._graph, self._process)
                    self._settle()
                made = self._program.function(fetches, targets, feeds, self._container)
                self._begin(made)
                self._warn_of_sequences(made)
                self._functions[key] = made
            return self._functions[key]

    def _settle(self) -> None:
        """After the graph has grown, moves variables to new devices; drops all functions then."""
        assert self._program is not None
        old_layout, self._layout = self._layout, Layout(self._program.mirror)
        moved = self._layout.moved_from(old_layout) if old_layout is not None else []
        if old_layout is not None and moved:
            self._layout.bring(moved, old_layout, self._container)
            self._functions.clear()

    def _warn_of_sequences(self, function: Function) -> None:
        """Warns if a seeded operation draws a sequence of its own in several runs; TF1 drew one."""
        for name in function.alone:
            if name in self._drawing and name not in self._reported:
                self._reported.add(name)
                tf.compat.v1.logging.warning(
                    "%s (%s) is in several runs of the session: each draws its own sequence; TF1 drew one for all",
                    name,
                    built_at(self._graph.get_operation_by_name(name)),
                )
            self._drawing.add(name)

    def lose(self, names: set[tuple[str, str]]) -> None:
        """Notes resources that no longer exist: a run that needs them raises an error (`carried`).

        It does not wait for a thread that builds a function: that may wait for the connection that
        is being made.
        """
        self._lost |= names
        self._functions.clear()

    def _begin(self, function: Function) -> None:
        """Notes a new function's resources in `kept`, and initializes those that need a value."""
        new = {(node.name, node.device): node for node in function.resources}
        if lost := self._lost & set(new):
            raise ClusterError(
                f"{', '.join(sorted(name for name, _ in lost))}: this session ran before the first session of this "
                "process's server. That session connected the process to its cluster, which deletes the queues, "
                "iterators and tables of earlier sessions. Run something in the server's session first."
            )
        new = {name: node for name, node in new.items() if name not in self.kept}
        self.kept.update(new)
        begun = [node for node in new.values() if node.name in function.beginnings]
        if begun:
            assert self._program is not None
            self._program.beginning(begun, [function.beginnings[node.name] for node in begun])()


class InteractiveSession(Session):
    """A session that is the default one from the start, as `tf.compat.v1.InteractiveSession`."""

    def __init__(self, target: str | bytes = "", graph: tf.Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._entered = contextlib.ExitStack()
        for default in (graph, self) if graph is not None else (self,):
            context = default.as_default()
            context.enforce_nesting = False
            self._entered.enter_context(context)

    def close(self) -> None:
        """Ends the session, which is then no longer the default session."""
        super().close()
        self._entered.close()
