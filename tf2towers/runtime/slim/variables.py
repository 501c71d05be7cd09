"""Making and finding variables (`tf.contrib.framework`'s half of slim)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.slim.arg_scopes import add_arg_scope

v1 = tf.compat.v1

create_global_step = v1.train.create_global_step
get_global_step = v1.train.get_global_step
get_or_create_global_step = v1.train.get_or_create_global_step
assert_global_step = v1.train.assert_global_step


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """`tf.contrib.framework.assert_or_get_global_step`: the given step, checked, or the graph's."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
) -> Any:
    """`tf.contrib.framework.variable`: `get_variable` with a device and a list of collections."""
    chosen = [v1.GraphKeys.GLOBAL_VARIABLES] if collections is None else list(dict.fromkeys(collections))
    getter = v1.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=v1.get_variable_scope().reuse)
    with v1.device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=chosen,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = tf.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
) -> Any:
    """`tf.contrib.framework.model_variable`: a variable that is also in MODEL_VARIABLES."""
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or []), v1.GraphKeys.GLOBAL_VARIABLES, v1.GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def model_variable_getter(rename: dict[str, str] | None = None) -> Callable[..., Any]:
    """A custom getter that makes the variables of a `tf.layers` layer model variables, under slim's names for them."""

    def layer_variable_getter(getter: Any, name: str, **options: Any) -> Any:
        scope, slash, short_name = name.rpartition("/")
        known = {"shape", "dtype", "initializer", "regularizer", "trainable", "collections", "caching_device"}
        known |= {"partitioner", "use_resource", "synchronization", "aggregation"}
        return model_variable(
            scope + slash + (rename or {}).get(short_name, short_name),
            custom_getter=getter,
            **{option: value for option, value in options.items() if option in known},
        )

    return layer_variable_getter


@unconverted
def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """`tf.contrib.framework.local_variable`: not trainable, not saved."""
    return _plain_variable(initial_value, v1.GraphKeys.LOCAL_VARIABLES, validate_shape, name, use_resource)


@unconverted
def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """`tf.contrib.framework.global_variable`: not trainable, saved."""
    return _plain_variable(initial_value, v1.GraphKeys.GLOBAL_VARIABLES, validate_shape, name, use_resource)


def _plain_variable(
    value: Any, collection: str, validate_shape: bool, name: str | None, resource: bool | None
) -> Any:
    return v1.Variable(
        value,
        trainable=False,
        collections=[collection],
        validate_shape=validate_shape,
        name=name,
        use_resource=resource,
    )


def add_model_variable(var: Any) -> None:
    """Adds the variable to MODEL_VARIABLES, once."""
    if not any(var is other for other in v1.get_collection(v1.GraphKeys.MODEL_VARIABLES)):
        v1.add_to_collection(v1.GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = v1.GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a collection whose name starts with `scope` (a string or a variable scope) and ends so."""
    if isinstance(scope, v1.VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = (scope or "") + ".*" + (suffix if ":" in suffix else suffix + ":")
    return list(v1.get_collection(collection, scope))


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of MODEL_VARIABLES: what slim's layers made."""
    return get_variables(scope, suffix, v1.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, v1.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, v1.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The variables whose name ends with `suffix`."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The variables whose name without scopes is `given_name`."""
    return get_variables(scope=scope, suffix="/" + given_name + ":|^" + given_name + ":")


def get_unique_variable(var_op_name: str) -> Any:
    """The one variable of that full name. Raises ValueError where there is none."""
    for candidate in get_variables(scope=var_op_name):
        if get_variable_full_name(candidate) == var_op_name:
            return candidate
    raise ValueError(f"Couldn't find variable {var_op_name}")


def get_variable_full_name(var: Any) -> str:
    """The variable's name, as a checkpoint has it: a part of a partitioned variable has the whole one's."""
    part = var._get_save_slice_info()
    return str(part.full_name if part else var.name).split(":")[0]


def get_variables_to_restore(
    include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
) -> list[Any]:
    """The variables in any scope of `include` (default: all) and in none of `exclude`.

    Raises:
        TypeError: one of them is given and is neither a list nor a tuple.
    """
    for argument, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{argument} is provided but is not a list or a tuple.")
    included = (
        get_variables()
        if include is None
        else [get_variable for scope in include for get_variable in get_variables(scope)]
    )
    excluded = {id(get_variable) for scope in exclude or () for get_variable in get_variables(scope)}
    return [kept for kept in included if id(kept) not in excluded]


def filter_variables(
    var_list: Sequence[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose name matches any pattern of the first list (default: all) and none of the second."""
    matches = re.search if reg_search else re.match
    return [
        var
        for var in var_list
        if (include_patterns is None or any(matches(pattern, var.name) for pattern in include_patterns))
        and not any(matches(pattern, var.name) for pattern in exclude_patterns or ())
    ]
