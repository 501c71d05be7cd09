"""Sequences made step by step: `dynamic_decode`, `BasicDecoder`, helpers, `sequence_loss`."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import tensorflow as tf

v1 = tf.compat.v1


class Decoder:
    """What `dynamic_decode` asks of a decoder.

    It calls `initialize()`: which rows are finished, bool [batch], the first inputs and the first
    state. Then for each step `step(time, inputs, state)`: the outputs, the next state, the next
    inputs, and which rows are finished then. `batch_size` is an int32 scalar; `output_size` and
    `output_dtype` are of one row, in the outputs' structure. `tracks_own_finished`: whether `step`
    says of all rows that they are finished, also of those that were before.
    """

    tracks_own_finished: Any = False

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """Outputs, [time, batch, ...], and state in their final form; by default unchanged."""
        raise NotImplementedError


class Helper:
    """Where the inputs of a `BasicDecoder` come from, and which ids are taken of its outputs.

    It is asked for `initialize()`: which rows are finished at the start, bool [batch], and the
    first inputs. Then for `next_inputs(time, outputs, state, sample_ids)`: which rows are finished
    then, the next inputs and the state. `batch_size` is an int32 scalar; `sample_ids_shape` and
    `sample_ids_dtype` are of the ids of one row.
    """

    sample_ids_shape: Any = tf.TensorShape([])
    sample_ids_dtype: Any = tf.int32

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """The ids taken of the outputs: by default the places of the largest."""
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)


class TrainingHelper(Helper):
    """Known inputs (teacher forcing): a nest of [batch, time, ...], or with `time_major` swapped.

    A row is finished after `sequence_length`, int32 [batch], steps.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ) -> None:
        with v1.name_scope(name, "TrainingHelper", [*tf.nest.flatten(inputs), sequence_length]):
            self.inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
            by_time = self.inputs if time_major else tf.nest.map_structure(_swap_batch_and_time, self.inputs)
            self._input_tas = tf.nest.map_structure(
                lambda values: v1.TensorArray(values.dtype, tf.shape(values)[0]).unstack(values), by_time
            )
            self.sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            self.sequence_length.shape.assert_has_rank(1)
            self._zero_inputs = tf.nest.map_structure(lambda values: tf.zeros_like(values[0]), by_time)
            self.batch_size = tf.size(self.sequence_length)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The inputs at time 0."""
        return TrainingHelper.next_inputs(self, tf.constant(-1), None, None)[:2]

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The inputs at the next time; zeros where all rows are finished."""
        finished = time + 1 >= self.sequence_length

        def read() -> Any:
            return tf.nest.map_structure(lambda array: array.read(time + 1), self._input_tas)

        return finished, v1.cond(tf.reduce_all(finished), lambda: self._zero_inputs, read), state


