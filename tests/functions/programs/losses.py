"""tf.losses, and what regularizers leave behind."""

from functools import partial

import tensorflow as tf
from cases import case, cases, integers, normal, uniform

REDUCTIONS = [
    "NONE",
    "SUM",
    "MEAN",
    "SUM_OVER_BATCH_SIZE",
    "SUM_OVER_NONZERO_WEIGHTS",
    "SUM_BY_NONZERO_WEIGHTS",
]


def reduced(name):
    reduction = getattr(tf.losses.Reduction, name)
    return [
        tf.losses.mean_squared_error(
            normal(3, 4), uniform(3, 4), weights=[[1.0], [0.0], [2.0]], reduction=reduction
        ),
        tf.losses.absolute_difference(normal(3, 4), uniform(3, 4), weights=2.0, reduction=reduction),
        tf.losses.softmax_cross_entropy(
            tf.nn.softmax(normal(3, 4)), uniform(3, 4), weights=[1.0, 0.0, 2.0], reduction=reduction
        ),
        tf.losses.sigmoid_cross_entropy(uniform(3, 4), normal(3, 4), weights=0.0, reduction=reduction),
    ]


cases(__name__, {"reduced_by_" + name: partial(reduced, name) for name in REDUCTIONS})


@case
def of_vectors():
    labels = tf.nn.l2_normalize(normal(3, 4), 1)
    predictions = tf.nn.l2_normalize(uniform(3, 4), 1)
    return [
        tf.losses.cosine_distance(labels, predictions, axis=1),
        tf.losses.cosine_distance(labels, predictions, dim=1),
        tf.losses.cosine_distance(labels, predictions, 1, 2.0, "named", tf.GraphKeys.LOSSES),
        tf.losses.mean_pairwise_squared_error(normal(3, 4), uniform(3, 4)),
        tf.losses.mean_pairwise_squared_error(normal(3, 4), uniform(3, 4), weights=[[1.0], [0.0], [2.0]]),
        tf.losses.hinge_loss(tf.cast(integers(2, 3, 4), tf.float32), normal(3, 4)),
        tf.losses.huber_loss(normal(3, 4), uniform(3, 4), delta=0.5),
        tf.losses.huber_loss(normal(3, 4), uniform(3, 4), [[1.0], [2.0], [0.5]], 2.0),
        tf.losses.log_loss(uniform(3, 4), uniform(3, 4) * 0.9, epsilon=1e-6),
        tf.losses.log_loss(labels=uniform(3, 4), predictions=uniform(3, 4) * 0.9, weights=3.0),
    ]


@case
def of_regularizers():
    ones = tf.ones_initializer()
    tf.get_variable("w", [3, 4], initializer=ones, regularizer=lambda weights: 0.1 * tf.nn.l2_loss(weights))
    with tf.variable_scope("scope", regularizer=lambda weights: 0.2 * tf.reduce_sum(weights)):
        tf.get_variable("v", [2], initializer=ones)
        tf.layers.dense(
            normal(2, 3),
            4,
            kernel_initializer=ones,
            kernel_regularizer=lambda weights: 0.3 * tf.reduce_sum(weights),
            name="its_own",
        )
        tf.layers.dense(normal(2, 3), 4, kernel_initializer=ones, name="of_the_scope")
    return [
        tf.losses.get_regularization_losses(),
        tf.losses.get_regularization_losses("scope"),
        tf.losses.get_total_loss(),
        tf.contrib.layers.apply_regularization(tf.contrib.layers.l2_regularizer(0.1), [normal(3)]),
        tf.contrib.layers.l1_l2_regularizer(0.1, 0.2)(normal(3)),
        tf.contrib.layers.sum_regularizer(
            [tf.contrib.layers.l1_regularizer(0.1), tf.contrib.layers.l2_regularizer(0.2)]
        )(normal(3)),
    ]


TABLE = {
    "of_classes": lambda: [
        tf.losses.sigmoid_cross_entropy(uniform(3, 4), normal(3, 4), label_smoothing=0.1),
        tf.losses.softmax_cross_entropy(tf.one_hot(integers(4, 3), 4), normal(3, 4), label_smoothing=0.1),
        tf.losses.sparse_softmax_cross_entropy(integers(4, 3), normal(3, 4)),
        tf.losses.sparse_softmax_cross_entropy(integers(4, 3, 1), normal(3, 4)),
        tf.losses.sparse_softmax_cross_entropy(
            integers(4, 3), normal(3, 4), weights=tf.constant([1.0, 0.0, 0.0])
        ),
        tf.losses.sparse_softmax_cross_entropy(integers(4, 3), normal(3, 4), weights=[[1.0], [0.5], [0.0]]),
        tf.losses.compute_weighted_loss(normal(3, 4), weights=[[1.0], [0.0], [2.0]]),
        tf.losses.compute_weighted_loss(normal(3, 4), uniform(3, 4), scope="scoped", loss_collection=None),
    ],
    "total": lambda: [
        tf.losses.mean_squared_error(normal(3, 4), uniform(3, 4)),
        tf.losses.absolute_difference(normal(3, 4), uniform(3, 4)),
        tf.losses.mean_squared_error(normal(3, 4), uniform(3, 4), scope="other", loss_collection="mine"),
        tf.losses.get_total_loss(),
        tf.losses.get_total_loss(add_regularization_losses=False, name="without"),
        tf.losses.get_losses(),
        tf.losses.get_losses("other", loss_collection="mine"),
        tf.losses.get_regularization_loss(),
        tf.losses.add_loss(normal(), "mine"),
        tf.get_collection("mine"),
    ],
}
cases(__name__, TABLE)
