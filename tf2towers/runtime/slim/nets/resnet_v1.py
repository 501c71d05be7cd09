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
# From tensorflow/contrib/slim/python/slim/nets/resnet_v1.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: SIM117
# mypy: ignore-errors
"""Contains definitions for the original form of Residual Networks."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim
from tf2towers.runtime.slim import utils
from tf2towers.runtime.slim.nets import resnet_utils

resnet_arg_scope = resnet_utils.resnet_arg_scope


@slim.add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None, scope=None):
    """Bottleneck residual unit variant with BN after convolutions."""
    with tf.variable_scope(scope, "bottleneck_v1", [inputs]) as sc:
        depth_in = utils.last_dimension(inputs.get_shape(), min_rank=4)
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = slim.conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut")

        residual = slim.conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = slim.conv2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")

        output = tf.nn.relu(shortcut + residual)

        return utils.collect_named_outputs(outputs_collections, sc.name, output)


def resnet_v1(
    inputs,
    blocks,
    num_classes=None,
    is_training=True,
    global_pool=True,
    output_stride=None,
    include_root_block=True,
    reuse=None,
    scope=None,
):
    """Generator for v1 ResNet models."""
    with tf.variable_scope(scope, "resnet_v1", [inputs], reuse=reuse) as sc:
        end_points_collection = sc.original_name_scope + "_end_points"
        with slim.arg_scope(
            [slim.conv2d, bottleneck, resnet_utils.stack_blocks_dense],
            outputs_collections=end_points_collection,
        ):
            with slim.arg_scope([slim.batch_norm], is_training=is_training):
                net = inputs
                if include_root_block:
                    if output_stride is not None:
                        if output_stride % 4 != 0:
                            raise ValueError("The output_stride needs to be a multiple of 4.")
                        output_stride /= 4
                    net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope="conv1")
                    net = slim.max_pool2d(net, [3, 3], stride=2, scope="pool1")
                net = resnet_utils.stack_blocks_dense(net, blocks, output_stride)
                if global_pool:
                    # Global average pooling.
                    net = tf.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
                if num_classes is not None:
                    net = slim.conv2d(
                        net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits"
                    )
                # Convert end_points_collection into a dictionary of end_points.
                end_points = utils.convert_collection_to_dict(end_points_collection)
                if num_classes is not None:
                    end_points["predictions"] = slim.softmax(net, scope="predictions")
                return net, end_points


resnet_v1.default_image_size = 224


def resnet_v1_block(scope, base_depth, num_units, stride):
    """Helper function for creating a resnet_v1 bottleneck block."""
    return resnet_utils.Block(
        scope,
        bottleneck,
        [{"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": 1}] * (num_units - 1)
        + [{"depth": base_depth * 4, "depth_bottleneck": base_depth, "stride": stride}],
    )


def _of_units(units, inputs, num_classes, is_training, global_pool, output_stride, reuse, scope):
    """The network of [1] whose four blocks have so many units."""
    blocks = [
        resnet_v1_block(
            f"block{number}", base_depth=32 * 2**number, num_units=count, stride=1 if number == 4 else 2
        )
        for number, count in enumerate(units, 1)
    ]
    return resnet_v1(
        inputs,
        blocks,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block=True,
        reuse=reuse,
        scope=scope,
    )


def resnet_v1_50(
    inputs,
    num_classes=None,
    is_training=True,
    global_pool=True,
    output_stride=None,
    reuse=None,
    scope="resnet_v1_50",
):
    """ResNet-50 model of [1]. See resnet_v1() for arg and return description."""
    return _of_units([3, 4, 6, 3], inputs, num_classes, is_training, global_pool, output_stride, reuse, scope)


def resnet_v1_101(
    inputs,
    num_classes=None,
    is_training=True,
    global_pool=True,
    output_stride=None,
    reuse=None,
    scope="resnet_v1_101",
):
    """ResNet-101 model of [1]. See resnet_v1() for arg and return description."""
    return _of_units(
        [3, 4, 23, 3], inputs, num_classes, is_training, global_pool, output_stride, reuse, scope
    )


def resnet_v1_152(
    inputs,
    num_classes=None,
    is_training=True,
    global_pool=True,
    output_stride=None,
    reuse=None,
    scope="resnet_v1_152",
):
    """ResNet-152 model of [1]. See resnet_v1() for arg and return description."""
    return _of_units(
        [3, 8, 36, 3], inputs, num_classes, is_training, global_pool, output_stride, reuse, scope
    )


def resnet_v1_200(
    inputs,
    num_classes=None,
    is_training=True,
    global_pool=True,
    output_stride=None,
    reuse=None,
    scope="resnet_v1_200",
):
    """ResNet-200 model of [2]. See resnet_v1() for arg and return description."""
    return _of_units(
        [3, 24, 36, 3], inputs, num_classes, is_training, global_pool, output_stride, reuse, scope
    )
