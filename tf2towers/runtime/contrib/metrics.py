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
# From tensorflow/contrib/metrics/python/{metrics/classification,ops/metric_ops}.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: B905
# mypy: ignore-errors
"""Contains metric-computing operations on streamed tensors."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

# Epsilon constant used to represent extremely small quantity.


def _metric_variable(shape, dtype, name):
    return tf.Variable(
        lambda: tf.zeros(shape, dtype),
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES],
        validate_shape=True,
        name=name,
    )


def _remove_squeezable_dimensions(predictions, labels, weights):
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    ranks = predictions.shape.ndims, labels.shape.ndims
    if None not in ranks and ranks[0] - ranks[1] == 1:
        predictions = tf.squeeze(predictions, [-1])
    elif None not in ranks and ranks[1] - ranks[0] == 1:
        labels = tf.squeeze(labels, [-1])
    if weights is not None:
        weights = tf.convert_to_tensor(weights)
        if weights.shape.ndims == predictions.shape.ndims + 1:
            weights = tf.squeeze(weights, [-1])
    return predictions, labels, weights


def accuracy(predictions, labels, weights=None, name=None):
    """The part of the predictions that are the labels, of one batch."""
    if not (labels.dtype.is_integer or labels.dtype in (tf.bool, tf.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            "Dtypes of predictions and labels should match. "
            f"Given: predictions ({predictions.dtype!r}) and labels ({labels.dtype!r})"
        )
    with tf.name_scope(name, "accuracy", values=[predictions, labels]):
        is_correct = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(is_correct)
        is_correct = tf.multiply(is_correct, weights)
        num_values = tf.multiply(weights, tf.ones_like(is_correct))
        return tf.div(tf.reduce_sum(is_correct), tf.reduce_sum(num_values))


def streaming_true_positives(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Sum the weights of true_positives."""
    return tf.metrics.true_positives(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_true_negatives(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Sum the weights of true_negatives."""
    return tf.metrics.true_negatives(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_false_positives(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Sum the weights of false positives."""
    return tf.metrics.false_positives(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_false_negatives(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the total number of false negatives."""
    return tf.metrics.false_negatives(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Computes the (weighted) mean of the given values."""
    return tf.metrics.mean(
        values=values,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_tensor(
    values, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the element-wise (weighted) mean of the given tensors."""
    return tf.metrics.mean_tensor(
        values=values,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_accuracy(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Calculates how often `predictions` matches `labels`."""
    return tf.metrics.accuracy(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_precision(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the precision of the predictions with respect to the labels."""
    return tf.metrics.precision(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_recall(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the recall of the predictions with respect to the labels."""
    return tf.metrics.recall(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_auc(
    predictions,
    labels,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
):
    """Computes the approximate AUC via a Riemann sum."""
    return tf.metrics.auc(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        num_thresholds=num_thresholds,
        curve=curve,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_recall_at_k(
    predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the recall@k of the predictions with respect to dense labels."""
    in_top_k = tf.cast(tf.nn.in_top_k(predictions, labels, k), tf.float32)
    return streaming_mean(
        in_top_k, weights, metrics_collections, updates_collections, name or f"recall_at_{k}"
    )


def streaming_sparse_recall_at_k(
    predictions,
    labels,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Computes recall@k of the predictions with respect to sparse labels."""
    return tf.metrics.recall_at_k(
        k=k,
        class_id=class_id,
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_absolute_error(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the mean absolute error between the labels and predictions."""
    return tf.metrics.mean_absolute_error(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_relative_error(
    predictions,
    labels,
    normalizer,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Computes the mean relative error by normalizing with the given values."""
    return tf.metrics.mean_relative_error(
        normalizer=normalizer,
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_squared_error(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the mean squared error between the labels and predictions."""
    return tf.metrics.mean_squared_error(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_root_mean_squared_error(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the root mean squared error between the labels and predictions."""
    return tf.metrics.root_mean_squared_error(
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_covariance(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the unbiased sample covariance between `predictions` and `labels`."""
    with tf.variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = _remove_squeezable_dimensions(predictions, labels, weights)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        count_ = _metric_variable([], tf.float32, name="count")
        mean_prediction = _metric_variable([], tf.float32, name="mean_prediction")
        mean_label = _metric_variable([], tf.float32, name="mean_label")
        comoment = _metric_variable(  # C_A in update equation
            [], tf.float32, name="comoment"
        )

        if weights is None:
            batch_count = tf.cast(tf.size(labels), tf.float32)  # n_B in eqn
            weighted_predictions = predictions
            weighted_labels = labels
        else:
            weights = tf.broadcast_to(tf.cast(weights, tf.float32), tf.shape(labels))
            batch_count = tf.reduce_sum(weights)  # n_B in eqn
            weighted_predictions = tf.multiply(predictions, weights)
            weighted_labels = tf.multiply(labels, weights)

        update_count = tf.assign_add(count_, batch_count)  # n_AB in eqn
        prev_count = update_count - batch_count  # n_A in update equation

        # We update the means by Delta=Error*BatchCount/(BatchCount+PrevCount)
        # batch_mean_prediction is E[x_B] in the update equation
        batch_mean_prediction = tf.div_no_nan(tf.reduce_sum(weighted_predictions), batch_count)
        delta_mean_prediction = tf.div_no_nan(
            (batch_mean_prediction - mean_prediction) * batch_count, update_count
        )
        update_mean_prediction = tf.assign_add(mean_prediction, delta_mean_prediction)
        # prev_mean_prediction is E[x_A] in the update equation
        prev_mean_prediction = update_mean_prediction - delta_mean_prediction

        # batch_mean_label is E[y_B] in the update equation
        batch_mean_label = tf.div_no_nan(tf.reduce_sum(weighted_labels), batch_count)
        delta_mean_label = tf.div_no_nan((batch_mean_label - mean_label) * batch_count, update_count)
        update_mean_label = tf.assign_add(mean_label, delta_mean_label)
        # prev_mean_label is E[y_A] in the update equation
        prev_mean_label = update_mean_label - delta_mean_label

        unweighted_batch_coresiduals = (predictions - batch_mean_prediction) * (labels - batch_mean_label)
        # batch_comoment is C_B in the update equation
        if weights is None:
            batch_comoment = tf.reduce_sum(unweighted_batch_coresiduals)
        else:
            batch_comoment = tf.reduce_sum(unweighted_batch_coresiduals * weights)

        # View delta_comoment as = C_AB - C_A in the update equation above.
        # Since C_A is stored in a var, by how much do we need to increment that var
        # to make the var = C_AB?
        delta_comoment = batch_comoment + (prev_mean_prediction - batch_mean_prediction) * (
            prev_mean_label - batch_mean_label
        ) * (prev_count * batch_count / update_count)
        update_comoment = tf.assign_add(comoment, delta_comoment)

        covariance = tf.where(
            tf.less_equal(count_, 1.0), float("nan"), tf.truediv(comoment, count_ - 1), name="covariance"
        )
        with tf.control_dependencies([update_comoment]):
            update_op = tf.where(
                tf.less_equal(count_, 1.0), float("nan"), tf.truediv(comoment, count_ - 1), name="update_op"
            )

    if metrics_collections:
        tf.add_to_collections(metrics_collections, covariance)

    if updates_collections:
        tf.add_to_collections(updates_collections, update_op)

    return covariance, update_op


def streaming_pearson_correlation(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes Pearson correlation coefficient between `predictions`, `labels`."""
    with tf.variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = _remove_squeezable_dimensions(predictions, labels, weights)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        # Broadcast weights here to avoid duplicate broadcasting in each call to
        # `streaming_covariance`.
        if weights is not None:
            weights = tf.broadcast_to(tf.cast(weights, tf.float32), tf.shape(labels))
        cov, update_cov = streaming_covariance(predictions, labels, weights=weights, name="covariance")
        var_predictions, update_var_predictions = streaming_covariance(
            predictions, predictions, weights=weights, name="variance_predictions"
        )
        var_labels, update_var_labels = streaming_covariance(
            labels, labels, weights=weights, name="variance_labels"
        )

        pearson_r = tf.truediv(
            cov, tf.multiply(tf.sqrt(var_predictions), tf.sqrt(var_labels)), name="pearson_r"
        )
        update_op = tf.truediv(
            update_cov,
            tf.multiply(tf.sqrt(update_var_predictions), tf.sqrt(update_var_labels)),
            name="update_op",
        )

    if metrics_collections:
        tf.add_to_collections(metrics_collections, pearson_r)

    if updates_collections:
        tf.add_to_collections(updates_collections, update_op)

    return pearson_r, update_op


# normalization if the inputs are not normalized.
def streaming_mean_cosine_distance(
    predictions, labels, dim, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the cosine distance between the labels and predictions."""
    predictions, labels, weights = _remove_squeezable_dimensions(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    radial_diffs = tf.multiply(predictions, labels)
    radial_diffs = tf.reduce_sum(
        radial_diffs,
        axis=[
            dim,
        ],
        keepdims=True,
    )
    mean_distance, update_op = streaming_mean(
        radial_diffs, weights, None, None, name or "mean_cosine_distance"
    )
    mean_distance = tf.subtract(1.0, mean_distance)
    update_op = tf.subtract(1.0, update_op)

    if metrics_collections:
        tf.add_to_collections(metrics_collections, mean_distance)

    if updates_collections:
        tf.add_to_collections(updates_collections, update_op)

    return mean_distance, update_op


def streaming_percentage_less(
    values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Computes the percentage of values less than the given threshold."""
    return tf.metrics.percentage_below(
        values=values,
        threshold=threshold,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_iou(
    predictions,
    labels,
    num_classes,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Calculate per-step mean Intersection-Over-Union (mIOU)."""
    return tf.metrics.mean_iou(
        num_classes=num_classes,
        predictions=predictions,
        labels=labels,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def aggregate_metrics(*value_update_tuples):
    """Aggregates the metric value tensors and update ops into two lists."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    value_ops, update_ops = zip(*value_update_tuples)
    return list(value_ops), list(update_ops)


def aggregate_metric_map(names_to_tuples):
    """Aggregates the metric names to tuple dictionary."""
    metric_names = names_to_tuples.keys()
    value_ops, update_ops = zip(*names_to_tuples.values())
    return dict(zip(metric_names, value_ops)), dict(zip(metric_names, update_ops))
