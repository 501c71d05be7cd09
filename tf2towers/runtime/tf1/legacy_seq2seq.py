"""`tf.contrib.legacy_seq2seq`: sequences as lists of tensors, one for each step, and a decoder with attention.

The attention is that of Vinyals et al., "Grammar as a Foreign Language" (2014).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
Step = Callable[[Any, Any], tuple[Any, Any]]


def rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    cell: Step,
    loop_function: Callable[[Any, int], Any] | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """The outputs of a cell, [batch, size] each, and its last state.

    With `loop_function` each input but the first is what it makes of the last output and the step's number.
    """
    with v1.variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, list[Any]()
        for number, inputs in enumerate(decoder_inputs):
            if number:
                v1.get_variable_scope().reuse_variables()
            output, state = cell(_next_input(loop_function, outputs, inputs), state)
            outputs.append(output)
    return outputs, state


def _next_input(loop_function: Any, outputs: list[Any], inputs: Any) -> Any:
    if loop_function is None or not outputs:
        return inputs
    with v1.variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], len(outputs))


def attention_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Callable[[Any, int], Any] | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` whose cell attends to `attention_states`, [batch, length, depth].

    `initial_state_attention`: whether the first step has the attention of the first state, not zeros.

    Raises:
        ValueError: no inputs, no heads, or a depth that is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    depth = attention_states.shape.as_list()[2]
    if depth is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    with v1.variable_scope(scope or "attention_decoder", dtype=dtype) as variables:
        dtype, state = variables.dtype, initial_state
        weights: list[tuple[Any, Any]] = []
        outputs: list[Any] = []
        for head in range(num_heads):
            weight = v1.get_variable(f"AttnW_{head}", [1, 1, depth, depth], dtype)
            features = tf.einsum("bld,de->ble", attention_states, weight[0, 0])
            weights.append((features, v1.get_variable(f"AttnV_{head}", [depth], dtype)))

        def attend(query: Any) -> list[Any]:
            contexts, flat = [], tf.concat(tf.nest.flatten(query), 1)
            for head, (features, vector) in enumerate(weights):
                with v1.variable_scope(f"Attention_{head}"):
                    asked = tf.expand_dims(_linear([flat], depth), 1)
                chances = tf.nn.softmax(tf.reduce_sum(vector * tf.tanh(features + asked), 2))
                contexts.append(tf.reduce_sum(tf.expand_dims(chances, 2) * attention_states, 1))
            return contexts

        attention = attend(state) if initial_state_attention else None
        if attention is None:
            zeros = tf.zeros([tf.shape(decoder_inputs[0])[0], depth], dtype)
            zeros.set_shape([decoder_inputs[0].shape[0], depth])
            attention = [zeros] * num_heads
        for number, given in enumerate(decoder_inputs):
            if number:
                v1.get_variable_scope().reuse_variables()
            inputs = _next_input(loop_function, outputs, given)
            joined = _linear([inputs, *attention], inputs.shape.as_list()[1])
            output, state = cell(joined, state)
            with v1.variable_scope(v1.get_variable_scope(), reuse=initial_state_attention or None):
                attention = attend(state)
            with v1.variable_scope("AttnOutputProjection"):
                outputs.append(_linear([output, *attention], output_size or cell.output_size))
    return outputs, state


def _linear(parts: list[Any], size: int) -> Any:
    """`kernel` and `bias` of the current scope on the parts side by side."""
    inputs = tf.concat(parts, 1) if len(parts) > 1 else parts[0]
    kernel = v1.get_variable("kernel", [inputs.shape.as_list()[1], size], inputs.dtype)
    bias = v1.get_variable("bias", [size], inputs.dtype, v1.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)


def embedding_attention_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`attention_decoder` of ids, int32 [batch] each.

    With `feed_previous` each input but the first is the best id of the last output, after `output_projection` (weights
    and biases) where that is given; `update_embedding_for_previous` says whether gradients reach the embedding there.

    Raises:
        ValueError: biases of another shape.
    """
    if output_projection is not None:
        tf.convert_to_tensor(output_projection[1]).shape.assert_is_compatible_with([num_symbols])
    with v1.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = v1.get_variable("embedding", [num_symbols, embedding_size])

        def best_of(output: Any, _: int) -> Any:
            if output_projection is not None:
                output = v1.nn.xw_plus_b(output, *output_projection)
            embedded = v1.nn.embedding_lookup(embedding, tf.argmax(output, 1))
            return embedded if update_embedding_for_previous else tf.stop_gradient(embedded)

        return attention_decoder(
            [v1.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=best_of if feed_previous else None,
            initial_state_attention=initial_state_attention,
        )


class _Projecting:
    """A cell whose outputs go through `kernel` and `bias`."""

    def __init__(self, cell: Any, output_size: int) -> None:
        self._cell, self.output_size, self.state_size = cell, output_size, cell.state_size

    def __call__(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        with v1.variable_scope("output_projection_wrapper"):
            output, state = self._cell(inputs, state)
            return _linear([output], self.output_size), state


def embedding_attention_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """An encoder of ids, int32 [batch] each, and an `embedding_attention_decoder` that attends to its outputs.

    Outputs are [batch, num_decoder_symbols], with `output_projection` the cell's. `feed_previous` may be a bool
    tensor; no gradients reach the decoder's embedding through fed ids then.
    """
    with v1.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as variables:
        encoder, dtype = copy.deepcopy(cell), variables.dtype
        state, steps = encoder.zero_state(tf.size(encoder_inputs[0]), dtype), []
        with v1.variable_scope("rnn"):
            for number, ids in enumerate(encoder_inputs):
                if number:
                    v1.get_variable_scope().reuse_variables()
                with v1.variable_scope("embedding_wrapper") as wrapper:
                    initializer = wrapper.initializer or v1.random_uniform_initializer(
                        -math.sqrt(3), math.sqrt(3)
                    )
                    embedding = v1.get_variable(
                        "embedding", [num_encoder_symbols, embedding_size], dtype, initializer
                    )
                    output, state = encoder(v1.nn.embedding_lookup(embedding, ids), state)
                steps.append(output)
        memory = tf.stack(steps, 1)
        size = None if output_projection is not None else num_decoder_symbols
        projecting = cell if output_projection is not None else _Projecting(cell, num_decoder_symbols)

        def decode(feeding: bool) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                memory,
                projecting,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=size,
                output_projection=output_projection,
                feed_previous=feeding,
                update_embedding_for_previous=isinstance(feed_previous, bool),
                initial_state_attention=initial_state_attention,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous)

        def decode_again() -> tuple[list[Any], Any]:
            with v1.variable_scope(v1.get_variable_scope(), reuse=True):
                return decode(False)

        outputs, state = v1.cond(feed_previous, lambda: decode(True), decode_again)
        return list(outputs), state


def model_with_buckets(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Step,
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """For each bucket (lengths of input and output) what `seq2seq` gives, and its loss; they share their variables.

    Raises:
        ValueError: a list is shorter than the last bucket.
    """
    for what, given, place in (
        ("encoder_inputs", encoder_inputs, 0),
        ("targets", targets, 1),
        ("weights", weights, 1),
    ):
        if len(given) < buckets[-1][place]:
            raise ValueError(
                f"Length of {what} ({len(given)}) must be at least that of last bucket ({buckets[-1][place]})."
            )
    outputs, losses = [], []
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    with v1.name_scope(name, "model_with_buckets"):
        for number, (inside, outside) in enumerate(buckets):
            with v1.variable_scope(v1.get_variable_scope(), reuse=True if number else None):
                found, _ = seq2seq(encoder_inputs[:inside], decoder_inputs[:outside])
            outputs.append(found)
            parts = (found, targets[:outside], weights[:outside])
            losses.append(loss(*parts, softmax_loss_function=softmax_loss_function))
    return outputs, losses


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of each sequence, [batch]; its sum over time is divided by the weights' sum or not.

    Raises:
        ValueError: the lists' lengths differ.
    """
    if not len(logits) == len(targets) == len(weights):
        counts = ", ".join(str(len(each)) for each in (logits, weights, targets))
        raise ValueError(f"Lengths of logits, weights, and targets must be the same {counts}.")
    cross_entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
    with v1.name_scope(name, "sequence_loss_by_example"):
        weighted = [
            cross_entropy(labels=ids if softmax_loss_function else tf.reshape(ids, [-1]), logits=logit)
            * weight
            for logit, ids, weight in zip(logits, targets, weights, strict=True)
        ]
        total = tf.add_n(weighted)
        return total / (tf.add_n(list(weights)) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The sum of `sequence_loss_by_example`, divided by the batch's size or not: a scalar."""
    with v1.name_scope(name, "sequence_loss"):
        each = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function
        )
        return tf.reduce_mean(each) if average_across_batch else tf.reduce_sum(each)
