"""`Decoder`, `BasicDecoder` and `dynamic_decode`: sequences made step by step."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

v1 = tf.compat.v1


class Decoder:
    """What `dynamic_decode` asks of a decoder."""

    @property
    def batch_size(self) -> Any:
        """How many rows the batch has, int32 scalar."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The shape of one row of the outputs, in the outputs' structure."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The outputs' types, in their structure."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` says of all rows that they are finished, also of those that were before."""
        return False

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """Which rows are finished, bool [batch], the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """The outputs of a step, the next state, the next inputs, and which rows are finished then."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """Outputs, [time, batch, ...], and state in their final form. By default they stay as they are."""
        raise NotImplementedError


class BasicDecoderOutput(NamedTuple):
    """What `BasicDecoder` gives: outputs [batch, time, size], and the ids that were taken of them."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """A cell whose inputs come from a helper.

    Args:
        cell: an RNN cell.
        helper: a `Helper`.
        initial_state: the cell's.
        output_layer: a layer that each output goes through before an id is taken.
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
        size = self._cell.output_size
        if self._output_layer is not None:
            size = tf.nest.map_structure(self._size_of_layer, size)
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    def _size_of_layer(self, size: Any) -> Any:
        shape = tf.TensorShape([None]).concatenate(size)
        return self._output_layer.compute_output_shape(shape)[1:]

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The state's, and that of ids."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        sizes = self.output_size.rnn_output
        return BasicDecoderOutput(
            tf.nest.map_structure(lambda _: dtype, sizes), self._helper.sample_ids_dtype
        )

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """What the helper begins with, and the first state."""
        finished, inputs = self._helper.initialize()
        return finished, inputs, self._initial_state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> tuple[Any, Any, Any, Any]:
        """One step of the cell."""
        with v1.name_scope(name, "BasicDecoderStep", tf.nest.flatten((time, inputs, state))):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
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
        decoder: a `Decoder`.
        output_time_major: whether outputs are [time, batch, ...], not [batch, time, ...].
        impute_finished: whether the outputs of finished rows are zeros, and their state stays.
        maximum_iterations: int32 scalar, the most steps.
        parallel_iterations: of the `tf.while_loop`.
        swap_memory: of the `tf.while_loop`.
        scope: the variable scope, by default "decoder".

    Returns:
        The outputs, the final state, and how many steps each row took, int32 [batch].

    Raises:
        TypeError: `decoder` is not a `Decoder`.
        ValueError: `maximum_iterations` is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with v1.variable_scope(scope, "decoder") as variables:
        if variables.caching_device is None:
            variables.set_caching_device(lambda operation: operation.device)
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, tf.int32)
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        sizes, dtypes = decoder.output_size, decoder.output_dtype
        batch = tf.get_static_value(tf.convert_to_tensor(decoder.batch_size))
        arrays = tf.nest.map_structure(
            lambda dtype, size: v1.TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=tf.TensorShape([batch]).concatenate(size)
            ),
            dtypes,
            sizes,
        )

        def step(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
            outputs, new_state, inputs, finished_now = decoder.step(time, inputs, state)
            tf.nest.assert_same_structure(state, new_state)
            tf.nest.assert_same_structure(dtypes, outputs)
            finished_then = (
                finished_now if decoder.tracks_own_finished else tf.logical_or(finished_now, finished)
            )
            lengths = v1.where(finished, lengths, tf.fill(tf.shape(lengths), time + 1))
            if impute_finished:
                outputs = tf.nest.map_structure(
                    lambda new: v1.where(finished, tf.zeros_like(new), new), outputs
                )
                new_state = tf.nest.map_structure(partial(_keep, finished), state, new_state)
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
            outputs = tf.nest.map_structure(swap_batch_and_time, outputs)
    return outputs, state, lengths


def _keep(finished: Any, old: Any, new: Any) -> Any:
    """The old values of the rows that are finished, where the state is a tensor with a row for each of the batch."""
    if isinstance(old, tf.TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.rank == 0 else v1.where(finished, old, new)


def swap_batch_and_time(values: Any) -> Any:
    """[time, batch, ...] of [batch, time, ...], and the other way round; what has less than two dimensions stays."""
    if values.shape.rank is not None and values.shape.rank < 2:
        return values
    order = tf.concat([[1, 0], tf.range(2, tf.rank(values))], axis=0)
    swapped = tf.transpose(values, order)
    if values.shape.rank is not None:
        swapped.set_shape([values.shape[1], values.shape[0], *values.shape[2:]])
    return swapped


def known_size(values: Any, axis: int) -> int | None:
    """The static size of an axis, whichever kind of shapes TensorFlow has been set to; None where it is not known."""
    return tf.compat.dimension_value(values.shape[axis])


def size_of(values: Any, axis: int) -> Any:
    """The size of an axis: static where it is known, else an int32 scalar."""
    size = known_size(values, axis)
    return tf.shape(values)[axis] if size is None else size
