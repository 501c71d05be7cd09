"""Attention: the mechanisms of Bahdanau (2014) and Luong (2015), and the wrapper that joins them to a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.tf1.layers import Dense  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.rnn_cell import RNNCell  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.seq2seq.decoding import known_size, size_of

v1 = tf.compat.v1


class AttentionMechanism:
    """A memory that is asked with a query: called, it gives alignments [batch, time] and its next state."""

    @property
    def alignments_size(self) -> Any:
        """The length of the memory."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """The size of the state."""
        raise NotImplementedError


class _Attention(AttentionMechanism):
    """What both mechanisms share: keys and values [batch, time, ...] of a memory, and probabilities of scores.

    Args:
        query_layer: the queries' layer, or None.
        memory_layer: makes the keys.
        memory: [batch, time, ...], or a nest whose first tensor tells the sizes.
        memory_sequence_length: int32 [batch]; values after the end are zeros, and their scores `score_mask_value`.
        probability_fn: from scores to probabilities, by default softmax.
        score_mask_value: by default minus infinity.
        custom_key_value_fn: makes other keys and values of them.

    Raises:
        InvalidArgumentError, when it runs: a length is not positive.
    """

    def __init__(
        self,
        query_layer: Any,
        memory_layer: Any,
        memory: Any,
        memory_sequence_length: Any,
        probability_fn: Callable[[Any], Any] | None,
        score_mask_value: Any,
        custom_key_value_fn: Callable[[Any, Any], Any] | None,
        name: str,
    ) -> None:
        self.query_layer, self.memory_layer, self._name = query_layer, memory_layer, name
        self._probabilities = probability_fn or tf.nn.softmax
        with v1.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            self._inside = None
            self.values = tf.nest.map_structure(tf.convert_to_tensor, memory)
            first = tf.nest.flatten(self.values)[0]
            for values in tf.nest.flatten(self.values):
                if not values.shape[2:].is_fully_defined():
                    raise ValueError(
                        f"Expected memory {values.name} to have fully defined inner dims, but saw shape: {values.shape}"
                    )
            if memory_sequence_length is not None:
                lengths = tf.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
                self._inside = tf.sequence_mask(lengths, tf.shape(first)[1])
                message = "All values in memory_sequence_length must be greater than zero."
                self._checks = [v1.assert_positive(lengths, message=message)]
                self.values = tf.nest.map_structure(self._masked, self.values)
            self.keys = memory_layer(self.values)
            if custom_key_value_fn is not None:
                self.keys, self.values = custom_key_value_fn(self.keys, self.values)
            self.batch_size = size_of(first, 0)
            self._alignments_size = size_of(first, 1)
        dtype = tf.nest.flatten(self.keys)[0].dtype
        self._mask_value = tf.constant(-math.inf if score_mask_value is None else score_mask_value, dtype)

    def _masked(self, values: Any) -> Any:
        inside = tf.cast(self._inside, values.dtype)
        return values * tf.reshape(inside, tf.concat([tf.shape(inside), [1] * (values.shape.rank - 2)], 0))

    def _probability_fn(self, score: Any, state: Any = None) -> Any:
        """The probabilities of scores [batch, time]."""
        if self._inside is not None:
            with v1.control_dependencies(self._checks):
                score = tf.where(self._inside, score, self._mask_value)
        return self._probabilities(score)

    @property
    def alignments_size(self) -> Any:
        """The length of the memory."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """The state is the last alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros [batch, time]."""
        return tf.zeros([batch_size, self._alignments_size], dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state before the first query."""
        return self.initial_alignments(batch_size, dtype)


