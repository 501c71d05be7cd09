"""The names this package takes from TensorFlow that are not public, each with the reason.

`tests/runtime/graph_session/test_private.py` holds every TensorFlow version to what is said here.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

#: functions are called eagerly while the script's own code is in graph mode; `tf.init_scope` stays in a plain graph
eager_mode: Any = tf.__internal__.eager_context.eager_mode
#: for our layers, whatever a script puts in its place (`tf.get_variable = mine`): TensorFlow's took no notice
get_variable: Any = tf.compat.v1.get_variable


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


def empty_function_graph() -> Any:
    """The graph of a function that is yet to be filled; outside of whatever graph is the default one."""
    with _nothing().graph.as_default():
        return tf.__internal__.FuncGraph("run")


def function_of(
    graph: Any, inputs: Sequence[tf.Tensor], outputs: Sequence[tf.Tensor], targets: Sequence[tf.Operation]
) -> Callable[..., list[Any]]:
    """A function's graph as a function of eager tensors, which returns the list of the outputs.

    What `tf.compat.v1.wrap_function(...).prune(inputs, (outputs, targets))` makes. That copies every operation in
    Python first, which takes four fifths of the time: two minutes for a network of 40,000 operations.
    `cancelled_by` is what may end a call: a `cancellation_manager()`.
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
    """A function without captures, called with tensors that fit: by its name, as TensorFlow does it in the end.

    What comes before, binding and packing in Python, takes longer (0.035 ms) than the call of an empty function. The
    script's own code is in graph mode meanwhile: what is called here asks for no mode.
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
            with InterpolateRuntimeError(function):  # tells where the failed operation was made
                raise

    return call


def eager_tensor(array: np.ndarray, dtype: tf.DType) -> Any:
    """An array, which is the caller's to change afterwards, as a tensor: the end of `tf.constant`, in any mode."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import constant_op

    return constant_op.convert_to_eager_tensor(array, context.context(), dtype)


def _nothing() -> Any:
    """A wrapped function that does nothing: TensorFlow's class for it has no public name."""
    return tf.compat.v1.wrap_function(lambda: None, [])


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
