"""`tf.contrib.legacy_seq2seq`: sequences as lists of tensors, and a decoder with attention.

The attention is that of Vinyals et al., "Grammar as a Foreign Language" (2014).
"""

import copy
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.rnn_cell import OutputProjectionWrapper, linear
from tf2towers.runtime.tf1.seq2seq.decoding import size_of

v1 = tf.compat.v1


def rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    cell: Callable[[Any, Any], tuple[Any, Any]],
    loop_function: Callable[[Any, int], Any] | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """The outputs of a cell, [batch, size] each, and its last state.

    With `loop_function` each input but the first is what it makes of the last output and the step's
    number.
    """
    with v1.variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, list[Any]()
        for given in decoder_inputs:
            output, state = cell(_next_input(loop_function, outputs, given), state)
            outputs.append(output)
    return outputs, state


def _next_input(loop_function: Any, outputs: list[Any], given: Any) -> Any:
    """A step's input; the variables of all steps but the first are there already."""
    if not outputs:
        return given
    v1.get_variable_scope().reuse_variables()
    if loop_function is None:
        return given
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

    `initial_state_attention`: whether the first step has the attention of the first state, not
    zeros.

    Raises:
        ValueError: no inputs, no heads, or a depth that is not known.
    """
    depth = attention_states.shape.as_list()[2]
    if not decoder_inputs or num_heads < 1 or depth is None:
        raise ValueError("attention_decoder needs inputs, heads, and attention_states of known depth")
    with v1.variable_scope(scope or "attention_decoder", dtype=dtype) as variables:
        dtype, state, outputs, heads = variables.dtype, initial_state, list[Any](), list[tuple[Any, Any]]()
        for head in range(num_heads):
            weight = v1.get_variable(f"AttnW_{head}", [1, 1, depth, depth], dtype)
            features = tf.einsum("bld,de->ble", attention_states, weight[0, 0])
            heads.append((features, v1.get_variable(f"AttnV_{head}", [depth], dtype)))

        def attend(query: Any) -> list[Any]:
            contexts, flat = [], tf.concat(tf.nest.flatten(query), 1)
            for head, (features, vector) in enumerate(heads):
                with v1.variable_scope(f"Attention_{head}"):
                    asked = tf.expand_dims(linear(flat, depth, True), 1)
                chances = tf.nn.softmax(tf.reduce_sum(vector * tf.tanh(features + asked), 2))
                contexts.append(tf.reduce_sum(tf.expand_dims(chances, 2) * attention_states, 1))
            return contexts

        zeros = tf.zeros([size_of(decoder_inputs[0], 0), depth], dtype)
        attention = attend(state) if initial_state_attention else [zeros] * num_heads
        for given in decoder_inputs:
            inputs = _next_input(loop_function, outputs, given)
            joined = linear([inputs, *attention], inputs.shape.as_list()[1], True)
            output, state = cell(joined, state)
            with v1.variable_scope(v1.get_variable_scope(), reuse=initial_state_attention or None):
                attention = attend(state)
            with v1.variable_scope("AttnOutputProjection"):
                outputs.append(linear([output, *attention], output_size or cell.output_size, True))
    return outputs, state


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
    """`attention_decoder` of ids, int32 [batch] each; the rest is its or `_embedded`'s."""
    with v1.variable_scope(scope or "embedding_attention_decoder", dtype=dtype) as variables:
        inputs, best = _embedded(
            decoder_inputs, num_symbols, embedding_size, output_projection, update_embedding_for_previous
        )
        return attention_decoder(
            inputs,
            initial_state,
            attention_states,
            cell,
            output_size=output_size or cell.output_size,
            num_heads=num_heads,
            loop_function=best if feed_previous else None,
            dtype=variables.dtype,
            initial_state_attention=initial_state_attention,
        )


