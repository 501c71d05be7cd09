"""Functions and runs: what the sessions need of TensorFlow's private parts, each with the reason.

`tests/runtime/patches/test_private.py` checks them with every TensorFlow version.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.patches.private import look_up, private

#: to call functions eagerly while the script is in graph mode; `tf.init_scope` would stay in a
#: plain graph
eager_mode: Any = tf.__internal__.eager_context.eager_mode
_FEATURE = "Session.run"
_GRADIENTS = "the gradient of a function"
_functions = itertools.count()
#: name of a function of the process -> digest of the last definition that was found to be the same
_KNOWN: dict[str, bytes] = {}


def function_of(
    definition: Any, inputs: Sequence[str], outputs: Sequence[str], targets: Sequence[str]
) -> Callable[..., list[Any]]:
    """Makes a function of eager tensors from a GraphDef; it returns the list of the outputs.

    `tf.import_graph_def` in a `tf.compat.v1.wrap_function(...)`, with `prune(inputs, (outputs,
    targets))`, makes the same, but with two Python objects for every operation, and each call binds
    and packs its arguments in Python. TensorFlow keeps the function as long as the returned object
    lives.

    Args:
        inputs: the names of the placeholders that are the function's arguments.
        outputs: the names of the tensors to return.
        targets: the names of further operations to run.
    """
    c_api = private("client.pywrap_tf_session", _FEATURE)
    c_api_util = private("framework.c_api_util", _FEATURE)
    execute = private("eager.execute.execute_with_cancellation", _FEATURE)
    eager_context = _context()
    name, count = f"tf2towers_run_{next(_functions)}", len(outputs)
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
    with look_up(body, "_c_graph", _FEATURE).get() as graph:
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
        return execute(name, count, list(values), attributes, eager_context, manager)

    weakref.finalize(call, eager_context.remove_function, name).atexit = False
    return call


def eager_tensor(array: np.ndarray, dtype: tf.DType) -> Any:
    """Copies an array to an eager tensor, in any mode: the last step of `tf.constant`."""
    convert = private("framework.constant_op.convert_to_eager_tensor", _FEATURE)
    return convert(array, _context(), dtype)


def cancellation_manager() -> Any:
    """An object whose `start_cancel()` ends the calls made with it; its class is private."""
    return private("eager.cancellation.CancellationManager", _FEATURE)()


def fetch_handler(graph: tf.Graph, fetches: Any) -> Any:
    """`BaseSession.run`'s parser of fetches: `fetches()`, `targets()`, `build_results(...)`."""
    return private("client.session._FetchHandler", _FEATURE)(graph, fetches, {})


def runs_are_watched() -> bool:
    """True if a library or the script has replaced `tf.compat.v1.Session.run`."""
    plain = tf.compat.v1.Session
    own = vars(private("client.session", _FEATURE))
    return any(getattr(method, "__globals__", None) is not own for method in (plain.run, plain._run))


def run_options(buffer: Any) -> Any:
    """The RunOptions that `BaseSession.run` passes on as a C++ buffer."""
    read = private("client.pywrap_tf_session.TF_GetBuffer", _FEATURE)
    return tf.compat.v1.RunOptions.FromString(read(buffer))


def graph_of(function: Any) -> Any:
    """Makes a graph of a FunctionDef; it has `inputs` and `outputs`."""
    return private("framework.function_def_to_graph.function_def_to_graph", _GRADIENTS)(function)


def definition_of(
    graph: Any, operations: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]
) -> Any:
    """Makes a FunctionDef of some operations of a graph."""
    make = private("framework.graph_to_function_def.graph_to_function_def", _GRADIENTS)
    return make(graph, operations, inputs, outputs)


def has_another(function: Any) -> bool:
    """True if the process has another function of a FunctionDef's name; else adds it."""
    eager_context, name = _context(), function.signature.name
    if look_up(eager_context, "_context_handle", _FEATURE) is None or not eager_context.has_function(name):
        return False
    digest = blake2b(function.SerializeToString(deterministic=True)).digest()
    if _KNOWN.get(name) != digest:
        try:
            eager_context.add_function_def(function)
        except tf.errors.InvalidArgumentError:
            return True
        _KNOWN[name] = digest
    return False


def _context() -> Any:
    """Returns TensorFlow's eager context, of which a process has one."""
    return private("eager.context.context", _FEATURE)()
