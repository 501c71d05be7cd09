"""The names this package takes from TensorFlow that are not public, each with the reason.

`tests/runtime/graph_session/test_private.py` holds every TensorFlow version to what is said here.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, wraps
from typing import Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources

#: functions are called eagerly while the script's own code is in graph mode; `tf.init_scope` stays in a plain graph
eager_mode: Any = tf.__internal__.eager_context.eager_mode
#: for our layers, whatever a script puts in its place (`tf.get_variable = mine`): TensorFlow's took no notice
get_variable: Any = tf.compat.v1.get_variable


def before_devices_start(settle: Callable[[], None]) -> None:
    """Calls `settle` when TensorFlow has looked which devices there are, before it starts them; at once, if it has.

    To look is to initialise CUDA, which takes CUDA_VISIBLE_DEVICES as it is then, for good. Many scripts set it in
    their `main`, and TF1 looked when the session was made.
    """
    from tensorflow.python.eager import context

    eager_context = context.context()
    look = eager_context._initialize_physical_devices
    if eager_context._physical_devices is not None:
        settle()
        return

    def look_and_settle(*again: Any, **options: Any) -> None:
        first = eager_context._physical_devices is None
        look(*again, **options)
        if first:
            settle()

    eager_context._initialize_physical_devices = look_and_settle


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


def complete_variables() -> None:
    """Gives resource variables `initialized_value`, which TF1's variables have and TensorFlow itself calls.

    The same as `tf.compat.v1.Variable.initialized_value`; without it `tf.Variable(other.initialized_value())`
    ends in a NotImplementedError. With `validate_shape=False` they take values of any shape.
    They are instances of TF1's `tf.Variable`, as all of TF1's variables were, and restoring a checkpoint's tensor of
    another shape is an InvalidArgumentError, as it was, where a resource variable takes that shape.
    `use_resource=False` asks for what all of them were, and functions hold resource variables alone.
    `variable += value` is the sum, as of TF1's, where a resource variable raises.
    A variable made under `gradient_override_map({"Identity": ...})` has that gradient: TF1's was read by an `Identity`
    made with it. A `caching_device` that is the variable's own caches nothing.
    """
    from tensorflow.python.ops import resource_variable_ops, variable_v1, variables
    from tensorflow.python.ops.resource_variable_ops import (
        BaseResourceVariable,
        ResourceVariable,
    )

    if not issubclass(BaseResourceVariable, tf.compat.v1.Variable):
        tf.compat.v1.Variable.register(BaseResourceVariable)
    if "initialized_value" not in vars(BaseResourceVariable):
        BaseResourceVariable.initialized_value = _initialized_value
    if BaseResourceVariable.__bool__ is not _truth:
        _TENSORFLOWS_TRUTH.append(BaseResourceVariable.__bool__)
        BaseResourceVariable.__bool__ = _truth
    if not hasattr(ResourceVariable.__init__, "__wrapped__"):
        ResourceVariable.__init__ = _of_any_shape_if_not_validated(ResourceVariable.__init__)
    if not hasattr(BaseResourceVariable._read_variable_op, "__wrapped__"):
        BaseResourceVariable._read_variable_op = _with_gradient_of_identity(
            BaseResourceVariable._read_variable_op
        )
    if not hasattr(BaseResourceVariable, "_ref"):
        BaseResourceVariable._ref = _reference
    for name, compute in _IN_PLACE.items():
        setattr(BaseResourceVariable, name, compute)
    if not hasattr(variable_v1.default_variable_creator, "__wrapped__"):
        variable_v1.default_variable_creator = _of_resources(variable_v1.default_variable_creator)
    if resource_variable_ops.shape_safe_assign_variable_handle is not _assign_of_the_same_shape:
        _TENSORFLOWS_ASSIGN.append(resource_variable_ops.shape_safe_assign_variable_handle)
        resource_variable_ops.shape_safe_assign_variable_handle = _assign_of_the_same_shape
    if variables._safe_initial_value_from_op is not _guarded:
        _TENSORFLOWS.append(variables._safe_initial_value_from_op)
        variables._safe_initial_value_from_op = _guarded


def _of_any_shape_if_not_validated(plain: Callable[..., None]) -> Callable[..., None]:
    @wraps(plain)
    def made(variable: Any, *arguments: Any, **options: Any) -> None:
        if options.get("validate_shape") is False and options.get("shape") is None:
            options["shape"] = tf.TensorShape(None)
        overridden = getattr(tf.compat.v1.get_default_graph(), "_gradient_override_map", {})
        variable._gradient_of_identity = overridden.get("Identity")
        plain(variable, *arguments, **options)
        _forget_cache_in_the_same_memory(variable)

    return made


def _forget_cache_in_the_same_memory(variable: Any) -> None:
    """What TF1 cached on a variable's own device was the variable's memory, and changed with it.

    On another device, a GPU or a worker, it is the value at the beginning of a run.
    """
    cached = getattr(variable, "_cached_value", None)
    if cached is None or tf.executing_eagerly() or own_resources.switched_on:
        return
    if tf.DeviceSpec.from_string(variable.device).job:
        return
    kinds = {tf.DeviceSpec.from_string(device).device_type for device in (variable.device, cached.device)}
    if len(kinds) == 1 or not tf.config.list_physical_devices("GPU"):
        variable._cached_value = variable._caching_device = None


def _with_gradient_of_identity(plain: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(plain)
    def read(variable: Any, *arguments: Any, **options: Any) -> Any:
        value = plain(variable, *arguments, **options)
        name = getattr(variable, "_gradient_of_identity", None)
        if name is not None and value.op.type == "ReadVariableOp":
            attribute = tf.compat.v1.AttrValue(s=tf.compat.as_bytes(name))
            value.op._set_attr("_gradient_op_type", attribute)
        return value

    return read


_TENSORFLOWS_ASSIGN: list[Callable[..., Any]] = []


def _assign_of_the_same_shape(
    handle: tf.Tensor, shape: tf.TensorShape, value: Any, name: str | None = None
) -> tf.Operation:
    """What a Saver's restore calls: of a fully defined shape, the value's is looked at when it runs, as in TF1."""
    if shape.is_fully_defined() and not tf.executing_eagerly():
        value = tf.ensure_shape(value, shape)
    assigned: tf.Operation = _TENSORFLOWS_ASSIGN[0](handle, shape, value, name)
    return assigned


def _of_resources(plain: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(plain)
    def made(next_creator: Any = None, **options: Any) -> Any:
        return plain(next_creator, **{**options, "use_resource": True})

    return made


def complete_graphs() -> None:
    """Gives operations and graphs what scripts read of TF1's that wrote gradients of their own.

    An operation's `_inputs`, `_outputs` and `_control_inputs` were lists of what the public attributes give; a graph's
    `_last_id` was the highest `_id` of its operations. What `tf.GraphKeys.UPDATE_OPS` holds were tensors there, whose
    `op` is now the element itself. A gradient that stands for a gather's stands for a gather's from a variable.
    """
    for public in ("inputs", "outputs", "control_inputs"):
        if not hasattr(tf.Operation, f"_{public}"):
            setattr(tf.Operation, f"_{public}", property(_list_of(public)))
    if not hasattr(tf.Operation, "op"):
        tf.Operation.op = property(lambda operation: operation)
    if tf.Graph.gradient_override_map.__module__ != __name__:
        tf.Graph.gradient_override_map = _of_gathers_from_variables(tf.Graph.gradient_override_map)
    if not hasattr(tf.Graph, "_last_id"):
        tf.Graph._last_id = property(_last_id)


def _of_gathers_from_variables(plain: Callable[..., Any]) -> Callable[..., Any]:
    def overridden(graph: tf.Graph, op_type_map: Any) -> Any:
        if isinstance(op_type_map, dict):
            gathers = {name: op_type_map[name] for name in ("GatherV2", "GatherNd") if name in op_type_map}
            named = {"Resource" + name.removesuffix("V2"): gradient for name, gradient in gathers.items()}
            op_type_map = {**named, **op_type_map}
        return plain(graph, op_type_map)

    return overridden


def _list_of(public: str) -> Callable[[tf.Operation], list[Any]]:
    return lambda operation: list(getattr(operation, public))


def _last_id(graph: tf.Graph) -> int:
    return max((operation._id for operation in graph.get_operations()), default=0)


#: what `variable += value` and its like give: a tensor, to which the name is bound from then on
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "__iadd__": lambda variable, value: variable + value,
    "__isub__": lambda variable, value: variable - value,
    "__imul__": lambda variable, value: variable * value,
    "__itruediv__": lambda variable, value: variable / value,
    "__ipow__": lambda variable, value: variable**value,
}


def whole_floats_are_sizes() -> None:
    """Lets `tf.get_variable("w", [n / 2, 10])` have the size that TF1 gave it: 4.0 is 4, and 4.5 is an error still."""
    from tensorflow.python.framework.tensor_shape import Dimension

    plain = Dimension.__init__
    if plain.__name__ != "whole":

        def whole(self: Any, value: Any) -> None:
            plain(
                self, int(value) if isinstance(value, float | np.floating) and value == int(value) else value
            )

        Dimension.__init__ = whole


def tf_slim_finds_its_names() -> None:
    """Gives TensorFlow's private modules the names that tf_slim 1.1.0, of 2020, takes from them, where they have moved.

    Its normalization layers are asked for as `tf_keras.legacy_tf_layers.normalization`, which tf_keras keeps in `src`;
    they are to come by way of `tf2towers.runtime.tf1.layers`.
    """
    from tensorflow.python.framework import ops
    from tensorflow.python.layers import normalization
    from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope
    from tensorflow.python.util.lazy_loader import LazyLoader

    v1 = tf.compat.v1
    moved: dict[Any, dict[str, Any]] = {
        ops: {"IndexedSlices": tf.IndexedSlices, "Tensor": tf.Tensor},
        array_ops: {"stack": v1.stack, "unstack": v1.unstack},
        control_flow_ops: {
            "Assert": v1.Assert, "case": v1.case, "cond": v1.cond, "while_loop": v1.while_loop
        },
        variable_scope: {"variable": v1.Variable},
    }  # fmt: skip
    for module, names in moved.items():
        for name, value in names.items():
            if not hasattr(module, name):
                setattr(module, name, value)
    home = "tf2towers.runtime.tf1.layers"
    normalization.normalization = LazyLoader("normalization", vars(normalization), home)


def epsilons_of_fused_norms_are_tf1s() -> None:
    """Lets a fused batch normalization take 1.001e-5 for an epsilon below it, as TensorFlow 1 did, and cuDNN asked for.

    `tf.nn.fused_batch_norm`, `tf.layers` and slim all come to this one function of TensorFlow's.
    """
    from tensorflow.python.ops import gen_nn_ops

    plain = gen_nn_ops.fused_batch_norm_v3
    if hasattr(plain, "tf1s_epsilon"):
        return

    @wraps(plain)
    def of_that_epsilon(*args: Any, epsilon: float = 0.0001, **kwargs: Any) -> Any:
        return plain(*args, epsilon=max(epsilon, 1.001e-5), **kwargs)

    # TensorFlow's own has a `__wrapped__`, which says nothing
    of_that_epsilon.tf1s_epsilon = True  # type: ignore[attr-defined]
    gen_nn_ops.fused_batch_norm_v3 = of_that_epsilon


def sessions_of_managers_are(manager: type) -> None:
    """Lets whatever makes its session through a SessionManager take one of this class.

    TensorFlow's own Supervisor and session creators look it up in this module, and so do the training and evaluation
    loops that tf_slim builds on them.
    """
    from tensorflow.python.training import session_manager

    session_manager.SessionManager = manager
    _MANAGERS.append(manager)


def managers_make_our_sessions() -> bool:
    """Whether `sessions_of_managers_are` was called: this is a migrated program."""
    return bool(_MANAGERS)


_MANAGERS: list[type] = []


def unknown_sizes_are_not_equal() -> None:
    """Lets `shortcut.shape == inputs.shape` be False where a size is unknown, as TF1 had it: it may be another.

    A block that projects its shortcut where the shapes differ would otherwise lack the projection. A shape is equal to
    itself. TensorFlow's own code goes on comparing what is written in them.
    """
    plain = tf.TensorShape.__eq__
    if plain.__name__ != "certainly_equal":

        def certainly_equal(self: Any, other: Any) -> Any:
            equal = plain(self, other)
            if equal is not True or self is other or None not in (self.as_list() if self.rank else ()):
                return equal
            asking = str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0]
            return asking in ("tensorflow", "keras", "tf_keras", "tf2towers")

        tf.TensorShape.__eq__ = certainly_equal


def enumerated_datasets_have_iterators() -> None:
    """Lets `dataset.enumerate()` give what all others of TF1's methods give: a dataset with `make_one_shot_iterator`.

    It is the one method that TF1's class does not wrap, and the function behind it takes TF 2's class.
    """
    from tensorflow.python.data.ops import dataset_ops

    if "enumerate" not in vars(dataset_ops.DatasetV1):

        def wrapped(dataset: Any, *arguments: Any, **options: Any) -> Any:
            return dataset_ops.DatasetV1Adapter(
                dataset_ops.DatasetV2.enumerate(dataset, *arguments, **options)
            )

        dataset_ops.DatasetV1.enumerate = wrapped


def private_datasets_are_tf1s() -> None:
    """Lets `dataset_ops.Dataset` and the readers be TF1's classes, as TensorFlow has it where TF 2 is off."""
    from tensorflow.python.data.ops import dataset_ops, readers

    dataset_ops.Dataset = dataset_ops.DatasetV1
    for name in ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"):
        setattr(readers, name, getattr(readers, f"{name}V1"))


