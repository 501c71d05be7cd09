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
# From tensorflow/contrib/slim/python/slim/nets/overfeat.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D103, E731, SIM117
# mypy: ignore-errors
"""Contains the model definition for the OverFeat network."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim
from tf2towers.runtime.slim import utils

trunc_normal = lambda stddev: tf.truncated_normal_initializer(0.0, stddev)


def overfeat_arg_scope(weight_decay=0.0005):
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        activation_fn=tf.nn.relu,
        weights_regularizer=slim.l2_regularizer(weight_decay),
        biases_initializer=tf.zeros_initializer(),
    ):
        with slim.arg_scope([slim.conv2d], padding="SAME"):
            with slim.arg_scope([slim.max_pool2d], padding="VALID") as arg_sc:
                return arg_sc


def overfeat(
    inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope="overfeat"
):
    """Contains the model definition for the OverFeat network."""
    with tf.variable_scope(scope, "overfeat", [inputs]) as sc:
        end_points_collection = sc.name + "_end_points"
        # Collect outputs for conv2d, fully_connected and max_pool2d
        with slim.arg_scope(
            [slim.conv2d, slim.fully_connected, slim.max_pool2d], outputs_collections=end_points_collection
        ):
            net = slim.conv2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
            net = slim.max_pool2d(net, [2, 2], scope="pool1")
            net = slim.conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
            net = slim.max_pool2d(net, [2, 2], scope="pool2")
            net = slim.conv2d(net, 512, [3, 3], scope="conv3")
            net = slim.conv2d(net, 1024, [3, 3], scope="conv4")
            net = slim.conv2d(net, 1024, [3, 3], scope="conv5")
            net = slim.max_pool2d(net, [2, 2], scope="pool5")
            with slim.arg_scope(
                [slim.conv2d],
                weights_initializer=trunc_normal(0.005),
                biases_initializer=tf.constant_initializer(0.1),
            ):
                # Use conv2d instead of fully_connected layers.
                net = slim.conv2d(net, 3072, [6, 6], padding="VALID", scope="fc6")
                net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = slim.conv2d(net, 4096, [1, 1], scope="fc7")
                net = slim.dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = slim.conv2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    biases_initializer=tf.zeros_initializer(),
                    scope="fc8",
                )
            # Convert end_points_collection into a end_point dict.
            end_points = utils.convert_collection_to_dict(end_points_collection)
            if spatial_squeeze:
                net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[sc.name + "/fc8"] = net
            return net, end_points
