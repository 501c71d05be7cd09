"""A tower Estimator: estimator_towers.py FOLDER."""

import sys

import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(64, 3).astype(np.float32)
targets = rows.sum(axis=1, keepdims=True)


def in_order():
    return tf.data.Dataset.from_tensor_slices(({"x": rows}, targets)).repeat().batch(8)


def model_fn(features, labels, mode):
    result = tf.layers.dense(tf.layers.dense(features["x"], 8, tf.nn.tanh, name="hidden"), 1, name="result")
    loss = tf.losses.mean_squared_error(labels, result)
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.01))
    train = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean_absolute_error(labels, result)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


replicated = tf.contrib.estimator.replicate_model_fn(
    model_fn, loss_reduction=tf.losses.Reduction.MEAN, devices=["/device:GPU:0", "/device:GPU:1"]
)
estimator = tf.estimator.Estimator(replicated, model_dir=sys.argv[1])
estimator.train(in_order, steps=10)
print(estimator.evaluate(in_order, steps=2))