class LuongAttention(_Attention):
    """Multiplicative attention: a score is the product of query and key.

    Args:
        num_units: the depth of the queries.
        memory, memory_sequence_length, probability_fn, score_mask_value, custom_key_value_fn: see `_Attention`.
        scale: whether a variable multiplies the scores.
        dtype: of the layer.
        name: of the layer's operations.
    """

    def __init__(
        self,
        num_units: Any,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        layer = Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or tf.float32)
        super().__init__(
            None,
            layer,
            memory,
            memory_sequence_length,
            probability_fn,
            score_mask_value,
            custom_key_value_fn,
            name,
        )
        self._num_units, self._scale = num_units, scale

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Alignments of the query [batch, num_units].

        Raises:
            ValueError: the query has another depth.
        """
        with v1.variable_scope(None, "luong_attention", [query]):
            depths = known_size(query, -1), known_size(self.keys, -1)
            if depths[0] != depths[1]:
                raise ValueError(
                    f"Incompatible or unknown inner dimensions between query and keys.  Query ({query}) has units: "
                    f"{depths[0]}.  Keys ({self.keys}) have units: {depths[1]}."
                )
            score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), self.keys, transpose_b=True), [1])
            if self._scale:
                score *= v1.get_variable("attention_g", (), query.dtype, v1.ones_initializer())
            alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(_Attention):
    """Additive attention: a score is v * tanh(key + query), summed.

    Args:
        num_units: the depth that queries and memory are brought to.
        memory, memory_sequence_length, probability_fn, score_mask_value, custom_key_value_fn: see `_Attention`.
        normalize: whether v has a length of its own, and the sum a bias (Salimans and Kingma, 2016).
        dtype: of the layers.
        name: of the layers' operations.
    """

    def __init__(
        self,
        num_units: Any,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        query_layer, memory_layer = (
            Dense(num_units, name=layer, use_bias=False, dtype=dtype or tf.float32)
            for layer in ("query_layer", "memory_layer")
        )
        options = (probability_fn, score_mask_value, custom_key_value_fn, name)
        super().__init__(query_layer, memory_layer, memory, memory_sequence_length, *options)
        self._num_units, self._normalize = num_units, normalize

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Alignments of the query [batch, ...]."""
        with v1.variable_scope(None, "bahdanau_attention", [query]):
            added = tf.expand_dims(self.query_layer(query), 1) + self.keys
            dtype, units = added.dtype, [known_size(self.keys, -1)]
            v = v1.get_variable("attention_v", units, dtype)
            if self._normalize:
                length = v1.get_variable(
                    "attention_g", (), dtype, v1.constant_initializer(math.sqrt(1.0 / self._num_units))
                )
                added += v1.get_variable("attention_b", units, dtype, v1.zeros_initializer())
                v = length * v * tf.math.rsqrt(tf.reduce_sum(tf.square(v)))
            alignments = self._probability_fn(tf.reduce_sum(v * tf.tanh(added), [2]), state)
        return alignments, alignments


class _State(NamedTuple):
    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any


