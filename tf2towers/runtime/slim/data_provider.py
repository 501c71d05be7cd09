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
# From tensorflow/contrib/slim/python/slim/data/data_provider.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: B024
# mypy: ignore-errors
"""Contains code for the DataProvider."""

from __future__ import annotations

import abc


class DataProvider(abc.ABC):
    """Maps a list of requested data items to tensors from a data source."""

    def __init__(self, items_to_tensors, num_samples):
        """Constructs the Data Provider."""
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items):
        """Returns a list of tensors specified by the given list of items."""
        self._validate_items(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self):
        """Returns the list of item names that can be provided by the data provider."""
        return self._items_to_tensors.keys()

    def num_samples(self):
        """Returns the number of data samples in the dataset."""
        return self._num_samples

    def _validate_items(self, items):
        """Verifies that each given item is a member of the list from ListItems()."""
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")

        valid_items = self.list_items()
        for item in items:
            if item not in valid_items:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {valid_items}")
