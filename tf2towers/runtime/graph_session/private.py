"""The names this package takes from TensorFlow that are not public, each with the reason.

`tests/runtime/graph_session/test_private.py` holds every TensorFlow version to what is said here.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

#: functions are called eagerly while the script's own code is in graph mode; `tf.init_scope` stays in a plain graph
eager_mode: Any = tf.__internal__.eager_context.eager_mode
#: for our layers, whatever a script puts in its place (`tf.get_variable = mine`): TensorFlow's took no notice
get_variable: Any = tf.compat.v1.get_variable
_functions = itertools.count()


def serve(definition: tf.train.ServerDef) -> object:
    """A TensorFlow server in this process, which ends with what is returned; one with a client before it listens.

    A `tf.distribute.Server` replaces its `collective_executor_mgr` whenever a client connects while it has none
    (EagerServiceImpl::CreateContext, 2.15 to 2.21). Of two first clients at the same moment one keeps a pointer to
    what is freed, and its first operation ends the server: a segmentation fault in GetOrCreateKernelAndDevice. The
    server of an eager context has that context as a client from its beginning; the public way to one,
    `tf.config.experimental_connect_to_cluster`, takes the only context that the process has for all else.
    """
    from tensorflow.python.eager.context import Context

    context = Context(server_def=definition)
    context.ensure_initialized()
    return context


def server_def(given: Any, job: str | None, index: int | None, protocol: str | None, config: Any) -> Any:
    """The ServerDef that `tf.compat.v1.train.Server` makes of its arguments, with its errors, and starts at once."""
    from tensorflow.python.training import server_lib

    return server_lib._make_server_def(given, job, index, protocol, config)


def strategy_of_servers(resolver: Any) -> Any:
    """A `tf.distribute.ParameterServerStrategy` that leaves this process its devices, and what is on them.

    To connect as the cluster's chief, as that strategy does, makes the devices of this process anew, by that name:
    variables, queues, iterators and functions of sessions that ran before are lost, or end in an InternalError. A
    process that keeps the name it has, 'localhost', keeps its devices (AreLocalDevicesCompatible, 2.15 to 2.21); but
    the strategy takes that name neither in a cluster nor as an argument.

    Args:
        resolver: that of the cluster, with this process as its chief.
    """

    class ParameterServerStrategy(tf.distribute.ParameterServerStrategy):
        def _connect_to_cluster(self, coordinator_name: str) -> None:
            jobs = resolver.cluster_spec().as_dict()
            jobs["localhost"] = jobs.pop(coordinator_name)
            self._cluster_resolver: Any = tf.distribute.cluster_resolver.SimpleClusterResolver(
                tf.train.ClusterSpec(jobs), task_type="localhost", task_id=0, rpc_layer="grpc"
            )
            super()._connect_to_cluster("localhost")

    return ParameterServerStrategy(resolver)


def function_of(
    definition: Any, inputs: Sequence[str], outputs: Sequence[str], targets: Sequence[str]
) -> Callable[..., list[Any]]:
    """A graph's definition as a function of eager tensors, which returns the list of the outputs.

    What `tf.import_graph_def` in a `tf.compat.v1.wrap_function(...)`, and its `prune(inputs, (outputs, targets))`, come
    to. They make an object in Python of every operation, twice, and each call binds and packs in Python. The function
    is TensorFlow's as long as what is returned lives.

    Args:
        inputs: the names of the placeholders that its arguments stand for.
        outputs: the tensors that it returns.
        targets: the operations that it runs beside them.
    """
    from tensorflow.python.client import pywrap_tf_session as c_api
    from tensorflow.python.eager import context, execute
    from tensorflow.python.framework import c_api_util

    eager_context, name, count = context.context(), f"run_{next(_functions)}", len(outputs)
    for function in definition.library.function:
        if not eager_context.has_function(function.signature.name):
            eager_context.add_function_def(function)
    scoped = c_api_util.ScopedTFImportGraphDefOptions()
    c_api.TF_ImportGraphDefOptionsSetPrefix(scoped.options, "")
    for text in (*inputs, *outputs):
        node, _, index = text.partition(":")
        c_api.TF_ImportGraphDefOptionsAddReturnOutput(scoped.options, node, int(index or 0))
    for target in targets:
        c_api.TF_ImportGraphDefOptionsAddReturnOperation(scoped.options, target)
    body = tf.Graph()
    with body._c_graph.get() as graph:
        serialized = c_api.TF_NewBufferFromString(definition.SerializeToString())
        imported = c_api.TF_GraphImportGraphDefWithResults(graph, serialized, scoped.options)
        c_api.TF_DeleteBuffer(serialized)
        results = c_api_util.ScopedTFImportGraphDefResults(imported)
        returned = c_api.TF_ImportGraphDefResultsReturnOutputs(results.results)
        ends = c_api.TF_ImportGraphDefResultsReturnOperations(results.results)
        made = c_api.TF_GraphToFunction_wrapper(
            graph, name, False, None, returned[: len(inputs)], returned[len(inputs) :], [], ends, [], None, ""
        )
    eager_context.add_c_function(made)
    c_api.TF_DeleteFunction(made)

    def call(*values: tf.Tensor, cancelled_by: Any = None) -> list[Any]:
        attributes = tuple(itertools.chain(*eager_context.function_call_options.as_attrs().items()))
        manager = cancelled_by or cancellation_manager()
        return execute.execute_with_cancellation(
            name, count, list(values), attributes, eager_context, manager
        )

    weakref.finalize(call, eager_context.remove_function, name).atexit = False
    return call


def eager_tensor(array: np.ndarray, dtype: tf.DType) -> Any:
    """An array, which is the caller's to change afterwards, as a tensor: the end of `tf.constant`, in any mode."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import constant_op

    return constant_op.convert_to_eager_tensor(array, context.context(), dtype)


def control_flow_context(operation: Any) -> Any:
    """The `tf.cond` or `tf.while_loop` that an operation was built in; None outside: no public name tells it."""
    return operation._get_control_flow_context()


def original_operation(operation: Any) -> Any:
    """The operation whose gradient an operation was built for; None for any other: no public name tells it."""
    return operation._original_op


def in_loop(operation: Any) -> bool:
    """Whether an operation was built in a `tf.while_loop`, also where that is in a branch."""
    context = control_flow_context(operation)
    return (
        context is not None and context.GetWhileContext() is not None
        if hasattr(context, "GetWhileContext")
        else False
    )


def cancellation_manager() -> Any:
    """What ends the function calls that are made under it, by `start_cancel()`: not public."""
    from tensorflow.python.eager import cancellation

    return cancellation.CancellationManager()


def fetch_handler(graph: tf.Graph, fetches: Any) -> Any:
    """What `BaseSession.run` finds out about its fetches: `fetches()`, `targets()`, `build_results(session, ...)`."""
    from tensorflow.python.client import session

    return session._FetchHandler(graph, fetches, {})


def runs_are_watched() -> bool:
    """Whether somebody has put a function of his own around `tf.compat.v1.Session.run`: it is to see every run."""
    plain = tf.compat.v1.Session
    own = vars(sys.modules["tensorflow.python.client.session"])
    return any(getattr(method, "__globals__", None) is not own for method in (plain.run, plain._run))


def run_options(buffer: Any) -> Any:
    """The RunOptions that `BaseSession.run` hands on in a buffer, a thing of C++."""
    from tensorflow.python.client import pywrap_tf_session

    return tf.compat.v1.RunOptions.FromString(pywrap_tf_session.TF_GetBuffer(buffer))
