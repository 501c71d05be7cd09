# Copyright 2017 The TensorFlow Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# From tensorflow/contrib/seq2seq/python/ops/attention_wrapper.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: B905, D101, D102, E731, PLR1704, UP031
# mypy: ignore-errors
"""A powerful dynamic attention wrapper object."""

from __future__ import annotations

import collections
import functools
import math

import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tf2towers.runtime import layers, rnn
from tf2towers.runtime.contrib import support
from tf2towers.runtime.graph_session.private import get_variable


class AttentionMechanism:
    @property
    def alignments_size(self):
        raise NotImplementedError

    @property
    def state_size(self):
        raise NotImplementedError


class _BaseAttentionMechanism(AttentionMechanism):
    """A base AttentionMechanism class providing common functionality."""

    def __init__(
        self,
        query_layer,
        memory,
        probability_fn,
        memory_sequence_length=None,
        memory_layer=None,
        check_inner_dims_defined=True,
        score_mask_value=None,
        custom_key_value_fn=None,
        name=None,
    ):
        """Construct base AttentionMechanism class."""
        if query_layer is not None and not isinstance(query_layer, layers.Layer):
            raise TypeError(f"query_layer is not a Layer: {type(query_layer).__name__}")
        if memory_layer is not None and not isinstance(memory_layer, layers.Layer):
            raise TypeError(f"memory_layer is not a Layer: {type(memory_layer).__name__}")
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = memory_layer.dtype
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        if score_mask_value is None:
            score_mask_value = tf.as_dtype(self._memory_layer.dtype).as_numpy_dtype(-np.inf)
        self._probability_fn = lambda score, prev: probability_fn(
            _maybe_mask_score(
                score, memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value
            ),
            prev,
        )
        with tf.name_scope(name, "BaseAttentionMechanismInit", tf2.nest.flatten(memory)):
            self._values = _prepare_memory(
                memory,
                memory_sequence_length=memory_sequence_length,
                check_inner_dims_defined=check_inner_dims_defined,
            )
            self._keys = self.memory_layer(self._values) if self.memory_layer else self._values
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = tf.dimension_value(self._keys.shape[0]) or tf.shape(self._keys)[0]
            self._alignments_size = tf.dimension_value(self._keys.shape[1]) or tf.shape(self._keys)[1]

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def alignments_size(self):
        return self._alignments_size

    @property
    def state_size(self):
        return self._alignments_size

    def initial_alignments(self, batch_size, dtype):
        """Creates the initial alignment values for the `AttentionWrapper` class."""
        max_time = self._alignments_size
        return support.zero_state_tensors(max_time, batch_size, dtype)

    def initial_state(self, batch_size, dtype):
        """Creates the initial state values for the `AttentionWrapper` class."""
        return self.initial_alignments(batch_size, dtype)


def _luong_score(query, keys, scale):
    """Implements Luong-style (multiplicative) scoring function."""
    depth = query.get_shape()[-1]
    key_units = keys.get_shape()[-1]
    if depth != key_units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  "
            f"Query ({query}) has units: {depth}.  Keys ({keys}) have units: {key_units}.  "
            f"Perhaps you need to set num_units to the keys' dimension ({key_units})?"
        )

    # Reshape from [batch_size, depth] to [batch_size, 1, depth]
    # for matmul.
    query = tf.expand_dims(query, 1)

    # Inner product along the query units dimension.
    # matmul shapes: query is [batch_size, 1, depth] and
    #                keys is [batch_size, max_time, depth].
    # the inner product is asked to **transpose keys' inner shape** to get a
    # batched matmul on:
    #   [batch_size, 1, depth] . [batch_size, depth, max_time]
    # resulting in an output shape of:
    #   [batch_size, 1, max_time].
    # we then squeeze out the center singleton dimension.
    score = tf.matmul(query, keys, transpose_b=True)
    score = tf.squeeze(score, [1])

    if scale is not None:
        score = scale * score
    return score


