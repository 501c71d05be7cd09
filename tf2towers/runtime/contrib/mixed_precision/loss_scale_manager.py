# Copyright 2018 The TensorFlow Authors. All Rights Reserved.
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
# From tensorflow/contrib/mixed_precision/python/loss_scale_manager.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102
# mypy: ignore-errors
"""LossScaleManager classes for mixed precision training."""

from __future__ import annotations

import abc

import tensorflow.compat.v1 as tf


class LossScaleManager(abc.ABC):
    """Abstract loss scale manager class."""

    @abc.abstractmethod
    def get_loss_scale(self):
        """Returns the loss scale as a scalar `float32` tensor."""

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads):
        """Updates loss scale based on if gradients are finite in current step."""
        del finite_grads


class FixedLossScaleManager(LossScaleManager):
    """Loss scale manager with a fixed loss scale."""

    def __init__(self, loss_scale):
        """Creates the fixed loss scale manager."""
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = tf.convert_to_tensor(loss_scale, dtype=tf.float32)

    def get_loss_scale(self):
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        del finite_grads
        return tf.no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """Loss scale manager uses an exponential update strategy."""

    def __init__(
        self, init_loss_scale, incr_every_n_steps, decr_every_n_nan_or_inf=2, incr_ratio=2, decr_ratio=0.8
    ):
        """Constructor of exponential-update loss scale manager."""
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._loss_scale = tf.Variable(
            name="loss_scale",
            initial_value=tf.convert_to_tensor(init_loss_scale, tf.float32),
            dtype=tf.float32,
            trainable=False,
        )
        self._num_good_steps = tf.Variable(
            name="good_steps", initial_value=0, dtype=tf.int32, trainable=False
        )
        self._num_bad_steps = tf.Variable(name="bad_steps", initial_value=0, dtype=tf.int32, trainable=False)

    def _reset_stats(self):
        return tf.group(tf.assign(self._num_good_steps, 0), tf.assign(self._num_bad_steps, 0))

    def get_loss_scale(self):
        """Returns the loss scale."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads):
        """Updates loss scale based on if gradients are finite in current step."""

        def update_if_finite_grads():
            """Branch function when grads are all finite."""

            def incr_loss_scale():
                new_loss_scale = tf.cond(
                    tf.is_finite(self._loss_scale * self._incr_ratio),
                    lambda: self._loss_scale * self._incr_ratio,
                    lambda: self._loss_scale,
                )
                update_op = tf.assign(self._loss_scale, new_loss_scale)
                # When loss_scale is updated, both good and bad steps are reset.
                return tf.group(update_op, self._reset_stats())

            return tf.cond(
                self._num_good_steps + 1 >= self._incr_every_n_steps,
                incr_loss_scale,
                lambda: tf.assign_add(self._num_good_steps, 1).op,
            )

        def update_if_not_finite_grads():
            """Branch function when any grad is not finite."""

            def decr_loss_scale():
                update_op = tf.assign(self._loss_scale, tf.maximum(1.0, self._loss_scale * self._decr_ratio))
                # When loss_scale is updated, both good and bad steps are reset.
                return tf.group(update_op, self._reset_stats())

            def just_update_steps():
                # When bad_steps is incremented, good_step is reset.
                return tf.group(tf.assign_add(self._num_bad_steps, 1), tf.assign(self._num_good_steps, 0))

            return tf.cond(
                self._num_bad_steps + 1 >= self._decr_every_n_nan_or_inf, decr_loss_scale, just_update_steps
            )

        return tf.cond(finite_grads, update_if_finite_grads, update_if_not_finite_grads)
