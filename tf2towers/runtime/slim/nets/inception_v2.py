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
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: E731, PLR0915, PLR1704, SIM117
# mypy: ignore-errors
"""Contains the definition for inception v2 classification network."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim

trunc_normal = lambda stddev: tf.truncated_normal_initializer(0.0, stddev)


def inception_v2_base(inputs, final_endpoint="Mixed_5c", min_depth=16, depth_multiplier=1.0, scope=None):
    """Inception v2 (6a2)."""
    # end_points will collect relevant activations for external use, for example
    # summaries or losses.
    end_points = {}

    # Used to find thinned depths for each layer.
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    depth = lambda d: max(int(d * depth_multiplier), min_depth)

    with tf.variable_scope(scope, "InceptionV2", [inputs]):
        with slim.arg_scope(
            [slim.conv2d, slim.max_pool2d, slim.avg_pool2d, slim.separable_conv2d], stride=1, padding="SAME"
        ):
            # Note that sizes in the comments below assume an input spatial size of
            # 224x224, however, the inputs can be of any size greater 32x32.

            # 224 x 224 x 3
            end_point = "Conv2d_1a_7x7"
            # depthwise_multiplier here is different from depth_multiplier.
            # depthwise_multiplier determines the output channels of the initial
            # depthwise conv (see docs for tf.nn.separable_conv2d), while
            # depth_multiplier controls the # channels of the subsequent 1x1
            # convolution. Must have
            #   in_channels * depthwise_multipler <= out_channels
            # so that the separable convolution is not overparameterized.
            depthwise_multiplier = min(int(depth(64) / 3), 8)
            net = slim.separable_conv2d(
                inputs,
                depth(64),
                [7, 7],
                depth_multiplier=depthwise_multiplier,
                stride=2,
                weights_initializer=trunc_normal(1.0),
                scope=end_point,
            )
            end_points[end_point] = net
            if end_point == final_endpoint:
                return net, end_points
            # 112 x 112 x 64
            end_point = "MaxPool_2a_3x3"
            net = slim.max_pool2d(net, [3, 3], scope=end_point, stride=2)
            end_points[end_point] = net
            if end_point == final_endpoint:
                return net, end_points
            # 56 x 56 x 64
            end_point = "Conv2d_2b_1x1"
            net = slim.conv2d(net, depth(64), [1, 1], scope=end_point, weights_initializer=trunc_normal(0.1))
            end_points[end_point] = net
            if end_point == final_endpoint:
                return net, end_points
            # 56 x 56 x 64
            end_point = "Conv2d_2c_3x3"
            net = slim.conv2d(net, depth(192), [3, 3], scope=end_point)
            end_points[end_point] = net
            if end_point == final_endpoint:
                return net, end_points
            # 56 x 56 x 192
            end_point = "MaxPool_3a_3x3"
            net = slim.max_pool2d(net, [3, 3], scope=end_point, stride=2)
            end_points[end_point] = net
            if end_point == final_endpoint:
                return net, end_points
            # 28 x 28 x 192
            # Inception module.
            end_point = "Mixed_3b"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(64), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(64), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(64), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(64), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(96), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(96), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(32),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 28 x 28 x 256
            end_point = "Mixed_3c"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(64), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(64), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(96), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(64), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(96), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(96), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(64),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 28 x 28 x 320
            end_point = "Mixed_4a"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(
                        net, depth(128), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_0 = slim.conv2d(branch_0, depth(160), [3, 3], stride=2, scope="Conv2d_1a_3x3")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(64), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(96), [3, 3], scope="Conv2d_0b_3x3")
                    branch_1 = slim.conv2d(branch_1, depth(96), [3, 3], stride=2, scope="Conv2d_1a_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.max_pool2d(net, [3, 3], stride=2, scope="MaxPool_1a_3x3")
                net = tf.concat([branch_0, branch_1, branch_2], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 14 x 14 x 576
            end_point = "Mixed_4b"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(224), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(64), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(96), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(96), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(128), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(128), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(128),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 14 x 14 x 576
            end_point = "Mixed_4c"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(192), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(96), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(128), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(96), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(128), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(128), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(128),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 14 x 14 x 576
            end_point = "Mixed_4d"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(160), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(128), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(160), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(128), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(160), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(160), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(96),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points

            # 14 x 14 x 576
            end_point = "Mixed_4e"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(96), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(128), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(192), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(160), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(192), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(192), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(96),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 14 x 14 x 576
            end_point = "Mixed_5a"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(
                        net, depth(128), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_0 = slim.conv2d(branch_0, depth(192), [3, 3], stride=2, scope="Conv2d_1a_3x3")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(192), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(256), [3, 3], scope="Conv2d_0b_3x3")
                    branch_1 = slim.conv2d(branch_1, depth(256), [3, 3], stride=2, scope="Conv2d_1a_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.max_pool2d(net, [3, 3], stride=2, scope="MaxPool_1a_3x3")
                net = tf.concat([branch_0, branch_1, branch_2], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
            # 7 x 7 x 1024
            end_point = "Mixed_5b"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(352), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(192), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(320), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(160), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(224), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(224), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.avg_pool2d(net, [3, 3], scope="AvgPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(128),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points

            # 7 x 7 x 1024
            end_point = "Mixed_5c"
            with tf.variable_scope(end_point):
                with tf.variable_scope("Branch_0"):
                    branch_0 = slim.conv2d(net, depth(352), [1, 1], scope="Conv2d_0a_1x1")
                with tf.variable_scope("Branch_1"):
                    branch_1 = slim.conv2d(
                        net, depth(192), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_1 = slim.conv2d(branch_1, depth(320), [3, 3], scope="Conv2d_0b_3x3")
                with tf.variable_scope("Branch_2"):
                    branch_2 = slim.conv2d(
                        net, depth(192), [1, 1], weights_initializer=trunc_normal(0.09), scope="Conv2d_0a_1x1"
                    )
                    branch_2 = slim.conv2d(branch_2, depth(224), [3, 3], scope="Conv2d_0b_3x3")
                    branch_2 = slim.conv2d(branch_2, depth(224), [3, 3], scope="Conv2d_0c_3x3")
                with tf.variable_scope("Branch_3"):
                    branch_3 = slim.max_pool2d(net, [3, 3], scope="MaxPool_0a_3x3")
                    branch_3 = slim.conv2d(
                        branch_3,
                        depth(128),
                        [1, 1],
                        weights_initializer=trunc_normal(0.1),
                        scope="Conv2d_0b_1x1",
                    )
                net = tf.concat([branch_0, branch_1, branch_2, branch_3], 3)
                end_points[end_point] = net
                if end_point == final_endpoint:
                    return net, end_points
        raise ValueError(f"Unknown final endpoint {final_endpoint}")


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
    """Inception v2 model for classification."""
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")

    # Final pooling and prediction
    with tf.variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as scope:
        with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
            net, end_points = inception_v2_base(
                inputs, scope=scope, min_depth=min_depth, depth_multiplier=depth_multiplier
            )
            with tf.variable_scope("Logits"):
                kernel_size = _reduced_kernel_size_for_small_input(net, [7, 7])
                net = slim.avg_pool2d(
                    net, kernel_size, padding="VALID", scope="AvgPool_1a_{}x{}".format(*kernel_size)
                )
                # 1 x 1 x 1024
                net = slim.dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
                logits = slim.conv2d(
                    net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="Conv2d_1c_1x1"
                )
                if spatial_squeeze:
                    logits = tf.squeeze(logits, [1, 2], name="SpatialSqueeze")
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v2.default_image_size = 224


def _reduced_kernel_size_for_small_input(input_tensor, kernel_size):
    """Define kernel size which is automatically reduced for small input."""
    shape = input_tensor.get_shape().as_list()
    if shape[1] is None or shape[2] is None:
        kernel_size_out = kernel_size
    else:
        kernel_size_out = [min(shape[1], kernel_size[0]), min(shape[2], kernel_size[1])]
    return kernel_size_out


def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection="moving_vars"):
    """Defines the default InceptionV2 arg scope."""
    batch_norm_params = {
        # Decay for the moving averages.
        "decay": 0.9997,
        # epsilon to prevent 0s in variance.
        "epsilon": 0.001,
        # collection containing update_ops.
        "updates_collections": tf.GraphKeys.UPDATE_OPS,
        # collection containing the moving mean and moving variance.
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [batch_norm_var_collection],
            "moving_variance": [batch_norm_var_collection],
        },
    }

    # Set weight_decay for weights in Conv and FC layers.
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(weight_decay)
    ):
        with slim.arg_scope(
            [slim.conv2d],
            weights_initializer=slim.variance_scaling_initializer(),
            activation_fn=tf.nn.relu,
            normalizer_fn=slim.batch_norm,
            normalizer_params=batch_norm_params,
        ) as sc:
            return sc
