"""Attention: Bahdanau's (2014) and Luong's (2015), and the wrapper that adds it to a cell."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.tf1.layers import Dense  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.rnn_cell import RNNCell  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.seq2seq.decoding import size_of

v1 = tf.compat.v1


class AttentionMechanism:
    """A memory: called with a query, it gives alignments [batch, time] and its next state."""


class _Attention(AttentionMechanism):
    """What both mechanisms share: keys and values of a memory, and probabilities of scores.

    Args:
        num_units, memory: the depth that the memory, [batch, time, ...], is brought to.
        memory_sequence_length: int32 [batch]; values after the end are zeros, and their scores
            `score_mask_value`.
        scale: whether there is a variable for the scores' scale; Bahdanau's has `normalize` in its
            place.
        probability_fn: from scores to probabilities, by default softmax.
        score_mask_value: by default minus infinity.
        custom_key_value_fn: makes other keys and values of them.
        dtype, name: of the layers, and of their operations.

    Raises:
        InvalidArgumentError, when it runs: a length is not positive.
        ValueError: a depth is not known.
    """

    _scope: str
    _score: Callable[[Any], Any]

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
        name: str | None = None,
        normalize: bool = False,
    ) -> None:
        self._num_units, self._scaled, self._dtype = num_units, scale or normalize, dtype or tf.float32
        self._probabilities = probability_fn or tf.nn.softmax
        self.query_layer: Any = None
        self.memory_layer = self._layer("memory_layer")
        with v1.name_scope(name or type(self).__name__, values=[memory]):
            values = tf.convert_to_tensor(memory)
            if not values.shape[2:].is_fully_defined():
                raise ValueError(f"attention needs a memory of known depth, and this is {memory}")
            self.batch_size = size_of(values, 0)
            #: the length of the memory; the state is the last alignments
            self.alignments_size = self.state_size = size_of(values, 1)
            self._inside = None
            if memory_sequence_length is not None:
                lengths = tf.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
                with v1.control_dependencies([v1.assert_positive(lengths)]):
                    self._inside = tf.sequence_mask(lengths, tf.shape(values)[1])
                ones = [1] * (values.shape.rank - 2)
                mask = tf.reshape(self._inside, tf.concat([tf.shape(self._inside), ones], 0))
                values *= tf.cast(mask, values.dtype)
            self.keys, self.values = self.memory_layer(values), values
            if custom_key_value_fn is not None:
                self.keys, self.values = custom_key_value_fn(self.keys, values)
        self._mask_value = -math.inf if score_mask_value is None else score_mask_value

    def _layer(self, name: str) -> Any:
        return Dense(self._num_units, name=name, use_bias=False, dtype=self._dtype)

    def _probability_fn(self, score: Any, state: Any = None) -> Any:
        """The probabilities of scores [batch, time]."""
        if self._inside is not None:
            score = tf.where(self._inside, score, tf.cast(self._mask_value, score.dtype))
        return self._probabilities(score)

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Alignments of the query [batch, ...]: they are the next state, too."""
        with v1.variable_scope(None, self._scope, [query]):
            alignments = self._probability_fn(self._score(query), state)
        return alignments, alignments

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros [batch, time]: also the state before the first query."""
        return tf.zeros([batch_size, self.alignments_size], dtype)

    initial_state = initial_alignments


def masked_score(
    score: Any, memory_sequence_length: Any = None, memory_mask: Any = None, score_mask_value: Any = None
) -> Any:
    """`attention_wrapper._maybe_mask_score`: scores [batch, time], masked after each length.

    Up to TF 1.12 `score_mask_value` came third. A length that is not positive is an
    InvalidArgumentError.
    """
    if isinstance(memory_mask, int | float):
        memory_mask, score_mask_value = None, memory_mask
    inside = memory_mask
    if memory_sequence_length is not None:
        with v1.control_dependencies([v1.assert_positive(memory_sequence_length)]):
            inside = tf.sequence_mask(memory_sequence_length, tf.shape(score)[1])
    return score if inside is None else v1.where(inside, score, score_mask_value * tf.ones_like(score))


def prepared_memory(
    memory: Any,
    memory_sequence_length: Any = None,
    memory_mask: Any = None,
    check_inner_dims_defined: bool = True,
) -> Any:
    """`attention_wrapper._prepare_memory`: a nest of [batch, time, ...], zeros after lengths.

    Up to TF 1.12 `check_inner_dims_defined` came third. A depth that is not known is a ValueError
    then.
    """
    if isinstance(memory_mask, bool):
        memory_mask, check_inner_dims_defined = None, memory_mask
    values = tf.nest.map_structure(tf.convert_to_tensor, memory)
    first = tf.nest.flatten(values)[0]
    if check_inner_dims_defined and not all(
        each.shape[2:].is_fully_defined() for each in tf.nest.flatten(values)
    ):
        raise ValueError(f"attention needs a memory of known depth, and this is {memory}")
    inside = memory_mask
    if memory_sequence_length is not None:
        inside = tf.sequence_mask(memory_sequence_length, tf.shape(first)[1])
    if inside is None:
        return values

    def masked(each: Any) -> Any:
        ones = tf.ones([tf.rank(each) - 2], tf.int32)
        return each * tf.reshape(tf.cast(inside, each.dtype), tf.concat([tf.shape(inside), ones], 0))

    return tf.nest.map_structure(masked, values)


class LuongAttention(_Attention):
    """Multiplicative attention: a score is query times key, by a variable if `scale`."""

    _scope = "luong_attention"

    def _score(self, query: Any) -> Any:
        score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), self.keys, transpose_b=True), [1])
        if self._scaled:
            score *= v1.get_variable("attention_g", (), query.dtype, v1.ones_initializer())
        return score


class BahdanauAttention(_Attention):
    """Additive attention: a score is v * tanh(key + query), summed; see `_Attention`.

    With `normalize`, v has a length of its own, and the sum a bias (Salimans and Kingma, 2016).
    """

    _scope = "bahdanau_attention"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.query_layer = self._layer("query_layer")

    def _score(self, query: Any) -> Any:
        added = tf.expand_dims(self.query_layer(query), 1) + self.keys
        dtype, units = added.dtype, self.keys.shape.as_list()[-1:]
        v = v1.get_variable("attention_v", units, dtype)
        if self._scaled:
            start = v1.constant_initializer(math.sqrt(1.0 / self._num_units))
            length = v1.get_variable("attention_g", (), dtype, start)
            added += v1.get_variable("attention_b", units, dtype, v1.zeros_initializer())
            v = length * v * tf.math.rsqrt(tf.reduce_sum(tf.square(v)))
        return tf.reduce_sum(v * tf.tanh(added), [2])


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper`; what mechanisms have is a tuple of several."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> "AttentionWrapperState":
        """The state with other parts."""
        return self._replace(**kwargs)


def attended(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> tuple[Any, Any, Any]:
    """The attention, the alignments and the next state of one mechanism."""
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), attention_mechanism.values), [1])
    attention = context if attention_layer is None else attention_layer(tf.concat([cell_output, context], 1))
    return attention, alignments, next_state


class AttentionWrapper(RNNCell):
    """A cell that attends: its input is joined to the last attention, its output asks the memory.

    Args:
        cell: an RNN cell.
        attention_mechanism: a mechanism, or several.
        attention_layer_size: the depth of the layer that joins output and context, one for each
            mechanism; by default there is no layer, and the attention is the context. Or
            `attention_layer`, the layer itself.
        alignment_history: whether the state keeps the alignments of all steps, as TensorArrays.
        cell_input_fn: joins inputs and attention; by default along the last axis.
        output_attention: whether the attention is the output, not the cell's output.
        initial_cell_state: the cell's state in `zero_state`.
        attention_fn: in place of `attended`.
        name, dtype: of the wrapper's own layer.

    Raises:
        ValueError: numbers of layers and mechanisms differ, or layers and their sizes are both
            given.
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
        self._is_multi = isinstance(attention_mechanism, list | tuple)
        mechanisms, sizes = _listed(attention_mechanism), _listed(attention_layer_size)
        layers = [None] * len(mechanisms) if attention_layer is None else _listed(attention_layer)
        if attention_layer_size is not None:
            new = partial(Dense, name="attention_layer", use_bias=False, dtype=mechanisms[0].keys.dtype)
            layers = [new(size) for size in sizes]
        if len(layers) != len(mechanisms) or not (attention_layer is None or attention_layer_size is None):
            raise ValueError("a mechanism takes one attention_layer, or one attention_layer_size")
        self._attention_mechanisms, self._attention_layers = mechanisms, layers
        self._cell, self._attention_fn = cell, attention_fn or attended
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        self._output_attention, self._alignment_history = output_attention, alignment_history
        self._attention_layer_size = sum(map(self._size_of_attention, mechanisms, layers))
        self._initial_cell_state = initial_cell_state

    def _size_of_attention(self, mechanism: Any, layer: Any) -> Any:
        depth = mechanism.values.shape.as_list()[-1]
        if layer is None:
            return depth
        joined = [None, self._cell.output_size + depth]
        return tf.TensorShape(layer.compute_output_shape(joined)).as_list()[-1]

    def _item_or_tuple(self, values: Sequence[Any]) -> Any:
        """What belongs to the mechanisms: a tuple where there are several."""
        return tuple(values) if self._is_multi else values[0]

    def _batch_size_checks(self, batch_size: Any, error_message: str) -> list[Any]:
        """Checks that a batch has as many rows as each memory; subclasses of TF 1's call it."""
        return [
            v1.assert_equal(batch_size, each.batch_size, message=error_message)
            for each in self._attention_mechanisms
        ]

    @property
    def output_size(self) -> Any:
        """That of the attention, or of the cell."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the state's parts."""
        sizes = [each.alignments_size for each in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_layer_size,
            time=tf.TensorShape([]),
            alignments=self._item_or_tuple(sizes),
            alignment_history=self._item_or_tuple(sizes if self._alignment_history else [()] * len(sizes)),
            attention_state=self._item_or_tuple([each.state_size for each in self._attention_mechanisms]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step; the cell's is `initial_cell_state` if given."""
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            mechanisms = self._attention_mechanisms
            alignments = [each.initial_alignments(batch_size, dtype) for each in mechanisms]
            new = partial(v1.TensorArray, dtype, size=0, dynamic_size=True)
            keeps = self._alignment_history
            histories = [new(element_shape=each.shape) if keeps else () for each in alignments]
            return AttentionWrapperState(
                cell_state=cell_state,
                attention=tf.zeros([batch_size, self._attention_layer_size], dtype),
                time=tf.constant(0),
                alignments=self._item_or_tuple(alignments),
                alignment_history=self._item_or_tuple(histories),
                attention_state=self._item_or_tuple(
                    [each.initial_state(batch_size, dtype) for each in mechanisms]
                ),
            )

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """A step of the cell, and what it attends to then."""
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        states, histories = (
            value if self._is_multi else (value,)
            for value in (state.attention_state, state.alignment_history)
        )
        asked = zip(self._attention_mechanisms, states, self._attention_layers, strict=True)
        found = [self._attention_fn(each, output, previous, layer) for each, previous, layer in asked]
        attentions, alignments, next_states = zip(*found, strict=True)
        attention = tf.concat(attentions, 1)
        if self._alignment_history:
            pairs = zip(histories, alignments, strict=True)
            histories = [history.write(state.time, alignment) for history, alignment in pairs]
        parts = map(self._item_or_tuple, (alignments, histories, next_states))
        next_state = AttentionWrapperState(cell_state, attention, state.time + 1, *parts)
        return (attention if self._output_attention else output), next_state


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
