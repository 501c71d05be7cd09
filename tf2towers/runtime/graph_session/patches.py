"""All patches of TensorFlow (and of tf_keras and NumPy), each with its reason, its source and a test that pins it.

Calling a patch applies it, once in a process: further calls do nothing. `patch.applied()` returns the patches that are
in force, and `patch.undo()` undoes all of them. `graph_mode` applies `FOR_MIGRATED`, and `tf2towers.verify.stand_ins`
applies `FOR_ORIGINALS`. No other module of the runtime assigns to TensorFlow's attributes
(`tests/architecture/test_patches.py`).
"""

from __future__ import annotations

import contextlib
import copy
import re
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object
from tensorflow.python.data.ops import dataset_ops, iterator_ops, readers
from tensorflow.python.eager import context
from tensorflow.python.framework import ops
from tensorflow.python.framework.tensor_shape import Dimension
from tensorflow.python.ops import (
    array_ops,
    control_flow_ops,
    embedding_ops,
    gen_nn_ops,
    gradients_util,
    image_ops,
    image_ops_impl,
    nn,
    nn_impl,
    random_ops,
    resource_variable_ops,
    state_ops,
    variable_scope,
    variable_v1,
    variables,
)
from tensorflow.python.ops.resource_variable_ops import (
    BaseResourceVariable,
    ResourceVariable,
    _UnreadVariable,
)
from tensorflow.python.training import session_manager, slot_creator
from tensorflow.python.training.saving.saveable_object_util import ResourceVariableSaveable

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.cluster.device_functions import show_tf1s_variables
from tf2towers.runtime.graph_session.nodes import GIVEN
from tf2towers.runtime.graph_session.patch import Patch, patch

# -- devices -----------------------------------------------------------------------------------------------------------

_waiting: list[Callable[[], None]] = []


def before_devices_start(settle: Callable[[], None]) -> None:
    """Calls `settle` once TensorFlow has listed the devices, before it starts them; at once if they are listed already.

    Listing them initialises CUDA, which reads CUDA_VISIBLE_DEVICES once and for all. Many scripts set that variable in
    their `main`, and TF1 listed the devices when the session was made.
    """
    if context.context()._physical_devices is not None:
        settle()
        return
    _waiting.append(settle)
    devices_are_settled_when_found()


@patch("common_runtime/direct_session.cc, NewSession", "tests/runtime/graph_session/test_processes.py")
def devices_are_settled_when_found(changes: Patch) -> None:
    """Calls the functions passed to `before_devices_start`, once TensorFlow has listed the devices."""
    eager_context = context.context()

    @changes.around(eager_context, "_initialize_physical_devices")
    def look_and_settle(look: Any, *again: Any, **options: Any) -> None:
        first = eager_context._physical_devices is None
        look(*again, **options)
        if first:
            for settle in _waiting:
                settle()

    changes.on_undo(_waiting.clear)


@patch("framework/ops.py, Graph.device", "tests/soundness/scripts/clusters/workers.py")
def device_functions_see_tf1(changes: Patch) -> None:
    """Shows variables to device functions as TF1's variables, unless the script enabled resource variables itself."""

    @changes.around(tf.Graph, "device")
    def device(plain: Any, graph: Any, device_name_or_function: Any) -> Any:
        given = device_name_or_function
        # TensorFlow's own device functions, which merge device strings, are objects of its own classes
        of_tensorflow = type(given).__module__.startswith("tensorflow.")
        if callable(given) and not own_resources.switched_on and not of_tensorflow:
            given = show_tf1s_variables(given)
        return plain(graph, given)


@patch("framework/ops.py, device", "tests/runtime/graph_session/test_processes.py")
def devices_may_be_functions(changes: Patch) -> None:
    """Lets `tf.device` take a function, as in TF1, also in a script that otherwise uses `tf.compat.v1`."""
    changes.set(tf, "device", _v1.device)


# -- shapes ------------------------------------------------------------------------------------------------------------


@patch("framework/tensor_shape.py, Dimension.__init__", "tests/soundness/scripts/sessions/variables.py")
def whole_floats_are_sizes(changes: Patch) -> None:
    """Lets `tf.get_variable("w", [n / 2, 10])` take a size that is a whole float, as in TF1; 4.5 is still an error."""

    @changes.around(Dimension, "__init__")
    def whole(plain: Any, self: Any, value: Any) -> None:
        is_whole = isinstance(value, float | np.floating) and value == int(value)
        plain(self, int(value) if is_whole else value)


@patch("framework/tensor_shape.py, TensorShape.__eq__", "tests/runtime/graph_session/test_private.py")
def unknown_sizes_are_not_equal(changes: Patch) -> None:
    """Makes `shortcut.shape == inputs.shape` False if a size is unknown, as in TF1, since the sizes may differ.

    A block that projects its shortcut where the shapes differ would otherwise lack the projection. A shape is equal to
    itself.

    TensorFlow 2.21's specs of tensors, variables and datasets compare shapes by `==`, to decide whether a function or a
    dataset fits; TF 1.15's compared tuples of sizes. For them `[None, 3]` must stay equal to `[None, 3]`. A script and
    TensorFlow compare the same objects, so only the caller tells the two cases apart. Therefore the module of the
    calling frame is checked, if the shapes are alike and have an unknown size.
    """
    plain = tf.TensorShape.__eq__

    def certainly_equal(self: Any, other: Any) -> Any:
        equal = plain(self, other)
        if equal is not True or self is other or None not in (self.as_list() if self.rank else ()):
            return equal
        asking = str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0]
        return asking in ("tensorflow", "keras", "tf_keras", "tf2towers")

    changes.set(tf.TensorShape, "__eq__", certainly_equal)


# -- variables ---------------------------------------------------------------------------------------------------------


@patch("ops/variables.py, VariableV1", "tests/soundness/scripts/towers/what_is_a_variable.py")
def variables_are_tf1s(changes: Patch) -> None:
    """Makes resource variables instances of TF1's `tf.Variable`, as all of TF1's variables were.

    A variable in a graph is true, as every object in TF1: `if global_step:` tests whether there is one.
    `variable._ref()` returns the variable itself, so that ops and gradients can use it. After `variable += value` the
    name is bound to a tensor, the sum; with a resource variable this statement raises an error.
    """
    if not issubclass(BaseResourceVariable, _v1.Variable):
        _v1.Variable.register(BaseResourceVariable)
        changes.on_undo(_v1.Variable._abc_caches_clear)
        changes.on_undo(_v1.Variable._abc_registry_clear)
    plain_truth = BaseResourceVariable.__bool__
    changes.set(
        BaseResourceVariable,
        "__bool__",
        lambda variable: True if not tf.executing_eagerly() else bool(plain_truth(variable)),
    )
    if not hasattr(BaseResourceVariable, "_ref"):
        changes.set(BaseResourceVariable, "_ref", lambda variable: variable)
    for name, compute in _IN_PLACE.items():
        changes.set(BaseResourceVariable, name, compute)


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "__iadd__": lambda variable, value: variable + value,
    "__isub__": lambda variable, value: variable - value,
    "__imul__": lambda variable, value: variable * value,
    "__itruediv__": lambda variable, value: variable / value,
    "__ipow__": lambda variable, value: variable**value,
}


