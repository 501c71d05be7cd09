"""Wraps the calls of TF1's sessions of every kind, such as a `MonitoredSession` or that of a migrated script."""

import contextlib
import socket
import time
from typing import Any, Callable, Dict, List

from .wrapping import wrap


def around_runs(tf: Any, around: Callable[..., Any]) -> None:
    """From now on, `around(run, session, fetches, feed_dict, *options)` replaces each `Session.run`."""

    def run(
        original: Any,
        session: Any,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        return around(original, session, fetches, feed_dict, options, run_metadata)

    wrap(base_of(tf), "run", run)


def around_every_run(tf: Any, around: Callable[..., Any]) -> None:
    """As `around_runs`; also makes callables of both kinds call `Session.run`, and refuses `partial_run`."""

    def make_callable(
        _: Any, session: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        def call(*fed: Any, **options: Any) -> Any:
            return session.run(fetches, dict(zip(feed_list or (), fed)), **options)

        return call

    def of_options(_: Any, session: Any, callable_options: Any) -> Callable[..., Any]:
        fetched, fed_names = list(callable_options.fetch), list(callable_options.feed)
        targets = [session.graph.get_operation_by_name(name) for name in callable_options.target]

        def call(*fed: Any, **metadata: Any) -> Any:
            return session.run([fetched, targets], dict(zip(fed_names, fed)), **metadata)[0]

        return call

    def partial_run(*_: Any) -> None:
        raise NotImplementedError(
            "tf2towers verify does not follow partial_run: use Session.run in both scripts"
        )

    around_runs(tf, around)
    wrap(base_of(tf), "make_callable", make_callable)
    wrap(base_of(tf), "_make_callable_from_options", of_options)
    wrap(base_of(tf), "partial_run", partial_run)


def change_settings(tf: Any, changed: Callable[[Any], Any]) -> None:
    """From now on, every session begins with `changed(config)`, where `config` is a `tf.ConfigProto` or None."""

    def begin(original: Any, session: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:
        if config is None or isinstance(config, tf.ConfigProto):  # TensorFlow itself refuses anything else
            config = changed(config)
        original(session, target, graph, config)

    wrap(base_of(tf), "__init__", begin)


_THREADS = 16  # of TensorFlow's in each task: a run that waits for other workers keeps one


def have_threads(tf: Any, server: Any) -> None:
    """From now on, a process that makes a server has threads for the runs of all its workers, whatever it asks for.

    Args:
        server: the class of servers: TensorFlow's own, or that of a migrated script.
    """

    def begin_original(begin: Any, made: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) < 5:
            config = tf.ConfigProto()
            config.MergeFrom(kwargs.get("config") or tf.ConfigProto())
            config.inter_op_parallelism_threads = max(_THREADS, config.inter_op_parallelism_threads)
            kwargs["config"] = config
        begin(made, *args, **kwargs)

    def begin_migrated(begin: Any, made: Any, *args: Any, **kwargs: Any) -> None:
        with contextlib.suppress(RuntimeError):  # TensorFlow has started
            threading.set_inter_op_parallelism_threads(_THREADS)
        begin(made, *args, **kwargs)

    if server is tf.train.Server:
        wrap(server, "__init__", begin_original)
    else:
        from tensorflow import config

        threading = config.threading
        wrap(
            threading,
            "set_inter_op_parallelism_threads",
            lambda set_to, number: set_to(max(number, _THREADS)),
        )
        wrap(server, "__init__", begin_migrated)


_LONGEST = 30.0  # seconds that a session waits for the servers of the other tasks


def meet_servers(tf: Any) -> None:
    """From now on, a session of a server begins when the servers of all tasks of its cluster listen, or after a while.

    A task that asks one too early has no connection to it for some seconds. TensorFlow 2 raises UnavailableError in
    the first step then, as where a parameter server has a session of its own.
    """
    clusters: Dict[str, List[str]] = {}

    def begin_server(begin: Any, server: Any, *args: Any, **kwargs: Any) -> None:
        begin(server, *args, **kwargs)
        jobs = server.server_def.cluster.job
        clusters[_text(server.target)] = [address for job in jobs for address in job.tasks.values()]

    def begin_session(begin: Any, session: Any, target: Any = "", *args: Any, **kwargs: Any) -> None:
        end = time.monotonic() + _LONGEST
        for address in clusters.pop(_text(target), ()):
            while not _listens(address) and time.monotonic() < end:
                time.sleep(0.1)
        begin(session, target, *args, **kwargs)

    wrap(tf.train.Server, "__init__", begin_server)
    wrap(base_of(tf), "__init__", begin_session)


def _text(target: Any) -> str:
    return target.decode() if isinstance(target, bytes) else str(target or "")


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), 2).close()
    except (OSError, ValueError):
        return False
    return True


def base_of(tf: Any) -> Any:
    """The base class that defines the methods of all kinds of sessions."""
    session = getattr(tf, "Session", None) or tf.compat.v1.Session
    return next(kind for kind in session.__mro__ if kind.__name__ == "BaseSession")