@cache
def datasets_read_variables_in_time() -> None:
    """Lets a dataset whose functions read variables or queues compute each element when it is asked for, as in TF1.

    TensorFlow 2 puts a `prefetch` at the end of every pipeline, so an element was made of what a variable was before.
    """
    from tensorflow.python.data.ops import dataset_ops, iterator_ops

    def in_time(dataset: Any) -> Any:
        if not _reads_state(dataset):
            return dataset
        options = tf.data.Options()
        options.experimental_optimization.inject_prefetch = False
        return dataset.with_options(options)

    plain, plain_initializer = (
        dataset_ops.DatasetV2._apply_debug_options,
        iterator_ops.Iterator.make_initializer,
    )

    def make_initializer(iterator: Any, dataset: Any, name: str | None = None) -> Any:
        return plain_initializer(iterator, in_time(dataset), name)

    dataset_ops.DatasetV2._apply_debug_options = lambda dataset: in_time(plain(dataset))
    iterator_ops.Iterator.make_initializer = make_initializer


def _reads_state(dataset: Any) -> bool:
    """Whether a function of a pipeline has a resource that is no table."""
    return any(
        given.dtype == tf.resource and "Table" not in given.op.type
        for function in dataset._functions()
        for given in function.function.captured_inputs
    ) or any(_reads_state(source) for source in dataset._inputs())