@patch("ops/variables.py, RefVariable.__init__", "tests/soundness/scripts/sessions/variables.py")
def variables_are_made_as_tf1s(changes: Patch) -> None:
    """Makes every variable a resource variable, with those options of TF1's variables that resource variables ignore.

    `use_resource=False` is ignored: functions can hold resource variables only. With `validate_shape=False` a variable
    takes values of any shape. A variable made under `gradient_override_map({"Identity": ...})` has that gradient,
    because TF1 read variables by an `Identity` op. A `caching_device` that is the variable's own device caches nothing.
    """

    @changes.around(ResourceVariable, "__init__")
    def initialize(plain: Any, variable: Any, *arguments: Any, **options: Any) -> None:
        if options.get("validate_shape") is False and options.get("shape") is None:
            options["shape"] = tf.TensorShape(None)
        overridden = getattr(_v1.get_default_graph(), "_gradient_override_map", {})
        variable._gradient_of_identity = overridden.get("Identity")
        plain(variable, *arguments, **options)
        _forget_cache_in_the_same_memory(variable)

    @changes.around(BaseResourceVariable, "_read_variable_op")
    def read_with_gradient(read: Any, variable: Any, *arguments: Any, **options: Any) -> Any:
        value = read(variable, *arguments, **options)
        name = getattr(variable, "_gradient_of_identity", None)
        if name is not None and value.op.type == "ReadVariableOp":
            value.op._set_attr("_gradient_op_type", _v1.AttrValue(s=tf.compat.as_bytes(name)))
        return value

    @changes.around(variable_v1, "default_variable_creator")
    def create_resource(create: Any, next_creator: Any = None, **options: Any) -> Any:
        return create(next_creator, **{**options, "use_resource": True})


def _forget_cache_in_the_same_memory(variable: Any) -> None:
    """Drops a variable's cached value on its own device: in TF1 that was the variable's memory, and changed with it.

    On another device (a GPU, a worker), the cached value is the one at the beginning of a run.
    """
    cached = getattr(variable, "_cached_value", None)
    if cached is None or tf.executing_eagerly() or own_resources.switched_on:
        return
    if tf.DeviceSpec.from_string(variable.device).job:
        return
    kinds = {tf.DeviceSpec.from_string(device).device_type for device in (variable.device, cached.device)}
    if len(kinds) == 1 or not tf.config.list_physical_devices("GPU"):
        variable._cached_value = variable._caching_device = None


@patch(
    "ops/variables.py, RefVariable.initialized_value and _safe_initial_value_from_op",
    "tests/soundness/scripts/sessions/variables.py",
)
def variables_have_initial_values(changes: Patch) -> None:
    """Gives resource variables `initialized_value`, and lets initial values depend on other variables, as in TF1.

    Without the first, `tf.Variable(other.initialized_value())` raises NotImplementedError. For
    `tf.Variable(other * 2.0)` TensorFlow reads the initial value of each of TF1's variables that is not initialized
    yet, but reads a resource variable itself. The variables would then have to be initialized one after the other.
    """

    def initialized_value(variable: Any) -> Any:
        return _v1.cond(
            _v1.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value
        )

    @changes.around(variables, "_safe_initial_value_from_op")
    def guarded(plain: Any, name: str, op: Any, op_cache: dict[str, Any]) -> Any:
        if op.type == "VarHandleOp":
            return op
        if op.type != "ReadVariableOp" or op.inputs[0].op.type != "VarHandleOp":
            return plain(name, op, op_cache)
        with op.graph.control_dependencies(None):
            value = variables._find_initialized_value_for_variable(op.inputs[0].op)
        return op if value is None else value.op

    if "initialized_value" not in vars(BaseResourceVariable):
        changes.set(BaseResourceVariable, "initialized_value", initialized_value)


@patch("ops/state_ops.py, assign", "tests/functions/programs/files.py")
def restored_shapes_are_checked(changes: Patch) -> None:
    """Makes a Saver's restore raise an InvalidArgumentError for a tensor of another shape than a variable's.

    A resource variable would take that shape. If the variable's shape is fully defined, the restored value's shape is
    checked when the restore runs, as in TF1.
    """

    @changes.around(resource_variable_ops, "shape_safe_assign_variable_handle")
    def assign(plain: Any, handle: tf.Tensor, shape: tf.TensorShape, value: Any, name: Any = None) -> Any:
        if shape.is_fully_defined() and not tf.executing_eagerly():
            value = tf.ensure_shape(value, shape)
        return plain(handle, shape, value, name)


@patch("ops/state_ops.py, assign", "tests/soundness/scripts/sessions/variables.py")
def assignments_give_references(changes: Patch) -> None:
    """Makes ops that read or write the result of an assignment wait for that assignment.

    In TF1 an assignment returns the variable itself, after that write: `tf.gather(tf.scatter_update(w, i, x), j)` and
    `tf.scatter_add(tf.assign(w, zeros), i, x)` run after the first write. TensorFlow 2 returns an object whose own
    methods wait for the write; other functions take the bare handle from it, and do not wait.
    """

    @changes.around(_UnreadVariable, "value")
    def marked(plain: Any, assigned: Any, *arguments: Any, **options: Any) -> Any:
        value = plain(assigned, *arguments, **options)
        if tf.is_symbolic_tensor(value) and value.op.type == "ReadVariableOp":  # not an eager value
            value.op._set_attr(GIVEN, _v1.AttrValue(b=True))
        return value

    def evaluate(assigned: Any, feed_dict: Any = None, session: Any = None) -> Any:
        return assigned.value().eval(feed_dict, session)

    changes.set(_UnreadVariable, "eval", evaluate)
    # these take the bare handle
    for name in ("gather_nd", "sparse_read", "_strided_slice_assign", "is_initialized"):
        changes.set(_UnreadVariable, name, _after_write(getattr(BaseResourceVariable, name)))
    for name in dir(state_ops):
        if name.startswith(("scatter_", "batch_scatter_")) or name == "count_up_to":
            waiting = _after_write(getattr(state_ops, name))
            for module in (state_ops, _v1):
                if hasattr(module, name):
                    changes.set(module, name, waiting)


