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
# From tensorflow/contrib/slim/python/slim/nets/inception_v3.py of TensorFlow 1.15.
# Changed by tf2towers: the blocks are tables, public names of TF 2, shorter docstrings.
# ruff: noqa: SIM117
# mypy: ignore-errors
"""Inception v3, a classification network: https://arxiv.org/abs/1512.00567."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim
from tf2towers.runtime.slim.nets.inception_blocks import (
    _reduced_kernel_size_for_small_input,
    argument_scope,
    avg_pool,
    classes,
    conv,
    fork,
    grow,
    max_pool,
    mixed,
    thinned,
    trunc_normal,
)

_HALF = {"stride": 2, "padding": "VALID"}
_LAYERS = [slim.conv2d, slim.max_pool2d, slim.avg_pool2d]


def _wide(pooled, second=("0a_1x1", "0b_5x5", None)):
    """A block of 35 x 35 pixels; `second`: the names of the second branch's layers, one of which TF1 misspelt."""
    return mixed(
        [conv("0a_1x1", 64)],
        [conv(second[0], 48), conv(second[1], 64, scope=second[2])],
        [conv("0a_1x1", 64), conv("0b_3x3", 96), conv("0c_3x3", 96)],
        [avg_pool("0a_3x3"), conv("0b_1x1", pooled)],
    )


def _by_sevens(between):
    """A block of 17 x 17 pixels, with 7 x 7 convolutions as rows and columns; `between`: the channels inside."""
    return mixed(
        [conv("0a_1x1", 192)],
        [conv("0a_1x1", between), conv("0b_1x7", between), conv("0c_7x1", 192)],
        [
            conv("0a_1x1", between),
            conv("0b_7x1", between),
            conv("0c_1x7", between),
            conv("0d_7x1", between),
            conv("0e_1x7", 192),
        ],
        [avg_pool("0a_3x3"), conv("0b_1x1", 192)],
    )


def _forked(column):
    """A block of 8 x 8 pixels, with 3 x 3 convolutions as a row beside a column; `column`: the first one's name."""
    return mixed(
        [conv("0a_1x1", 320)],
        [conv("0a_1x1", 384), fork(conv("0b_1x3", 384), conv(column, 384))],
        [
            conv("0a_1x1", 448),
            conv("0b_3x3", 384),
            fork(conv("0c_1x3", 384), conv("0d_3x1", 384)),
        ],
        [avg_pool("0a_3x3"), conv("0b_1x1", 192)],
    )


#: padding "VALID"
_STEM = {
    "Conv2d_1a_3x3": conv("1a_3x3", 32, stride=2),
    "Conv2d_2a_3x3": conv("2a_3x3", 32),
    "Conv2d_2b_3x3": conv("2b_3x3", 64, padding="SAME"),
    "MaxPool_3a_3x3": max_pool("3a_3x3", stride=2),
    "Conv2d_3b_1x1": conv("3b_1x1", 80),
    "Conv2d_4a_3x3": conv("4a_3x3", 192),
    "MaxPool_5a_3x3": max_pool("5a_3x3", stride=2),
}
#: padding "SAME"
_BLOCKS = {
    "Mixed_5b": _wide(32),
    "Mixed_5c": _wide(64, second=("0b_1x1", "0c_5x5", "Conv_1_0c_5x5")),
    "Mixed_5d": _wide(64),
    "Mixed_6a": mixed(
        [conv("1a_1x1", 384, kernel=[3, 3], **_HALF)],
        [conv("0a_1x1", 64), conv("0b_3x3", 96), conv("1a_1x1", 96, kernel=[3, 3], **_HALF)],
        [max_pool("1a_3x3", **_HALF)],
    ),
    "Mixed_6b": _by_sevens(128),
    "Mixed_6c": _by_sevens(160),
    "Mixed_6d": _by_sevens(160),
    "Mixed_6e": _by_sevens(192),
    "Mixed_7a": mixed(
        [conv("0a_1x1", 192), conv("1a_3x3", 320, **_HALF)],
        [conv("0a_1x1", 192), conv("0b_1x7", 192), conv("0c_7x1", 192), conv("1a_3x3", 192, **_HALF)],
        [max_pool("1a_3x3", **_HALF)],
    ),
    "Mixed_7b": _forked("0b_3x1"),
    "Mixed_7c": _forked("0c_3x1"),
}


def inception_v3_base(inputs, final_endpoint="Mixed_7c", min_depth=16, depth_multiplier=1.0, scope=None):
    """The network up to `final_endpoint`, and its end points by name."""
    end_points = {}
    depth = thinned(depth_multiplier, min_depth)
    with tf.variable_scope(scope, "InceptionV3", [inputs]):
        with slim.arg_scope(_LAYERS, stride=1, padding="VALID"):
            net, is_reached = grow(inputs, _STEM, depth, final_endpoint, end_points)
        if not is_reached:
            with slim.arg_scope(_LAYERS, stride=1, padding="SAME"):
                net, is_reached = grow(net, _BLOCKS, depth, final_endpoint, end_points)
    if not is_reached:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v3(
    inputs,
    num_classes=1000,
    is_training=True,
    dropout_keep_prob=0.8,
    min_depth=16,
    depth_multiplier=1.0,
    prediction_fn=slim.softmax,
    spatial_squeeze=True,
    reuse=None,
    scope="InceptionV3",
):
    """The network with its classes, and with those of a head in its middle: logits, and the end points by name."""
    depth = thinned(depth_multiplier, min_depth)
    with tf.variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as network:
        with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
            net, end_points = inception_v3_base(
                inputs, scope=network, min_depth=min_depth, depth_multiplier=depth_multiplier
            )
            with slim.arg_scope(_LAYERS, stride=1, padding="SAME"), tf.variable_scope("AuxLogits"):
                head = end_points["Mixed_6e"]
                head = avg_pool("1a_5x5", stride=3, padding="VALID")(head, depth)
                head = conv("1b_1x1", 128)(head, depth)
                size = _reduced_kernel_size_for_small_input(head, [5, 5])
                head = conv("2a_{}x{}".format(*size), 768, stddev=0.01, padding="VALID")(head, depth)
                initializer = trunc_normal(0.001)
                end_points["AuxLogits"] = classes(
                    head, num_classes, "2b_1x1", spatial_squeeze, weights_initializer=initializer
                )
            with tf.variable_scope("Logits"):
                size = _reduced_kernel_size_for_small_input(net, [8, 8])
                net = slim.avg_pool2d(net, size, padding="VALID", scope="AvgPool_1a_{}x{}".format(*size))
                net = slim.dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
                end_points["PreLogits"] = net
                logits = classes(net, num_classes, "1c_1x1", spatial_squeeze)
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v3.default_image_size = 299


def inception_v3_arg_scope(
    weight_decay=0.00004,
    batch_norm_var_collection="moving_vars",
    batch_norm_decay=0.9997,
    batch_norm_epsilon=0.001,
    updates_collections=tf.GraphKeys.UPDATE_OPS,
    use_fused_batchnorm=True,
):
    """The argument scope in which it is trained."""
    return argument_scope(
        weight_decay,
        batch_norm_var_collection,
        decay=batch_norm_decay,
        epsilon=batch_norm_epsilon,
        updates_collections=updates_collections,
        fused=use_fused_batchnorm,
    )
