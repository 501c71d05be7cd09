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
# From tensorflow/contrib/slim/python/slim/nets/inception_v1.py, inception_v2.py and inception_v3.py of TensorFlow 1.15.
# Changed by tf2towers: the blocks are tables, public names of TF 2, shorter docstrings.
# ruff: noqa: SIM117
# mypy: ignore-errors
"""What the inception networks are made of: layers, branches of them, and blocks of branches."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime import slim


def conv(name, channels, *, stddev=None, kernel=None, scope=None, **options):
    """A convolution.

    Args:
      name: of TF1's scope, "0b_3x3"; ends with the size of the kernel, where `kernel` does not say it.
      channels: of the output, as in the paper.
      stddev: of the initial weights, where the argument scope's initializer does not make them.
      kernel: its height and width.
      scope: the whole scope, where it is not `Conv2d_` and the name.
      options: as of `slim.conv2d`.
    """
    if stddev is not None:
        options["weights_initializer"] = trunc_normal(stddev)

    def layer(net, depth):
        return slim.conv2d(
            net, depth(channels), kernel or _size(name), scope=scope or f"Conv2d_{name}", **options
        )

    return layer


def max_pool(name, **options):
    """The maxima of windows; the size as in `conv`."""
    return lambda net, depth: slim.max_pool2d(net, _size(name), scope=f"MaxPool_{name}", **options)


def avg_pool(name, **options):
    """The means of windows; the size as in `conv`."""
    return lambda net, depth: slim.avg_pool2d(net, _size(name), scope=f"AvgPool_{name}", **options)


def fork(*layers):
    """Layers side by side, one behind the other in the channels."""
    return lambda net, depth: tf.concat([layer(net, depth) for layer in layers], 3)


def mixed(*branches):
    """Branches side by side, each of layers that follow one another."""

    def block(net, depth):
        ends = []
        for number, layers in enumerate(branches):
            with tf.variable_scope(f"Branch_{number}"):
                end = net
                for layer in layers:
                    end = layer(end, depth)
                ends.append(end)
        return tf.concat(ends, 3)

    return block


def grow(net, parts, depth, final_endpoint, end_points):
    """The network behind `net`, up to `final_endpoint`, and whether it was reached; each part's end in `end_points`.

    Args:
      net: float32 [images, height, width, channels].
      parts: by the name of their end points; a block has a scope of this name.
      depth: how many channels a layer of so many has.
    """
    for name, part in parts.items():
        if name.startswith("Mixed"):
            with tf.variable_scope(name):
                net = part(net, depth)
        else:
            net = part(net, depth)
        end_points[name] = net
        if name == final_endpoint:
            return net, True
    return net, False


def thinned(depth_multiplier, min_depth):
    """How many channels a layer has: `depth_multiplier` times what it has in the paper, at least `min_depth`."""
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda channels: max(int(channels * depth_multiplier), min_depth)


def trunc_normal(stddev):
    """An initializer with this standard deviation."""
    return tf.truncated_normal_initializer(0.0, stddev)


def _reduced_kernel_size_for_small_input(net, size):  # TF1's name, which scripts import
    """A kernel's size, or what there is of a small input."""
    height, width = net.get_shape().as_list()[1:3]
    return size if height is None or width is None else [min(height, size[0]), min(width, size[1])]


def classes(net, num_classes, name, spatial_squeeze, **options):
    """The logits: [images, classes] with `spatial_squeeze`, else [images, height, width, classes]."""
    logits = slim.conv2d(
        net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=f"Conv2d_{name}", **options
    )
    return tf.squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def argument_scope(weight_decay, batch_norm_var_collection, *, use_batch_norm=True, **batch_norm):
    """The argument scope of all three: weight decay, ReLU and batch normalization; `batch_norm` is what differs."""
    batch_norm_params = {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": tf.GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [batch_norm_var_collection],
            "moving_variance": [batch_norm_var_collection],
        },
        **batch_norm,
    }
    regularizer = slim.l2_regularizer(weight_decay)
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=regularizer):
        with slim.arg_scope(
            [slim.conv2d],
            weights_initializer=slim.variance_scaling_initializer(),
            activation_fn=tf.nn.relu,
            normalizer_fn=slim.batch_norm if use_batch_norm else None,
            normalizer_params=batch_norm_params if use_batch_norm else {},
        ) as sc:
            return sc


def _size(name):
    return [int(side) for side in name.rpartition("_")[2].split("x")]