def _after_write(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def waiting(*arguments: Any, **options: Any) -> Any:
        written = arguments[0] if arguments else options.get("ref")
        with tf.control_dependencies([write for write in [getattr(written, "_parent_op", None)] if write]):
            return function(*arguments, **options)

    return waiting


@patch("ops/variable_scope.py, _VariableStore._get_single_variable", "tests/runtime/tf1/test_regularizers.py")
def one_loss_a_variable(changes: Patch) -> None:
    """Lets `tf.get_variable` call a regularizer once, and add the tensor that it returns to the collection of losses.

    TF 2 calls it three times, and adds an object that is not a `tf.Tensor`, and that builds the loss anew at each use.
    A regularizer that adds its loss to a collection itself thus doubled the weight decay.
    """

    @changes.around(variable_scope._VariableStore, "_get_single_variable")
    def with_its_loss(
        plain: Any, store: Any, name: str, *args: Any, regularizer: Any = None, **kwargs: Any
    ) -> Any:
        known = name in store._vars
        variable = plain(store, name, *args, **kwargs)
        if regularizer and not known:
            with _v1.colocate_with(variable), tf.name_scope(f"{name}/Regularizer/"), tf.init_scope():
                loss = regularizer(variable)
            if loss is not None:
                _v1.add_to_collection(_v1.GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable


# -- graphs and gradients ----------------------------------------------------------------------------------------------


@patch("framework/ops.py, Graph and Operation", "tests/soundness/scripts/towers/gradients_of_its_own.py")
def complete_graphs(changes: Patch) -> None:
    """Gives operations and graphs the private attributes that scripts with gradients of their own read in TF1.

    An operation's `_inputs`, `_outputs` and `_control_inputs` were the values of the public attributes, as lists; a
    graph's `_last_id` was the highest `_id` of its operations. `tf.GraphKeys.UPDATE_OPS` held tensors; it now holds
    operations, whose `op` is the operation itself. `gradient_override_map` of gathers includes gathers from variables.
    """
    given: dict[str, Callable[[Any], Any]] = {
        "_inputs": lambda operation: list(operation.inputs),
        "_outputs": lambda operation: list(operation.outputs),
        "_control_inputs": lambda operation: list(operation.control_inputs),
        "op": lambda operation: operation,
    }
    for name, get in given.items():
        if not hasattr(tf.Operation, name):
            changes.set(tf.Operation, name, property(get))
    if not hasattr(tf.Graph, "_last_id"):
        changes.set(
            tf.Graph,
            "_last_id",
            property(lambda graph: max((operation._id for operation in graph.get_operations()), default=0)),
        )

    @changes.around(tf.Graph, "gradient_override_map")
    def override_gathers_from_variables(plain: Any, graph: tf.Graph, op_type_map: Any) -> Any:
        if isinstance(op_type_map, dict):
            gathers = {name: op_type_map[name] for name in ("GatherV2", "GatherNd") if name in op_type_map}
            named = {"Resource" + name.removesuffix("V2"): gradient for name, gradient in gathers.items()}
            op_type_map = {**named, **op_type_map}
        return plain(graph, op_type_map)


@patch("framework/ops.py, Graph.as_graph_element", "tests/soundness/scripts/sessions/variables.py")
def variables_by_tensor_name(changes: Patch) -> None:
    """Makes `graph.get_tensor_by_name("w:0")` return the variable: in TF1 this was the variable's tensor, not a handle.

    TensorFlow itself looks up `global_step:0` in this way, and refuses a handle. `w/read:0`, the input of TF1's ops,
    and its operation `w/read` are found as well.
    """

    @changes.around(ops.Graph, "get_tensor_by_name")
    def named(by_name: Any, graph: tf.Graph, name: str) -> Any:
        found = by_name(graph, name)
        if found.dtype != tf.resource or found.op.type != "VarHandleOp":
            return found
        keys = _v1.GraphKeys
        of_graph = graph.get_collection(keys.GLOBAL_VARIABLES) + graph.get_collection(keys.LOCAL_VARIABLES)
        return next((variable for variable in of_graph if getattr(variable, "handle", None) is found), found)

    @changes.around(ops.Graph, "as_graph_element")
    def element(any_element: Any, graph: tf.Graph, obj: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return any_element(graph, obj, *arguments, **options)
        except KeyError:
            variable, read, output = str(obj).rpartition("/read")
            if not read or output not in ("", ":0"):
                raise
            with contextlib.suppress(KeyError):
                if any_element(graph, variable, allow_tensor=False).type == "VarHandleOp":
                    read_here = f"{variable}:0" if output else f"{variable}/Read/ReadVariableOp"
                    return any_element(graph, read_here, *arguments, **options)
            raise


@patch("ops/variables.py, RefVariable.value", "tests/soundness/scripts/sessions/variables.py")
def gradients_by_values_are_the_variables(changes: Patch) -> None:
    """Makes `tf.gradients(loss, variable.value())` the gradient by the variable: TF1 read a variable by one tensor.

    Here each use of a variable has its own read op, and the loss may depend on other reads than this one.
    """

    def handle_of(tensor: Any) -> Any:
        operation = tensor.op if isinstance(tensor, tf.Tensor) and not tf.executing_eagerly() else None
        if operation is not None and operation.type == "ReadVariableOp":
            return operation.inputs[0] if operation.inputs[0].op.type == "VarHandleOp" else tensor
        return tensor

    @changes.around(gradients_util, "_GradientsHelper")
    def of_variables(plain: Any, ys: Any, xs: Any, *arguments: Any, **options: Any) -> Any:
        several = [handle_of(x) for x in xs] if isinstance(xs, list | tuple) else handle_of(xs)
        return plain(ys, several, *arguments, **options)


@patch("ops/array_ops.py, identity and stop_gradient", "tests/functions/programs/training.py")
def copies_of_rows_are_dense(changes: Patch) -> None:
    """Makes `tf.identity` and `tf.stop_gradient` return a dense tensor for `tf.IndexedSlices`, as in TF1.

    In TF 2 they return `tf.IndexedSlices`: an optimizer with slots then updates those rows only, and TF1's all rows.
    """

    def dense(function: Callable[..., tf.Tensor]) -> None:
        def of_all_rows(input: Any, name: str | None = None) -> tf.Tensor:  # noqa: A002 - TensorFlow's name
            return function(tf.convert_to_tensor(input), name)

        tf.experimental.dispatch_for_api(function, {"input": tf.IndexedSlices})(of_all_rows)
        changes.on_undo(lambda: tf.experimental.unregister_dispatch_for(of_all_rows))

    dense(tf.identity)
    dense(tf.stop_gradient)


@patch("ops/math_grad.py, _SparseSegmentSumGrad", "tests/functions/programs/mathematics.py")
def sums_over_no_rows_have_no_gradient(changes: Patch) -> None:
    """Makes the gradient of `tf.sparse_segment_sum`, `_mean` and `_sqrt_n` zero if no row is chosen (an empty batch).

    In TF 2.21 that gradient is uninitialized memory.
    """

    def zeros_of_no_rows(plain: Any, operation: Any, *above: Any) -> Any:
        rows, *others = plain(operation, *above)
        if isinstance(rows, tf.Tensor):  # `tf.IndexedSlices` without rows need no change
            rows = tf.where(tf.size(operation.inputs[1]) > 0, rows, tf.zeros_like(rows))
        return (rows, *others)

    known: dict[str, dict[str, Any]] = ops._gradient_registry._registry
    for name in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        for operation in (name, f"{name}WithNumSegments"):
            changes.around(known[operation], "type")(zeros_of_no_rows)


@patch("ops/math_grad.py, _SparseSegmentSumGrad", "tests/runtime/graph_session/test_private.py")
def sums_over_rows_have_second_gradients(changes: Patch) -> None:
    """Registers a gradient for the gradient of `tf.sparse_segment_sum`: a sum over the same rows.

    In TF 2.21 the gradient of `tf.sparse_segment_sum` is a single op, without a registered gradient.
    """
    known: dict[str, dict[str, Any]] = ops._gradient_registry._registry
    if "SparseSegmentSumGrad" in known:
        return

    def sum_over_the_same_rows(operation: Any, above: Any) -> Any:
        gradient, places, segments, _ = operation.inputs
        segment_count = tf.shape(gradient)[0]
        sums = tf.sparse.segment_sum(above, places, segments, num_segments=segment_count)
        return (sums, None, None, None)

    ops.RegisterGradient("SparseSegmentSumGrad")(sum_over_the_same_rows)
    changes.on_undo(lambda: known.pop("SparseSegmentSumGrad"))


@patch("ops/embedding_ops.py, embedding_lookup_sparse", "tests/functions/programs/neural_networks.py")
def sums_of_half_embeddings_are_float32(changes: Patch) -> None:
    """Makes `tf.nn.embedding_lookup_sparse` of float16 or bfloat16 return float32, as in TF1.

    TF1 cast the rows to float32 and combined them in it; TF 2 rounds the result, or adds up in half precision.
    """

    @changes.around(embedding_ops, "embedding_lookup_sparse_impl")
    def of_float32(plain: Any, params: Any, *arguments: Any) -> Any:
        if tf.as_dtype(getattr(params[0], "dtype", tf.float32)) in (tf.float16, tf.bfloat16):
            segments, weights, ids, combiner, ignored, max_norm, fast, partition, name = arguments
            ids, places = tf.unique(ids)
            rows = _v1.nn.embedding_lookup(params, ids, partition, max_norm=max_norm)
            params = [tf.cast(rows, tf.float32)]
            arguments = segments, weights, places, combiner, ignored, None, fast, partition, name
        return plain(params, *arguments)


@patch("ops/nn_impl.py, fused_batch_norm", "tests/functions/programs/neural_networks.py")
def epsilons_of_fused_norms_are_tf1s(changes: Patch) -> None:
    """Makes fused batch normalization use 1.001e-5 for any smaller epsilon, as TensorFlow 1 did: cuDNN required it.

    `tf.nn.fused_batch_norm`, `tf.layers` and slim all call this one function of TensorFlow.
    """

    @changes.around(gen_nn_ops, "fused_batch_norm_v3")
    def of_that_epsilon(plain: Any, *args: Any, epsilon: float = 0.0001, **kwargs: Any) -> Any:
        return plain(*args, epsilon=max(epsilon, 1.001e-5), **kwargs)


# -- datasets ----------------------------------------------------------------------------------------------------------


@patch("data/ops/dataset_ops.py, DatasetV1", "tests/functions/programs/datasets.py")
def enumerated_datasets_have_iterators(changes: Patch) -> None:
    """Makes `dataset.enumerate()` return a dataset with `make_one_shot_iterator`, as TF1's other methods do.

    `enumerate` is the only method that TF1's dataset class does not wrap; the function that it calls uses TF 2's class.
    """
    if "enumerate" not in vars(dataset_ops.DatasetV1):

        def wrapped(dataset: Any, *arguments: Any, **options: Any) -> Any:
            numbered = dataset_ops.DatasetV2.enumerate(dataset, *arguments, **options)
            return dataset_ops.DatasetV1Adapter(numbered)

        changes.set(dataset_ops.DatasetV1, "enumerate", wrapped)


@patch("data/ops/dataset_ops.py and readers.py", "tests/runtime/graph_session/test_private.py")
def private_datasets_are_tf1s(changes: Patch) -> None:
    """Makes `dataset_ops.Dataset` and the readers TF1's classes, as TensorFlow does when TF 2 is disabled."""
    changes.set(dataset_ops, "Dataset", dataset_ops.DatasetV1)
    for name in ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"):
        changes.set(readers, name, getattr(readers, f"{name}V1"))


@patch("data/ops/dataset_ops.py, Dataset._apply_options", "tests/runtime/graph_session/test_private.py")
def datasets_read_variables_in_time(changes: Patch) -> None:
    """Makes a dataset whose functions read variables or queues compute each element when it is requested, as in TF1.

    TensorFlow 2 adds a `prefetch` at the end of every pipeline, so an element was computed from an old variable value.
    """

    def reads_state(dataset: Any) -> bool:
        return any(
            given.dtype == tf.resource and "Table" not in given.op.type
            for function in dataset._functions()
            for given in function.function.captured_inputs
        ) or any(reads_state(source) for source in dataset._inputs())

    def in_time(dataset: Any) -> Any:
        if not reads_state(dataset):
            return dataset
        options = tf.data.Options()
        options.experimental_optimization.inject_prefetch = False
        return dataset.with_options(options)

    @changes.around(iterator_ops.Iterator, "make_initializer")
    def make_initializer(plain: Any, iterator: Any, dataset: Any, name: str | None = None) -> Any:
        return plain(iterator, in_time(dataset), name)

    changes.around(dataset_ops.DatasetV2, "_apply_debug_options")(lambda plain, data: in_time(plain(data)))


# -- optimizers, savers, hooks -----------------------------------------------------------------------------------------


@patch(
    "TensorFlow 0.12: training/slot_creator.py, _create_slot_var",
    "tests/runtime/graph_session/test_training_patches.py",
)
def slots_under_reuse(changes: Patch) -> None:
    """Lets optimizers and moving averages make their variables after a loop of towers that reuses variables.

    `tf.get_variable_scope().reuse_variables()` in the towers, without a scope around them, stays in force after them.
    Until TensorFlow 0.12, `opt.apply_gradients` and `ExponentialMovingAverage.apply` made their variables even so
    (`slot_creator._create_slot_var` called `tf.Variable`). From 1.0 on they raise an error ("does not exist, or was not
    created with tf.get_variable()").
    """

    @changes.around(slot_creator, "_create_slot_var")
    def create_or_take(create: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return create(*args, **kwargs)
        except ValueError as error:
            scope = variable_scope.get_variable_scope()
            if scope.reuse is not True or "does not exist" not in str(error):
                raise
            scope._reuse = False  # in this slot's own scope
            return create(*args, **kwargs)


@patch(
    "training/optimizer.py, _RefVariableProcessor.update_op",
    "tests/soundness/scripts/towers/optimizers_with_updates_of_their_own.py",
)
def updates_by_tf1s_methods(changes: Patch) -> None:
    """Updates variables by the optimizer's method that TF1 called, which a script may have overridden.

    An optimizer has two methods for the same update: `_apply_dense` for TF1's variables, and `_resource_apply_dense`
    for resource variables. TF1 called the first; here, variables are resources. So if a script's class defines the
    first method, the second calls it. TensorFlow's own first methods, which a script calls through `super()`, call the
    second. This holds for all optimizer classes, also for those defined later.
    """
    base = _v1.train.Optimizer
    changes.set(base, "_resource_apply_dense", _dense_by(lambda optimizer: optimizer._apply_dense))
    changes.set(base, "_resource_apply_sparse", _sparse_by(lambda optimizer: optimizer._apply_sparse))
    waiting = base.__subclasses__()
    while waiting:
        optimizer_class = waiting.pop()
        waiting += optimizer_class.__subclasses__()
        _connect_updates(optimizer_class, changes.set)
    connect_subclass = classmethod(lambda made, **options: _connect_updates(made, setattr))
    changes.set(base, "__init_subclass__", connect_subclass)


def _connect_updates(made: Any, put: Callable[[Any, str, Any], None]) -> None:
    """Makes one of the two update methods of an optimizer class call the other one."""
    for tf1s, resources, by_tf1s, by_resources in (
        ("_apply_dense", "_resource_apply_dense", _dense_by, _dense_by),
        ("_apply_sparse", "_resource_apply_sparse", _sparse_by, _slices_by),
        (
            "_apply_sparse_duplicate_indices", "_resource_apply_sparse_duplicate_indices", _sparse_by, _slices_by,
        ),
    ):  # fmt: skip
        if _root(made) == "tensorflow":
            if tf1s in vars(made) and resources in vars(made):
                put(made, tf1s, by_resources(vars(made)[resources].__get__))
            continue
        owner = next((parent for parent in made.__mro__ if tf1s in vars(parent)), _v1.train.Optimizer)
        if _root(owner) not in ("tensorflow", "tf2towers") and not own_resources.switched_on:
            put(made, resources, by_tf1s(vars(owner)[tf1s].__get__))


def _root(made: Any) -> str:
    return str(made.__module__).partition(".")[0]


def _dense_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda optimizer, grad, variable: method(optimizer)(grad, variable)


def _sparse_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any, Any], Any]:
    def update(optimizer: Any, grad: Any, variable: Any, indices: Any) -> Any:
        return method(optimizer)(tf.IndexedSlices(grad, indices, tf.shape(variable)), variable)

    return update


def _slices_by(method: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda optimizer, grad, variable: method(optimizer)(grad.values, variable, grad.indices)


@patch(
    "training/sync_replicas_optimizer.py, SyncReplicasOptimizer.apply_gradients",
    "tests/runtime/graph_session/test_training_patches.py",
)
def ends_leave_the_tokens(changes: Patch) -> None:
    """Lets the chief's session end without closing the token queue on the parameter server.

    TensorFlow 1.15 passed a dummy queue to the chief's queue runner, to close. TF 2 passes the token queue itself,
    which the sessions of all workers and all later sessions of the chief share. A chief that restarted from its
    checkpoint, on the same servers, stopped with "sync_token_q is closed". A worker's monitored session took the
    OutOfRangeError for the end of its data, and ended without a message. The chief's end cancels the queue runner's
    run: that ends its thread without a traceback, as in TensorFlow 1.15.
    """

    @changes.around(_v1.train.SyncReplicasOptimizer, "apply_gradients")
    def apply_and_keep_open(apply: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        train_op = apply(self, *args, **kwargs)
        runner = self._chief_queue_runner
        runner._close_op = runner._cancel_op = tf.no_op(name="sync_token_q_stays_open")
        runner._queue_closed_exception_types += (tf.errors.CancelledError,)
        return train_op


@patch(
    "training/basic_session_run_hooks.py, CheckpointSaverHook",
    "tests/runtime/graph_session/test_training_patches.py",
)
def hooks_save_at_tf1s_steps(changes: Patch) -> None:
    """Makes a `CheckpointSaverHook` that counts steps read the step only when its next save is due, not after each run.

    TensorFlow 1.15 assumed one step for each run: it read the global step again only if the step before the run, plus
    one, was due. TF 2 reads it after every run. This changed the steps of checkpoints if a run counts twice (a GAN
    whose two optimizers both use the global step), or if other workers overtake. All other trainers had one more
    session call in each step.
    """

    @changes.around(_v1.train.CheckpointSaverHook, "__init__")
    def one_step_a_run(begin: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        self._set_steps_per_run(1)


@patch(
    "training/saving/saveable_object_util.py, ReferenceVariableSaveable",
    "tests/runtime/graph_session/test_training_patches.py",
)
def savers_have_a_shard_for_each_device(changes: Patch) -> None:
    """Makes `Saver(sharded=True)` group variables by their own devices, not by the devices of the ops that read them.

    The Saver writes one file for each device. TF1's Saver saved the variables themselves; here it saves their reads.
    `replica_device_setter(worker_device='/job:worker/task:0/cpu:0')` sets the worker's device on reads, but not on
    variables. So slots, slices and variables of one parameter server were spread over two or three files.
    """

    @changes.around(ResourceVariableSaveable, "__init__")
    def by_the_variable(make: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        for spec in self.specs:
            spec.device = self.handle_op.device


@patch("training/session_manager.py, SessionManager", "tests/runtime/graph_session/test_managed.py")
def sessions_of_managers_are(changes: Patch, manager: type, session: type) -> None:
    """Makes all code that uses a SessionManager use these classes instead; only in a migrated program.

    TensorFlow's own Supervisor and session creators look up SessionManager in this module, and so do tf_slim's training
    and evaluation loops, which are built on them.
    """
    changes.set(session_manager, "SessionManager", manager)
    changes.set(session_manager, "session", SimpleNamespace(Session=session))


# -- tf_slim, tf_keras, NumPy ------------------------------------------------------------------------------------------


@patch("tf_slim 1.1.0, of 2020: its imports", "tests/runtime/tf1/test_cases.py")
def tf_slim_finds_its_names(changes: Patch) -> None:
    """Restores the names that tf_slim 1.1.0 uses from TensorFlow's private modules, if they have moved since.

    tf_slim looks for normalization layers in `tf_keras.legacy_tf_layers.normalization`, which tf_keras keeps in `src`;
    here they come from `tf2towers.runtime.tf1.layers`.
    """
    from tensorflow.python.layers import normalization
    from tensorflow.python.util.lazy_loader import LazyLoader

    moved: dict[Any, dict[str, Any]] = {
        ops: {"IndexedSlices": tf.IndexedSlices, "Tensor": tf.Tensor},
        array_ops: {"stack": _v1.stack, "unstack": _v1.unstack},
        control_flow_ops: {
            "Assert": _v1.Assert, "case": _v1.case, "cond": _v1.cond, "while_loop": _v1.while_loop
        },
        variable_scope: {"variable": _v1.Variable},
    }  # fmt: skip
    for module, names in moved.items():
        for name, value in names.items():
            if not hasattr(module, name):
                changes.set(module, name, value)
    home = "tf2towers.runtime.tf1.layers"
    changes.set(normalization, "normalization", LazyLoader("normalization", vars(normalization), home))


@patch("tf_keras: api/_v1", "tests/runtime/tf1/test_cases.py")
def keras_is_tf1s(changes: Patch) -> None:
    """Makes tf_keras, if imported afterwards, behave as in TensorFlow 1: names, defaults, virtual batches.

    Only tf_keras calls the patched function. TensorFlow itself, whose strategies are TF 2's, calls another one.
    """
    changes.set(tf.compat.v2.__internal__.tf2, "enabled", lambda: False)


@patch("tensorflow/python/keras of 1.15.5", "tests/runtime/tf1/test_cases.py")
def keras_computes_as_tf1(changes: Patch) -> None:
    """Gives tf_keras's layers and functions the names, the draws and the results of TensorFlow 1.15.

    The class `ConvLSTM2D` makes `conv_lst_m2d`, and a cell `lstm/kernel`. Batch norm of five dimensions is not fused,
    so a moving variance is the biased one. A layer with a seed draws by it at each call, so towers have the same mask.
    Noise and cells without a seed take one from NumPy, dropout does not. Chances become logits where their operation
    is a softmax, of two dimensions in a layer, and what is given as logits stays. A vector chooses rows in `switch`.
    `ImageDataGenerator` turns and shifts images along rows first, about half a pixel beyond their middle. A model's
    loss is the mean over all steps of a sequence, also those that a mask makes 0.
    """
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import activations, backend
    from tf_keras.src.engine import base_layer, base_layer_v1
    from tf_keras.src.layers.normalization.batch_normalization import BatchNormalizationBase
    from tf_keras.src.layers.rnn import base_rnn, stacked_rnn_cells
    from tf_keras.src.preprocessing import image
    from tf_keras.src.utils import generic_utils, losses_utils

    def make_name(class_name: str) -> str:
        apart = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", class_name)
        words = re.sub("([a-z])([A-Z])", r"\1_\2", apart).lower()
        return f"private{words}" if words.startswith("_") else words

    def make_seed(generator: Any) -> Any:
        drawn = generator._seed is None and getattr(generator, "is_drawn", False)
        return np.random.randint(10**7) if drawn else generator._seed

    class Scopeless:
        name_scope = staticmethod(contextlib.nullcontext)

        def __getattr__(self, name: str) -> Any:
            return getattr(backend, name)

    for module in (generic_utils, base_layer):
        changes.set(module, "to_snake_case", make_name)
    for module in (base_rnn, stacked_rnn_cells):  # where cells are built
        changes.set(module, "backend", Scopeless())
    changes.set(backend.RandomGenerator, "make_legacy_seed", make_seed)

    @changes.around(base_layer.BaseRandomLayer, "__init__")
    def init(plain: Any, layer: Any, *arguments: Any, **options: Any) -> None:
        plain(layer, *arguments, **options)
        layer._random_generator.is_drawn = not isinstance(layer, faces.layers.Dropout)

    @changes.around(BatchNormalizationBase, "build")
    def build(plain: Any, layer: Any, input_shape: Any) -> None:
        if len(input_shape) == 5:
            layer.fused = False
        plain(layer, input_shape)

    @changes.around(base_layer_v1.Layer, "add_update")
    def add_update(plain: Any, layer: Any, updates: Any, inputs: Any = None) -> None:
        plain(layer, updates)

    def about_the_middle(matrix: np.ndarray, height: int, width: int) -> np.ndarray:
        middle = np.array([[1, 0, height / 2 + 0.5], [0, 1, width / 2 + 0.5], [0, 0, 1]])
        whole = np.dot(np.dot(middle, matrix), 2 * np.eye(3) - middle)
        columns_first = [1, 0, 2]  # what tf_keras makes rows first again
        return whole[columns_first][:, columns_first]

    changes.set(image, "transform_matrix_offset_center", about_the_middle)

    @changes.around(losses_utils, "apply_valid_mask")
    def apply_mask(plain: Any, losses: Any, weights: Any, mask: Any, reduction: str) -> Any:
        return losses_utils.apply_mask(losses, weights, mask)

    @changes.around(backend, "_get_logits")
    def get_logits(plain: Any, output: Any, from_logits: bool, kind: str, name: str) -> tuple[Any, bool]:
        found = not from_logits and output.op.type == kind
        return (output.op.inputs[0], True) if found else (output, from_logits)

    @changes.around(activations, "softmax")
    def softmax(plain: Any, values: Any, axis: int = -1) -> Any:
        return tf.identity(plain(values, axis)) if len(values.shape) > 2 else plain(values, axis)

    changes.set(faces.activations, "softmax", activations.softmax)

    @changes.around(faces.backend, "switch")
    def switch(plain: Any, condition: Any, then: Any, otherwise: Any) -> Any:
        if len(condition.shape) != 1:
            return plain(condition, then, otherwise)
        chosen = [each() if callable(each) else each for each in (then, otherwise)]
        return _v1.where(tf.cast(condition, tf.bool), *chosen)


@patch("keras/backend.py, get_session", "tests/runtime/tf1/test_objects.py")
def keras_runs_on(changes: Patch, backend: Any, session_class: Callable[..., Any]) -> None:
    """Makes Keras's own session, which trains, predicts and initializes variables, a session of the runtime."""

    @changes.around(backend, "_get_session")
    def get_session(plain: Any, op_input_list: Any = ()) -> Any:
        if _v1.get_default_session() is None and not tf.inside_function():
            graph = backend._current_graph(op_input_list)
            known = getattr(backend._SESSION, "session", None)
            if known is None or known.graph is not graph:
                config = backend.get_default_session_config()
                backend._SESSION.session = session_class(graph=graph, config=config)
        return plain(op_input_list)


@patch("Keras 2.2.4: engine/base_layer.py, network.py", "tests/runtime/tf1/test_standalone_keras.py")
def layers_are_keras2s(changes: Patch) -> None:
    """Numbers layers from 1 (`dense_1`), and draws the seeds of initial values and dropout from NumPy.

    tf.keras begins with `dense`, and lets TensorFlow choose the seeds of ops that are given none. Here a first call
    builds a Sequential without a shape, and a model called on a tensor again gives what it gave. The `updates` of a
    model are those of its own inputs.
    """
    import tf_keras.api._v1.keras as faces
    from tf_keras.src import backend, engine, initializers

    functional, sequential = engine.functional.Functional, engine.sequential.Sequential
    # Keras 2 makes no layers of a script's operations; tf_keras runs a session for them, which draws first values
    changes.set(engine.base_layer_utils, "needs_keras_history", lambda *arguments, **options: False)
    for owner in (engine.base_layer.Layer, engine.base_layer_v1.Layer, functional):
        changes.around(owner, "_init_set_name")(lambda plain, layer, name, **_: plain(layer, name, False))

    @changes.around(engine.base_layer_v1.Layer, "add_weight")
    def add(plain: Any, layer: Any, name: Any, shape: Any, initializer: Any = None, **options: Any) -> Any:
        start = copy.copy(initializers.get(initializer))
        if type(start).__name__ == "Orthogonal":
            start = initializers.get(_orthogonal(start, shape))
        elif getattr(start, "seed", 0) is None:
            start.seed = np.random.randint(10**7)
        if hasattr(start, "scale") and len(shape) == 1:  # Keras 2's fan of a vector is the root of its size
            start.scale *= shape[0] ** 0.5
        return plain(layer, name, shape, initializer=start, **options)

    @changes.around(backend.RandomGenerator, "make_legacy_seed")
    def make_seed(plain: Any, generator: Any) -> int:
        seed = plain(generator)
        return np.random.randint(10**7) if seed is None else seed

    @changes.around(sequential, "build")
    def build(plain: Any, model: Any, input_shape: Any = None) -> None:
        if input_shape is not None and model.layers and not model._graph_initialized:
            outputs = given = engine.input_layer.Input(batch_shape=input_shape)
            for layer in model.layers:
                outputs = layer(outputs)
            model.inputs, model.outputs, model._graph_initialized = [given], [outputs], True
        plain(model, input_shape)

    del sequential.build._is_default  # a first call builds

    @changes.around(functional, "call")
    def call(plain: Any, model: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        calls = vars(model).setdefault("outputs_of_calls", {})
        given = [tensor.ref() for tensor in tf.nest.flatten([inputs, mask]) if tensor is not None]
        if (key := (len(model.layers), *given)) not in calls:
            calls[key] = plain(model, inputs, training, mask)
        return calls[key]

    def updates(model: Any) -> list[Any]:
        every = engine.base_layer_v1.Layer.updates.fget(model) if model.trainable else []
        inner, rest = {tensor.name for tensor in model.inputs or ()}, [*(model.outputs or ())]
        while rest:
            if (tensor := rest.pop()).name not in inner:
                inner.add(tensor.name)
                rest.extend(tensor.op.inputs)
        return [update for update in every if not inner or update.normalized.name in inner]

    changes.set(functional, "updates", property(updates))
    weights = property(lambda model: [*model.trainable_weights, *model.non_trainable_weights])
    changes.set(functional, "weights", weights)
    own = property(lambda model: model._trainable, lambda model, value: vars(model).update(_trainable=value))
    changes.set(functional, "trainable", own)  # Keras 2 does not set that of the layers
    changes.set(backend, "_get_logits", lambda output, from_logits, *_: (output, from_logits))

    @changes.around(backend, "binary_crossentropy")
    def binary_crossentropy(plain: Any, target: Any, output: Any, from_logits: bool = False) -> Any:
        if not from_logits:
            output = tf.clip_by_value(output, backend.epsilon(), 1 - backend.epsilon())
            output = tf.math.log(output / (1 - output))
        return plain(target, output, from_logits=True)

    changes.set(faces.backend, "binary_crossentropy", backend.binary_crossentropy)


def _orthogonal(start: Any, shape: Any) -> Callable[..., Any]:
    """Gives the singular vectors of what NumPy draws, times the initializer's gain: those that fill the shape."""
    if start.seed is not None:
        np.random.seed(start.seed)
    rows, columns = int(np.prod(shape[:-1])), shape[-1]
    left, _, right = np.linalg.svd(np.random.normal(size=(rows, columns)), full_matrices=False)
    vectors = (left if left.shape == (rows, columns) else right).reshape(shape) * start.gain
    return lambda *arguments, **options: tf.constant(vectors, tf.float32)


@patch("NumPy 1.x: scalars in lists are written as numbers", "tests/runtime/test_printing.py")
def print_as_numpy1(changes: Patch) -> None:
    """Makes NumPy print values as NumPy 1 did, in every thread: `[1.5, 2]` and not `[np.float32(1.5), np.int32(2)]`.

    Scripts print lists and dictionaries of fetched values. The option is set once in a process, so a script's own
    `np.set_printoptions` still works.
    """
    if int(np.__version__.partition(".")[0]) < 2:
        return
    before = np.get_printoptions()["legacy"]
    changes.on_undo(lambda: np.set_printoptions(legacy=before))
    np.set_printoptions(legacy="1.25")
    with contextlib.suppress(ImportError):  # from NumPy 2.2 on, each new thread starts with these options
        from numpy._core.printoptions import default_format_options_dict, format_options

        beginning = default_format_options_dict.copy()
        changes.on_undo(lambda: default_format_options_dict.update(beginning))
        default_format_options_dict.update(format_options.get())


# -- images, convolutions, and arguments of old releases ---------------------------------------------------------------


@patch("core/ops/nn_ops.cc, Conv2DBackpropInput", "tests/runtime/test_old_arguments.py")
def transposed_convolutions_have_whole_shapes(changes: Patch) -> None:
    """Sets the whole requested shape as the static shape of a transposed convolution, as in TF 1.15.

    TF 2 leaves the batch size unknown if the input's is: `conv2d_transpose` of `[None, 4, 4, 8]` to `[16, 8, 8, 3]` is
    `(None, 8, 8, 3)`, and `int(h.get_shape()[0])` fails. Measured with TF 1.15.5, 2.15.1 and 2.21.0. Convolutions of
    one dimension and dilated ones use the same op; those of three dimensions behave alike in all three versions.
    """

    @changes.around(gen_nn_ops, "conv2d_backprop_input")
    def shaped(plain: Any, *arguments: Any, **options: Any) -> Any:
        result = plain(*arguments, **options)
        if not tf.executing_eagerly():
            known = tf.get_static_value(result.op.inputs[0], partial=True)
            if known is not None:
                result.set_shape(known)
        return result


@patch("ops/image_ops_impl.py, per_image_standardization", "tests/runtime/test_old_arguments.py")
def standardized_images_keep_their_type(changes: Patch) -> None:
    """Makes `tf.image.per_image_standardization` return the image's own dtype, as in TF 1.15.

    TF 2 returns float32 for all images. TF 1.15 first scales integers to 0..1, and then the result back to their range,
    which loses values below zero; it computes float16 in float16.
    """

    @changes.around(_v1.image, "per_image_standardization", image_ops, image_ops_impl)
    def standardize(plain: Any, image: Any) -> Any:
        image = tf.convert_to_tensor(image)
        kind = image.dtype
        if kind == tf.float32:
            return plain(image)
        if image.shape.rank is not None and image.shape.rank < 3:
            raise ValueError("'image' must be at least three-dimensional.")
        with tf.name_scope("per_image_standardization"):
            if kind != tf.float16:
                image = tf.image.convert_image_dtype(image, tf.float32)
            axes = [-1, -2, -3]
            smallest = tf.math.rsqrt(tf.cast(tf.reduce_prod(tf.shape(image)[-3:]), image.dtype))
            deviation = tf.maximum(tf.math.reduce_std(image, axis=axes, keepdims=True), smallest)
            image = (image - tf.reduce_mean(image, axis=axes, keepdims=True)) / deviation
            return tf.image.convert_image_dtype(image, kind, saturate=True)


@patch(
    "TensorFlow 0.6: ops/image_ops.py, resize_images and random_crop", "tests/runtime/test_old_arguments.py"
)
def image_sizes_may_be_old(changes: Patch) -> None:
    """Lets `resize_images` take (images, height, width), and `random_crop` take an image's size without its channels.

    TensorFlow 0.x had these arguments. The text often cannot tell (images, height, width) from (images, size, method),
    but the values can: a height is a number, a size is a list. TF 1.15 refuses a height, and a crop to two numbers.
    """

    @changes.around(_v1.image, "resize_images", image_ops, image_ops_impl)
    def resize_images(plain: Any, images: Any, size: Any, *arguments: Any, **options: Any) -> Any:
        if arguments and _is_number(size):
            size, arguments = [size, arguments[0]], arguments[1:]
        return plain(images, size, *arguments, **options)

    @changes.around(_v1, "random_crop", _v1.image, random_ops)
    def random_crop(plain: Any, value: Any, size: Any, *arguments: Any, **options: Any) -> Any:
        image = tf.convert_to_tensor(value)
        if image.shape.rank == 3 and isinstance(size, list | tuple) and len(size) == 2:
            channels = image.shape[2]
            size = [*size, tf.shape(image)[2] if channels is None else channels]
        return plain(image, size, *arguments, **options)


def _is_number(value: Any) -> bool:
    if isinstance(value, int | np.integer | Dimension):
        return True
    shape = getattr(value, "shape", None)
    return shape is not None and tf.TensorShape(shape).rank == 0


@patch("release notes of TensorFlow 1.0: labels before inputs", "tests/runtime/test_old_arguments.py")
def sampled_losses_take_both_orders(changes: Patch) -> None:
    """Lets `nce_loss` and `sampled_softmax_loss` take `inputs` before `labels`, as until TensorFlow 0.12.

    TF1 accepts neither integers as inputs nor floats as labels: such arguments are swapped.
    """

    def loss(
        plain: Any, weights: Any, biases: Any, labels: Any, inputs: Any, *arguments: Any, **options: Any
    ) -> Any:
        labels, inputs = tf.convert_to_tensor(labels), tf.convert_to_tensor(inputs)
        if labels.dtype.is_floating and inputs.dtype.is_integer:
            labels, inputs = inputs, labels
        return plain(weights, biases, labels, inputs, *arguments, **options)

    for name in ("nce_loss", "sampled_softmax_loss"):
        changes.around(_v1.nn, name, nn_impl, nn)(loss)


@patch(
    "TensorFlow 0.12: ops/init_ops.py, uniform_unit_scaling_initializer",
    "tests/runtime/test_old_arguments.py",
)
def shards_are_scaled_as_the_whole(changes: Patch) -> None:
    """Lets `uniform_unit_scaling_initializer` scale by `full_shape`, the shape of the matrix that a shard is from."""
    kind = _v1.uniform_unit_scaling_initializer

    @changes.around(kind, "__init__")
    def make(
        plain: Any,
        self: Any,
        factor: Any = 1.0,
        seed: Any = None,
        dtype: Any = tf.float32,
        full_shape: Any = None,
    ) -> None:
        plain(self, factor, seed, dtype)
        self._whole = None if full_shape is None else SimpleNamespace(full_shape=full_shape)

    @changes.around(kind, "__call__")
    def initialize(compute: Any, self: Any, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return compute(self, shape, dtype, getattr(self, "_whole", None) or partition_info)


@patch("ops/control_flow_ops.py, tuple", "tests/runtime/test_old_arguments.py")
def tuples_wait_for_assignments(changes: Patch) -> None:
    """Lets `tf.tuple` wait for variables and for the results of assignments, which were tensors in TF1."""

    @changes.around(_v1, "tuple", control_flow_ops)
    def waiting(plain: Any, tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
        return plain(tensors, name, [getattr(given, "op", given) for given in control_inputs or ()])


@patch(
    "TensorFlow 2.21: grappler/optimizers/remapper.cc, a Pad before a Conv3D",
    "tests/runtime/test_old_arguments.py",
)
def sizes_of_padding_are_int32(changes: Patch) -> None:
    """Makes the paddings of `tf.pad` int32: TF 2's graph optimizer aborts the process where a `conv3d` follows int64.

    It folds the padding into a VALID `conv3d` on a CPU, and reads the numbers as int32 without a look at their type.
    """

    @changes.around(_v1, "pad", array_ops)
    def pad(plain: Any, tensor: Any, paddings: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(paddings, "dtype", None) in (tf.int64, np.int64):
            known = tf.get_static_value(paddings) if tf.is_tensor(paddings) else paddings
            paddings = tf.cast(paddings, tf.int32) if known is None else np.asarray(known, np.int32)
        return plain(tensor, paddings, *arguments, **options)


# -- originals ---------------------------------------------------------------------------------------------------------


@patch("TensorFlow 2: disable_eager_execution alone", "tests/verify/test_stand_ins.py")
def variables_of_tf2_stay(changes: Patch, real: Any) -> None:
    """Keeps resource variables, and integers in shapes, for a TF 2 script that disables eager execution only.

    Such a script uses `compat.v1`, and from plain `tensorflow` (`real`) only names that TF 2 has. Before this,
    `verify` has disabled all of TF 2's behaviour, as for every original.
    """
    kept = True

    @changes.around(_v1, "disable_v2_behavior")
    def disable_v2_behavior(plain: Any) -> None:
        nonlocal kept
        kept = False
        plain()

    @changes.around(_v1, "disable_eager_execution")
    def disable_eager_execution(plain: Any) -> None:
        plain()
        caller = Path(sys._getframe(2).f_code.co_filename)
        text = re.sub(r"#.*", "", caller.read_text("utf-8", "replace")) if caller.is_file() else ""
        imported = re.search(r"^[ \t]*import tensorflow(?: as (\w+))?[ \t]*$", text, re.MULTILINE)
        names = re.findall(rf"(?<![\w.]){imported[1] or 'tensorflow'}\.(\w+)", text) if imported else []
        if kept and "compat.v1" in text and all(hasattr(real, name) for name in names):
            _v1.enable_resource_variables()
            _v1.enable_v2_tensorshape()


# -- the register ------------------------------------------------------------------------------------------------------

#: patches for an original that runs on TensorFlow 2, with TF1's own variables, sessions and modes
FOR_ORIGINALS = (
    epsilons_of_fused_norms_are_tf1s,
    tf_slim_finds_its_names,
    whole_floats_are_sizes,
    unknown_sizes_are_not_equal,
    one_loss_a_variable,
    hooks_save_at_tf1s_steps,
    sums_over_no_rows_have_no_gradient,
    sums_over_rows_have_second_gradients,
    transposed_convolutions_have_whole_shapes,
    standardized_images_keep_their_type,
    image_sizes_may_be_old,
    sampled_losses_take_both_orders,
    shards_are_scaled_as_the_whole,
    sizes_of_padding_are_int32,
    print_as_numpy1,
)
#: patches for a migrated script, whose variables are resources and whose sessions are the runtime's
FOR_MIGRATED = (
    variables_are_tf1s,
    variables_are_made_as_tf1s,
    variables_have_initial_values,
    restored_shapes_are_checked,
    assignments_give_references,
    complete_graphs,
    variables_by_tensor_name,
    gradients_by_values_are_the_variables,
    enumerated_datasets_have_iterators,
    private_datasets_are_tf1s,
    datasets_read_variables_in_time,
    copies_of_rows_are_dense,
    slots_under_reuse,
    ends_leave_the_tokens,
    savers_have_a_shard_for_each_device,
    updates_by_tf1s_methods,
    sums_of_half_embeddings_are_float32,
    tuples_wait_for_assignments,
    device_functions_see_tf1,
    devices_may_be_functions,
    *FOR_ORIGINALS,
)
#: patches that are applied where they are needed, some of them with arguments
ON_DEMAND = (
    devices_are_settled_when_found,
    sessions_of_managers_are,
    keras_is_tf1s,
    keras_computes_as_tf1,
    keras_runs_on,
    layers_are_keras2s,
    variables_of_tf2_stay,
)
