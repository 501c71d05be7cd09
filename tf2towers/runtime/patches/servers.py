"""Servers of a cluster: what they need of TensorFlow's private parts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.private import private

_FEATURE = "a cluster of parameter servers"


def serve(definition: tf.train.ServerDef) -> object:
    """Starts a TensorFlow server in this process, with a client; it stops with the object.

    A `tf.distribute.Server` replaces its `collective_executor_mgr` whenever a client connects while
    no other is there (EagerServiceImpl::CreateContext, 2.15 to 2.21). If two first clients connect
    at the same moment, one keeps a pointer to freed memory. Its first op crashes the server, by a
    segmentation fault in GetOrCreateKernelAndDevice. The server of an eager context has this
    context as a client from the start. The public way to such a server,
    `tf.config.experimental_connect_to_cluster`, uses the process's only context, which is needed
    for everything else.
    """
    context = private("eager.context.Context", _FEATURE)(server_def=definition)
    context.ensure_initialized()
    return context


def server_def(given: Any, job: str | None, index: int | None, protocol: str | None, config: Any) -> Any:
    """The ServerDef that `tf.train.Server` makes of its arguments, with its errors."""
    make = private("training.server_lib._make_server_def", _FEATURE)
    return make(given, job, index, protocol, config)


def strategy_of_servers(resolver: Any) -> Any:
    """Makes a `ParameterServerStrategy` that keeps this process's devices and resources.

    TensorFlow's strategy connects as the cluster's chief, which makes the devices of this process
    anew, under the new name. Variables, queues, iterators and functions of earlier sessions would
    be lost, or raise an InternalError. A process that keeps its name, 'localhost', keeps its
    devices (AreLocalDevicesCompatible, 2.15 to 2.21). But the strategy accepts that name neither in
    a cluster nor as an argument.

    Args:
        resolver: the cluster resolver, with this process as the chief.
    """

    class ParameterServerStrategy(tf.distribute.ParameterServerStrategy):
        def _connect_to_cluster(self, coordinator_name: str) -> None:
            jobs = resolver.cluster_spec().as_dict()
            jobs["localhost"] = jobs.pop(coordinator_name)
            self._cluster_resolver: Any = tf.distribute.cluster_resolver.SimpleClusterResolver(
                tf.train.ClusterSpec(jobs), task_type="localhost", task_id=0, rpc_layer="grpc"
            )
            with _root_logger_stays():
                super()._connect_to_cluster("localhost")

    return ParameterServerStrategy(resolver)


@contextmanager
def _root_logger_stays() -> Iterator[None]:
    """Takes away what is added to the root logger: with it each line of `tf.logging` is printed twice.

    TensorFlow's context tells absl how it connects, and absl's functions call `logging.basicConfig()` where the root
    logger has no handler (absl 2).
    """
    before = [*logging.root.handlers]
    try:
        yield
    finally:
        for handler in [*logging.root.handlers]:
            if handler not in before:
                logging.root.removeHandler(handler)
