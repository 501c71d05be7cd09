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
# From tensorflow/contrib/slim/python/slim/nets/inception_v2.py of TensorFlow 1.15.
# Changed by tf2towers: the blocks are tables, public names of TF 2, shorter docstrings.
# ruff: noqa: SIM117
# mypy: ignore-errors
"""Inception v2 (6a2), a classification network: https://arxiv.org/abs/1502.03167."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim
from tf2towers.runtime.slim.nets.inception_blocks import (
    _reduced_kernel_size_for_small_input,
    argument_scope,
    avg_pool,
    classes,
    conv,
    grow,
    max_pool,
    mixed,
    thinned,
    trunc_normal,
)


def _block(first, before_second, second, before_third, third, pooled, pool=avg_pool):
    """A block of four branches, by the channels of their convolutions."""
    return mixed(
        [conv("0a_1x1", first)],
        [conv("0a_1x1", before_second, stddev=0.09), conv("0b_3x3", second)],
        [conv("0a_1x1", before_third, stddev=0.09), conv("0b_3x3", third), conv("0c_3x3", third)],
        [pool("0a_3x3"), conv("0b_1x1", pooled, stddev=0.1)],
    )


def _half_as_large(before_first, first, before_second, second):
    """A block whose output has half the height and width of its input."""
    return mixed(
        [conv("0a_1x1", before_first, stddev=0.09), conv("1a_3x3", first, stride=2)],
        [
            conv("0a_1x1", before_second, stddev=0.09),
            conv("0b_3x3", second),
            conv("1a_3x3", second, stride=2),
        ],
        [max_pool("1a_3x3", stride=2)],
    )


def _first(net, depth):
    """The first convolution, a depthwise and a 1x1 one; not more depthwise channels than there are behind it."""
    return slim.separable_conv2d(
        net,
        depth(64),
        [7, 7],
        depth_multiplier=min(int(depth(64) / 3), 8),
        stride=2,
        weights_initializer=trunc_normal(1.0),
        scope="Conv2d_1a_7x7",
    )


_PARTS = {
    "Conv2d_1a_7x7": _first,
    "MaxPool_2a_3x3": max_pool("2a_3x3", stride=2),
    "Conv2d_2b_1x1": conv("2b_1x1", 64, stddev=0.1),
    "Conv2d_2c_3x3": conv("2c_3x3", 192),
    "MaxPool_3a_3x3": max_pool("3a_3x3", stride=2),
    "Mixed_3b": _block(64, 64, 64, 64, 96, 32),
    "Mixed_3c": _block(64, 64, 96, 64, 96, 64),
    "Mixed_4a": _half_as_large(128, 160, 64, 96),
    "Mixed_4b": _block(224, 64, 96, 96, 128, 128),
    "Mixed_4c": _block(192, 96, 128, 96, 128, 128),
    "Mixed_4d": _block(160, 128, 160, 128, 160, 96),
    "Mixed_4e": _block(96, 128, 192, 160, 192, 96),
    "Mixed_5a": _half_as_large(128, 192, 192, 256),
    "Mixed_5b": _block(352, 192, 320, 160, 224, 128),
    "Mixed_5c": _block(352, 192, 320, 192, 224, 128, pool=max_pool),
}


def inception_v2_base(inputs, final_endpoint="Mixed_5c", min_depth=16, depth_multiplier=1.0, scope=None):
    """The network up to `final_endpoint`, and its end points by name."""
    end_points = {}
    depth = thinned(depth_multiplier, min_depth)
    layers = [slim.conv2d, slim.max_pool2d, slim.avg_pool2d, slim.separable_conv2d]
    with tf.variable_scope(scope, "InceptionV2", [inputs]), slim.arg_scope(layers, stride=1, padding="SAME"):
        net, is_reached = grow(inputs, _PARTS, depth, final_endpoint, end_points)
    if not is_reached:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v2(
    inputs,
    num_classes=1000,
    is_training=True,
    dropout_keep_prob=0.8,
    min_depth=16,
    depth_multiplier=1.0,
    prediction_fn=slim.softmax,
    spatial_squeeze=True,
    reuse=None,
    scope="InceptionV2",
):
    """The network with its classes: logits, and the end points by name."""
    thinned(depth_multiplier, min_depth)  # raises before anything is built
    with tf.variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as network:
        with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
            net, end_points = inception_v2_base(
                inputs, scope=network, min_depth=min_depth, depth_multiplier=depth_multiplier
            )
            with tf.variable_scope("Logits"):
                size = _reduced_kernel_size_for_small_input(net, [7, 7])
                net = slim.avg_pool2d(net, size, padding="VALID", scope="AvgPool_1a_{}x{}".format(*size))
                net = slim.dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
                logits = classes(net, num_classes, "1c_1x1", spatial_squeeze)
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v2.default_image_size = 224


def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection="moving_vars"):
    """The argument scope in which it is trained."""
    return argument_scope(weight_decay, batch_norm_var_collection)
