"""`tf.contrib.legacy_seq2seq`: sequences as lists of tensors, one for each step, and a decoder with attention.

The attention is that of Vinyals et al., "Grammar as a Foreign Language" (2014).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.rnn_cell import linear
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

    With `loop_function` each input but the first is what it makes of the last output and the step's number.
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

    `initial_state_attention`: whether the first step has the attention of the first state, not zeros.

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


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
    in_tf0: bool = False,
) -> Any:
    """The weighted cross entropy of each sequence, [batch]; its sum over time is divided by the weights' sum or not.

    `softmax_loss_function` takes labels and logits by name, and `in_tf0` logits and labels by place. Lists of other
    lengths than each other's are a ValueError.
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
