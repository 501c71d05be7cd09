"""A canned wide and deep model in a cluster by TF_CONFIG: estimator_wide_and_deep.py FOLDER."""

import sys

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(0)
rows = rng.rand(64).astype(np.float32)
words = np.array(["a", "b", "c"])[rng.randint(0, 3, 64)]
labels = (rows + (words == "a") > 0.8).astype(np.int32)
place = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("x"), [0.3, 0.6])
word = tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
crossed = tf.feature_column.crossed_column([place, "word"], 10)
deep = [tf.feature_column.numeric_column("x"), tf.feature_column.embedding_column(word, 2)]


def in_order():
    return tf.data.Dataset.from_tensor_slices(({"x": rows, "word": words}, labels)).repeat().batch(16)


config = tf.estimator.RunConfig(model_dir=sys.argv[1], save_checkpoints_steps=4)
estimator = tf.estimator.DNNLinearCombinedClassifier(
    linear_feature_columns=[place, word, crossed],
    dnn_feature_columns=deep,
    dnn_hidden_units=[8, 4],
    config=config,
)
tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(in_order, max_steps=40),
    tf.estimator.EvalSpec(in_order, steps=4, start_delay_secs=1, throttle_secs=1),
)
