"""Parts of tf.contrib that few programs use, and names that were reached by other roads."""

import numpy as np
import tensorflow as tf
from cases import case, given, normal, uniform
from tensorflow.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops
from tensorflow.contrib.framework.python.ops import audio_ops
from tensorflow.python.framework import tensor_shape

seq2seq, image, rnn = tf.contrib.seq2seq, tf.contrib.image, tf.contrib.rnn


def drawn(seed):
    return tf.random_uniform_initializer(-0.5, 0.5, seed)


@case
def rare_cells():
    inputs = normal(2, 4, 3)
    with tf.variable_scope("scope", initializer=drawn(4)):
        return [
            tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32, scope=scope)
            for scope, cell in [
                ("nas", rnn.NASCell(5)),
                ("projected", rnn.NASCell(5, 3, True)),
                ("attention", rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(4), 2)),
                (
                    "one_state",
                    rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(4), 3, 5, 2, 6, state_is_tuple=False),
                ),
                ("long_memory", rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 2)),
            ]
        ]


@case
def fused_cells():
    inputs, lengths = normal(4, 2, 3), tf.constant([4, 2])
    with tf.variable_scope("scope", initializer=drawn(4)):
        peepholes = rnn.LSTMBlockFusedCell(4, 0.5, 0.3, True, name="peepholes")
        turned = rnn.TimeReversedFusedRNN(rnn.LSTMBlockFusedCell(4, name="turned"))
        return [
            rnn.LSTMBlockFusedCell(4)(inputs, dtype=tf.float32),
            peepholes(inputs, dtype=tf.float32, sequence_length=lengths),
            turned(inputs, dtype=tf.float32, sequence_length=lengths),
            turned(inputs, dtype=tf.float32),
        ]


@case
def projections_of_images():
    pictures = uniform(2, 5, 6, 3)
    numbers = tf.constant([[1, 0.1, -1, 0.2, 0.9, 0.5, 0.01, 0.02], [0.8, 0, 1, 0, 1.2, 0, 0, 0]])
    return [
        image.transform(pictures, numbers),
        image.transform(pictures, numbers, "BILINEAR"),
        image.transform(pictures[0], numbers[0], output_shape=[3, 4]),
        image.translate(pictures, [1.0, 2.0]),
        image.translate(pictures[0, :, :, 0], [0.5, -1.0], "BILINEAR"),
        image.angles_to_projective_transforms([0.3, 0.1], 5.0, 6.0),
        image.translations_to_projective_transforms([[1.0, 2.0], [3.0, 4.0]]),
    ]


@case
def samples_between_pixels():
    points = given(np.random.RandomState(0).uniform(-2, 7, [2, 4, 3, 2]).astype(np.float32))
    return tf.contrib.resampler.resampler(normal(2, 5, 6, 3), points)


@case
def helpers_that_draw():
    table = normal(6, 3)
    cells = [tf.nn.rnn_cell.GRUCell(6, kernel_initializer=drawn(4)) for _ in range(2)]
    helpers = [
        # a multinomial of dynamic shape draws otherwise in TF 2: so cold that it takes the largest
        seq2seq.SampleEmbeddingHelper(table, [0, 1], 5, softmax_temperature=1e-4, seed=3),
        seq2seq.ScheduledEmbeddingTrainingHelper(
            normal(2, 4, 3), [4, 3], table, 0.0, seed=3, scheduling_seed=5
        ),
    ]
    decoders = [
        seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
        for cell, helper in zip(cells, helpers)
    ]
    made = [
        seq2seq.dynamic_decode(decoders[0], maximum_iterations=6, scope="sample"),
        seq2seq.dynamic_decode(decoders[1], scope="scheduled"),
        seq2seq.hardmax(tf.constant([[1.0, 3.0, 2.0]])),
    ]
    return [tf.stop_gradient(each) for each in tf.contrib.framework.nest.flatten(made)]


@case
def sounds():
    wave = given(np.sin(np.arange(400) / 9.0).astype(np.float32).reshape(400, 1))
    decoded = audio_ops.decode_wav(audio_ops.encode_wav(wave, 16000), desired_channels=1, desired_samples=400)
    spectrum = audio_ops.audio_spectrogram(decoded.audio, window_size=100, stride=50, magnitude_squared=True)
    return [
        decoded.audio,
        spectrum,
        audio_ops.mfcc(spectrum, decoded.sample_rate, dct_coefficient_count=10),
    ]


@case
def short_names():
    with tf.name_scope("outer"), tf.name_scope("inner"):
        scope = tf.contrib.framework.get_name_scope()
    shapes = [tensor_shape.scalar(), tensor_shape.vector(3), tensor_shape.matrix(2, None)]
    return [
        scope,
        [shape.as_list() for shape in shapes],
        cudnn_rnn_ops.CUDNN_RNN_UNIDIRECTION,
        tf.contrib.metrics.confusion_matrix([1, 2, 2], [1, 1, 2], num_classes=3),
    ]


@case
def moving_averages_by_the_optimizer():
    weights = tf.get_variable("w", [2], initializer=tf.constant_initializer(3.0))
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 0.5)
    train = optimizer.minimize(tf.reduce_sum(weights * weights))
    saved = optimizer.swapping_saver()._var_list
    with tf.control_dependencies([train]):
        return [tf.identity(weights, "after"), sorted((key, value.op.name) for key, value in saved.items())]
