"""Helpers of `BasicDecoder`: where the inputs of each step come from, and which ids are taken of its outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.seq2seq.decoding import swap_batch_and_time

v1 = tf.compat.v1


class Helper:
    """What `BasicDecoder` asks of a helper.

    Attributes:
        sample_ids_shape: the shape of the ids of one row.
        sample_ids_dtype: their type.
    """

    sample_ids_shape: Any = tf.TensorShape([])
    sample_ids_dtype: Any = tf.int32
    _batch_size: Any = None

    @property
    def batch_size(self) -> Any:
        """How many rows there are, int32 scalar.

        Raises:
            ValueError: a `CustomHelper` has not begun yet.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Which rows are finished at the start, bool [batch], and the first inputs."""
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The ids that are taken of the outputs."""
        raise NotImplementedError

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Which rows are finished then, the next inputs, and the state."""
        raise NotImplementedError


class CustomHelper(Helper):
    """A helper made of functions.

    Args:
        initialize_fn: gives what `initialize` does.
        sample_fn: takes time, outputs and state by name, as `sample` does.
        next_inputs_fn: takes time, outputs, state and sample_ids by name, as `next_inputs` does.
        sample_ids_shape: by default ids are scalars.
        sample_ids_dtype: by default int32.
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
        self.sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or tf.int32

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What the function gives."""
        with v1.name_scope(name, "CustomHelperInitialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What the function gives."""
        with v1.name_scope(name, "CustomHelperSample"):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """What the function gives."""
        with v1.name_scope(name, "CustomHelperNextInputs"):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(Helper):
    """Inputs that are known: teacher forcing.

    Args:
        inputs: a nest of [batch, time, ...].
        sequence_length: int32 [batch].
        time_major: whether the inputs are [time, batch, ...].
        name: of its operations.

    Raises:
        ValueError: `sequence_length` is not a vector.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ) -> None:
        with v1.name_scope(name, "TrainingHelper", [*tf.nest.flatten(inputs), sequence_length]):
            self.inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
            by_time = self.inputs if time_major else tf.nest.map_structure(swap_batch_and_time, self.inputs)
            self._input_tas = tf.nest.map_structure(_array_of, by_time)
            self.sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            if self.sequence_length.shape.rank != 1:
                shape = self.sequence_length.shape
                raise ValueError(f"Expected sequence_length to be a vector, but received shape: {shape}")
            self._zero_inputs = tf.nest.map_structure(lambda values: tf.zeros_like(values[0]), by_time)
            self._batch_size = tf.size(self.sequence_length)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The inputs at time 0."""
        with v1.name_scope(name, "TrainingHelperInitialize"):
            return self._inputs_at(tf.constant(0))

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """The places of the largest outputs."""
        with v1.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The inputs at the next time."""
        with v1.name_scope(name, "TrainingHelperNextInputs", [time]):
            return (*self._inputs_at(time + 1), state)

    def _inputs_at(self, time: Any) -> tuple[Any, Any]:
        finished = time >= self.sequence_length
        inputs = v1.cond(
            tf.reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: tf.nest.map_structure(lambda array: array.read(time), self._input_tas),
        )
        return finished, inputs


def _array_of(values: Any) -> Any:
    array = v1.TensorArray(values.dtype, size=tf.shape(values)[0], element_shape=values.shape[1:])
    return array.unstack(values)


class GreedyEmbeddingHelper(Helper):
    """The embedding of the best id is the next input.

    Args:
        embedding: a function from ids to inputs, or the table of `tf.nn.embedding_lookup`.
        start_tokens: int32 [batch].
        end_token: int32 scalar, the id that finishes a row.

    Raises:
        ValueError: a shape is another one.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn, self._start_tokens, self._end_token = checked_embedding(
            embedding, start_tokens, end_token
        )
        self._start_inputs = self._embedding_fn(self._start_tokens)
        self._batch_size = tf.size(self._start_tokens)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The embeddings of the first ids."""
        return tf.fill([self.batch_size], False), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The places of the largest outputs."""
        return tf.argmax(_logits(outputs), axis=-1, output_type=tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The embeddings of the ids."""
        finished = tf.equal(sample_ids, self._end_token)
        inputs = v1.cond(
            tf.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids)
        )
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Ids are drawn: `GreedyEmbeddingHelper` where the outputs are logits.

    Args:
        embedding, start_tokens, end_token: see there.
        softmax_temperature: what the logits are divided by.
        seed: of the draws.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Draws an id for each row."""
        logits = _logits(outputs)
        if self._softmax_temperature is not None:
            logits /= self._softmax_temperature
        return v1.distributions.Categorical(logits=logits).sample(seed=self._seed)


def _logits(outputs: Any) -> Any:
    if not isinstance(outputs, tf.Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return outputs


def checked_embedding(
    embedding: Any, start_tokens: Any, end_token: Any
) -> tuple[Callable[..., Any], Any, Any]:
    """A function from ids to embeddings, int32 [batch] of first ids, and the int32 id of the end.

    Raises:
        ValueError: a shape is another one.
    """
    function = embedding if callable(embedding) else lambda ids: v1.nn.embedding_lookup(embedding, ids)
    start = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
    end = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
    if start.shape.rank != 1:
        raise ValueError("start_tokens must be a vector")
    if end.shape.rank != 0:
        raise ValueError("end_token must be a scalar")
    return function, start, end
