"""tf.nn: normalization, losses of logits, samplers, embeddings, convolutions, pools, activations."""

import tensorflow as tf
from cases import case, cases, integers, normal, uniform


def words():
    """A batch of two sentences of at most two words."""
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 1], tf.int64), [2, 2])


def weights_of_words():
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1.0, 2.0, 1.0]), [2, 2])


@case
def cross_entropies():
    labels = tf.nn.softmax(normal(3, 4))
    return [
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=normal(3, 4)),
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=normal(3, 4), dim=0),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=normal(3, 4)),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=normal(3, 4), axis=0),
        tf.nn.softmax_cross_entropy_with_logits_v2(tf.stop_gradient(labels), normal(3, 4), dim=1),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=integers(4, 3), logits=normal(3, 4)),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=integers(4, 2, 3), logits=normal(2, 3, 4)),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=uniform(3, 4), logits=normal(3, 4)),
        tf.nn.weighted_cross_entropy_with_logits(targets=uniform(3, 4), logits=normal(3, 4), pos_weight=2.0),
        tf.nn.weighted_cross_entropy_with_logits(uniform(3, 4), normal(3, 4), 2.0),
        tf.nn.log_poisson_loss(uniform(3, 4), normal(3, 4)),
        tf.nn.log_poisson_loss(uniform(3, 4), normal(3, 4), compute_full_loss=True),
        tf.nn.l2_loss(normal(3, 4)),
    ]


@case
def sampled_losses():
    labels, inputs = tf.constant([[3], [7], [1]], tf.int64), normal(3, 4)
    sampled = (tf.constant([1, 2, 3, 4, 5], tf.int64), uniform(3, 1), uniform(5))
    candidates = tf.nn.learned_unigram_candidate_sampler(labels, 1, 5, True, 20, seed=8)
    return [
        tf.nn.nce_loss(normal(20, 4), normal(20), labels, inputs, 5, 20, sampled_values=sampled),
        tf.nn.nce_loss(normal(20, 4), normal(20), labels, inputs, 5, 20, 1, sampled, True),
        tf.nn.sampled_softmax_loss(normal(20, 4), normal(20), labels, inputs, 5, 20, sampled_values=sampled),
        tf.nn.sampled_softmax_loss(normal(20, 4), normal(20), labels, inputs, 5, 20, seed=4),
        tf.nn.sampled_softmax_loss(
            [normal(10, 4), normal(10, 4)],
            normal(20),
            labels,
            inputs,
            5,
            20,
            seed=4,
            partition_strategy="div",
        ),
        tf.nn.sampled_softmax_loss(
            normal(20, 4), normal(20), labels, inputs, 5, 20, remove_accidental_hits=False, seed=9
        ),
        tf.nn.compute_accidental_hits(labels, tf.constant([7, 3, 3], tf.int64), 1),
        candidates,
    ]


@case
def losses_with_samples_of_no_seed():
    labels, inputs = tf.constant([[3], [7], [1]], tf.int64), normal(3, 4)
    return [
        tf.nn.nce_loss(normal(20, 4), normal(20), labels, inputs, 5, 20),
        tf.nn.sampled_softmax_loss(normal(20, 4), normal(20), labels, inputs, 5, 20),
    ]


@case
def connectionist_temporal_classification():
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 1], tf.int32), [2, 2])
    logits, lengths = normal(5, 2, 4), [5, 4]
    return [
        tf.nn.ctc_loss(labels, logits, lengths),
        tf.nn.ctc_loss(labels, normal(2, 5, 4), lengths, time_major=False, ctc_merge_repeated=False),
        tf.nn.ctc_loss(
            labels=labels, inputs=logits, sequence_length=lengths, preprocess_collapse_repeated=True
        ),
        tf.nn.ctc_loss(labels, logits, lengths, ignore_longer_outputs_than_inputs=True),
        tf.nn.ctc_greedy_decoder(logits, lengths),
        tf.nn.ctc_greedy_decoder(logits, lengths, merge_repeated=False),
        tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=3, top_paths=2),
        tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=3, merge_repeated=False),
        tf.nn.ctc_beam_search_decoder_v2(logits, lengths, beam_width=3),
        tf.nn.collapse_repeated(integers(3, 2, 6), [6, 4]),
        tf.nn.ctc_unique_labels(tf.constant([[3, 3, 1], [2, 0, 0]])),
    ]


@case
def temporal_classification_of_dense_labels():
    labels, lengths = tf.constant([[1, 2], [1, 3]]), tf.constant([5, 4])
    return tf.nn.ctc_loss_v2(labels, normal(5, 2, 4), tf.constant([2, 1]), lengths, blank_index=0)


