# Copyright 2015 The TensorFlow Authors. All Rights Reserved.
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
# From tensorflow/contrib/framework/python/ops/variables.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: B905, PLC0206
# mypy: ignore-errors
"""Variable functions."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime.slim.variables import get_variable_full_name


def assign_from_values(var_names_to_values):
    """Creates an assignment operation from a given mapping."""
    feed_dict = {}
    assign_ops = []

    for var_name in var_names_to_values:
        var_value = var_names_to_values[var_name]
        var = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, var_name)
        if not var:
            raise ValueError(f"Variable {var_name} wasn't found")
        if len(var) > 1:
            # tf.compat.v1.get_collection is just a filter on the prefix: find the exact match:
            found = False
            for v in var:
                if v.op.name == var_name:
                    var = v
                    found = True
                    break

            if not found:
                raise ValueError(f"Variable {var_name} doesn't uniquely identify a variable")
        else:
            var = var[0]

        # TODO(nsilberman): ensure placeholder and assign are on the same device.
        # Assign a placeholder to the value that will be filled later.
        placeholder_name = "placeholder/" + var.op.name
        placeholder_value = tf.placeholder(
            dtype=var.dtype.base_dtype, shape=var.get_shape(), name=placeholder_name
        )
        assign_ops.append(var.assign(placeholder_value))

        feed_dict[placeholder_value] = var_value.reshape(var.get_shape())

    assign_op = tf.group(*assign_ops)
    return assign_op, feed_dict


def assign_from_values_fn(var_names_to_values):
    """Returns a function that assigns specific variables from the given values."""
    assign_op, feed_dict = assign_from_values(var_names_to_values)

    def callback(session):
        return session.run(assign_op, feed_dict)

    return callback


# Currently variable_scope doesn't provide very good APIs to access
# all variables under scope and retrieve and check existing scopes.


# TODO(nsilberman): add flag to load exponential moving averages instead
#
# TODO(sguada): Update docs in slim/g3doc/index.md to describe
# the new feature where the var_list dictionary can have values that
# are each a list of Variables.
def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """Creates an operation to assign specific variables from a checkpoint."""
    # Normalize var_list into a dictionary mapping names in the
    # checkpoint to the list of variables to initialize from that
    # checkpoint variable. Sliced (including partitioned) variables will
    # end up under the same key.
    grouped_vars = {}
    if isinstance(var_list, (tuple, list)):
        for var in var_list:
            ckpt_name = get_variable_full_name(var)
            if ckpt_name not in grouped_vars:
                grouped_vars[ckpt_name] = []
            grouped_vars[ckpt_name].append(var)

    else:
        for ckpt_name, value in var_list.items():
            if isinstance(value, (tuple, list)):
                grouped_vars[ckpt_name] = value
            else:
                grouped_vars[ckpt_name] = [value]

    # Read each checkpoint entry. Create a placeholder variable and
    # add the (possibly sliced) data from the checkpoint to the feed_dict.
    reader = tf.train.NewCheckpointReader(model_path)
    feed_dict = {}
    assign_ops = []
    for ckpt_name in grouped_vars:
        if not reader.has_tensor(ckpt_name):
            log_str = f"Checkpoint is missing variable [{ckpt_name}]"
            if ignore_missing_vars:
                tf.logging.warning(log_str)
                continue
            raise ValueError(log_str)
        ckpt_value = reader.get_tensor(ckpt_name)

        for var in grouped_vars[ckpt_name]:
            placeholder_tensor = tf.placeholder(
                dtype=var.dtype.base_dtype, shape=var.get_shape(), name="placeholder/" + var.op.name
            )
            assign_ops.append(var.assign(placeholder_tensor))

            if not var._save_slice_info:
                if var.get_shape() != ckpt_value.shape:
                    raise ValueError(
                        f"Total size of new array must be unchanged for {ckpt_name} "
                        f"lh_shape: [{ckpt_value.shape!s}], rh_shape: [{var.get_shape()!s}]"
                    )

                feed_dict[placeholder_tensor] = ckpt_value.reshape(ckpt_value.shape)
            else:
                slice_dims = zip(var._save_slice_info.var_offset, var._save_slice_info.var_shape)
                slice_dims = [(start, start + size) for (start, size) in slice_dims]
                slice_dims = tuple(slice(*x) for x in slice_dims)
                slice_value = ckpt_value[slice_dims]
                slice_value = slice_value.reshape(var._save_slice_info.var_shape)
                feed_dict[placeholder_tensor] = slice_value

    assign_op = tf.group(*assign_ops)
    return assign_op, feed_dict


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """Returns a function that assigns specific variables from a checkpoint."""
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = tf.train.NewCheckpointReader(model_path)
        if isinstance(var_list, dict):
            var_dict = var_list
        else:
            var_dict = {var.op.name: var for var in var_list}
        available_vars = {}
        for var in var_dict:
            if reader.has_tensor(var):
                available_vars[var] = var_dict[var]
            else:
                tf.logging.warning("Variable %s missing in checkpoint %s", var, model_path)
        var_list = available_vars
    if var_list:
        saver = tf.train.Saver(var_list, reshape=reshape_variables, write_version=tf.train.SaverDef.V1)

        def callback(session):
            saver.restore(session, model_path)

        return callback
    tf.logging.warning("No Variables to restore")
    return None
