"""What every TF1 layer object does: take a variable scope at its first call, make variables there and reuse them."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import tensorflow as tf

from tf2towers.runtime.graph_session.private import get_variable
from tf2towers.runtime.layers.arguments import initializer_function
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.moving_average import as_operation
from tf2towers.runtime.layers.types import Constraint, Initializer, Regularizer

v1 = tf.compat.v1
#: how many layers of a class a graph has that were given no name
_object_names: WeakKeyDictionary[tf.Graph, Counter[str]] = WeakKeyDictionary()


@dataclass
class InputSpec:
    """What a layer asks of its input (`tf.layers.InputSpec`)."""

    dtype: Any = None
    shape: Any = None
    ndim: int | None = None
    max_ndim: int | None = None
    min_ndim: int | None = None
    axes: dict[int, int | None] | None = None

    def check(self, inputs: tf.Tensor, layer: str) -> None:
        """Raises ValueError where the rank or a fixed dimension of `inputs` cannot fit."""
        rank = inputs.shape.rank
        if rank is None:
            return
        wrong = f"Input 0 of layer {layer} is incompatible with the layer"
        if self.ndim is not None and rank != self.ndim:
            raise ValueError(f"{wrong}: expected ndim={self.ndim}, found ndim={rank}")
        if self.min_ndim is not None and rank < self.min_ndim:
            raise ValueError(f"{wrong}: expected min_ndim={self.min_ndim}, found ndim={rank}")
        if self.max_ndim is not None and rank > self.max_ndim:
            raise ValueError(f"{wrong}: expected max_ndim={self.max_ndim}, found ndim={rank}")
        for axis, size in (self.axes or {}).items():
            if size is not None and inputs.shape.as_list()[axis] not in (size, None):
                raise ValueError(
                    f"{wrong}: expected axis {axis} to have value {size}, found shape {inputs.shape}"
                )


def snake_case(name: str) -> str:
    """The default scope of a layer class: `snake_case('BasicLSTMCell') == 'basic_lstm_cell'`."""
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return "private" + snake if snake.startswith("_") else snake


class Layer:
    """Base of the layers (`tf.layers.Layer`): `build` makes variables, `call` computes.

    A layer without a `name` opens a scope named after its class, made unique ('dense', 'dense_1'); the object remembers
    the scope of its first call, and later calls reuse its variables. `_scope` and `_reuse` are what the functional
    layers pass, as in TF1: there the scope is the given name as it stands.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: Any = None,
        dtype: Any = None,
        activity_regularizer: Regularizer = None,
        _scope: Any = None,
        _reuse: Any = None,
    ) -> None:
        self.trainable = trainable
        self.activity_regularizer = activity_regularizer
        self.input_spec: InputSpec | None = None
        self.built = False
        self._dtype = None if dtype is None else tf.as_dtype(dtype).base_dtype
        self._reuse = _reuse
        self._base_name = getattr(name, "name", name) or snake_case(type(self).__name__)
        given = name if isinstance(name, str) else None
        self._name = given or _next_object_name(snake_case(type(self).__name__))
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        self._make_losses: dict[
            int, Callable[[], Any]
        ] = {}  # by what it is the loss of, which a tower reuses
        self._scope: Any = None
        if _scope:
            with v1.variable_scope(_scope) as captured:
                self._scope = captured

    @property
    def name(self) -> str:
        """The name given, or the class's own with a number, from 1 in each graph: the scope 'dense' is of 'dense_1'."""
        return str(self._name)

    @property
    def scope_name(self) -> str:
        """The variable scope of the layer; known after its first call."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self.name}" has not been used yet.'
            )
        return str(self._scope.name)

    @property
    def dtype(self) -> Any:
        """The type of the variables: the one given, or the first input's; None before."""
        return self._dtype

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables an optimizer may change."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The others."""
        return (
            list(self._non_trainable_weights)
            if self.trainable
            else self._trainable_weights + self._non_trainable_weights
        )

    @property
    def weights(self) -> list[Any]:
        """All of them, trainable first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)
    variables = property(lambda self: self.weights)

    @property
    def updates(self) -> list[Any]:
        """The update operations of the calls so far."""
        return list(self._updates)

    @property
    def losses(self) -> list[Any]:
        """The losses of the calls so far, and those of the weights' regularizers, computed anew as in TF1."""
        return self._losses + [loss for make in self._make_losses.values() if (loss := make()) is not None]

    def build(self, input_shape: Any) -> None:
        """Makes the variables; called once, with the shape (or nest of shapes) of the first input.

        A script may call it by itself, which is that once: the layers' own say at their end that they are `built`.
        """
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The layer's result for `inputs`."""
        return inputs

    @unconverted
    def __call__(self, inputs: Any, *args: Any, scope: Any = None, **kwargs: Any) -> Any:
        """Builds on the first call, then computes; `scope` stands in for the layer's own on that first call."""
        self._set_scope(scope)
        inputs = tf.nest.map_structure(_tensor, inputs)
        first_type = getattr(next(iter(tf.nest.flatten(inputs)), None), "dtype", None)
        if self._dtype is None and first_type is not None:
            self._dtype = tf.as_dtype(first_type).base_dtype
        reuse = True if self.built else self._reuse
        with (
            v1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current,
            v1.name_scope(current.original_name_scope),
        ):
            if not self.built:
                self._first_call(inputs)
            if self._call_takes_scope():
                kwargs["scope"] = current
            outputs = self.call(inputs, *args, **kwargs)
            if self.activity_regularizer is not None:
                self._regularize_activity(outputs)
        return outputs

    def get_weights(self) -> list[Any]:
        """The values of the variables, in the default session."""
        return list(_default_session().run(self.weights))

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives them other values there.

        Raises:
            ValueError: for another number of values, or other shapes.
        """
        known = self.weights
        if len(known) != len(weights):
            raise ValueError(f"{self.name} has {len(known)} weights, and was given {len(weights)}")
        for variable, value in zip(known, weights, strict=True):
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise ValueError(f"{variable.name} has the shape {variable.shape}, not {np.shape(value)}")
        for variable, value in zip(known, weights, strict=True):
            variable.load(value, _default_session())

    @unconverted
    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def add_weight(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Initializer = None,
        regularizer: Regularizer = None,
        trainable: bool | None = None,
        constraint: Constraint = None,
        use_resource: bool | None = None,
        synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
        aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
        partitioner: Any = None,
    ) -> Any:
        """A variable of this name in the layer's scope, made by `tf.compat.v1.get_variable` or found by it."""
        if trainable is None:
            trainable = synchronization != tf.VariableSynchronization.ON_READ
        trainable = bool(trainable and self.trainable)
        dtype = tf.as_dtype(dtype or self.dtype or tf.float32)
        if self._dtype is None:  # built before its first call
            self._dtype = dtype.base_dtype
        self._set_scope(None)
        reuse = True if self.built else self._reuse
        with (
            v1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current,
            v1.name_scope(current.original_name_scope),
        ):
            variable = get_variable(
                name,
                shape=shape,
                dtype=dtype,
                initializer=_initializer_or_default(initializer, current.initializer, dtype),
                regularizer=self._weights_regularizer(name, regularizer, current),
                trainable=trainable,
                constraint=constraint,
                use_resource=use_resource,
                synchronization=synchronization,
                aggregation=aggregation,
                partitioner=partitioner,
            )
        # a custom getter may have overridden it; partitioned ones TF1 did not list as trainable
        self._remember(variable, trainable and getattr(variable, "trainable", False))
        return variable

    add_variable = add_weight

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Puts operations, or those that functions without arguments make, into UPDATE_OPS.

        A layer that is not trainable makes none. TF1 built them and did not list them; inside a `tf.function` what is
        built also runs.
        """
        del inputs
        if not self.trainable:
            return
        given = updates if isinstance(updates, (list, tuple)) else [updates]
        updates = [
            as_operation(update)
            for part in given
            for update in (tf.nest.flatten(part()) if callable(part) else [part])
        ]
        self._updates += updates
        if not tf.executing_eagerly():
            for update in updates:
                v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, update)

    def count_params(self) -> int:
        """How many numbers its variables have.

        Raises:
            ValueError: before the first call.
        """
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built.")
        return sum(int(np.prod(variable.shape.as_list())) for variable in self.weights)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Puts loss tensors, or what functions without arguments make of the weights, into REGULARIZATION_LOSSES."""
        del inputs
        made: list[Any] = []
        for loss in tf.nest.flatten(losses):
            if callable(loss):
                self._make_losses[id(loss)] = loss
                made.append(loss())
            elif loss is not None:
                self._losses.append(loss)
                made.append(loss)
        for loss in made:
            if loss is not None:
                v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, loss)

    def _set_scope(self, scope: Any) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            opened = v1.variable_scope(self._base_name if scope is None else scope)
        else:
            opened = v1.variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def _first_call(self, inputs: Any) -> None:
        flat = tf.nest.flatten(inputs)
        if flat and self.input_spec is not None:
            self.input_spec.check(flat[0], self.name)
        self.build(tf.nest.map_structure(lambda tensor: tensor.shape, inputs))
        self.built = True

    def _call_takes_scope(self) -> bool:
        code = getattr(type(self).call, "__code__", None)
        return code is not None and "scope" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def _regularize_activity(self, outputs: Any) -> None:
        assert self.activity_regularizer is not None
        with v1.name_scope("ActivityRegularizer"):
            for output in tf.nest.flatten(outputs):
                loss = self.activity_regularizer(output)
                self.add_loss(loss / tf.cast(tf.shape(output)[0], loss.dtype))

    def _weights_regularizer(self, name: str, regularizer: Regularizer, scope: Any) -> Regularizer:
        """What gives the losses of a new variable: its scope's, then the layer's own.

        TF1 lists both. The layer's own is in the layer's name scope, so it is found by the tower that made it,
        `get_collection(REGULARIZATION_LOSSES, scope)`; `get_variable` puts a loss into the variable's.
        """
        if regularizer is None:
            return scope.regularizer

        def of_layer(variable: Any) -> Any:
            make = functools.partial(_loss_of, name, regularizer, variable)
            self._make_losses[id(variable)] = make
            with v1.name_scope(scope.original_name_scope):
                return make()

        def of_both(variable: Any) -> Any:
            if (loss := scope.regularizer(variable)) is not None:
                v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, loss)
            return of_layer(variable)

        return of_layer if scope.regularizer is None else of_both

    def _remember(self, variable: Any, trainable: bool) -> None:
        known = self._trainable_weights + self._non_trainable_weights
        if not any(variable is other for other in known):
            (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)


def _default_session() -> Any:
    session = v1.get_default_session()
    if session is None:
        raise RuntimeError("the values of weights are those of a session: there is no default one here")
    return session


def _next_object_name(name: str) -> str:
    counts = _object_names.setdefault(v1.get_default_graph(), Counter())
    counts[name] += 1
    return f"{name}_{counts[name]}"


def _tensor(value: Any) -> Any:
    return tf.convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic, float, int)) else value


def _initializer_or_default(initializer: Initializer, of_scope: Initializer, dtype: tf.DType) -> Initializer:
    """The layer's own initializer, else its scope's, else Glorot uniform (zeros for integers and booleans)."""
    chosen = initializer_function(initializer if initializer is not None else of_scope)
    if chosen is not None:
        return chosen
    return v1.glorot_uniform_initializer() if dtype.is_floating else v1.zeros_initializer()


def _loss_of(name: str, regularizer: Callable[[Any], Any], variable: Any) -> Any:
    with v1.name_scope(f"{name}/Regularizer"):
        return regularizer(variable)