class LuongAttention(_BaseAttentionMechanism):
    """Implements Luong-style (multiplicative) attention scoring."""

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="LuongAttention",
    ):
        """Construct the AttentionMechanism mechanism."""
        # For LuongAttention, we only transform the memory layer; thus
        # num_units **must** match expected the query depth.
        if probability_fn is None:
            probability_fn = tf.nn.softmax
        if dtype is None:
            dtype = tf.float32
        wrapped_probability_fn = lambda score, _: probability_fn(score)
        super().__init__(
            query_layer=None,
            memory_layer=layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=wrapped_probability_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def __call__(self, query, state):
        """Score the query based on the keys and values."""
        with tf.variable_scope(None, "luong_attention", [query]):
            attention_g = None
            if self._scale:
                attention_g = get_variable(
                    "attention_g", dtype=query.dtype, initializer=tf.ones_initializer, shape=()
                )
            score = _luong_score(query, self._keys, attention_g)
        alignments = self._probability_fn(score, state)
        next_state = alignments
        return alignments, next_state


def _bahdanau_score(processed_query, keys, attention_v, attention_g=None, attention_b=None):
    """Implements Bahdanau-style (additive) scoring function."""
    # Reshape from [batch_size, ...] to [batch_size, 1, ...] for broadcasting.
    processed_query = tf.expand_dims(processed_query, 1)
    if attention_g is not None and attention_b is not None:
        normed_v = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
        return tf.reduce_sum(normed_v * tf.tanh(keys + processed_query + attention_b), [2])
    return tf.reduce_sum(attention_v * tf.tanh(keys + processed_query), [2])


class BahdanauAttention(_BaseAttentionMechanism):
    """Implements Bahdanau-style (additive) attention."""

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="BahdanauAttention",
    ):
        """Construct the Attention mechanism."""
        if probability_fn is None:
            probability_fn = tf.nn.softmax
        if dtype is None:
            dtype = tf.float32
        wrapped_probability_fn = lambda score, _: probability_fn(score)
        super().__init__(
            query_layer=layers.Dense(num_units, name="query_layer", use_bias=False, dtype=dtype),
            memory_layer=layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=wrapped_probability_fn,
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def __call__(self, query, state):
        """Score the query based on the keys and values."""
        with tf.variable_scope(None, "bahdanau_attention", [query]):
            processed_query = self.query_layer(query) if self.query_layer else query
            attention_v = get_variable("attention_v", [self._num_units], dtype=query.dtype)
            if not self._normalize:
                attention_g = None
                attention_b = None
            else:
                attention_g = get_variable(
                    "attention_g",
                    dtype=query.dtype,
                    initializer=tf.constant_initializer(math.sqrt(1.0 / self._num_units)),
                    shape=(),
                )
                attention_b = get_variable(
                    "attention_b", [self._num_units], dtype=query.dtype, initializer=tf.zeros_initializer()
                )

            score = _bahdanau_score(
                processed_query, self._keys, attention_v, attention_g=attention_g, attention_b=attention_b
            )
        alignments = self._probability_fn(score, state)
        next_state = alignments
        return alignments, next_state


def safe_cumprod(x, *args, **kwargs):
    """Computes cumprod of x in logspace using cumsum to avoid underflow."""
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
    """Compute monotonic attention distribution from choosing probabilities."""
    # Force things to be tensors
    p_choose_i = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous_attention = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        # Use .shape[0] when it's not None, or fall back on symbolic shape
        batch_size = tf.dimension_value(p_choose_i.shape[0]) or tf.shape(p_choose_i)[0]
        # Compute [1, 1 - p_choose_i[0], 1 - p_choose_i[1], ..., 1 - p_choose_i[-2]]
        shifted_1mp_choose_i = tf.concat([tf.ones((batch_size, 1)), 1 - p_choose_i[:, :-1]], 1)
        # Compute attention distribution recursively as
        # q[i] = (1 - p_choose_i[i - 1])*q[i - 1] + previous_attention[i]
        # attention[i] = p_choose_i[i]*q[i]
        attention = p_choose_i * tf.transpose(
            tf.scan(
                # Need to use reshape to remind TF of the shape between loop iterations
                lambda x, yz: tf.reshape(yz[0] * x + yz[1], (batch_size,)),
                # Loop variables yz[0] and yz[1]
                [tf.transpose(shifted_1mp_choose_i), tf.transpose(previous_attention)],
                # Initial value of x is just zeros
                tf.zeros((batch_size,)),
            )
        )
    elif mode == "parallel":
        # safe_cumprod computes cumprod in logspace with numeric checks
        cumprod_1mp_choose_i = safe_cumprod(1 - p_choose_i, axis=1, exclusive=True)
        # Compute recurrence relation solution
        attention = (
            p_choose_i
            * cumprod_1mp_choose_i
            * tf.cumsum(
                previous_attention
                /
                # Clip cumprod_1mp to avoid divide-by-zero
                tf.clip_by_value(cumprod_1mp_choose_i, 1e-10, 1.0),
                axis=1,
            )
        )
    elif mode == "hard":
        # Remove any probabilities before the index chosen last time step
        p_choose_i *= tf.cumsum(previous_attention, axis=1)
        # Now, use exclusive cumprod to remove probabilities after the first
        # chosen index, like so:
        # p_choose_i = [0, 0, 0, 1, 1, 0, 1, 1]
        # cumprod(1 - p_choose_i, exclusive=True) = [1, 1, 1, 1, 0, 0, 0, 0]
        # Product of above: [0, 0, 0, 1, 0, 0, 0, 0]
        attention = p_choose_i * tf.cumprod(1 - p_choose_i, axis=1, exclusive=True)
    else:
        raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")
    return attention


def _monotonic_probability_fn(score, previous_alignments, sigmoid_noise, mode, seed=None):
    """Attention probability function for monotonic attention."""
    # Optionally add pre-sigmoid noise to the scores
    if sigmoid_noise > 0:
        noise = tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
        score += sigmoid_noise * noise
    # Compute "choosing" probabilities from the attention scores
    if mode == "hard":
        # When mode is hard, use a hard sigmoid
        p_choose_i = tf.cast(score > 0, score.dtype)
    else:
        p_choose_i = tf.sigmoid(score)
    # Convert from choosing probabilities to attention distribution
    return monotonic_attention(p_choose_i, previous_alignments, mode)


class _BaseMonotonicAttentionMechanism(_BaseAttentionMechanism):
    """Base attention mechanism for monotonic attention."""

    def initial_alignments(self, batch_size, dtype):
        """Creates the initial alignment values for the monotonic attentions."""
        max_time = self._alignments_size
        return tf.one_hot(tf.zeros((batch_size,), dtype=tf.int32), max_time, dtype=dtype)


class BahdanauMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Monotonic attention mechanism with Bahadanau-style energy function."""

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="BahdanauMonotonicAttention",
    ):
        """Construct the Attention mechanism."""
        # Set up the monotonic probability fn with supplied parameters
        if dtype is None:
            dtype = tf.float32
        wrapped_probability_fn = functools.partial(
            _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
        )
        super().__init__(
            query_layer=layers.Dense(num_units, name="query_layer", use_bias=False, dtype=dtype),
            memory_layer=layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=wrapped_probability_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """Score the query based on the keys and values."""
        with tf.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            processed_query = self.query_layer(query) if self.query_layer else query
            attention_v = get_variable("attention_v", [self._num_units], dtype=query.dtype)
            if not self._normalize:
                attention_g = None
                attention_b = None
            else:
                attention_g = get_variable(
                    "attention_g",
                    dtype=query.dtype,
                    initializer=tf.constant_initializer(math.sqrt(1.0 / self._num_units)),
                    shape=(),
                )
                attention_b = get_variable(
                    "attention_b", [self._num_units], dtype=query.dtype, initializer=tf.zeros_initializer()
                )
            score = _bahdanau_score(
                processed_query, self._keys, attention_v, attention_g=attention_g, attention_b=attention_b
            )
            score_bias = get_variable(
                "attention_score_bias", dtype=processed_query.dtype, initializer=self._score_bias_init
            )
            score += score_bias
        alignments = self._probability_fn(score, state)
        next_state = alignments
        return alignments, next_state


class LuongMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Monotonic attention mechanism with Luong-style energy function."""

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="LuongMonotonicAttention",
    ):
        """Construct the Attention mechanism."""
        # Set up the monotonic probability fn with supplied parameters
        if dtype is None:
            dtype = tf.float32
        wrapped_probability_fn = functools.partial(
            _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed
        )
        super().__init__(
            query_layer=None,
            memory_layer=layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=wrapped_probability_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._score_bias_init = score_bias_init
        self._name = name

    def __call__(self, query, state):
        """Score the query based on the keys and values."""
        with tf.variable_scope(None, "luong_monotonic_attention", [query]):
            attention_g = None
            if self._scale:
                attention_g = get_variable(
                    "attention_g", dtype=query.dtype, initializer=tf.ones_initializer, shape=()
                )
            score = _luong_score(query, self._keys, attention_g)
            score_bias = get_variable(
                "attention_score_bias", dtype=query.dtype, initializer=self._score_bias_init
            )
            score += score_bias
        alignments = self._probability_fn(score, state)
        next_state = alignments
        return alignments, next_state


class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """`namedtuple` storing the state of a `AttentionWrapper`."""

    def clone(self, **kwargs):
        """Clone this object, overriding components provided by kwargs."""

        def with_same_shape(old, new):
            """Check and set new tensor's shape."""
            if isinstance(old, tf.Tensor) and isinstance(new, tf.Tensor):
                if not tf.executing_eagerly():
                    return support.with_same_shape(old, new)
                if old.shape.as_list() != new.shape.as_list():
                    raise ValueError(
                        "The shape of the AttentionWrapperState is "
                        "expected to be same as the one to clone. "
                        f"self.shape: {old.shape}, input.shape: {new.shape}"
                    )
                return new
            return new

        return tf2.nest.map_structure(with_same_shape, self, super()._replace(**kwargs))


def _prepare_memory(memory, memory_sequence_length=None, memory_mask=None, check_inner_dims_defined=True):
    """Convert to tensor and possibly mask `memory`."""
    memory = tf2.nest.map_structure(lambda m: tf.convert_to_tensor(m, name="memory"), memory)
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    if memory_sequence_length is not None:
        memory_sequence_length = tf.convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
    if check_inner_dims_defined:

        def _check_dims(m):
            if not m.get_shape()[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {m.name} to have fully defined inner dims, "
                    f"but saw shape: {m.get_shape()}"
                )

        tf2.nest.map_structure(_check_dims, memory)
    if memory_sequence_length is None and memory_mask is None:
        return memory
    if memory_sequence_length is not None:
        seq_len_mask = tf.sequence_mask(
            memory_sequence_length,
            maxlen=tf.shape(tf2.nest.flatten(memory)[0])[1],
            dtype=tf2.nest.flatten(memory)[0].dtype,
        )
    else:
        # For memory_mask is not None
        seq_len_mask = tf.cast(memory_mask, dtype=tf2.nest.flatten(memory)[0].dtype)

    def _maybe_mask(m, seq_len_mask):
        """Mask the memory based on the memory mask."""
        rank = m.get_shape().ndims
        rank = rank if rank is not None else tf.rank(m)
        extra_ones = tf.ones(rank - 2, dtype=tf.int32)
        seq_len_mask = tf.reshape(seq_len_mask, tf.concat((tf.shape(seq_len_mask), extra_ones), 0))
        return m * seq_len_mask

    return tf2.nest.map_structure(lambda m: _maybe_mask(m, seq_len_mask), memory)


def _maybe_mask_score(score, memory_sequence_length=None, memory_mask=None, score_mask_value=None):
    """Mask the attention score based on the masks."""
    if memory_sequence_length is None and memory_mask is None:
        return score
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    if memory_sequence_length is not None:
        message = "All values in memory_sequence_length must be greater than zero."
        with tf.control_dependencies([tf.assert_positive(memory_sequence_length, message=message)]):
            memory_mask = tf.sequence_mask(memory_sequence_length, maxlen=tf.shape(score)[1])
    score_mask_values = score_mask_value * tf.ones_like(score)
    return tf.where(memory_mask, score, score_mask_values)


def hardmax(logits, name=None):
    """Returns batched one-hot vectors."""
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        if tf.dimension_value(logits.get_shape()[-1]) is not None:
            depth = tf.dimension_value(logits.get_shape()[-1])
        else:
            depth = tf.shape(logits)[-1]
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


def _compute_attention(attention_mechanism, cell_output, attention_state, attention_layer):
    """Computes the attention and alignments for a given attention_mechanism."""
    alignments, next_attention_state = attention_mechanism(cell_output, state=attention_state)

    # Reshape from [batch_size, memory_time] to [batch_size, 1, memory_time]
    expanded_alignments = tf.expand_dims(alignments, 1)
    # Context is the inner product of alignments and values along the
    # memory time dimension.
    # alignments shape is
    #   [batch_size, 1, memory_time]
    # attention_mechanism.values shape is
    #   [batch_size, memory_time, memory_size]
    # the batched matmul is over memory_time, so the output shape is
    #   [batch_size, 1, memory_size].
    # we then squeeze out the singleton dim.
    context_ = tf.matmul(expanded_alignments, attention_mechanism.values)
    context_ = tf.squeeze(context_, [1])

    if attention_layer is not None:
        attention = attention_layer(tf.concat([cell_output, context_], 1))
    else:
        attention = context_

    return attention, alignments, next_attention_state


class AttentionWrapper(rnn.RNNCell):
    """Wraps another `RNNCell` with attention."""

    def __init__(
        self,
        cell,
        attention_mechanism,
        attention_layer_size=None,
        alignment_history=False,
        cell_input_fn=None,
        output_attention=True,
        initial_cell_state=None,
        name=None,
        attention_layer=None,
        attention_fn=None,
        dtype=None,
    ):
        """Construct the `AttentionWrapper`."""
        super().__init__(name=name, dtype=dtype)
        support.assert_like_rnncell("cell", cell)
        if isinstance(attention_mechanism, (list, tuple)):
            self._is_multi = True
            attention_mechanisms = attention_mechanism
            for attention_mechanism in attention_mechanisms:
                if not isinstance(attention_mechanism, AttentionMechanism):
                    raise TypeError(
                        "attention_mechanism must contain only instances of "
                        f"AttentionMechanism, saw type: {type(attention_mechanism).__name__}"
                    )
        else:
            self._is_multi = False
            if not isinstance(attention_mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or list of "
                    f"multiple AttentionMechanism instances, saw type: {type(attention_mechanism).__name__}"
                )
            attention_mechanisms = (attention_mechanism,)

        if cell_input_fn is None:
            cell_input_fn = lambda inputs, attention: tf.concat([inputs, attention], -1)
        elif not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")

        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")

        if attention_layer_size is not None:
            attention_layer_sizes = tuple(
                attention_layer_size
                if isinstance(attention_layer_size, (list, tuple))
                else (attention_layer_size,)
            )
            if len(attention_layer_sizes) != len(attention_mechanisms):
                raise ValueError(
                    "If provided, attention_layer_size must contain exactly one "
                    "integer per attention_mechanism, saw: %d vs %d"
                    % (len(attention_layer_sizes), len(attention_mechanisms))
                )
            self._attention_layers = tuple(
                layers.Dense(
                    attention_layer_size,
                    name="attention_layer",
                    use_bias=False,
                    dtype=attention_mechanisms[i].dtype,
                )
                for i, attention_layer_size in enumerate(attention_layer_sizes)
            )
            self._attention_layer_size = sum(attention_layer_sizes)
        elif attention_layer is not None:
            self._attention_layers = tuple(
                attention_layer if isinstance(attention_layer, (list, tuple)) else (attention_layer,)
            )
            if len(self._attention_layers) != len(attention_mechanisms):
                raise ValueError(
                    "If provided, attention_layer must contain exactly one "
                    "layer per attention_mechanism, saw: %d vs %d"
                    % (len(self._attention_layers), len(attention_mechanisms))
                )
            self._attention_layer_size = sum(
                tf.dimension_value(
                    layer.compute_output_shape(
                        [None, cell.output_size + tf.dimension_value(mechanism.values.shape[-1])]
                    )[-1]
                )
                for layer, mechanism in zip(self._attention_layers, attention_mechanisms)
            )
        else:
            self._attention_layers = None
            self._attention_layer_size = sum(
                tf.dimension_value(attention_mechanism.values.shape[-1])
                for attention_mechanism in attention_mechanisms
            )

        if attention_fn is None:
            attention_fn = _compute_attention
        self._attention_fn = attention_fn

        self._cell = cell
        self._attention_mechanisms = attention_mechanisms
        self._cell_input_fn = cell_input_fn
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        with tf.name_scope(name, "AttentionWrapperInit"):
            if initial_cell_state is None:
                self._initial_cell_state = None
            else:
                final_state_tensor = tf2.nest.flatten(initial_cell_state)[-1]
                state_batch_size = (
                    tf.dimension_value(final_state_tensor.shape[0]) or tf.shape(final_state_tensor)[0]
                )
                error_message = (
                    f"When constructing AttentionWrapper {self._base_name}: "
                    + "Non-matching batch sizes between the memory "
                    "(encoder output) and initial_cell_state.  Are you using "
                    "the BeamSearchDecoder?  You may need to tile your initial state "
                    "via the tf.contrib.seq2seq.tile_batch function with argument "
                    "multiple=beam_width."
                )
                with tf.control_dependencies(self._batch_size_checks(state_batch_size, error_message)):
                    self._initial_cell_state = tf2.nest.map_structure(
                        lambda s: tf.identity(s, name="check_initial_cell_state"), initial_cell_state
                    )

    def _batch_size_checks(self, batch_size, error_message):
        return [
            tf.assert_equal(batch_size, attention_mechanism.batch_size, message=error_message)
            for attention_mechanism in self._attention_mechanisms
        ]

    def _item_or_tuple(self, seq):
        """Returns `seq` as tuple or the singular element."""
        t = tuple(seq)
        if self._is_multi:
            return t
        return t[0]

    @property
    def output_size(self):
        if self._output_attention:
            return self._attention_layer_size
        return self._cell.output_size

    @property
    def state_size(self):
        """The `state_size` property of `AttentionWrapper`."""
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tf.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(a.alignments_size for a in self._attention_mechanisms),
            attention_state=self._item_or_tuple(a.state_size for a in self._attention_mechanisms),
            alignment_history=self._item_or_tuple(
                a.alignments_size if self._alignment_history else () for a in self._attention_mechanisms
            ),
        )  # sometimes a TensorArray

    def zero_state(self, batch_size, dtype):
        """Return an initial (zero) state tuple for this `AttentionWrapper`."""
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            if self._initial_cell_state is not None:
                cell_state = self._initial_cell_state
            else:
                cell_state = self._cell.get_initial_state(batch_size=batch_size, dtype=dtype)
            error_message = (
                f"When calling zero_state of AttentionWrapper {self._base_name}: "
                + "Non-matching batch sizes between the memory "
                "(encoder output) and the requested batch size.  Are you using "
                "the BeamSearchDecoder?  If so, make sure your encoder output has "
                "been tiled to beam_width via tf.contrib.seq2seq.tile_batch, and "
                "the batch_size= argument passed to zero_state is "
                "batch_size * beam_width."
            )
            with tf.control_dependencies(self._batch_size_checks(batch_size, error_message)):
                cell_state = tf2.nest.map_structure(
                    lambda s: tf.identity(s, name="checked_cell_state"), cell_state
                )
            initial_alignments = [
                attention_mechanism.initial_alignments(batch_size, dtype)
                for attention_mechanism in self._attention_mechanisms
            ]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=tf.zeros([], dtype=tf.int32),
                attention=support.zero_state_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(initial_alignments),
                attention_state=self._item_or_tuple(
                    attention_mechanism.initial_state(batch_size, dtype)
                    for attention_mechanism in self._attention_mechanisms
                ),
                alignment_history=self._item_or_tuple(
                    tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=alignment.shape)
                    if self._alignment_history
                    else ()
                    for alignment in initial_alignments
                ),
            )

    def call(self, inputs, state):
        """Perform a step of attention-wrapped RNN."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )

        # Step 1: Calculate the true inputs to the cell based on the
        # previous attention value.
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        cell_state = state.cell_state
        cell_output, next_cell_state = self._cell(cell_inputs, cell_state)

        cell_batch_size = tf.dimension_value(cell_output.shape[0]) or tf.shape(cell_output)[0]
        error_message = (
            f"When applying AttentionWrapper {self.name}: " + "Non-matching batch sizes between the memory "
            "(encoder output) and the query (decoder output).  Are you using "
            "the BeamSearchDecoder?  You may need to tile your memory input via "
            "the tf.contrib.seq2seq.tile_batch function with argument "
            "multiple=beam_width."
        )
        with tf.control_dependencies(self._batch_size_checks(cell_batch_size, error_message)):
            cell_output = tf.identity(cell_output, name="checked_cell_output")

        if self._is_multi:
            previous_attention_state = state.attention_state
            previous_alignment_history = state.alignment_history
        else:
            previous_attention_state = [state.attention_state]
            previous_alignment_history = [state.alignment_history]

        all_alignments = []
        all_attentions = []
        all_attention_states = []
        maybe_all_histories = []
        for i, attention_mechanism in enumerate(self._attention_mechanisms):
            attention, alignments, next_attention_state = self._attention_fn(
                attention_mechanism,
                cell_output,
                previous_attention_state[i],
                self._attention_layers[i] if self._attention_layers else None,
            )
            alignment_history = (
                previous_alignment_history[i].write(state.time, alignments) if self._alignment_history else ()
            )

            all_attention_states.append(next_attention_state)
            all_alignments.append(alignments)
            all_attentions.append(attention)
            maybe_all_histories.append(alignment_history)

        attention = tf.concat(all_attentions, 1)
        next_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=next_cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(all_attention_states),
            alignments=self._item_or_tuple(all_alignments),
            alignment_history=self._item_or_tuple(maybe_all_histories),
        )

        if self._output_attention:
            return attention, next_state
        return cell_output, next_state