@cache
def copies_of_rows_are_dense() -> None:
    """Lets `tf.identity` and `tf.stop_gradient` of a gradient of some rows be the whole gradient, as in TF1.

    In TF 2 they keep the rows: an optimizer with slots updates those alone, where TF1's updated all.
    """

    def dense(function: Callable[..., tf.Tensor]) -> None:
        def of_all_rows(input: Any, name: str | None = None) -> tf.Tensor:  # noqa: A002 - as it is there
            return function(tf.convert_to_tensor(input), name)

        tf.experimental.dispatch_for_api(function, {"input": tf.IndexedSlices})(of_all_rows)

    dense(tf.identity)
    dense(tf.stop_gradient)


def variables_by_tensor_name() -> None:
    """Gives `graph.get_tensor_by_name("w:0")` the variable, as TF1's was the variable's own tensor, not a handle.

    TensorFlow itself looks for `global_step:0` so, and refuses a handle. `w/read:0`, which TF1's operations took, and
    its operation `w/read`, are found as well.
    """
    from tensorflow.python.framework import ops

    by_name, any_element = ops.Graph.get_tensor_by_name, ops.Graph.as_graph_element
    if hasattr(by_name, "__wrapped__"):
        return

    @wraps(by_name)
    def named(graph: tf.Graph, name: str) -> Any:
        found = by_name(graph, name)
        if found.dtype != tf.resource or found.op.type != "VarHandleOp":
            return found
        keys = tf.compat.v1.GraphKeys
        for variable in graph.get_collection(keys.GLOBAL_VARIABLES) + graph.get_collection(
            keys.LOCAL_VARIABLES
        ):
            if getattr(variable, "handle", None) is found:
                return variable
        return found

    @wraps(any_element)
    def element(graph: tf.Graph, obj: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return any_element(graph, obj, *arguments, **options)
        except KeyError:
            variable, read, output = str(obj).rpartition("/read")
            if not read or output not in ("", ":0"):
                raise
            with suppress(KeyError):
                if any_element(graph, variable, allow_tensor=False).type == "VarHandleOp":
                    today = f"{variable}:0" if output else f"{variable}/Read/ReadVariableOp"
                    return any_element(graph, today, *arguments, **options)
            raise

    ops.Graph.get_tensor_by_name = named
    ops.Graph.as_graph_element = element


def gradients_by_values_are_the_variables() -> None:
    """Lets `tf.gradients(loss, variable.value())` be the gradient of the variable: TF1 read it by that one tensor.

    Here each use has a read of its own, and the loss may depend on others.
    """
    from tensorflow.python.ops import gradients_util

    plain = gradients_util._GradientsHelper
    if plain.__name__ != "of_variables":

        def of_variables(ys: Any, xs: Any, *arguments: Any, **options: Any) -> Any:
            several = [_variable_read(x) for x in xs] if isinstance(xs, list | tuple) else _variable_read(xs)
            return plain(ys, several, *arguments, **options)

        gradients_util._GradientsHelper = of_variables


def _variable_read(tensor: Any) -> Any:
    """The handle of the variable that a tensor is the value of; any other as it is."""
    operation = tensor.op if isinstance(tensor, tf.Tensor) and not tf.executing_eagerly() else None
    if operation is not None and operation.type == "ReadVariableOp":
        return operation.inputs[0] if operation.inputs[0].op.type == "VarHandleOp" else tensor
    return tensor


#: what `_truth` stands for
_TENSORFLOWS_TRUTH: list[Any] = []


def _truth(variable: Any) -> bool:
    """A variable in a graph is true, as every TF1 object: `if global_step:` asks whether there is one."""
    return True if not tf.executing_eagerly() else bool(_TENSORFLOWS_TRUTH[0](variable))


def _reference(variable: Any) -> Any:
    """TF1's `variable._ref()`: the variable itself, of which there are gradients and which operations take or write."""
    return variable


#: what `_guarded` stands for
_TENSORFLOWS: list[Any] = []


def _guarded(name: str, op: Any, op_cache: dict[str, Any]) -> Any:
    """An operation of an initial value, with every variable it reads as its initial value where it has none yet.

    TensorFlow does so for `tf.Variable(other * 2.0)` with TF1's variables, and takes a resource's read as it is:
    then the variables would have to be initialised one after the other.
    """
    if op.type == "VarHandleOp":
        return op
    if op.type != "ReadVariableOp" or op.inputs[0].op.type != "VarHandleOp":
        return _TENSORFLOWS[0](name, op, op_cache)
    from tensorflow.python.ops import variables

    with op.graph.control_dependencies(None):
        value = variables._find_initialized_value_for_variable(op.inputs[0].op)
    return op if value is None else value.op


def _initialized_value(variable: Any) -> Any:
    """The variable's value where it has one, else its initial value."""
    return tf.compat.v1.cond(
        tf.compat.v1.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value
    )


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
