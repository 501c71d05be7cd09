import json
import os
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
servers, workers = sys.argv[4].split(','), sys.argv[5].split(',')
rng = np.random.RandomState(0)
rows = rng.rand(64, 3).astype(np.float32)
targets = rows.dot(np.array([[1.], [2.], [-1.]], np.float32)) + 0.1
labels = rng.randint(0, 2, 64)


def in_order():
    return tf.data.Dataset.from_tensor_slices(({'x': rows}, targets)).repeat().batch(8)


def model_fn(features, labels, mode):
    w = tf.get_variable('w', [3, 1], initializer=tf.constant_initializer(0.3))
    b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    print(mode, w.device, b.device, tf.train.get_global_step().device)
    result = tf.matmul(features['x'], w) + b
    loss = tf.losses.mean_squared_error(labels, result)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {'error': tf.metrics.mean_absolute_error(labels, result)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


class Losses(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        for variable in tf.trainable_variables():
            shape = variable.get_shape().as_list()
            variable.load(np.linspace(-0.5, 0.5, int(np.prod(shape))).reshape(shape), session)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        print('%.9g' % run_values.results)


def begin(leader):
    kind = 'ps' if job == 'ps' else leader if task == 0 else 'evaluator'
    config = {'cluster': {leader: workers[:1], 'ps': servers}, 'task': {'type': kind, 'index': task if job == 'ps' else 0}}
    os.environ['TF_CONFIG'] = json.dumps(config)
    return tf.estimator.RunConfig(model_dir=folder, save_checkpoints_steps=5)


def show(estimator):
    for name in sorted(estimator.get_variable_names()):
        print(name, np.ravel(estimator.get_variable_value(name)).tolist())

#: evaluator_beside_the_chief: an evaluator, which is in no cluster; variables in turn on two parameter servers
# tasks: 2 ps, 2 worker
estimator = tf.estimator.Estimator(model_fn, config=begin('chief'))
training = tf.estimator.TrainSpec(in_order, max_steps=12, hooks=[Losses()])
evaluation = tf.estimator.EvalSpec(in_order, steps=4, start_delay_secs=3600 if task == 0 else 8, throttle_secs=1)
tf.estimator.train_and_evaluate(estimator, training, evaluation)
show(estimator)

#: master_that_evaluates: a master evaluates by itself when it has saved
# tasks: 1 ps, 1 worker
estimator = tf.estimator.Estimator(model_fn, config=begin('master'))
training = tf.estimator.TrainSpec(in_order, max_steps=6, hooks=[Losses()])
tf.estimator.train_and_evaluate(estimator, training, tf.estimator.EvalSpec(in_order, steps=4, throttle_secs=0))
show(estimator)

#: wide_and_deep_on_servers: a canned model, whose optimizers' slots are on the parameter server
# tasks: 1 ps, 1 worker
place = tf.feature_column.bucketized_column(tf.feature_column.numeric_column('x'), [0.3, 0.6])
word = tf.feature_column.categorical_column_with_vocabulary_list('word', ['a', 'b', 'c'])
crossed = tf.feature_column.crossed_column([place, 'word'], 10)
deep = [tf.feature_column.numeric_column('x'), tf.feature_column.embedding_column(word, 2)]
estimator = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns=[place, word, crossed], dnn_feature_columns=deep, dnn_hidden_units=[4], config=begin('chief'))
features = {'x': rows[:, 0], 'word': np.array(['a', 'b', 'c'])[rng.randint(0, 3, 64)]}
pairs = tf.estimator.inputs.numpy_input_fn(features, labels, 16, num_epochs=None, shuffle=False)
training = tf.estimator.TrainSpec(pairs, max_steps=6, hooks=[Losses()])
tf.estimator.train_and_evaluate(estimator, training, tf.estimator.EvalSpec(pairs, steps=4))
show(estimator)
