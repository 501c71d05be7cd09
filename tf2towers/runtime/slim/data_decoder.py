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
# From tensorflow/contrib/slim/python/slim/data/data_decoder.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# mypy: ignore-errors
"""Contains helper functions and classes necessary for decoding data."""

from __future__ import annotations

import abc


class DataDecoder(abc.ABC):
    """An abstract class which is used to decode data for a provider."""

    @abc.abstractmethod
    def decode(self, data, items):
        """Decodes the data to returns the tensors specified by the list of items."""

    @abc.abstractmethod
    def list_items(self):
        """Lists the names of the items that the decoder can decode."""
