"""The private names of TensorFlow that this package uses, each with the reason.

`tests/runtime/graph_session/test_private.py` checks them with every TensorFlow version.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

#: to call functions eagerly while the script is in graph mode; `tf.init_scope` would stay in a plain graph
eager_mode: Any = tf.__internal__.eager_context.eager_mode
#: for the runtime's layers: like TensorFlow's own layers, they ignore a script's `tf.get_variable = mine`
get_variable: Any = tf.compat.v1.get_variable


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


def empty_function_graph() -> Any:
    """Makes the empty graph of a new function, outside of the current default graph."""
    with _nothing().graph.as_default():
        return tf.__internal__.FuncGraph("run")


def function_of(
    graph: Any, inputs: Sequence[tf.Tensor], outputs: Sequence[tf.Tensor], targets: Sequence[tf.Operation]
) -> Callable[..., list[Any]]:
    """Makes a function of eager tensors from a function's graph; it returns the list of the outputs.

    `tf.compat.v1.wrap_function(...).prune(inputs, (outputs, targets))` makes the same, but first copies every operation
    in Python, which takes four fifths of the time: two minutes for a network of 40,000 operations. The function's
    argument `cancelled_by`, a `cancellation_manager()`, can end a call.
    """
    graph.inputs.extend(inputs)
    graph.outputs.extend(outputs)
    graph.control_outputs.extend(targets)
    graph.structured_outputs = (list(outputs), [None] * len(targets))
    specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in inputs]
    graph.structured_input_signature = (specs, {})
    nothing = _nothing()
    return _called_directly(type(nothing)(graph, nothing._variable_holder, signature=specs))


def _called_directly(concrete: Any) -> Callable[..., list[Any]]:
    """Makes a function that calls a concrete function without captures by its name, as TensorFlow's own call ends.

    TensorFlow's call first binds and packs the arguments in Python, which takes longer (0.035 ms) than the call of an
    empty function. The script's own code is in graph mode at that time; the functions called here work in any mode.
    """
    from tensorflow.python.eager import context, execute
    from tensorflow.python.eager.polymorphic_function.atomic_function import InterpolateRuntimeError

    function, eager_context, count = concrete._inference_function, context.context(), len(concrete.outputs)
    name = function.name.decode()

    def call(*values: tf.Tensor, cancelled_by: Any = None) -> list[Any]:
        attributes = tuple(itertools.chain(*eager_context.function_call_options.as_attrs().items()))
        called = name, count, list(values), attributes, eager_context
        try:
            if cancelled_by is None:
                return execute.execute(*called)
            return execute.execute_with_cancellation(*called, cancelled_by)
        except tf.errors.OpError:
            with InterpolateRuntimeError(function):  # adds where the failed operation was built
                raise

    return call


def eager_tensor(array: np.ndarray, dtype: tf.DType) -> Any:
    """Copies an array to an eager tensor, in any mode: the last step of `tf.constant`."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import constant_op

    return constant_op.convert_to_eager_tensor(array, context.context(), dtype)


def _nothing() -> Any:
    """A wrapped function that does nothing, for its class: TensorFlow's class lacks a public name."""
    return tf.compat.v1.wrap_function(lambda: None, [])


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