def embedding_rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` of ids, int32 [batch] each; the rest is its or `_embedded`'s."""
    with v1.variable_scope(scope or "embedding_rnn_decoder"):
        inputs, best = _embedded(
            decoder_inputs, num_symbols, embedding_size, output_projection, update_embedding_for_previous
        )
        return rnn_decoder(inputs, initial_state, cell, best if feed_previous else None)


def _embedded(
    ids: Sequence[Any],
    num_symbols: int,
    size: int,
    output_projection: tuple[Any, Any] | None,
    is_trained_by_best: bool,
) -> tuple[list[Any], Callable[[Any, int], Any]]:
    """The embeddings of ids, and the function from an output to the embedding of its best id.

    The id is taken after `output_projection`, weights and biases, where that is given.
    `is_trained_by_best`: whether gradients reach the embedding through that function.
    """
    embedding = v1.get_variable("embedding", [num_symbols, size])

    def best_of(output: Any, _: int) -> Any:
        if output_projection is not None:
            output = v1.nn.xw_plus_b(output, *output_projection)
        embedded = v1.nn.embedding_lookup(embedding, tf.argmax(output, 1))
        return embedded if is_trained_by_best else tf.stop_gradient(embedded)

    return [v1.nn.embedding_lookup(embedding, each) for each in ids], best_of


def _encode(
    encoder_inputs: Sequence[Any], cell: Any, symbols: int, size: int, dtype: Any
) -> tuple[list[Any], Any]:
    """The outputs of a copy of the cell for ids, int32 [batch] each, and its last state."""
    encoder = copy.deepcopy(cell)
    state, steps = encoder.zero_state(size_of(encoder_inputs[0], 0), dtype), list[Any]()
    with v1.variable_scope("rnn"):
        for ids in encoder_inputs:
            if steps:
                v1.get_variable_scope().reuse_variables()
            with v1.variable_scope("embedding_wrapper") as wrapper:
                drawn = v1.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
                embedding = v1.get_variable("embedding", [symbols, size], dtype, wrapper.initializer or drawn)
                output, state = encoder(v1.nn.embedding_lookup(embedding, ids), state)
            steps.append(output)
    return steps, state


def _fed_or_not(feed_previous: Any, decode: Callable[[bool], tuple[list[Any], Any]]) -> tuple[list[Any], Any]:
    """What `decode` gives; `feed_previous` may be a bool tensor, which chooses when it runs."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous)

    def decode_again() -> Any:
        with v1.variable_scope(v1.get_variable_scope(), reuse=True):
            return decode(False)

    outputs, state = v1.cond(feed_previous, lambda: decode(True), decode_again)
    return list(outputs), state


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
    """An encoder of ids, int32 [batch] each, and an `embedding_attention_decoder` of outputs.

    Outputs are [batch, num_decoder_symbols], with `output_projection` the cell's. `feed_previous`
    may be a bool tensor; no gradients reach the decoder's embedding through fed ids then.
    """
    with v1.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as variables:
        steps, state = _encode(encoder_inputs, cell, num_encoder_symbols, embedding_size, variables.dtype)
        size = None if output_projection is not None else num_decoder_symbols
        return _fed_or_not(
            feed_previous,
            lambda feeding: embedding_attention_decoder(
                decoder_inputs,
                state,
                tf.stack(steps, 1),
                cell if size is None else OutputProjectionWrapper(cell, size),
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=size,
                output_projection=output_projection,
                feed_previous=feeding,
                update_embedding_for_previous=isinstance(feed_previous, bool),
                initial_state_attention=initial_state_attention,
            ),
        )


def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder of ids, int32 [batch] each, and an `embedding_rnn_decoder` from its state."""
    with v1.variable_scope(scope or "embedding_rnn_seq2seq", dtype=dtype) as variables:
        _, state = _encode(encoder_inputs, cell, num_encoder_symbols, embedding_size, variables.dtype)
        projecting = (
            cell if output_projection is not None else OutputProjectionWrapper(cell, num_decoder_symbols)
        )
        return _fed_or_not(
            feed_previous,
            lambda feeding: embedding_rnn_decoder(
                decoder_inputs,
                state,
                projecting,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feeding,
                update_embedding_for_previous=isinstance(feed_previous, bool),
            ),
        )


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder of [batch, depth] inputs by a copy of the cell, then `rnn_decoder`."""
    with v1.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = v1.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def model_with_buckets(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable[[Any, Any], tuple[list[Any], Any]],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """For each bucket (two lengths) what `seq2seq` gives, and its loss, by shared variables.

    Raises:
        ValueError: a list is shorter than the last bucket.
    """
    inside, outside = buckets[-1]
    if len(encoder_inputs) < inside or min(len(targets), len(weights)) < outside:
        raise ValueError(f"model_with_buckets needs {inside} inputs, and {outside} targets and weights")
    outputs, losses = list[Any](), list[Any]()
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    with v1.name_scope(name, "model_with_buckets"):
        for inside, outside in buckets:
            with v1.variable_scope(v1.get_variable_scope(), reuse=True if outputs else None):
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
    in_tf0: bool = False,
) -> Any:
    """Each sequence's weighted cross entropy, [batch]: over time a mean by weights, or a sum.

    `softmax_loss_function` takes labels and logits by name, and `in_tf0` logits and labels by
    place. Lists of other lengths than each other's are a ValueError.
    """
    loss = function = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
    if softmax_loss_function and in_tf0:
        loss = lambda labels, logits: function(logits, labels)  # noqa: E731
    with v1.name_scope(name, "sequence_loss_by_example"):
        ids = targets if softmax_loss_function else [tf.reshape(each, [-1]) for each in targets]
        steps = zip(logits, ids, weights, strict=True)
        total = tf.add_n([loss(labels=label, logits=logit) * weight for logit, label, weight in steps])
        return total / (tf.add_n(list(weights)) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
    in_tf0: bool = False,
) -> Any:
    """The sum of `sequence_loss_by_example`, divided by the batch's size or not: a scalar."""
    given = (logits, targets, weights, average_across_timesteps, softmax_loss_function)
    with v1.name_scope(name, "sequence_loss"):
        total = tf.reduce_mean if average_across_batch else tf.reduce_sum
        return total(sequence_loss_by_example(*given, in_tf0=in_tf0))


#: as `tf.nn.seq2seq` had them
tf0_sequence_loss = partial(sequence_loss, in_tf0=True)
tf0_sequence_loss_by_example = partial(sequence_loss_by_example, in_tf0=True)
