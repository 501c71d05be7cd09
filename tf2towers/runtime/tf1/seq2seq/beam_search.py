"""`BeamSearchDecoder`: the best sequences, several at a time; `tile_batch`, `gather_tree`."""

from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.tf1.seq2seq.attention import AttentionWrapperState
from tf2towers.runtime.tf1.seq2seq.decoding import Decoder, checked_embedding, size_of

v1 = tf.compat.v1


class BeamSearchDecoderState(NamedTuple):
    """The state: the cell's, [batch, beam, ...], each beam's probability, end and length.

    And the sum of its attention, [batch, beam, time], or () without `coverage_penalty_weight`.
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """What a step gives, [batch, beam] each: scores, ids, and the beams that these go on from."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The best sequences of ids, [batch, time, beam], best first; and what all steps gave."""

    predicted_ids: Any
    beam_search_decoder_output: Any


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Each row of a nest of tensors several times, one after the other: [batch * multiplier, ...].

    Raises:
        ValueError: a tensor is a scalar, or its rank is not known.
    """

    def tile(values: Any) -> Any:
        values = tf.convert_to_tensor(values, name="t")
        if not values.shape.rank:
            raise ValueError(f"tile_batch needs a tensor of known rank above 0, and this is {values}")
        return tf.repeat(values, multiplier, axis=0)

    with v1.name_scope(name, "tile_batch", [*tf.nest.flatten(t), multiplier]):
        return tf.nest.map_structure(tile, t)


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: str | None = None
) -> tf.Tensor:
    """The sequences that end in each beam, of ids and of parents, int32 [time, batch, beam].

    After `max_sequence_lengths` steps, int32 [batch], and after a beam's first end token, there are
    end tokens only.
    """
    with v1.name_scope(name, "GatherTree"):
        step_ids, end = tf.convert_to_tensor(step_ids), tf.convert_to_tensor(end_token)
        inside = tf.range(tf.shape(step_ids)[0])[:, tf.newaxis] < max_sequence_lengths

        def go_back(state: Any, step: Any) -> Any:
            beams, _ = state
            ids, parents, inside = step
            ids = tf.where(inside, tf.gather(ids, beams, batch_dims=1), end)
            return tf.where(inside, tf.gather(parents, beams, batch_dims=1), beams), ids

        beams = tf.zeros_like(step_ids[0]) + tf.range(tf.shape(step_ids)[2])
        steps = (step_ids, tf.convert_to_tensor(parent_ids), inside[:, :, tf.newaxis])
        _, ids = v1.scan(go_back, steps, (beams, beams), reverse=True, back_prop=False)
        ended = tf.cumsum(tf.cast(tf.equal(ids, end), tf.int32), exclusive=True) > 0
        found = tf.where(ended, end, ids)
        found.set_shape(step_ids.shape)
        return found


class BeamSearchDecoder(Decoder):
    """A decoder that keeps the `beam_width` best sequences of each row.

    A score is the log-probability, divided by ((5 + length) / 6) ** length_penalty_weight, for
    finished beams less a penalty for what had little attention (Wu et al., 2016). A beam that goes
    on may take the place of a finished one.

    Args:
        cell: an RNN cell, for `coverage_penalty_weight` with an `AttentionWrapper`.
        embedding, start_tokens, end_token: int32 [batch] and a scalar, see `checked_embedding`.
        initial_state: the cell's, for batch * beam_width rows: see `tile_batch`.
        beam_width: how many, an int.
        output_layer: a layer that makes logits of the cell's outputs.
        length_penalty_weight, coverage_penalty_weight: floats, see above.
        reorder_tensor_arrays: whether TensorArrays in the cell's state (the alignments that an
            `AttentionWrapper` keeps) become tensors [time, batch * beam, ...] of the final beams.
            As in TensorFlow 1.15, they stay as they were written where the batch and an element's
            first sizes are known.

    Raises:
        ValueError: a token has another shape, or a penalty is for a cell without attention.
    """

    tracks_own_finished = True

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        self._cell, self._output_layer, self._beam_width = cell, output_layer, beam_width
        self._length_penalty_weight, self._reorders = length_penalty_weight, reorder_tensor_arrays
        self._coverage_penalty_weight = coverage_penalty_weight
        checked = checked_embedding(embedding, start_tokens, end_token)
        self._embedding_fn, self._start_tokens, self._end_token = checked
        self._rows, self.batch_size = self._start_tokens.shape.as_list()[0], tf.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(tf.tile(self._start_tokens[:, tf.newaxis], [1, beam_width]))
        self._dtype = tf.nest.flatten(initial_state)[0].dtype
        self.output_size = BeamSearchDecoderOutput(*[tf.TensorShape([beam_width])] * 3)
        self.output_dtype = BeamSearchDecoderOutput(self._dtype, tf.int32, tf.int32)
        self._initial_cell_state = tf.nest.map_structure(self._split, initial_state)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, BeamSearchDecoderState]:
        """All beams but the first begin with probability 0, as if they were finished."""
        first = partial(tf.one_hot, tf.zeros([self.batch_size], tf.int32), self._beam_width)
        finished = first(False, True, dtype=tf.bool)
        finished.set_shape([self._rows, self._beam_width])
        log_probs = first(0.0, -float("inf"), dtype=self._dtype)
        lengths = tf.zeros_like(finished, tf.int64)
        attention: Any = ()
        if self._coverage_penalty_weight:
            attention = tf.zeros_like(_attention_of(self._initial_cell_state))
        state = BeamSearchDecoderState(self._initial_cell_state, log_probs, finished, lengths, attention)
        return finished, self._start_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """The best beams that go on from those there are."""
        with v1.name_scope(name, "BeamSearchDecoderStep"):
            inputs, merged = tf.nest.map_structure(self._merge, (inputs, state.cell_state))
            logits, cell_state = self._cell(inputs, merged)
            if self._output_layer is not None:
                logits = self._output_layer(logits)
            output, next_state = self._best(self._split(logits), state, cell_state)
            ended, start = next_state.finished, self._start_inputs
            embed = partial(self._embedding_fn, output.predicted_ids)
            next_inputs = v1.cond(tf.reduce_all(ended), lambda: start, embed)
        return output, next_state, next_inputs, ended

    def _best(self, logits: Any, state: Any, cell_state: Any) -> tuple[Any, Any]:
        """Of all beams' next ids, [batch, beam, ids], those with the highest scores."""
        ids, beams, ended = size_of(logits, -1), self._beam_width, state.finished[:, :, tf.newaxis]
        at_end = tf.one_hot(self._end_token, ids, 0.0, logits.dtype.min, dtype=logits.dtype)
        steps = tf.where(ended, at_end, tf.nn.log_softmax(logits))
        scores = total = tf.reshape(state.log_probs[:, :, tf.newaxis] + steps, [-1, beams * ids])
        attention = state.accumulated_attention_probs
        if self._length_penalty_weight != 0:
            longer = tf.one_hot(self._end_token, ids, 0, 1, dtype=tf.int64)
            lengths = state.lengths[:, :, tf.newaxis] + tf.where(ended, tf.zeros_like(longer), longer)
            lengths = tf.cast(tf.reshape(lengths, [-1, beams * ids]), tf.float32)
            scores /= tf.cast(((5.0 + lengths) / 6.0) ** self._length_penalty_weight, scores.dtype)
        if self._coverage_penalty_weight:
            attention += tf.where(ended, 0.0, self._split(_attention_of(cell_state)))
            known = tf.where(ended & (attention > 0), tf.minimum(attention, 1.0), 1.0)
            penalty = tf.reduce_sum(tf.math.log(known), axis=2)
            scores += self._coverage_penalty_weight * tf.repeat(penalty, ids, axis=1)
        best, places = tf.math.top_k(scores, beams)
        parents, chosen = places // ids, places % ids
        for values in (best, parents, chosen):
            values.set_shape([self._rows, beams])
        pick = partial(tf.gather, indices=parents, batch_dims=1)

        def pick_rows(values: Any) -> Any:
            return pick(self._split(values)) if _has_rows(values) else values

        before = pick(state.finished)
        next_state = BeamSearchDecoderState(
            cell_state=tf.nest.map_structure(pick_rows, cell_state),
            log_probs=tf.gather(total, places, batch_dims=1),
            finished=tf.logical_or(before, tf.equal(chosen, self._end_token)),
            lengths=pick(state.lengths) + tf.cast(tf.logical_not(before), tf.int64),
            accumulated_attention_probs=tf.nest.map_structure(pick, attention),
        )
        return BeamSearchDecoderOutput(best, chosen, parents), next_state

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """The sequences that end in each beam, and what the cell's TensorArrays have of them."""
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        found = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorders:
            order = partial(self._in_final_order, outputs.parent_ids, final_state.lengths, longest)
            cell_state = tf.nest.map_structure(order, final_state.cell_state)
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(found, outputs), final_state

    def _in_final_order(self, parents: Any, lengths: Any, longest: Any, values: Any) -> Any:
        """A TensorArray's values [time, batch * beam, ...], of the beams that the last came from.

        After a beam's end they are those of the beam's own place.
        """
        known = isinstance(values, tf.TensorArray) and values.element_shape[:2].is_fully_defined()
        if not isinstance(values, tf.TensorArray) or (known and self._rows is not None):
            return values
        own = tf.zeros_like(parents) + tf.range(self._beam_width)
        beams = gather_tree(own, parents, longest, self._beam_width + 1)
        inside = tf.sequence_mask(lengths, tf.shape(parents)[0])
        beams = tf.where(tf.transpose(inside, [2, 0, 1]), beams, own)
        stacked = values.stack()
        sizes = tf.shape(stacked)
        by_beam = tf.reshape(stacked, tf.concat([tf.shape(parents), sizes[2:]], 0))
        ordered = tf.reshape(tf.gather(by_beam, beams, batch_dims=2), sizes)
        ordered.set_shape(stacked.shape)
        return ordered

    def _merge(self, values: Any) -> Any:
        """[batch * beam, ...] of [batch, beam, ...]."""
        return self._reshape(values, [-1], [self._rows and self._rows * self._beam_width], 2)

    def _split(self, values: Any) -> Any:
        """[batch, beam, ...] of [batch * beam, ...]."""
        return self._reshape(values, [self.batch_size, self._beam_width], [self._rows, self._beam_width], 1)

    def _reshape(self, values: Any, sizes: list[Any], known: list[Any], taken: int) -> Any:
        """Other sizes for the first axes, so many of them, of what has rows."""
        if not _has_rows(values):
            return values
        reshaped = tf.reshape(values, tf.concat([sizes, tf.shape(values)[taken:]], 0))
        reshaped.set_shape([*known, *values.shape[taken:]])
        return reshaped


def _has_rows(values: Any) -> bool:
    return not isinstance(values, tf.TensorArray) and values.shape.rank != 0


def _attention_of(cell_state: Any) -> Any:
    """The alignments in a cell's state, [rows, time], or their mean; a ValueError if none."""
    parts = cell_state if type(cell_state) is tuple else [cell_state]
    found = [tf.nest.flatten(part.alignments) for part in parts if isinstance(part, AttentionWrapperState)]
    means = [tf.add_n(alignments) / len(alignments) for alignments in found]
    return tf.add_n(means) / len(means)
