"""tf.metrics: the updates of two runs, and what is left in their variables."""

from functools import partial

import tensorflow as tf
from cases import case, cases, integers, normal, on_inputs, uniform


def updates_of(build):
    """Not the values: what those read while the update runs is open."""
    return [update for _, update in on_inputs(build)]


def counts():
    labels, predictions, scores = integers(2, 8), integers(2, 8), uniform(8)
    metrics = []
    for count in (
        tf.metrics.false_negatives,
        tf.metrics.false_positives,
        tf.metrics.true_negatives,
        tf.metrics.true_positives,
        tf.metrics.precision,
        tf.metrics.recall,
    ):
        metrics += [
            count(labels, predictions),
            count(labels, predictions, weights=uniform(8), name="weighted"),
        ]
    for count in (
        tf.metrics.false_negatives_at_thresholds,
        tf.metrics.false_positives_at_thresholds,
        tf.metrics.true_negatives_at_thresholds,
        tf.metrics.true_positives_at_thresholds,
        tf.metrics.precision_at_thresholds,
        tf.metrics.recall_at_thresholds,
    ):
        metrics.append(count(labels, scores, [0.2, 0.5]))
    return metrics


def among_the_first():
    labels, predictions = tf.cast(integers(4, 3, 1), tf.int64), normal(3, 4)
    several = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 3], tf.int64), [3, 2])
    return [
        tf.metrics.precision_at_k(labels, predictions, 2),
        tf.metrics.precision_at_k(labels, predictions, 2, class_id=1),
        tf.metrics.recall_at_k(labels, predictions, 2),
        tf.metrics.recall_at_k(several, predictions, 3, weights=uniform(3)),
        tf.metrics.average_precision_at_k(labels, predictions, 2),
        tf.metrics.sparse_average_precision_at_k(labels, predictions, 2),
        tf.metrics.sparse_precision_at_k(labels, predictions, 2),
        tf.metrics.precision_at_top_k(labels, tf.cast(integers(4, 3, 2), tf.int64), 2),
        tf.metrics.recall_at_top_k(labels, tf.cast(integers(4, 3, 2), tf.int64), 2),
    ]


@case
def confusion():
    return [
        tf.confusion_matrix(integers(3, 8), integers(3, 8)),
        tf.confusion_matrix(integers(3, 8), integers(3, 8), 4, weights=uniform(8), dtype=tf.float32),
        tf.contrib.metrics.aggregate_metric_map({"mean": tf.metrics.mean(uniform(3))})[1],
    ]


TABLE = {
    "counts": counts,
    "among_the_first": among_the_first,
    "means": lambda: [
        tf.metrics.mean(normal(3, 4), uniform(3, 4)),
        tf.metrics.mean_tensor(normal(3, 4), uniform(3, 4)),
        tf.metrics.mean_absolute_error(normal(3, 4), uniform(3, 4)),
        tf.metrics.mean_squared_error(normal(3, 4), uniform(3, 4)),
        tf.metrics.root_mean_squared_error(normal(3, 4), uniform(3, 4)),
        tf.metrics.mean_relative_error(normal(3, 4), uniform(3, 4), uniform(3, 4) + 1),
        tf.metrics.mean_cosine_distance(normal(3, 4), uniform(3, 4), 1),
        tf.metrics.percentage_below(normal(3, 4), 0.5),
    ],
    "accuracies": lambda labels=(integers, 3, 8), predictions=(integers, 3, 8): [
        tf.metrics.accuracy(labels, predictions),
        tf.metrics.accuracy(
            labels=labels,
            predictions=predictions,
            weights=uniform(8),
            name="named",
            metrics_collections="values",
            updates_collections="updates",
        ),
        tf.metrics.mean_per_class_accuracy(labels, predictions, 3),
        tf.metrics.mean_iou(labels, predictions, 3),
        tf.metrics.mean_iou(labels, predictions, num_classes=3, weights=uniform(8)),
    ],
    "areas_under_curves": lambda labels=(integers, 2, 8), predictions=(uniform, 8): [
        tf.metrics.auc(labels, predictions),
        tf.metrics.auc(
            labels, predictions, curve="PR", num_thresholds=50, summation_method="careful_interpolation"
        ),
        tf.metrics.auc(labels, predictions, weights=uniform(8), summation_method="majoring"),
        tf.metrics.auc(labels, predictions, summation_method="minoring", thresholds=[0.2, 0.5]),
    ],
    "of_specificity": lambda labels=(integers, 2, 8), scores=(uniform, 8): [
        tf.metrics.sensitivity_at_specificity(labels, scores, 0.5),
        tf.metrics.specificity_at_sensitivity(labels, scores, 0.5, num_thresholds=20),
    ],
    "of_contrib": lambda labels=(integers, 2, 8), predictions=(integers, 2, 8): [
        tf.contrib.metrics.streaming_accuracy(predictions, labels),
        tf.contrib.metrics.streaming_mean(uniform(8)),
        tf.contrib.metrics.streaming_auc(uniform(8), labels),
        tf.contrib.metrics.streaming_precision(predictions, labels),
        tf.contrib.metrics.streaming_recall(predictions, labels),
        tf.contrib.metrics.streaming_mean_iou(predictions, labels, 2),
        tf.contrib.metrics.streaming_pearson_correlation(uniform(8), uniform(8)),
        tf.contrib.metrics.streaming_root_mean_squared_error(uniform(8), uniform(8)),
        tf.contrib.metrics.streaming_sparse_recall_at_k(
            normal(3, 4), tf.cast(integers(4, 3, 1), tf.int64), 2
        ),
    ],
}
cases(__name__, {name: partial(updates_of, build) for name, build in TABLE.items()})
