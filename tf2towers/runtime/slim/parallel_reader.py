# Copyright 2016 The TensorFlow Authors. All Rights Reserved.
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
# From tensorflow/contrib/slim/python/slim/data/parallel_reader.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102, UP031
# mypy: ignore-errors
"""Implements a parallel data reader with queues and optional shuffling."""

from __future__ import annotations

import tensorflow.compat.v1 as tf


class ParallelReader(tf.ReaderBase):
    """Reader class that uses multiple readers in parallel to improve speed."""

    def __init__(self, reader_class, common_queue, num_readers=4, reader_kwargs=None):
        """ParallelReader creates num_readers instances of the reader_class."""
        if len(common_queue.dtypes) != 2:
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        for dtype in common_queue.dtypes:
            if not dtype.is_compatible_with(tf.string):
                raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")

        reader_kwargs = reader_kwargs or {}
        self._readers = [reader_class(**reader_kwargs) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self):
        return len(self._readers)

    @property
    def common_queue(self):
        return self._common_queue

    def read(self, queue, name=None):
        """Returns the next record (key, value pair) produced by the reader."""
        self._configure_readers_by(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue, num_records, name=None):
        """Returns up to num_records (key, value pairs) produced by a reader."""
        self._configure_readers_by(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _configure_readers_by(self, queue):
        enqueue_ops = []
        for reader in self._readers:
            enqueue_ops.append(self._common_queue.enqueue(reader.read(queue)))

        tf.train.add_queue_runner(tf.train.QueueRunner(self._common_queue, enqueue_ops))

    def num_records_produced(self, name=None):
        """Returns the number of records this reader has produced."""
        num_records = [r.num_records_produced() for r in self._readers]
        return tf.add_n(num_records, name=name)

    def num_work_units_completed(self, name=None):
        """Returns the number of work units this reader has finished processing."""
        num_work_units = [r.num_work_units_completed() for r in self._readers]
        return tf.add_n(num_work_units, name=name)


def parallel_read(
    data_sources,
    reader_class,
    num_epochs=None,
    num_readers=4,
    reader_kwargs=None,
    shuffle=True,
    dtypes=None,
    capacity=256,
    min_after_dequeue=128,
    seed=None,
    scope=None,
):
    """Reads multiple records in parallel from data_sources using n readers."""
    data_files = get_data_files(data_sources)
    with tf.name_scope(scope, "parallel_read"):
        filename_queue = tf.train.string_input_producer(
            data_files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        dtypes = dtypes or [tf.string, tf.string]
        if shuffle:
            common_queue = tf.RandomShuffleQueue(
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                dtypes=dtypes,
                seed=seed,
                name="common_queue",
            )
        else:
            common_queue = tf.FIFOQueue(capacity=capacity, dtypes=dtypes, name="common_queue")

        tf.summary.scalar(
            "fraction_of_%d_full" % capacity, tf.cast(common_queue.size(), tf.float32) * (1.0 / capacity)
        )

        return ParallelReader(
            reader_class, common_queue, num_readers=num_readers, reader_kwargs=reader_kwargs
        ).read(filename_queue)


def single_pass_read(data_sources, reader_class, reader_kwargs=None, scope=None):
    """Reads sequentially the data_sources using the reader, doing a single pass."""
    data_files = get_data_files(data_sources)
    with tf.name_scope(scope, "single_pass_read"):
        filename_queue = tf.train.string_input_producer(
            data_files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        reader_kwargs = reader_kwargs or {}
        return reader_class(**reader_kwargs).read(filename_queue)


def get_data_files(data_sources):
    """Get data_files from data_sources."""
    if isinstance(data_sources, (list, tuple)):
        data_files = []
        for source in data_sources:
            data_files += get_data_files(source)
    elif "*" in data_sources or "?" in data_sources or "[" in data_sources:
        data_files = tf.gfile.Glob(data_sources)
    else:
        data_files = [data_sources]
    if not data_files:
        raise ValueError(f"No data files found in {data_sources}")
    return data_files
