"""An Estimator in a cluster by TF_CONFIG, with an evaluator beside it: estimator_cluster.py FOLDER."""

import sys

import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(64, 3).astype(np.float32)
targets = rows.sum(axis=1, keepdims=True)


def in_order():
    return tf.data.Dataset.from_tensor_slices(({"x": rows}, targets)).repeat().batch(8)


def model_fn(features, labels, mode):
    result = tf.layers.dense(tf.layers.dense(features["x"], 4, tf.nn.relu), 1)
    loss = tf.losses.mean_squared_error(labels, result)
    train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


config = tf.estimator.RunConfig(model_dir=sys.argv[1], save_checkpoints_steps=2)
tf.estimator.train_and_evaluate(
    tf.estimator.Estimator(model_fn, config=config),
    tf.estimator.TrainSpec(in_order, max_steps=8),
    tf.estimator.EvalSpec(in_order, steps=2, start_delay_secs=1, throttle_secs=1),
)
print("ended", config.task_type)
