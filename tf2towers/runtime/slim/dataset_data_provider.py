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
# From tensorflow/contrib/slim/python/slim/data/dataset_data_provider.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: B905, D101, D205
# mypy: ignore-errors
"""A DataProvider that provides data from a Dataset."""

from __future__ import annotations

from tf2towers.runtime.slim import data_provider, parallel_reader


class DatasetDataProvider(data_provider.DataProvider):
    def __init__(
        self,
        dataset,
        num_readers=1,
        reader_kwargs=None,
        shuffle=True,
        num_epochs=None,
        common_queue_capacity=256,
        common_queue_min=128,
        record_key="record_key",
        seed=None,
        scope=None,
    ):
        """Creates a DatasetDataProvider. Note: if `num_epochs` is not `None`, local counter `epochs` will be
        created by relevant function. Use `local_variables_initializer()` to initialize local variables.
        """
        key, data = parallel_reader.parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )

        items = dataset.decoder.list_items()
        tensors = dataset.decoder.decode(data, items)

        items_to_tensors = dict(zip(items, tensors))
        if record_key in items_to_tensors:
            raise ValueError(
                "The item name used for `record_key` cannot also be used for a dataset item: %s", record_key
            )
        items_to_tensors[record_key] = key

        super().__init__(items_to_tensors=items_to_tensors, num_samples=dataset.num_samples)