class AttentionWrapperState(_State):
    """The state of an `AttentionWrapper`; what belongs to a mechanism is a tuple where there are several."""

    __slots__ = ()

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with other parts; tensors keep the shapes that are known.

        Raises:
            ValueError: a tensor has another shape.
        """

        def keep_shape(old: Any, new: Any) -> Any:
            if isinstance(old, tf.Tensor) and isinstance(new, tf.Tensor):
                if not old.shape.is_compatible_with(new.shape):
                    raise ValueError(
                        f"Invalid shape for tensor {new.name}, expected {old.shape}, got {new.shape}."
                    )
                new = tf.identity(new)
                new.set_shape(old.shape)
            return new

        given = {
            name: tf.nest.map_structure(keep_shape, getattr(self, name), new) for name, new in kwargs.items()
        }
        return self._replace(**given)


def _attend(
    mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> tuple[Any, Any, Any]:
    """The attention, the alignments and the next state of one mechanism."""
    alignments, next_state = mechanism(cell_output, state=attention_state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), mechanism.values), [1])
    if attention_layer is None:
        return context, alignments, next_state
    return attention_layer(tf.concat([cell_output, context], 1)), alignments, next_state


class AttentionWrapper(RNNCell):
    """A cell that attends: its input is joined to the last attention, its output asks the memory.

    Args:
        cell: an RNN cell.
        attention_mechanism: a mechanism, or several.
        attention_layer_size: the depth of the layer that joins output and context, one for each mechanism; by default
            there is no layer, and the attention is the context.
        alignment_history: whether the state keeps the alignments of all steps, as TensorArrays.
        cell_input_fn: joins inputs and attention; by default along the last axis.
        output_attention: whether the attention is the output, not the cell's output.
        initial_cell_state: the cell's state in `zero_state`.
        name: of the layer.
        attention_layer: the layer itself, one for each mechanism.
        attention_fn: in place of the computation of attention, alignments and next state from a mechanism, the cell's
            output, the mechanism's state and the layer.
        dtype: of the layer.

    Raises:
        ValueError: numbers of layers and mechanisms differ, or a layer and its size are both given.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._several = isinstance(attention_mechanism, list | tuple)
        mechanisms = _listed(attention_mechanism)
        if not all(isinstance(mechanism, AttentionMechanism) for mechanism in mechanisms):
            raise TypeError(
                "attention_mechanism must be an AttentionMechanism or list of multiple AttentionMechanism instances, "
                f"saw {attention_mechanism!r}"
            )
        if not callable(cell) or not hasattr(cell, "state_size") or not hasattr(cell, "output_size"):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        layers = _listed(attention_layer)
        for what, given in (
            ("attention_layer_size", attention_layer_size),
            ("attention_layer", attention_layer),
        ):
            if given is not None and len(_listed(given)) != len(mechanisms):
                counts = f"{len(_listed(given))} vs {len(mechanisms)}"
                one = "layer" if what == "attention_layer" else "integer"
                raise ValueError(
                    f"If provided, {what} must contain exactly one {one} per attention_mechanism, saw: {counts}"
                )
        if attention_layer_size is not None:
            layers = [
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.keys.dtype)
                for size, mechanism in zip(_listed(attention_layer_size), mechanisms, strict=True)
            ]
        elif attention_layer is None:
            layers = [None] * len(mechanisms)
        self._attention_mechanisms, self._attention_layers = mechanisms, layers
        self._cell, self._attention_fn = cell, attention_fn or _attend
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        self._output_attention, self._alignment_history = output_attention, alignment_history
        self._attention_layer_size = sum(map(self._size_of_attention, mechanisms, layers))
        self._initial_cell_state = initial_cell_state
        if initial_cell_state is not None:
            first = tf.nest.flatten(initial_cell_state)[-1]
            self._initial_cell_state = tf.nest.map_structure(
                partial(self._checked, size_of(first, 0), "initial_cell_state"),
                initial_cell_state,
            )

    def _size_of_attention(self, mechanism: Any, layer: Any) -> Any:
        depth = known_size(mechanism.values, -1)
        if layer is None:
            return depth
        shape = tf.TensorShape(layer.compute_output_shape([None, self._cell.output_size + depth]))
        return shape.as_list()[-1]

    def _checked(self, batch_size: Any, what: str, tensor: Any) -> Any:
        """The tensor, after the check that its batch is as large as the memories'."""
        message = (
            f"AttentionWrapper {self.name}: the memory and {what} have batches of different sizes. With "
            "a BeamSearchDecoder the memory, its lengths and the states have to go through tile_batch."
        )
        checks = [
            v1.assert_equal(mechanism.batch_size, batch_size, message=message)
            for mechanism in self._attention_mechanisms
        ]
        with v1.control_dependencies(checks):
            return tf.identity(tensor)

    def _of_each(self, values: Sequence[Any]) -> Any:
        """What belongs to the mechanisms: a tuple where there are several."""
        return tuple(values) if self._several else values[0]

    @property
    def output_size(self) -> Any:
        """That of the attention, or of the cell."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the state's parts."""
        alignments = self._of_each([mechanism.alignments_size for mechanism in self._attention_mechanisms])
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_layer_size,
            time=tf.TensorShape([]),
            alignments=alignments,
            alignment_history=alignments
            if self._alignment_history
            else self._of_each([()] * len(self._attention_mechanisms)),
            attention_state=self._of_each([mechanism.state_size for mechanism in self._attention_mechanisms]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step; the cell's is `initial_cell_state` where that was given."""
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            alignments = [
                mechanism.initial_alignments(batch_size, dtype) for mechanism in self._attention_mechanisms
            ]
            histories = [
                v1.TensorArray(dtype, size=0, dynamic_size=True, element_shape=alignment.shape)
                if self._alignment_history
                else ()
                for alignment in alignments
            ]
            states = [mechanism.initial_state(batch_size, dtype) for mechanism in self._attention_mechanisms]
            return AttentionWrapperState(
                cell_state=tf.nest.map_structure(partial(self._checked, batch_size, "the state"), cell_state),
                attention=tf.zeros([batch_size, self._attention_layer_size], dtype),
                time=tf.constant(0),
                alignments=self._of_each(alignments),
                alignment_history=self._of_each(histories),
                attention_state=self._of_each(states),
            )

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """A step of the cell, and what it attends to then.

        Raises:
            TypeError: the state is of another kind.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead."
            )
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        output = self._checked(size_of(output, 0), "the query", output)
        states, histories = (
            value if self._several else (value,) for value in (state.attention_state, state.alignment_history)
        )
        attended = [
            self._attention_fn(mechanism, output, previous, layer)
            for mechanism, previous, layer in zip(
                self._attention_mechanisms, states, self._attention_layers, strict=True
            )
        ]
        attention = tf.concat([attention for attention, _, _ in attended], 1)
        alignments = [alignments for _, alignments, _ in attended]
        if self._alignment_history:
            histories = [
                history.write(state.time, alignment)
                for history, alignment in zip(histories, alignments, strict=True)
            ]
        next_state = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._of_each(alignments),
            alignment_history=self._of_each(histories),
            attention_state=self._of_each([next_state for _, _, next_state in attended]),
        )
        return (attention if self._output_attention else output), next_state


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
