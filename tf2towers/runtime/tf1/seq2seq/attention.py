"""Attention: the mechanisms of Bahdanau (2014) and Luong (2015), and the wrapper that joins them to a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.tf1.layers import Dense  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.rnn_cell import RNNCell  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.seq2seq.decoding import known_size, size_of

v1 = tf.compat.v1


class AttentionMechanism:
    """A memory that is asked with a query: called, it gives alignments [batch, time] and its next state."""


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
        ValueError: a depth is not known.
    """

    def __init__(
        self, query_layer: Any, memory_layer: Any, memory: Any, memory_sequence_length: Any, *options: Any
    ) -> None:
        probability_fn, score_mask_value, custom_key_value_fn, name = options
        self.query_layer, self.memory_layer, self._name = query_layer, memory_layer, name
        self._probabilities = probability_fn or tf.nn.softmax
        with v1.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            self._inside = None
            self.values = tf.nest.map_structure(tf.convert_to_tensor, memory)
            first = tf.nest.flatten(self.values)[0]
            if not all(values.shape[2:].is_fully_defined() for values in tf.nest.flatten(self.values)):
                raise ValueError(f"attention needs a memory of known depth, and this is {self.values}")
            if memory_sequence_length is not None:
                lengths = tf.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
                self._inside = tf.sequence_mask(lengths, tf.shape(first)[1])
                self._checks = [v1.assert_positive(lengths, message="memory_sequence_length")]
                self.values = tf.nest.map_structure(self._masked, self.values)
            self.keys = memory_layer(self.values)
            if custom_key_value_fn is not None:
                self.keys, self.values = custom_key_value_fn(self.keys, self.values)
            self.batch_size = size_of(first, 0)
            #: the length of the memory
            self.alignments_size = size_of(first, 1)
            #: the state is the last alignments
            self.state_size = self.alignments_size
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

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros [batch, time]: also the state before the first query."""
        return tf.zeros([batch_size, self.alignments_size], dtype)

    initial_state = initial_alignments


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
        options = (probability_fn, score_mask_value, custom_key_value_fn, name)
        super().__init__(None, layer, memory, memory_sequence_length, *options)
        self._num_units, self._scale = num_units, scale

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Alignments of the query [batch, num_units].

        Raises:
            ValueError: the query has another depth.
        """
        with v1.variable_scope(None, "luong_attention", [query]):
            if known_size(query, -1) != known_size(self.keys, -1):
                raise ValueError(f"the query's depth is not the keys': {query}, {self.keys}")
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


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper`; what belongs to a mechanism is a tuple where there are several."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with other parts; tensors keep the shapes that are known.

        Raises:
            ValueError: a tensor has another shape.
        """
        given = {
            name: tf.nest.map_structure(_keep_shape, getattr(self, name), new) for name, new in kwargs.items()
        }
        return self._replace(**given)


def _keep_shape(old: Any, new: Any) -> Any:
    if isinstance(old, tf.Tensor) and isinstance(new, tf.Tensor):
        new = tf.identity(new)
        new.set_shape(old.shape)
    return new


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
        mechanisms, sizes = _listed(attention_mechanism), attention_layer_size
        if sizes is not None and attention_layer is not None:
            raise ValueError("AttentionWrapper takes attention_layer_size or attention_layer, not both")
        layers = _listed(attention_layer)
        if sizes is not None:
            layers = [
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.keys.dtype)
                for size, mechanism in zip(_listed(sizes), mechanisms, strict=True)
            ]
        elif attention_layer is None:
            layers = [None] * len(mechanisms)
        if len(layers) != len(mechanisms):
            raise ValueError(f"{len(layers)} attention layers for {len(mechanisms)} mechanisms")
        self._attention_mechanisms, self._attention_layers = mechanisms, layers
        self._cell, self._attention_fn = cell, attention_fn or _attend
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        self._output_attention, self._alignment_history = output_attention, alignment_history
        self._attention_layer_size = sum(map(self._size_of_attention, mechanisms, layers))
        self._initial_cell_state = initial_cell_state
        if initial_cell_state is not None:
            rows = size_of(tf.nest.flatten(initial_cell_state)[-1], 0)
            self._initial_cell_state = self._checked(rows, "initial_cell_state", initial_cell_state)

    def _size_of_attention(self, mechanism: Any, layer: Any) -> Any:
        depth = known_size(mechanism.values, -1)
        if layer is None:
            return depth
        shape = tf.TensorShape(layer.compute_output_shape([None, self._cell.output_size + depth]))
        return shape.as_list()[-1]

    def _checked(self, batch_size: Any, what: str, values: Any) -> Any:
        """A nest of tensors, after the check that their batch is as large as the memories'."""
        message = f"{self.name}: {what} and the memory differ in their batch (beam search needs tile_batch)"
        checks = [
            v1.assert_equal(mechanism.batch_size, batch_size, message=message)
            for mechanism in self._attention_mechanisms
        ]
        with v1.control_dependencies(checks):
            return tf.nest.map_structure(tf.identity, values)

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
        mechanisms = self._attention_mechanisms
        alignments = self._of_each([mechanism.alignments_size for mechanism in mechanisms])
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_layer_size,
            time=tf.TensorShape([]),
            alignments=alignments,
            alignment_history=alignments
            if self._alignment_history
            else self._of_each([()] * len(mechanisms)),
            attention_state=self._of_each([mechanism.state_size for mechanism in mechanisms]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step; the cell's is `initial_cell_state` where that was given."""
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            mechanisms = self._attention_mechanisms
            alignments = [mechanism.initial_alignments(batch_size, dtype) for mechanism in mechanisms]
            histories: list[Any] = [()] * len(mechanisms)
            if self._alignment_history:
                histories = [
                    v1.TensorArray(dtype, size=0, dynamic_size=True, element_shape=alignment.shape)
                    for alignment in alignments
                ]
            return AttentionWrapperState(
                cell_state=self._checked(batch_size, "the state", cell_state),
                attention=tf.zeros([batch_size, self._attention_layer_size], dtype),
                time=tf.constant(0),
                alignments=self._of_each(alignments),
                alignment_history=self._of_each(histories),
                attention_state=self._of_each([each.initial_state(batch_size, dtype) for each in mechanisms]),
            )

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """A step of the cell, and what it attends to then."""
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        output = self._checked(size_of(output, 0), "the query", output)
        states, histories = (
            value if self._several else (value,) for value in (state.attention_state, state.alignment_history)
        )
        asked = zip(self._attention_mechanisms, states, self._attention_layers, strict=True)
        attended = [self._attention_fn(each, output, previous, layer) for each, previous, layer in asked]
        attentions, alignments, next_states = zip(*attended, strict=True)
        attention = tf.concat(attentions, 1)
        if self._alignment_history:
            pairs = zip(histories, alignments, strict=True)
            histories = [history.write(state.time, alignment) for history, alignment in pairs]
        next_state = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._of_each(alignments),
            alignment_history=self._of_each(histories),
            attention_state=self._of_each(next_states),
        )
        return (attention if self._output_attention else output), next_state


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
