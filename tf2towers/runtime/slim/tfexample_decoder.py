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
# From tensorflow/contrib/slim/python/slim/data/tfexample_decoder.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102
# mypy: ignore-errors
"""Contains the TFExampleDecoder its associated helper classes."""

from __future__ import annotations

import abc

import tensorflow.compat.v1 as tf

from tf2towers.runtime.slim import data_decoder


class ItemHandler(abc.ABC):
    """Specifies the item-to-Features mapping for tf.parse_example."""

    def __init__(self, keys):
        """Constructs the handler with the name of the tf.Feature keys to use."""
        if not isinstance(keys, (tuple, list)):
            keys = [keys]
        self._keys = keys

    @property
    def keys(self):
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors):
        """Maps the given dictionary of tensors to the requested item."""


class ItemHandlerCallback(ItemHandler):
    """An ItemHandler that converts the parsed tensors via a given function."""

    def __init__(self, keys, func):
        """Initializes the ItemHandler."""
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors):
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """An ItemHandler that concatenates a set of parsed Tensors to Bounding Boxes."""

    def __init__(self, keys=None, prefix=""):
        """Initialize the bounding box handler."""
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._prefix = prefix
        self._keys = keys
        self._full_keys = [prefix + k for k in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors):
        """Maps the given dictionary of tensors to a concatenated list of bboxes."""
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            if isinstance(side, tf.SparseTensor):
                side = side.values
            side = tf.expand_dims(side, 0)
            sides.append(side)

        bounding_box = tf.concat(sides, 0)
        return tf.transpose(bounding_box)


class Tensor(ItemHandler):
    """An ItemHandler that returns a parsed Tensor."""

    def __init__(self, tensor_key, shape_keys=None, shape=None, default_value=0):
        """Initializes the Tensor handler."""
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        keys = [tensor_key]
        if shape_keys:
            keys.extend(shape_keys)
        super().__init__(keys)

    def tensors_to_item(self, keys_to_tensors):
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            shape_dims = []
            for k in self._shape_keys:
                shape_dim = keys_to_tensors[k]
                if isinstance(shape_dim, tf.SparseTensor):
                    shape_dim = tf.sparse_tensor_to_dense(shape_dim)
                shape_dims.append(shape_dim)
            shape = tf.reshape(tf.stack(shape_dims), [-1])
        if isinstance(tensor, tf.SparseTensor):
            if shape is not None:
                tensor = tf.sparse_reshape(tensor, shape)
            tensor = tf.sparse_tensor_to_dense(tensor, self._default_value)
        elif shape is not None:
            tensor = tf.reshape(tensor, shape)
        return tensor


class LookupTensor(Tensor):
    """An ItemHandler that returns a parsed Tensor, the result of a lookup."""

    def __init__(self, tensor_key, table, shape_keys=None, shape=None, default_value=""):
        """Initializes the LookupTensor handler."""
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors):
        unmapped_tensor = super().tensors_to_item(keys_to_tensors)
        return self._table.lookup(unmapped_tensor)


