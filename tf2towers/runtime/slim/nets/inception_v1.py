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
# From tensorflow/contrib/slim/python/slim/nets/inception_v1.py of TensorFlow 1.15.
# Changed by tf2towers: the blocks are tables, public names of TF 2, shorter docstrings.
# ruff: noqa: SIM117
# mypy: ignore-errors
"""Inception v1 (GoogLeNet), a classification network: https://arxiv.org/abs/1409.4842."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim
from tf2towers.runtime.slim.nets.inception_blocks import (
    argument_scope,
    classes,
    conv,
    grow,
    max_pool,
    mixed,
    trunc_normal,
)


def _block(first, before_second, second, before_third, third, pooled, third_name="0b_3x3"):
    """A block of four branches, by the channels of their convolutions."""
    return mixed(
        [conv("0a_1x1", first)],
        [conv("0a_1x1", before_second), conv("0b_3x3", second)],
        [conv("0a_1x1", before_third), conv(third_name, third)],
        [max_pool("0a_3x3"), conv("0b_1x1", pooled)],
    )


_PARTS = {
    "Conv2d_1a_7x7": conv("1a_7x7", 64, stride=2),
    "MaxPool_2a_3x3": max_pool("2a_3x3", stride=2),
    "Conv2d_2b_1x1": conv("2b_1x1", 64),
    "Conv2d_2c_3x3": conv("2c_3x3", 192),
    "MaxPool_3a_3x3": max_pool("3a_3x3", stride=2),
    "Mixed_3b": _block(64, 96, 128, 16, 32, 32),
    "Mixed_3c": _block(128, 128, 192, 32, 96, 64),
    "MaxPool_4a_3x3": max_pool("4a_3x3", stride=2),
    "Mixed_4b": _block(192, 96, 208, 16, 48, 64),
    "Mixed_4c": _block(160, 112, 224, 24, 64, 64),
    "Mixed_4d": _block(128, 128, 256, 24, 64, 64),
    "Mixed_4e": _block(112, 144, 288, 32, 64, 64),
    "Mixed_4f": _block(256, 160, 320, 32, 128, 128),
    "MaxPool_5a_2x2": max_pool("5a_2x2", stride=2),
    "Mixed_5b": _block(256, 160, 320, 32, 128, 128, third_name="0a_3x3"),
    "Mixed_5c": _block(384, 192, 384, 48, 128, 128),
}


def inception_v1_base(inputs, final_endpoint="Mixed_5c", scope="InceptionV1"):
    """The network up to `final_endpoint`, and its end points by name."""
    end_points = {}
    with tf.variable_scope(scope, "InceptionV1", [inputs]):
        with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_initializer=trunc_normal(0.01)):
            with slim.arg_scope([slim.conv2d, slim.max_pool2d], stride=1, padding="SAME"):
                net, is_reached = grow(inputs, _PARTS, lambda channels: channels, final_endpoint, end_points)
    if not is_reached:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v1(
    inputs,
    num_classes=1000,
    is_training=True,
    dropout_keep_prob=0.8,
    prediction_fn=slim.softmax,
    spatial_squeeze=True,
    reuse=None,
    scope="InceptionV1",
):
    """The network with its classes: logits, and the end points by name."""
    with tf.variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as network:
        with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
            net, end_points = inception_v1_base(inputs, scope=network)
            with tf.variable_scope("Logits"):
                net = slim.avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
                net = slim.dropout(net, dropout_keep_prob, scope="Dropout_0b")
                logits = classes(net, num_classes, "0c_1x1", spatial_squeeze)
                end_points["Logits"] = logits
                end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v1.default_image_size = 224


def inception_v1_arg_scope(
    weight_decay=0.00004, use_batch_norm=True, batch_norm_var_collection="moving_vars"
):
    """The argument scope in which it is trained."""
    return argument_scope(weight_decay, batch_norm_var_collection, use_batch_norm=use_batch_norm)
