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
# From tensorflow/contrib/mixed_precision/python/loss_scale_optimizer.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# mypy: ignore-errors
"""Loss scaling optimizer."""

from __future__ import annotations

import tensorflow.compat.v1 as tf


class LossScaleOptimizer(tf.train.Optimizer):
    # docstring.
    """An optimizer that applies loss scaling in backprop."""

    def __init__(self, opt, loss_scale_manager):
        """Construct a loss scaling optimizer."""
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=tf.train.Optimizer.GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ):
        """Compute gradients. See base class `tf.compat.v1.train.Optimizer`."""
        loss_scale = self._loss_scale_manager.get_loss_scale()
        if tf.executing_eagerly():

            def scaled_loss():
                loss_val = loss()
                return loss_val * tf.cast(loss_scale, loss_val.dtype.base_dtype)
        else:
            if callable(loss):
                loss_val = loss()
            else:
                loss_val = loss
            scaled_loss = loss_val * tf.cast(loss_scale, loss_val.dtype.base_dtype)
        grads_and_vars = self._opt.compute_gradients(
            scaled_loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        return self._down_scale(grads_and_vars, loss_scale)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Apply gradients. See base class `tf.compat.v1.train.Optimizer`."""
        grads = [g for (g, _) in grads_and_vars]

        is_finite_grad = []
        for g in grads:
            is_finite_grad.append(tf.reduce_all(tf.is_finite(g)))
        is_overall_finite = tf.reduce_all(is_finite_grad)

        # Only update gradients when all grads are finite.
        def true_apply_gradients_fn():
            return self._opt.apply_gradients(grads_and_vars, global_step, name)

        update_vars = tf.cond(is_overall_finite, true_apply_gradients_fn, tf.no_op)
        # Potentially adjust gradient scale in case of finite gradients.
        return tf.group(update_vars, self._loss_scale_manager.update_loss_scale(is_overall_finite))

    def _down_scale(self, grads_vars, loss_scale):
        # Down scale grads by the loss_scale.
        gv = []
        inv_loss_scale = tf.reciprocal(loss_scale)
        for g, v in grads_vars:
            if g is not None:
                gv.append((g * tf.cast(inv_loss_scale, g.dtype.base_dtype), v))
            else:
                gv.append((g, v))
        return gv