class GreedyEmbeddingHelper(Helper):
    """The embedding of the best id is the next input; see `checked_embedding`."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        checked = checked_embedding(embedding, start_tokens, end_token)
        self._embedding_fn, self._start_tokens, self._end_token = checked
        self._start_inputs = self._embedding_fn(self._start_tokens)
        self.batch_size = tf.size(self._start_tokens)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The embeddings of the first ids."""
        return tf.fill([self.batch_size], False), self._start_inputs

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The embeddings of the ids."""
        finished, given = tf.equal(sample_ids, self._end_token), self._start_inputs
        inputs = v1.cond(tf.reduce_all(finished), lambda: given, lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """As `GreedyEmbeddingHelper`, of drawn ids; a high `softmax_temperature` draws evenly."""

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Ids drawn by the outputs, which are logits."""
        return drawn(outputs if self._temperature is None else outputs / self._temperature, self._seed)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A `TrainingHelper` with embeddings of drawn ids among its inputs (Bengio 2015).

    Each is one with `sampling_probability`, a scalar or one for each row. Ids are -1 where none is
    drawn.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(inputs, sequence_length, time_major, name)
        is_function = callable(embedding)
        self._embedding_fn = embedding if is_function else lambda ids: v1.nn.embedding_lookup(embedding, ids)
        self._probability = tf.convert_to_tensor(sampling_probability, name="sampling_probability")
        if self._probability.shape.rank not in (0, 1):
            raise ValueError(f"sampling_probability is a scalar or a vector, not {self._probability}")
        self._seed, self._scheduling_seed = seed, scheduling_seed

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Ids drawn by the outputs, which are logits, or -1."""
        size = [self.batch_size] if self._probability.shape.rank == 0 else tf.shape(self._probability)
        chance = v1.random_uniform(size, seed=self._scheduling_seed, dtype=self._probability.dtype)
        ids = drawn(outputs, self._seed)
        return v1.where(chance < self._probability, ids, tf.fill([self.batch_size], -1))

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The next inputs, with the embeddings of the drawn ids in the rows that have one."""
        finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids)

        def mixed() -> Any:
            rows = tf.cast(tf.where(sample_ids > -1), tf.int32)
            embedded = self._embedding_fn(tf.gather_nd(sample_ids, rows))
            return tf.tensor_scatter_nd_update(inputs, rows, embedded)

        return finished, v1.cond(tf.reduce_all(finished), lambda: inputs, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A `TrainingHelper` with last outputs among its inputs, by `sampling_probability`.

    Args:
        inputs, sequence_length, time_major, name: as `TrainingHelper` takes them.
        sampling_probability: a scalar, or one for each row.
        seed: of the draws, which are 1 for an output, 0 for an input.
        next_inputs_fn: makes the next inputs of outputs; by default they are that themselves.
        auxiliary_inputs: in the inputs' shape, but for the last axis; both kinds of inputs end with
            them.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        self._probability = tf.convert_to_tensor(sampling_probability, name="sampling_probability")
        if self._probability.shape.rank not in (0, 1):
            raise ValueError(f"sampling_probability is a scalar or a vector, not {self._probability}")
        self._seed, self._next_inputs_fn, self._auxiliary = seed, next_inputs_fn, None
        if auxiliary_inputs is not None:
            extra = tf.convert_to_tensor(auxiliary_inputs)
            inputs = tf.concat([tf.convert_to_tensor(inputs), extra], -1)
            by_time = extra if time_major else _swap_batch_and_time(extra)
            self._auxiliary = v1.TensorArray(extra.dtype, tf.shape(by_time)[0]).unstack(by_time)
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """1 for a row whose next input is an output, else 0: int32 [batch]."""
        size = [self.batch_size] if self._probability.shape.rank == 0 else tf.shape(self._probability)
        chance = v1.random_uniform(size, seed=self._seed, dtype=self._probability.dtype)
        return tf.cast(chance < self._probability, tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The next inputs, or in the rows that were drawn what the outputs make."""
        finished, inputs, state = super().next_inputs(time, outputs, state, sample_ids)
        taken = tf.cast(sample_ids, tf.bool)

        def mixed() -> Any:
            rows = tf.cast(tf.where(taken), tf.int32)
            made = tf.gather_nd(outputs, rows)
            made = made if self._next_inputs_fn is None else self._next_inputs_fn(made)
            if self._auxiliary is not None:
                made = tf.concat([made, tf.gather_nd(self._auxiliary.read(time + 1), rows)], -1)
            return tf.tensor_scatter_nd_update(inputs, rows, made)

        none = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(taken)))
        return finished, v1.cond(none, lambda: inputs, mixed), state


class CustomHelper(Helper):
    """A helper of three functions: what `initialize`, `sample` and `next_inputs` give.

    They take what the methods of `Helper` take, by name. The batch's size is that of `finished` at
    the start.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn, self._sample_fn, self._next_inputs_fn = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self.sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        """Known from `initialize` on; a ValueError before."""
        if self._batch_size is None:
            raise ValueError("a CustomHelper knows its batch_size after initialize")
        return self._batch_size

    def initialize(self, name: str | None = None) -> Any:
        """What `initialize_fn` gives."""
        finished, inputs = self._initialize_fn()
        if self._batch_size is None:
            self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """What `sample_fn` gives."""
        return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """What `next_inputs_fn` gives."""
        return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class InferenceHelper(Helper):
    """A helper whose `sample_fn` takes ids of outputs; they, or `next_inputs_fn`, are next.

    `end_fn` says of ids, of `sample_shape` and `sample_dtype` each, which rows are finished.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self.sample_ids_shape, self.sample_ids_dtype = tf.TensorShape(sample_shape), sample_dtype
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")
        self.batch_size = tf.shape(self._start_inputs)[0]

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The start inputs."""
        return tf.fill([self.batch_size], False), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """What `sample_fn` gives."""
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The next inputs of ids."""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


def drawn(logits: Any, seed: int | None) -> Any:
    """One id for each row, drawn by its logits: int32 [batch]."""
    return tf.reshape(v1.multinomial(logits, 1, seed=seed, output_dtype=tf.int32), [-1])


def hardmax(logits: Any, name: str | None = None) -> Any:
    """1 at the largest value of the last axis, 0 elsewhere; in the values' shape and type."""
    with v1.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits)
        depth = size_of(logits, -1)
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


def checked_embedding(embedding: Any, start_tokens: Any, end_token: Any) -> tuple[Any, Any, Any]:
    """A function from ids to embeddings, int32 [batch] of first ids, and the id of the end.

    `embedding` is that function, or the table of `tf.nn.embedding_lookup`. Other shapes are a
    ValueError.
    """
    function = embedding if callable(embedding) else lambda ids: v1.nn.embedding_lookup(embedding, ids)
    start = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
    end = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
    start.shape.assert_has_rank(1)
    end.shape.assert_has_rank(0)
    return function, start, end


class BasicDecoderOutput(NamedTuple):
    """What `BasicDecoder` gives: outputs [batch, time, size], and the ids taken of them."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """An RNN cell with inputs of a `Helper`, which begins with `initial_state`.

    The helper takes an id of the cell's output, or of what `output_layer`, a layer, makes of it.
    """

    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None) -> None:
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        """The helper's."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """Of the layer's output where there is one, and of ids."""
        size, layer = self._cell.output_size, self._output_layer
        if layer is not None:
            size = layer.compute_output_shape(tf.TensorShape([None]).concatenate(size))[1:]
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The state's, and that of ids."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        dtypes = tf.nest.map_structure(lambda _: dtype, self.output_size.rnn_output)
        return BasicDecoderOutput(dtypes, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """What the helper begins with, and the first state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """One step of the cell."""
        with v1.name_scope(name, "BasicDecoderStep", tf.nest.flatten((time, inputs, state))):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            known = {"time": time, "outputs": outputs, "state": state}
            ids = self._helper.sample(**known)
            finished, inputs, state = self._helper.next_inputs(sample_ids=ids, **known)
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Steps of a decoder until all rows of the batch are finished.

    Args:
        decoder: see `Decoder`; it is asked inside the variable scope `scope`, by default "decoder".
        output_time_major: whether outputs are [time, batch, ...], not [batch, time, ...].
        impute_finished: whether the outputs of finished rows are zeros, and their state stays.
        maximum_iterations: int32 scalar, the most steps.
        parallel_iterations, swap_memory: as `tf.while_loop` takes them.

    Returns:
        The outputs, the final state, and how many steps each row took, int32 [batch].
    """
    with v1.variable_scope(scope, "decoder") as variables:
        if variables.caching_device is None:
            variables.set_caching_device(lambda operation: operation.device)
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, tf.int32)
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        batch = tf.TensorShape([tf.get_static_value(tf.convert_to_tensor(decoder.batch_size))])

        def array_of(dtype: Any, size: Any) -> Any:
            return v1.TensorArray(dtype, size=0, dynamic_size=True, element_shape=batch.concatenate(size))

        arrays = tf.nest.map_structure(array_of, decoder.output_dtype, decoder.output_size)

        def step(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
            outputs, new_state, inputs, finished_then = decoder.step(time, inputs, state)
            tf.nest.assert_same_structure(state, new_state)
            if not decoder.tracks_own_finished:
                finished_then = tf.logical_or(finished_then, finished)
            lengths = v1.where(finished, lengths, tf.fill(tf.shape(lengths), time + 1))

            def keep(old: Any, new: Any) -> Any:
                """The old values of the finished rows, if there is a row for each of the batch."""
                if isinstance(old, tf.TensorArray):
                    return new
                new.set_shape(old.shape)
                return new if new.shape.rank == 0 else v1.where(finished, old, new)

            if impute_finished:
                outputs = tf.nest.map_structure(lambda new: keep(tf.zeros_like(new), new), outputs)
                new_state = tf.nest.map_structure(keep, state, new_state)
            arrays = tf.nest.map_structure(lambda array, output: array.write(time, output), arrays, outputs)
            return time + 1, arrays, new_state, inputs, finished_then, lengths

        _, arrays, state, _, _, lengths = v1.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(tf.reduce_all(finished)),
            step,
            (tf.constant(0), arrays, state, inputs, finished, tf.zeros_like(finished, tf.int32)),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        with suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf.nest.map_structure(_swap_batch_and_time, outputs)
    return outputs, state, lengths


def _swap_batch_and_time(values: Any) -> Any:
    """[time, batch, ...] of [batch, time, ...] and back; below two dimensions nothing changes."""
    if values.shape.rank is not None and values.shape.rank < 2:
        return values
    return tf.transpose(values, tf.concat([[1, 0], tf.range(2, tf.rank(values))], axis=0))


def size_of(values: Any, axis: int) -> Any:
    """The size of an axis: static where it is known, else an int32 scalar."""
    size = values.shape.as_list()[axis]
    return tf.shape(values)[axis] if size is None else size


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """The weighted cross entropy of logits [batch, time, classes], ids and weights [batch, time].

    A scalar, or with one average or sum alone [batch] or [time], or with none [batch, time]. An
    average divides by the weights' sum, a sum by how many weights are not zero.
    `softmax_loss_function` takes labels and logits by name.

    Raises:
        ValueError: a tensor has another rank, or an average and a sum are asked for together.
    """
    averages, sums = (average_across_batch, average_across_timesteps), (sum_over_batch, sum_over_timesteps)
    if any(average and total for average, total in zip(averages, sums, strict=True)):
        raise ValueError("sequence_loss takes an average or a sum, not both")
    for rank, given in ((3, logits), (2, targets), (2, weights)):
        if len(given.shape) != rank:
            raise ValueError(f"sequence_loss needs a tensor of rank {rank}, and this is {given}")
    with v1.name_scope(name, "sequence_loss", [logits, targets, weights]):
        labels, rows = tf.reshape(targets, [-1]), tf.reshape(logits, [-1, tf.shape(logits)[2]])
        cross_entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = tf.reshape(cross_entropy(labels=labels, logits=rows), tf.shape(weights)) * weights
        axes = [axis for axis, over in enumerate(averages if any(averages) else sums) if over]
        if not axes:
            return losses
        parts = weights if any(averages) else tf.cast(tf.not_equal(weights, 0), losses.dtype)
        return tf.math.divide_no_nan(tf.reduce_sum(losses, axes), tf.reduce_sum(parts, axes))
