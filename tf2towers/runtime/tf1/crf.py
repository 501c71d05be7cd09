"""`tf.contrib.crf`: conditional random fields over sequences of tags (Lafferty et al. 2001).

A sequence's score is the sum of its tags' scores and of the scores of each step from one tag to the
next. Scores are [batch, time, tags], tags are [batch, time], lengths are [batch], transitions are
[tags, tags], from row to column.
"""

from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> tf.Tensor:
    """The scores of sequences of tags: [batch]."""
    inputs, tags = tf.convert_to_tensor(inputs), tf.convert_to_tensor(tag_indices)
    inside = _inside(sequence_lengths, inputs)
    of_tags = tf.gather(inputs, tags, batch_dims=2) * inside
    of_steps = tf.gather_nd(transition_params, tf.stack([tags[:, :-1], tags[:, 1:]], axis=2)) * inside[:, 1:]
    return tf.reduce_sum(of_tags, axis=1) + tf.reduce_sum(of_steps, axis=1)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> tf.Tensor:
    """The logarithm of the sum of exp(score) over all sequences of tags: [batch], 0 if empty."""
    inputs, transitions = tf.convert_to_tensor(inputs), tf.convert_to_tensor(transition_params)
    by_time = tf.transpose(inputs, [1, 0, 2])

    def add_step(sums: Any, step: Any) -> Any:
        scores, inside = step
        longer = tf.reduce_logsumexp(tf.expand_dims(sums, 2) + transitions, axis=1) + scores
        return tf.where(inside[:, tf.newaxis], longer, sums)

    inside = tf.transpose(_inside(sequence_lengths, inputs, tf.bool))
    sums = v1.foldl(add_step, (by_time[1:], inside[1:]), by_time[0])
    return tf.where(inside[0], tf.reduce_logsumexp(sums, axis=1), tf.zeros_like(sums[:, 0]))


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[tf.Tensor, Any]:
    """The log-likelihoods of sequences of tags, [batch], and the transitions, maybe new."""
    inputs = tf.convert_to_tensor(inputs)
    if transition_params is None:
        transition_params = v1.get_variable("transitions", [inputs.shape.as_list()[2]] * 2)
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """The tags of the highest score (Viterbi, 1967), int32 [batch, time], and scores, [batch].

    An empty sequence counts as one of length 1.
    """
    potentials, transitions = tf.convert_to_tensor(potentials), tf.convert_to_tensor(transition_params)
    by_time = tf.transpose(potentials, [1, 0, 2])
    inside = tf.transpose(_inside(sequence_length, potentials, tf.bool))[1:, :, tf.newaxis]
    staying = tf.zeros_like(by_time[0], tf.int32) + tf.range(tf.shape(transitions)[0])

    def add_step(state: Any, step: Any) -> Any:
        scores, inside = step
        candidates = tf.expand_dims(state[0], 2) + transitions
        best = tf.where(inside, scores + tf.reduce_max(candidates, axis=1), state[0])
        return best, tf.where(inside, tf.argmax(candidates, axis=1, output_type=tf.int32), staying)

    sums, before = v1.scan(add_step, (by_time[1:], inside), (by_time[0], staying))
    final = tf.concat([by_time[:1], sums], axis=0)[-1]
    last = tf.argmax(final, axis=1, output_type=tf.int32)
    earlier = v1.scan(lambda tag, tags: tf.gather(tags, tag, batch_dims=1), before, last, reverse=True)
    tags = tf.transpose(tf.concat([earlier, last[tf.newaxis]], axis=0))
    tags *= tf.concat([tf.ones_like(tags[:, :1]), tf.cast(tf.transpose(inside[:, :, 0]), tf.int32)], axis=1)
    tags.set_shape(potentials.shape[:2])
    return tags, tf.reduce_max(final, axis=1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """The tags with the highest score, and it, for one sequence of NumPy's scores [time, tags]."""
    sums, before = np.asarray(score)[0], []
    for scores in score[1:]:
        candidates = sums[:, np.newaxis] + transition_params
        before.append(candidates.argmax(0))
        sums = scores + candidates.max(0)
    tags = [int(sums.argmax())]
    for places in reversed(before):
        tags.append(int(places[tags[-1]]))
    return tags[::-1], sums.max()


def _inside(lengths: Any, inputs: tf.Tensor, dtype: Any = None) -> tf.Tensor:
    return tf.sequence_mask(lengths, tf.shape(inputs)[1], dtype or inputs.dtype)
