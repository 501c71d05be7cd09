# Checkpoints evaluated by slim's and contrib.training's loops: metrics, final operations, summaries, hooks, timeouts.
import os
import sys

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

folder = os.path.join(sys.argv[1], 'checkpoints')


def model():
    x = tf.data.Dataset.from_tensor_slices(np.arange(24, dtype=np.float32).reshape(12, 2) / 10).batch(3).make_one_shot_iterator().get_next()
    w = slim.model_variable('w', [2], initializer=tf.constant_initializer([.3, -.1]))
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1))
    return x, w, step, loss


with tf.Graph().as_default():
    x, w, step, loss = model()
    train = tf.train.GradientDescentOptimizer(.1).minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=2, save_summaries_steps=None) as s:
        while not s.should_stop():
            s.run(train)
with tf.Graph().as_default():
    x, w, step, loss = model()
    names, updates = tf.contrib.metrics.aggregate_metric_map({'loss': tf.metrics.mean(loss), 'w': tf.metrics.mean(w[0])})
    for n, v in names.items():
        slim.summaries.add_scalar_summary(v, n, prefix='eval')
    print(slim.evaluation.evaluate_once('', tf.train.latest_checkpoint(folder), os.path.join(folder, 'ev1'), num_evals=3, eval_op=list(updates.values()), final_op=names))
with tf.Graph().as_default():
    x, w, step, loss = model()
    m, up = tf.metrics.mean(loss)
    print(slim.summaries.add_zero_fraction_summary(x).name, slim.summaries.add_scalar_summary(m).name)
    print(slim.evaluation.evaluation_loop('', folder, os.path.join(folder, 'ev2'), num_evals=2, eval_op=up, final_op=[m, step], variables_to_restore=slim.get_variables_to_restore(), eval_interval_secs=0, timeout=1.5))
with tf.Graph().as_default():
    x, w, step, loss = model()
    m, up = tf.metrics.mean(loss)
    hooks = [tf.contrib.training.SummaryAtEndHook(os.path.join(folder, 'ev3'), summary_op=tf.summary.scalar('m', m)), tf.contrib.training.StopAfterNEvalsHook(4)]
    print(tf.contrib.training.evaluate_repeatedly(folder, eval_ops={'up': up}, final_ops={'m': m}, hooks=hooks, max_number_of_evaluations=1), len(hooks))
    print([v.name for v in tf.local_variables()])
with tf.Graph().as_default():
    x, w, step, loss = model()
    print(tf.contrib.training.evaluate_once(tf.train.latest_checkpoint(folder), final_ops=w, hooks=[tf.contrib.training.StopAfterNEvalsHook(None)], eval_ops=loss))
for p in tf.contrib.training.checkpoints_iterator(folder, timeout=1.1):
    print(os.path.basename(p))
print(tf.contrib.training.wait_for_new_checkpoint(folder, p, timeout=1.1))
