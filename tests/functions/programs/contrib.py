"""tf.contrib: layers, frameworks, sequences, recurrent cells and helpers of training that are served."""

import numpy as np
import tensorflow as tf
from cases import case, fed, given, integers, normal, uniform

layers, framework = tf.contrib.layers, tf.contrib.framework
SMALL = tf.constant_initializer(0.05)


@case
def batch_norm_of_contrib():
    pictures, training = normal(4, 4, 4, 3), fed(True, [])
    return [
        layers.batch_norm(pictures),
        layers.batch_norm(pictures, 0.9, center=False, scale=True, epsilon=1e-5, activation_fn=tf.nn.relu),
        layers.batch_norm(pictures, is_training=training, scope="fed"),
        layers.batch_norm(pictures, updates_collections=None, scope="at_once"),
        layers.batch_norm(normal(5, 3), fused=False, scope="flat"),
        layers.batch_norm(normal(2, 3, 4, 4), data_format="NCHW", fused=False, scope="channels_first"),
        layers.batch_norm(
            pictures,
            param_initializers={"beta": tf.ones_initializer()},
            param_regularizers={"beta": layers.l2_regularizer(0.1)},
            trainable=True,
            scope="initialized",
        ),
        tf.get_collection(tf.GraphKeys.UPDATE_OPS),
    ]


@case
def frameworks():
    values = normal(2, 3)
    variable = framework.variable(
        "v", [2], initializer=tf.ones_initializer(), regularizer=layers.l1_regularizer(0.1)
    )
    return [
        variable,
        framework.assert_scalar(tf.constant(1)),
        framework.nest.flatten({"b": [1, 2], "a": (3,)}),
        framework.nest.map_structure(lambda number: number + 1, {"a": (1, 2)}),
        framework.is_tensor(values),
        framework.get_model_variables(),
        framework.get_trainable_variables(),
        framework.get_global_step() is None,
        framework.create_global_step(),
        framework.sort(values, direction="DESCENDING"),
        framework.argsort(values),
        framework.has_arg_scope(layers.conv2d),
        framework.has_arg_scope(doubled),
        sorted(framework.current_arg_scope()),
        framework.assert_same_float_dtype([values]).name,
        doubled(values),
    ]


@framework.add_arg_scope
def doubled(value, factor=2.0):
    return value * factor


@case
def conditional_random_fields():
    crf = tf.contrib.crf
    scores, tags, lengths = normal(2, 4, 3), integers(3, 2, 4), tf.constant([4, 3])
    likelihood, transitions = crf.crf_log_likelihood(
        scores, tags, lengths, tf.get_variable("t", [3, 3], initializer=tf.random_normal_initializer(seed=3))
    )
    path, best = crf.viterbi_decode(np.arange(6.0).reshape(2, 3), np.eye(3))
    return [
        likelihood,
        transitions,
        crf.crf_decode(scores, transitions, lengths),
        crf.crf_sequence_score(scores, tags, lengths, transitions),
        crf.crf_log_norm(scores, lengths, transitions),
        [int(tag) for tag in path],
        float(best),
    ]


@case
def helpers_of_training():
    training = tf.contrib.training
    parameters = training.HParams(rate=0.1, sizes=[1, 2], name="x")
    parameters.add_hparam("late", True)
    parameters.parse("rate=0.5,sizes=[3,4]")
    total = tf.losses.mean_squared_error(normal(2), normal(2))
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    step = tf.train.get_or_create_global_step()
    return [
        sorted(str(pair) for pair in parameters.values().items()),
        parameters.get("none", 3),
        "rate" in parameters,
        total,
        layers.optimize_loss(
            tf.reduce_sum(weights**2),
            step,
            0.1,
            tf.train.AdamOptimizer,
            clip_gradients=1.0,
            learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 2, 0.5),
            summaries=[],
            name="optimized",
        ).op,
        [variable.name for variable in tf.global_variables()],
    ]


@case
def tables_of_files():
    import os
    import tempfile

    path = os.path.join(tempfile.mkdtemp(), "words")
    with tf.gfile.GFile(path, "w") as file:
        file.write("a\nb\nc\n")
    with tf.gfile.GFile(path + "s", "w") as file:
        file.write("a:1\t5\n")
    lookup = tf.contrib.lookup
    words = tf.constant(["b", "z"])
    return [
        lookup.index_table_from_file(path, num_oov_buckets=1).lookup(words),
        lookup.index_table_from_file(vocabulary_file=path, vocab_size=2, default_value=-3).lookup(words),
        lookup.index_to_string_table_from_file(path, default_value="?").lookup(tf.constant([2, 7], tf.int64)),
        lookup.HashTable(lookup.TextFileIdTableInitializer(path), -1).lookup(words),
        *[
            lookup.HashTable(
                lookup.TextFileInitializer(path + "s", tf.string, 0, tf.string, 1, None, mark), "?"
            ).lookup(tf.constant(["a", "a:1"]))
            for mark in "\t:"
        ],
        lookup.HashTable(
            lookup.TextFileInitializer(
                path, tf.string, lookup.TextFileIndex.WHOLE_LINE, tf.int64, lookup.TextFileIndex.LINE_NUMBER
            ),
            -1,
        ).size(),
        tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                path, tf.int64, lookup.TextFileIndex.LINE_NUMBER, tf.string, lookup.TextFileIndex.WHOLE_LINE
            ),
            "none",
        ).lookup(tf.constant([1, 9], tf.int64)),
    ]


@case
def sequences_of_old():
    legacy = tf.contrib.legacy_seq2seq
    steps = tf.unstack(normal(4, 2, 3))
    with tf.variable_scope("scope", initializer=tf.random_uniform_initializer(-0.5, 0.5, 4)):
        decoded, _ = legacy.rnn_decoder(steps, tf.zeros([2, 4]), tf.nn.rnn_cell.GRUCell(4), scope="decoder")
        attended, _ = legacy.attention_decoder(
            steps,
            tf.zeros([2, 4]),
            normal(2, 5, 4),
            tf.nn.rnn_cell.GRUCell(4),
            loop_function=lambda previous, _: previous[:, 1:],
            initial_state_attention=True,
            scope="attended",
        )
    logits, targets = [normal(2, 5), normal(2, 5)], [integers(5, 2), integers(5, 2)]
    weights = [uniform(2), uniform(2)]
    return [
        decoded,
        attended,
        legacy.sequence_loss(logits, targets, weights),
        legacy.sequence_loss_by_example(logits, targets, weights, average_across_timesteps=False),
        given(np.array([1.0], np.float32)),
        [variable.name for variable in tf.trainable_variables()],
    ]
