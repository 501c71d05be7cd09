"""The private names of TensorFlow that this package uses, each with the reason.

`tests/runtime/graph_session/test_private.py` checks them with every TensorFlow version.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

#: to call functions eagerly while the script is in graph mode; `tf.init_scope` would stay in a plain graph
eager_mode: Any = tf.__internal__.eager_context.eager_mode
#: for the runtime's layers: like TensorFlow's own layers, they ignore a script's `tf.get_variable = mine`
get_variable: Any = tf.compat.v1.get_variable
_functions = itertools.count()


def serve(definition: tf.train.ServerDef) -> object:
    """Starts a TensorFlow server in this process, with a first client; it stops when the returned object is deleted.

    A `tf.distribute.Server` replaces its `collective_executor_mgr` whenever a client connects while no other is there
    (EagerServiceImpl::CreateContext, 2.15 to 2.21). If two first clients connect at the same moment, one keeps a
    pointer to freed memory. Its first op crashes the server, by a segmentation fault in GetOrCreateKernelAndDevice.
    The server of an eager context has this context as a client from the start. The public way to such a server,
    `tf.config.experimental_connect_to_cluster`, uses the process's only context, which is needed for everything else.
    """
    from tensorflow.python.eager.context import Context

    context = Context(server_def=definition)
    context.ensure_initialized()
    return context


def server_def(given: Any, job: str | None, index: int | None, protocol: str | None, config: Any) -> Any:
    """The ServerDef that `tf.compat.v1.train.Server` makes of its arguments, with its errors, without starting it."""
    from tensorflow.python.training import server_lib

    return server_lib._make_server_def(given, job, index, protocol, config)


def strategy_of_servers(resolver: Any) -> Any:
    """Makes a `tf.distribute.ParameterServerStrategy` that keeps the devices of this process, and their resources.

    TensorFlow's strategy connects as the cluster's chief, which makes the devices of this process anew, under the new
    name. Variables, queues, iterators and functions of earlier sessions would be lost, or raise an InternalError. A
    process that keeps its name, 'localhost', keeps its devices (AreLocalDevicesCompatible, 2.15 to 2.21). But the
    strategy accepts that name neither in a cluster nor as an argument.

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
            super()._connect_to_cluster("localhost")

    return ParameterServerStrategy(resolver)


def function_of(
    definition: Any, inputs: Sequence[str], outputs: Sequence[str], targets: Sequence[str]
) -> Callable[..., list[Any]]:
    """Makes a function of eager tensors from a GraphDef; it returns the list of the outputs.

    `tf.import_graph_def` in a `tf.compat.v1.wrap_function(...)`, with `prune(inputs, (outputs, targets))`, makes the
    same, but with two Python objects for every operation, and each call binds and packs its arguments in Python.
    TensorFlow keeps the function as long as the returned object lives.

    Args:
        inputs: the names of the placeholders that are the function's arguments.
        outputs: the names of the tensors to return.
        targets: the names of further operations to run.
    """
    from tensorflow.python.client import pywrap_tf_session as c_api
    from tensorflow.python.eager import context, execute
    from tensorflow.python.framework import c_api_util

    eager_context, name, count = context.context(), f"tf2towers_run_{next(_functions)}", len(outputs)
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
    """Copies an array to an eager tensor, in any mode: the last step of `tf.constant`."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import constant_op

    return constant_op.convert_to_eager_tensor(array, context.context(), dtype)


def control_flow_context(operation: Any) -> Any:
    """The `tf.cond` or `tf.while_loop` that an operation was built in, or None; the attribute is private."""
    return operation._get_control_flow_context()


def original_operation(operation: Any) -> Any:
    """The operation whose gradient an operation was built for, or None; the attribute is private."""
    return operation._original_op


def in_loop(operation: Any) -> bool:
    """Whether an operation was built in a `tf.while_loop`, or in a branch inside one."""
    context = control_flow_context(operation)
    return (
        context is not None and context.GetWhileContext() is not None
        if hasattr(context, "GetWhileContext")
        else False
    )


def cancellation_manager() -> Any:
    """Makes an object whose `start_cancel()` ends the function calls that are made with it; its class is private."""
    from tensorflow.python.eager import cancellation

    return cancellation.CancellationManager()


def fetch_handler(graph: tf.Graph, fetches: Any) -> Any:
    """`BaseSession.run`'s parser of its fetches: it has `fetches()`, `targets()`, `build_results(session, ...)`."""
    from tensorflow.python.client import session

    return session._FetchHandler(graph, fetches, {})


def runs_are_watched() -> bool:
    """Whether another library or the script has replaced `tf.compat.v1.Session.run`, to see every run."""
    plain = tf.compat.v1.Session
    own = vars(sys.modules["tensorflow.python.client.session"])
    return any(getattr(method, "__globals__", None) is not own for method in (plain.run, plain._run))


def run_options(buffer: Any) -> Any:
    """The RunOptions that `BaseSession.run` passes on as a C++ buffer."""
    from tensorflow.python.client import pywrap_tf_session

    return tf.compat.v1.RunOptions.FromString(pywrap_tf_session.TF_GetBuffer(buffer))