@case
def embeddings():
    parts = [normal(3, 3), normal(3, 3)]
    wanted = tf.constant([0, 5, 2, 2])
    return [
        tf.nn.embedding_lookup(normal(6, 3), tf.constant([[1, 2], [5, 0]])),
        tf.nn.embedding_lookup(parts, wanted),
        tf.nn.embedding_lookup(parts, wanted, partition_strategy="div"),
        tf.nn.embedding_lookup(normal(6, 3), wanted, max_norm=0.5),
        tf.nn.embedding_lookup_sparse(normal(6, 3), words(), None),
        tf.nn.embedding_lookup_sparse(normal(6, 3), words(), weights_of_words(), combiner="sum"),
        tf.nn.embedding_lookup_sparse(
            normal(6, 3), words(), weights_of_words(), combiner="sqrtn", max_norm=1.0
        ),
        tf.nn.embedding_lookup_sparse(parts, words(), None, "div", combiner="mean"),
        tf.nn.safe_embedding_lookup_sparse([normal(6, 3)], words()),
        tf.nn.safe_embedding_lookup_sparse(
            [normal(6, 3)], words(), weights_of_words(), default_id=2, combiner="sum"
        ),
    ]


@case
def embeddings_of_half_precision():
    table = tf.cast(normal(6, 3), tf.float16)
    return [
        tf.nn.embedding_lookup(table, tf.constant([[1, 2], [5, 0]])),
        tf.nn.embedding_lookup_sparse(table, words(), None, combiner="sum"),
        tf.nn.embedding_lookup_sparse([table, table], words(), weights_of_words(), combiner="sqrtn"),
    ]


