"""Variables, resources here, behave as TF1's: types, first values, assignments, losses."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.graph_nodes import GIVEN
from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "tf.Variable",
    source="ops/variables.py, VariableV1",
    test="tests/soundness/scripts/towers/what_is_a_variable.py",
)
def variables_are_tf1s(changes: Patch) -> None:
    """Makes resource variables instances of TF1's `tf.Variable`, as all of TF1's variables were.

    A variable in a graph is true, as every object in TF1: `if global_step:` tests whether there is
    one. `variable._ref()` returns the variable itself, so that ops and gradients can use it. After
    `variable += value` the name is bound to a tensor, the sum; with a resource variable this
    statement raises an error.
    """
    base = changes.private("ops.resource_variable_ops.BaseResourceVariable")
    if not issubclass(base, _v1.Variable):
        _v1.Variable.register(base)
        changes.on_undo(_v1.Variable._abc_caches_clear)
        changes.on_undo(_v1.Variable._abc_registry_clear)
    plain_truth = base.__bool__
    changes.set(
        base,
        "__bool__",
        lambda variable: True if not tf.executing_eagerly() else bool(plain_truth(variable)),
    )
    if not hasattr(base, "_ref"):
        changes.set(base, "_ref", lambda variable: variable)
    for name, compute in _IN_PLACE.items():
        changes.set(base, name, compute)


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "__iadd__": lambda variable, value: variable + value,
    "__isub__": lambda variable, value: variable - value,
    "__imul__": lambda variable, value: variable * value,
    "__itruediv__": lambda variable, value: variable / value,
    "__ipow__": lambda variable, value: variable**value,
}


@patch(
    "tf.Variable",
    source="ops/variables.py, RefVariable.__init__",
    test="tests/soundness/scripts/sessions/variables.py",
)
def variables_are_made_as_tf1s(changes: Patch) -> None:
    """Makes every variable a resource, with the options of TF1's that resources ignore.

    `use_resource=False` is ignored: functions can hold resource variables only. What was a resource
    in TF1 is marked as one: a variable that asks for it, or whose scope does, and the slots of such
    a variable. With `validate_shape=False` a variable takes values of any shape. A variable made under
    `gradient_override_map({"Identity": ...})` has that gradient, because TF1 read variables by an
    `Identity` op. A `caching_device` that is the variable's own device caches nothing.
    """
    base = changes.private("ops.resource_variable_ops.BaseResourceVariable")
    resource = changes.private("ops.resource_variable_ops.ResourceVariable")

    @changes.around(resource, "__init__")
    def initialize(plain: Any, variable: Any, *arguments: Any, **options: Any) -> None:
        if options.get("validate_shape") is False and options.get("shape") is None:
            options["shape"] = tf.TensorShape(None)
        overridden = getattr(_v1.get_default_graph(), "_gradient_override_map", {})
        variable._gradient_of_identity = overridden.get("Identity")
        plain(variable, *arguments, **options)
        if options.get("variable_def") is None:
            own_resources.mark(variable, _asked.get())
        _forget_cache_in_the_same_memory(variable)

    @changes.around(base, "_read_variable_op")
    def read_with_gradient(read: Any, variable: Any, *arguments: Any, **options: Any) -> Any:
        value = read(variable, *arguments, **options)
        name = getattr(variable, "_gradient_of_identity", None)
        if name is not None and value.op.type == "ReadVariableOp":
            value.op._set_attr("_gradient_op_type", _v1.AttrValue(s=tf.compat.as_bytes(name)))
        return value

    @changes.around(changes.private("ops.variable_v1"), "default_variable_creator")
    def create_resource(create: Any, next_creator: Any = None, **options: Any) -> Any:
        asked = options.get("use_resource")
        token = _asked.set(bool(_v1.get_variable_scope().use_resource if asked is None else asked))
        try:
            return create(next_creator, **{**options, "use_resource": True})
        finally:
            _asked.reset(token)

    @changes.around(changes.private("training.slot_creator"), "_create_slot_var")
    def create_slot(create: Any, primary: Any, *arguments: Any, **options: Any) -> Any:
        slot = create(primary, *arguments, **options)
        if isinstance(primary, base):
            own_resources.mark(slot, own_resources.is_own_variable(primary))
        return slot

    @changes.around(_v1.train.Optimizer, "_create_non_slot_variable")
    def create_non_slot(
        create: Any, optimizer: Any, initial_value: Any, name: str, colocate_with: Any
    ) -> Any:
        variable = create(optimizer, initial_value, name, colocate_with)
        own_resources.mark(variable, own_resources.is_own_variable(colocate_with))
        return variable


#: whether the variable that is being made was a resource in TF1; those not made by TF1's `tf.Variable` were
_asked: ContextVar[bool] = ContextVar("asked", default=True)


def _forget_cache_in_the_same_memory(variable: Any) -> None:
    """Drops a cached value on the variable's own device: in TF1 it was the variable's memory.

    On another device (a GPU, a worker), the cached value is the one at the beginning of a run.
    """
    cached = getattr(variable, "_cached_value", None)
    if cached is None or tf.executing_eagerly() or own_resources.is_own_variable(variable):
        return
    if tf.DeviceSpec.from_string(variable.device).job:
        return
    kinds = {tf.DeviceSpec.from_string(device).device_type for device in (variable.device, cached.device)}
    if len(kinds) == 1 or not tf.config.list_physical_devices("GPU"):
        variable._cached_value = variable._caching_device = None


@patch(
    "a variable's initial value that depends on another variable",
    source="ops/variables.py, RefVariable.initialized_value and _safe_initial_value_from_op",
    test="tests/soundness/scripts/sessions/variables.py",
)
def variables_have_initial_values(changes: Patch) -> None:
    """Gives resource variables `initialized_value`; first values may depend on others.

    Without the first, `tf.Variable(other.initialized_value())` raises NotImplementedError. For
    `tf.Variable(other * 2.0)` TensorFlow reads the initial value of each of TF1's variables that is
    not initialized yet, but reads a resource variable itself. The variables would then have to be
    initialized one after the other.
    """
    base = changes.private("ops.resource_variable_ops.BaseResourceVariable")
    variables = changes.private("ops.variables")
    find_initialized_value = changes.get(variables, "_find_initialized_value_for_variable")

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
            value = find_initialized_value(op.inputs[0].op)
        return op if value is None else value.op

    if "initialized_value" not in vars(base):
        changes.set(base, "initialized_value", initialized_value)


@patch(
    "tf.train.Saver",
    source="ops/state_ops.py, assign",
    test="tests/functions/programs/files.py",
    serves=("train.Saver.restore",),
)
def restored_shapes_are_checked(changes: Patch) -> None:
    """Makes a Saver's restore of a tensor of another shape an InvalidArgumentError.

    A resource variable would take that shape. If the variable's shape is fully defined, the
    restored value's shape is checked when the restore runs, as in TF1.
    """

    @changes.around(changes.private("ops.resource_variable_ops"), "shape_safe_assign_variable_handle")
    def assign(plain: Any, handle: tf.Tensor, shape: tf.TensorShape, value: Any, name: Any = None) -> Any:
        if shape.is_fully_defined() and not tf.executing_eagerly():
            value = tf.ensure_shape(value, shape)
        return plain(handle, shape, value, name)


@patch(
    "tf.assign",
    source="ops/state_ops.py, assign",
    test="tests/soundness/scripts/sessions/variables.py",
)
def assignments_give_references(changes: Patch) -> None:
    """Makes ops that read or write the result of an assignment wait for that assignment.

    In TF1 an assignment returns the variable itself, after that write:
    `tf.gather(tf.scatter_update(w, i, x), j)` and `tf.scatter_add(tf.assign(w, zeros), i, x)` run
    after the first write. TensorFlow 2 returns an object whose own methods wait for the write;
    other functions take the bare handle from it, and do not wait.
    """
    base = changes.private("ops.resource_variable_ops.BaseResourceVariable")
    assigned_class = changes.private("ops.resource_variable_ops._UnreadVariable")
    state_ops = changes.private("ops.state_ops")

    @changes.around(assigned_class, "value")
    def marked(plain: Any, assigned: Any, *arguments: Any, **options: Any) -> Any:
        value = plain(assigned, *arguments, **options)
        if tf.is_symbolic_tensor(value) and value.op.type == "ReadVariableOp":  # not an eager value
            value.op._set_attr(GIVEN, _v1.AttrValue(b=True))
        return value

    def evaluate(assigned: Any, feed_dict: Any = None, session: Any = None) -> Any:
        return assigned.value().eval(feed_dict, session)

    changes.set(assigned_class, "eval", evaluate)
    # these take the bare handle
    for name in ("gather_nd", "sparse_read", "_strided_slice_assign", "is_initialized"):
        changes.set(assigned_class, name, _after_write(changes.get(base, name)))
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


@patch(
    "a variable's regularizer",
    source="ops/variable_scope.py, _VariableStore._get_single_variable",
    test="tests/runtime/tf1/test_regularizers.py",
    serves=("get_variable:regularizer", "variable_scope:regularizer"),
)
def one_loss_a_variable(changes: Patch) -> None:
    """Lets `tf.get_variable` call a regularizer once, and collect the loss that it returns.

    TF 2 calls it three times, and adds an object that is not a `tf.Tensor`, and that builds the
    loss anew at each use. A regularizer that adds its loss to a collection itself thus doubled the
    weight decay.
    """

    @changes.around(changes.private("ops.variable_scope._VariableStore"), "_get_single_variable")
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