class BackupHandler(ItemHandler):
    """An ItemHandler that tries two ItemHandlers in order."""

    def __init__(self, handler, backup):
        """Initializes the BackupHandler handler."""
        if not isinstance(handler, ItemHandler):
            raise ValueError(f"Primary handler is of type {type(handler)} instead of ItemHandler")
        if not isinstance(backup, ItemHandler):
            raise ValueError(f"Backup handler is of type {type(backup)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors):
        item = self._handler.tensors_to_item(keys_to_tensors)
        return tf.cond(
            pred=tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item,
        )


class SparseTensor(ItemHandler):
    """An ItemHandler for SparseTensors."""

    def __init__(
        self, indices_key=None, values_key=None, shape_key=None, shape=None, densify=False, default_value=0
    ):
        """Initializes the Tensor handler."""
        indices_key = indices_key or "indices"
        values_key = values_key or "values"
        self._indices_key = indices_key
        self._values_key = values_key
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        keys = [indices_key, values_key]
        if shape_key:
            keys.append(shape_key)
        super().__init__(keys)

    def tensors_to_item(self, keys_to_tensors):
        indices = keys_to_tensors[self._indices_key]
        values = keys_to_tensors[self._values_key]
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            if isinstance(shape, tf.SparseTensor):
                shape = tf.sparse_tensor_to_dense(shape)
        elif self._shape:
            shape = self._shape
        else:
            shape = indices.dense_shape
        indices_shape = tf.shape(indices.indices)
        rank = indices_shape[1]
        ids = tf.cast(indices.values, tf.int64)
        indices_columns_to_preserve = tf.slice(indices.indices, [0, 0], tf.stack([-1, rank - 1]))
        new_indices = tf.concat([indices_columns_to_preserve, tf.reshape(ids, [-1, 1])], 1)

        tensor = tf.SparseTensor(new_indices, values.values, shape)
        if self._densify:
            tensor = tf.sparse_tensor_to_dense(tensor, self._default_value)
        return tensor


class Image(ItemHandler):
    """An ItemHandler that decodes a parsed Tensor as an image."""

    def __init__(
        self,
        image_key=None,
        format_key=None,
        shape=None,
        channels=3,
        dtype=tf.uint8,
        repeated=False,
        dct_method="",
    ):
        """Initializes the image."""
        if not image_key:
            image_key = "image/encoded"
        if not format_key:
            format_key = "image/format"

        super().__init__([image_key, format_key])
        self._image_key = image_key
        self._format_key = format_key
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors):
        """See base class."""
        image_buffer = keys_to_tensors[self._image_key]
        image_format = keys_to_tensors[self._format_key]

        if self._repeated:
            return tf.map_fn(lambda x: self._decode(x, image_format), image_buffer, dtype=self._dtype)
        return self._decode(image_buffer, image_format)

    def _decode(self, image_buffer, image_format):
        """Decodes the image buffer."""

        def decode_image():
            """Decodes a image based on the headers."""
            return tf.cast(tf.image.decode_image(image_buffer, channels=self._channels), self._dtype)

        def decode_jpeg():
            """Decodes a jpeg image with specified '_dct_method'."""
            return tf.cast(
                tf.image.decode_jpeg(image_buffer, channels=self._channels, dct_method=self._dct_method),
                self._dtype,
            )

        def check_jpeg():
            """Checks if an image is jpeg."""
            # For jpeg, we directly use image_ops.decode_jpeg rather than decode_image
            # in order to feed the jpeg specify parameter 'dct_method'.
            return tf.cond(tf.image.is_jpeg(image_buffer), decode_jpeg, decode_image, name="cond_jpeg")

        def decode_raw():
            """Decodes a raw image."""
            return tf.decode_raw(image_buffer, out_type=self._dtype)

        pred_fn_pairs = [
            (tf.logical_or(tf.equal(image_format, "raw"), tf.equal(image_format, "RAW")), decode_raw)
        ]
        image = tf.case(pred_fn_pairs, default=check_jpeg, exclusive=True)

        image.set_shape([None, None, self._channels])
        if self._shape is not None:
            image = tf.reshape(image, self._shape)

        return image


class TFExampleDecoder(data_decoder.DataDecoder):
    """A decoder for TensorFlow Examples."""

    def __init__(self, keys_to_features, items_to_handlers):
        """Constructs the decoder."""
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self):
        """See base class."""
        return list(self._items_to_handlers.keys())

    def decode(self, serialized_example, items=None):
        """Decodes the given serialized TF-example."""
        example = tf.parse_single_example(serialized_example, self._keys_to_features)

        # Reshape non-sparse elements just once, adding the reshape ops in
        # deterministic order.
        for k in sorted(self._keys_to_features):
            v = self._keys_to_features[k]
            if isinstance(v, tf.FixedLenFeature):
                example[k] = tf.reshape(example[k], v.shape)

        if not items:
            items = self._items_to_handlers.keys()

        outputs = []
        for item in items:
            handler = self._items_to_handlers[item]
            keys_to_tensors = {key: example[key] for key in handler.keys}
            outputs.append(handler.tensors_to_item(keys_to_tensors))
        return outputs