@case
def embedding_of_variables():
    table = tf.get_variable("table", [6, 3], initializer=tf.random_normal_initializer(seed=2))
    parts = tf.get_variable(
        "parts", [7, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(3)
    )
    wanted = tf.constant([0, 6, 2, 2])
    return [
        tf.nn.embedding_lookup(table, tf.constant([[1, 2], [5, 0]])),
        tf.nn.embedding_lookup(table, [2, 2], max_norm=0.5, validate_indices=False),
        tf.nn.embedding_lookup(parts, wanted, partition_strategy="div"),
        tf.nn.embedding_lookup(parts, wanted),
        tf.nn.embedding_lookup_sparse(parts, words(), None, partition_strategy="div", combiner="sum"),
    ]


@case
def fractional_pools():
    ratios = [1.0, 1.4, 1.4, 1.0]
    options = {"pseudo_random": True, "seed": 3, "seed2": 4, "deterministic": True}
    return [
        tf.nn.fractional_max_pool(normal(1, 8, 8, 2), ratios, **options),
        tf.nn.fractional_avg_pool(normal(1, 8, 8, 2), ratios, **options),
    ]


@case
def batch_norms_of_a_small_epsilon():
    """Of a small variance, where the epsilon counts; slim's fused one took 1.001e-5 at least."""
    images = normal(2, 3, 3, 2) * 1e-3
    return [
        tf.layers.batch_normalization(images, epsilon=1e-8, training=True, fused=False),
        tf.contrib.layers.batch_norm(images, epsilon=1e-8, fused=True),
        tf.contrib.layers.batch_norm(images, epsilon=1e-8),
    ]


TABLE = {
    "moments": lambda values=(normal, 2, 3, 4): [
        tf.nn.moments(values, [0, 1]),
        tf.nn.moments(values, [0], keep_dims=True),
        tf.nn.moments(values, axes=[0], keep_dims=True, name="kept"),
        tf.nn.moments(tf.cast(values, tf.float16), [0]),
        tf.nn.weighted_moments(normal(2, 3), [0], uniform(2, 3)),
        tf.nn.weighted_moments(normal(2, 3), [0], uniform(2, 3), keep_dims=True),
        tf.nn.sufficient_statistics(normal(2, 3), [0]),
        tf.nn.sufficient_statistics(normal(2, 3), [0], shift=1.0, keep_dims=True),
        tf.nn.normalize_moments(tf.constant(4.0), normal(3), uniform(3), None),
    ],
    "batch_normalization": lambda: [
        tf.nn.batch_normalization(normal(2, 3), normal(3), uniform(3), normal(3), uniform(3), 1e-3),
        tf.nn.batch_normalization(normal(2, 3), normal(3), uniform(3), None, None, variance_epsilon=1e-3),
        tf.nn.batch_norm_with_global_normalization(
            normal(2, 3, 3, 4), normal(4), uniform(4), normal(4), uniform(4), 1e-3, True
        ),
    ],
    "fused_batch_norm": lambda: [
        tf.nn.fused_batch_norm(normal(2, 3, 3, 4), uniform(4), normal(4)),
        tf.nn.fused_batch_norm(normal(2, 3, 3, 4), uniform(4), normal(4), epsilon=0.01, name="other"),
        tf.nn.fused_batch_norm(
            normal(2, 3, 3, 4), uniform(4), normal(4), normal(4), uniform(4), is_training=False
        )[0],
    ],
    "dropout": lambda: [
        tf.nn.dropout(normal(4, 5), 0.5, seed=3),
        tf.nn.dropout(normal(4, 5), keep_prob=0.7, seed=3),
        tf.nn.dropout(normal(4, 5), rate=0.3, seed=3),
        tf.nn.dropout(normal(4, 5), 0.8, noise_shape=[4, 1], seed=3),
        tf.nn.dropout(normal(4, 5), 1.0),
        tf.nn.dropout(normal(4, 5), tf.constant(0.4), seed=4),
        tf.nn.dropout(normal(4, 5), 0.8, [1, 5], 5, "named"),
    ],
    "normalization": lambda: [
        tf.nn.l2_normalize(normal(3, 4), 1),
        tf.nn.l2_normalize(normal(3, 4), dim=0),
        tf.nn.l2_normalize(normal(3, 4), dim=[0, 1], epsilon=0.1),
        tf.nn.lrn(normal(2, 3, 3, 8), 4, bias=1.0, alpha=0.001 / 9, beta=0.75),
        tf.nn.local_response_normalization(normal(2, 3, 3, 8)),
    ],
    "candidate_samplers": lambda labels=(tf.constant, [[3], [7], [1]], tf.int64): [
        tf.nn.log_uniform_candidate_sampler(labels, 1, 5, True, 20, seed=3),
        tf.nn.uniform_candidate_sampler(labels, 1, 5, True, 20, seed=3),
        tf.nn.uniform_candidate_sampler(labels, 1, 5, False, 20, seed=4, name="again"),
        tf.nn.fixed_unigram_candidate_sampler(
            labels, 1, 3, True, 8, unigrams=[1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 1.0, 1.0], seed=3
        ),
        tf.nn.all_candidate_sampler(labels, 1, 8, True, seed=3),
    ],
    "convolutions_of_one_dimension": lambda: [
        tf.nn.conv1d(normal(2, 8, 3), normal(3, 3, 4), 2, "SAME"),
        tf.nn.conv1d(value=normal(2, 8, 3), filters=normal(3, 3, 4), stride=1, padding="VALID"),
        tf.nn.conv1d_transpose(normal(2, 4, 3), normal(3, 5, 3), [2, 8, 5], 2),
        tf.contrib.nn.conv1d_transpose(normal(2, 4, 3), normal(3, 5, 3), [2, 8, 5], 2),
    ],
    "convolutions": lambda inputs=(normal, 2, 8, 8, 3): [
        tf.nn.conv2d(inputs, normal(3, 3, 3, 4), [1, 2, 2, 1], "SAME"),
        tf.nn.conv2d(
            input=inputs, filter=normal(3, 3, 3, 4), strides=[1, 1, 1, 1], padding="SAME", name="named"
        ),
        tf.stop_gradient(tf.nn.conv2d(inputs, tf.ones([3, 3, 3, 4]), 1, "SAME", dilations=[1, 2, 2, 1])),
        tf.nn.conv2d(inputs, normal(3, 3, 3, 4), 2, [[0, 0], [1, 2], [2, 1], [0, 0]]),
        tf.nn.conv2d(inputs, normal(3, 3, 3, 4), [1, 1, 1, 1], "VALID", False, "NHWC", name="by_position"),
        tf.nn.conv2d_backprop_input(
            [2, 8, 8, 3], normal(3, 3, 3, 4), normal(2, 4, 4, 4), [1, 2, 2, 1], "SAME"
        ),
        tf.nn.conv2d_backprop_filter(inputs, [3, 3, 3, 4], normal(2, 4, 4, 4), [1, 2, 2, 1], "SAME"),
        tf.nn.convolution(inputs, normal(3, 3, 3, 4), "SAME", dilation_rate=[2, 2]),
        tf.nn.convolution(inputs, normal(3, 3, 3, 4), "VALID", strides=[2, 1]),
        tf.nn.atrous_conv2d(normal(2, 9, 8, 3), normal(3, 3, 3, 4), 2, "SAME"),
        tf.nn.atrous_conv2d(normal(2, 9, 8, 3), normal(3, 3, 3, 4), 2, "VALID"),
        tf.nn.with_space_to_batch(
            normal(1, 8, 8, 3), [2, 2], "VALID", lambda value, num_spatial_dims, padding: value * 2
        ),
    ],
    "transposed_convolutions": lambda inputs=(normal, 2, 4, 4, 3): [
        tf.nn.conv2d_transpose(inputs, normal(3, 3, 5, 3), [2, 8, 8, 5], [1, 2, 2, 1]),
        tf.nn.conv2d_transpose(
            inputs, normal(3, 3, 5, 3), tf.stack([2, 8, 8, 5]), [1, 2, 2, 1], padding="SAME"
        ),
        tf.nn.conv2d_transpose(
            value=inputs, filter=normal(3, 3, 5, 3), output_shape=[2, 6, 6, 5], strides=1, padding="VALID"
        ),
        tf.nn.atrous_conv2d_transpose(inputs, normal(3, 3, 5, 3), [2, 4, 4, 5], 2, "SAME"),
        tf.nn.conv3d_transpose(
            normal(2, 2, 2, 2, 3), normal(2, 2, 2, 4, 3), [2, 4, 4, 4, 4], [1, 2, 2, 2, 1]
        ),
    ],
    "convolutions_by_channel": lambda inputs=(normal, 2, 8, 8, 3): [
        tf.nn.depthwise_conv2d(inputs, normal(3, 3, 3, 2), [1, 1, 1, 1], "SAME"),
        tf.nn.depthwise_conv2d(inputs, normal(3, 3, 3, 2), [1, 1, 1, 1], "SAME", rate=[2, 2]),
        tf.nn.depthwise_conv2d_native(inputs, normal(3, 3, 3, 2), [1, 2, 2, 1], "VALID"),
        tf.nn.separable_conv2d(inputs, normal(3, 3, 3, 2), normal(1, 1, 6, 4), [1, 1, 1, 1], "SAME"),
        tf.nn.separable_conv2d(
            inputs, normal(3, 3, 3, 2), normal(1, 1, 6, 4), [1, 1, 1, 1], "SAME", rate=[2, 2]
        ),
        tf.nn.depthwise_conv2d_native_backprop_input(
            [2, 8, 8, 3], normal(3, 3, 3, 2), normal(2, 8, 8, 6), [1, 1, 1, 1], "SAME"
        ),
        tf.nn.depthwise_conv2d_native_backprop_filter(
            inputs, [3, 3, 3, 2], normal(2, 8, 8, 6), [1, 1, 1, 1], "SAME"
        ),
    ],
    "convolutions_of_three_dimensions": lambda inputs=(normal, 2, 4, 4, 4, 3): [
        tf.nn.conv3d(inputs, normal(2, 2, 2, 3, 4), [1, 1, 1, 1, 1], "SAME"),
        tf.nn.conv3d(inputs, filter=normal(2, 2, 2, 3, 4), strides=[1, 2, 2, 2, 1], padding="VALID"),
        tf.nn.conv3d_backprop_filter_v2(
            inputs, [2, 2, 2, 3, 4], normal(2, 4, 4, 4, 4), [1, 1, 1, 1, 1], "SAME"
        ),
        tf.nn.max_pool3d(inputs, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"),
        tf.nn.avg_pool3d(inputs, 2, 2, "VALID"),
    ],
    "erosion_and_dilation": lambda inputs=(normal, 2, 5, 5, 3): [
        tf.nn.erosion2d(inputs, normal(2, 2, 3), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
        tf.nn.dilation2d(inputs, normal(2, 2, 3), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
        tf.nn.dilation2d(
            input=inputs, filter=normal(2, 2, 3), strides=[1, 1, 1, 1], rates=[1, 2, 2, 1], padding="SAME"
        ),
    ],
    "pools": lambda inputs=(normal, 2, 7, 7, 3): [
        tf.nn.max_pool(inputs, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.max_pool(value=inputs, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="VALID"),
        tf.nn.avg_pool(inputs, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.avg_pool1d(normal(2, 7, 3), 2, 2, "SAME"),
        tf.nn.max_pool1d(normal(2, 7, 3), 2, 2, "SAME"),
        tf.nn.max_pool2d(inputs, 2, 2, "SAME"),
        tf.nn.avg_pool2d(value=inputs, ksize=2, strides=2, padding="VALID"),
        tf.nn.max_pool_v2(inputs, 2, 2, "SAME"),
        tf.nn.pool(inputs, [2, 2], "MAX", "SAME", strides=[2, 2]),
        tf.nn.pool(normal(2, 8, 8, 3), [2, 2], "AVG", "VALID", dilation_rate=[2, 2]),
        tf.nn.max_pool_with_argmax(normal(2, 4, 4, 3), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.max_pool_with_argmax(
            input=normal(2, 4, 4, 3),
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            padding="VALID",
            include_batch_in_index=True,
        ),
    ],
    "activations": lambda values=(normal, 3, 5): [
        tf.nn.crelu(values),
        tf.nn.crelu(values, axis=0),
        tf.nn.leaky_relu(values),
        tf.nn.leaky_relu(values, alpha=0.1),
        tf.nn.leaky_relu(integers(5, 3) - 2),
        tf.nn.relu(values),
        tf.nn.relu6(values * 5),
        tf.nn.elu(values),
        tf.nn.selu(values),
        tf.nn.swish(values),
        tf.nn.softsign(values),
        tf.nn.softplus(values),
        tf.nn.sigmoid(values),
        tf.nn.tanh(values),
        tf.nn.zero_fraction(tf.nn.relu(values)),
        tf.nn.zero_fraction(tf.zeros([0])),
    ],
    "softmax": lambda: [
        tf.nn.softmax(normal(3, 5), dim=0),
        tf.nn.softmax(normal(3, 5), axis=0),
        tf.nn.softmax(normal(5)),
        tf.nn.softmax(normal(2, 3, 4, 5), 2),
        tf.nn.log_softmax(normal(2, 3, 5), dim=1),
        tf.nn.log_softmax(normal(2, 3, 5), -1),
    ],
    "layers_in_one_call": lambda: [
        tf.nn.xw_plus_b(normal(3, 4), normal(4, 2), normal(2)),
        tf.nn.relu_layer(normal(3, 4), normal(4, 2), normal(2)),
        tf.nn.bias_add(normal(3, 4), normal(4)),
        tf.nn.bias_add(normal(2, 4, 3, 3), normal(4), data_format="NCHW"),
        tf.nn.top_k(normal(3, 5), 2),
        tf.sort(tf.nn.top_k(normal(3, 5), k=3, sorted=False)[0]),
        tf.nn.in_top_k(normal(3, 5), integers(5, 3), 2),
        tf.nn.in_top_k(predictions=normal(3, 5), targets=integers(5, 3), k=1),
        tf.accumulate_n([normal(3), normal(3)]),
        tf.add_n([normal(3), normal(3)]),
    ],
    "quantization": lambda: [
        tf.quantize(normal(3), -1.0, 1.0, tf.quint8)[1:],
        tf.quantization.quantize_and_dequantize(normal(3, 4), -1.0, 1.0),
        tf.quantization.quantize_and_dequantize(normal(3, 4), 0.0, 0.0, num_bits=4, range_given=False),
        tf.fake_quant_with_min_max_args(normal(3, 4), -1, 1),
        tf.fake_quant_with_min_max_vars(normal(3, 4), -1.0, 1.0),
        tf.fake_quant_with_min_max_vars(normal(3, 4), normal() - 1.0, uniform() + 1.0, num_bits=4),
        tf.fake_quant_with_min_max_vars_per_channel(normal(3, 2), tf.constant([-1.0, -2.0]), [1.0, 2.0]),
        tf.fake_quant_with_min_max_args_gradient(normal(3), normal(3)),
    ],
    "spaces_and_batches": lambda: [
        tf.space_to_depth(normal(1, 4, 4, 2), 2),
        tf.depth_to_space(normal(1, 2, 2, 8), block_size=2),
        tf.space_to_batch(normal(1, 4, 4, 2), [[0, 0], [0, 0]], 2),
        tf.space_to_batch(normal(1, 3, 4, 2), paddings=[[0, 1], [0, 0]], block_size=2),
        tf.batch_to_space(normal(4, 2, 2, 2), [[0, 0], [0, 1]], 2),
        tf.space_to_batch_nd(normal(2, 4, 6), [2, 3], [[0, 0], [0, 0]]),
        tf.batch_to_space_nd(normal(6, 4, 2, 2), [2, 3], [[0, 1], [0, 0]]),
        tf.required_space_to_batch_paddings([4, 5], [2, 2]),
    ],
}
cases(__name__, TABLE)
