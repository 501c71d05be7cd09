"""Cases for what stands in tf2towers.runtime for `tf.contrib`: seq2seq, crf, more of rnn, slim's networks.

`api.contrib` is `tf.contrib`, or an object with ours under the same names.
"""

from .running import Case

LENGTHS = [4, 2, 3]
VOCABULARY = 6


def tensors(nest):
    """The tensors of outputs and state, in order."""
    if isinstance(nest, (list, tuple)):
        return [tensor for part in nest for tensor in tensors(part)]
    return [nest] if hasattr(nest, "dtype") and hasattr(nest, "op") else []


def _attention(name, depth=5, mechanisms=1, wrapper=None, **options):
    """A decoder that attends to a memory, taught by its targets."""

    def build(api, memory, targets):
        seq2seq, tf = api.contrib.seq2seq, api.tf
        made = [
            getattr(seq2seq, name)(depth, memory, memory_sequence_length=tf.constant(LENGTHS), **options)
            for _ in range(mechanisms)
        ]
        cell = api.rnn.GRUCell(depth)
        sizes = [4] * mechanisms if mechanisms > 1 else 4
        attending = seq2seq.AttentionWrapper(
            cell, made if mechanisms > 1 else made[0], attention_layer_size=sizes, **(wrapper or {})
        )
        helper = seq2seq.TrainingHelper(targets, tf.constant([3, 4, 2]))
        decoder = seq2seq.BasicDecoder(
            attending, helper, attending.zero_state(3, tf.float32), output_layer=api.layers.Dense(VOCABULARY)
        )
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
        del lengths
        return [
            outputs.rnn_output,
            state.attention,
            state.alignments if mechanisms == 1 else state.alignments[1],
        ]

    return Case(build, (3, 4, 6), (3, 4, 2))


def _greedy(api, memory):
    seq2seq, tf = api.contrib.seq2seq, api.tf
    mechanism = seq2seq.LuongAttention(5, memory, memory_sequence_length=tf.constant(LENGTHS))
    cell = seq2seq.AttentionWrapper(api.rnn.BasicLSTMCell(5), mechanism, alignment_history=True)
    embedding = tf.get_variable("embedding", [VOCABULARY, 3])
    helper = seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([3], 1), 2)
    decoder = seq2seq.BasicDecoder(
        cell, helper, cell.zero_state(3, tf.float32), output_layer=api.layers.Dense(VOCABULARY)
    )
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
    return [
        outputs.rnn_output,
        tf.cast(outputs.sample_id, tf.float32),
        state.alignment_history.stack(),
        tf.cast(lengths, tf.float32),
    ]


def _beams(api, memory):
    seq2seq, tf = api.contrib.seq2seq, api.tf
    tiled = seq2seq.tile_batch(memory, 3)
    mechanism = seq2seq.BahdanauAttention(
        5, tiled, memory_sequence_length=seq2seq.tile_batch(tf.constant(LENGTHS), 3)
    )
    cell = seq2seq.AttentionWrapper(api.rnn.GRUCell(5), mechanism, attention_layer_size=4)
    embedding = tf.get_variable("embedding", [VOCABULARY, 3])
    decoder = seq2seq.BeamSearchDecoder(
        cell,
        embedding,
        tf.fill([3], 1),
        2,
        cell.zero_state(9, tf.float32),
        beam_width=3,
        output_layer=api.layers.Dense(VOCABULARY),
        length_penalty_weight=0.7,
    )
    outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=6)
    found = outputs.beam_search_decoder_output
    return [tf.cast(outputs.predicted_ids, tf.float32), found.scores, tf.cast(lengths, tf.float32)]


def _tree(api):
    tf = api.tf
    steps = tf.constant([[[1, 2, 3]], [[4, 5, 6]], [[7, 9, 8]], [[9, 9, 9]]])
    parents = tf.constant([[[0, 0, 0]], [[0, 2, 1]], [[2, 1, 2]], [[0, 1, 2]]])
    found = [
        api.contrib.seq2seq.gather_tree(steps, parents, max_sequence_lengths=[length], end_token=9)
        for length in (4, 3, 0)
    ]
    return [tf.cast(tensor, tf.float32) for tensor in found]


def _sequence_loss(**options):
    def build(api, logits, weights):
        targets = api.tf.constant([[1, 2, 0], [3, 3, 1]])
        return api.contrib.seq2seq.sequence_loss(logits, targets, weights * weights, **options)

    return Case(build, (2, 3, 4), (2, 3))


def _scheduled(api, inputs):
    seq2seq, tf = api.contrib.seq2seq, api.tf
    helper = seq2seq.ScheduledOutputTrainingHelper(inputs, tf.constant([4, 3, 2]), 1.0)
    decoder = seq2seq.BasicDecoder(api.rnn.GRUCell(2), helper, tf.zeros([3, 2]))
    return seq2seq.dynamic_decode(decoder)[0].rnn_output


def _crf(api, scores):
    crf, tf = api.contrib.crf, api.tf
    tags = tf.constant([[1, 2, 0, 1], [3, 3, 1, 0], [0, 1, 2, 3]])
    likelihood, transitions = crf.crf_log_likelihood(scores, tags, tf.constant(LENGTHS))
    best, score = crf.crf_decode(scores, transitions, tf.constant(LENGTHS))
    return [likelihood, score, tf.cast(best, tf.float32)]


def _fused(lengths=None, **options):
    def build(api, x):
        cell = api.contrib.rnn.LSTMBlockFusedCell(5, **options)
        outputs, state = cell(x, dtype=api.tf.float32, sequence_length=lengths)
        return tensors([outputs, state])

    return Case(build, (4, 3, 2))


def _reversed(api, x):
    rnn = api.contrib.rnn
    cell = rnn.TimeReversedFusedRNN(rnn.FusedRNNCellAdaptor(api.rnn.GRUCell(4), use_dynamic_rnn=True))
    return tensors(list(cell(x, dtype=api.tf.float32, sequence_length=api.tf.constant(LENGTHS))))


def _stacked(api, x):
    cells = [[api.rnn.GRUCell(n) for n in (3, 4)] for _ in range(2)]
    found = api.contrib.rnn.stack_bidirectional_dynamic_rnn(
        *cells, inputs=x, dtype=api.tf.float32, sequence_length=api.tf.constant(LENGTHS)
    )
    return tensors(list(found))


def _wrapped(api, x):
    rnn, tf = api.contrib.rnn, api.tf
    cell = rnn.OutputProjectionWrapper(rnn.InputProjectionWrapper(api.rnn.GRUCell(4), 3), 2)
    outputs, state = api.rnn.dynamic_rnn(cell, x, dtype=tf.float32)
    embedded = rnn.EmbeddingWrapper(api.rnn.GRUCell(4), 6, 3)
    other, _ = api.rnn.static_rnn(embedded, [tf.constant([1, 2, 5])], dtype=tf.float32)
    return [outputs, state, other[0]]


def _legacy(name, *arguments, **options):
    def build(api, x, memory):
        tf, legacy = api.tf, api.contrib.legacy_seq2seq
        cell = api.rnn.GRUCell(4)
        steps = tf.unstack(x, axis=1)
        if name == "attention_decoder":
            found = legacy.attention_decoder(steps, tf.zeros([3, 4]), memory, cell, **options)
        elif name == "rnn_decoder":
            found = legacy.rnn_decoder(steps, tf.zeros([3, 4]), cell, **options)
        else:
            symbols = [tf.constant([1, 2, 3]), tf.constant([0, 2, 5])]
            found = getattr(legacy, name)(symbols, symbols, cell, *arguments, **options)
        return tensors(list(found))

    return Case(build, (3, 2, 4), (3, 5, 4))


def _scaled_gradients(api, x):
    tf, mixed = api.tf, api.contrib.mixed_precision
    manager = mixed.ExponentialUpdateLossScaleManager(8.0, incr_every_n_steps=2)
    variable = tf.get_variable("w", [4, 2])
    optimizer = mixed.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), manager)
    pairs = optimizer.compute_gradients(tf.reduce_sum(tf.matmul(x, variable)))
    with tf.control_dependencies([optimizer.apply_gradients(pairs)]):
        return [tf.identity(pairs[0][0]), tf.identity(variable.read_value())]


def _distributions(api, x):
    tf, found = api.tf, api.contrib.distributions
    parts = [found.MultivariateNormalDiag(loc=[-1.0 + n, 1.0], scale_diag=[0.5 + n, 2.0]) for n in range(3)]
    mixture = found.Mixture(cat=found.Categorical(probs=[0.2, 0.5, 0.3]), components=parts)
    normal = found.Normal(0.5, 2.0)
    return [
        parts[1].log_prob(x),
        parts[1].entropy(),
        parts[2].stddev(),
        mixture.log_prob(x),
        mixture.prob(x),
        mixture.mean(),
        mixture.stddev(),
        mixture.entropy_lower_bound(),
        normal.log_prob(x),
        found.kl_divergence(normal, found.Normal(0.0, 1.0)) + tf.zeros([2]),
    ]


def _metrics(api):
    tf, metrics = api.tf, api.contrib.metrics
    truth, guess = tf.constant([0, 1, 2, 1]), tf.constant([0, 2, 2, 1])
    names, updates = metrics.aggregate_metric_map(
        {
            "accuracy": metrics.streaming_accuracy(guess, truth),
            "iou": metrics.streaming_mean_iou(guess, truth, 3),
            "mean": metrics.streaming_mean(tf.cast(guess, tf.float32)),
            "precision": metrics.streaming_precision(tf.equal(guess, 2), tf.equal(truth, 2)),
            "pearson": metrics.streaming_pearson_correlation(
                tf.cast(guess, tf.float32), tf.cast(truth, tf.float32)
            ),
        }
    )
    del names
    return [
        tf.reduce_sum(tf.cast(updates[key], tf.float32))
        for key in ("accuracy", "mean", "precision", "pearson")
    ]


def _accuracy(api, x):
    tf, accuracy = api.tf, api.contrib.metrics.accuracy
    truth, guess = tf.constant([0, 1, 2, 1]), tf.argmax(x, 1, output_type=tf.int32)
    weighted = accuracy(guess, truth, weights=tf.constant([1.0, 2.0, 0.5, 3.0]), name="weighted")
    return [accuracy(guess, truth), weighted, accuracy(tf.equal(guess, 1), tf.equal(truth, 1))]


def _small_resnet(version):
    def build(api, x):
        slim, nets = api.slim, api.contrib.nets
        module = getattr(nets, "resnet_" + version)
        block = getattr(module, f"resnet_{version}_block")
        with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
            net, _ = getattr(module, "resnet_" + version)(
                x, [block("one", 4, 2, 2), block("two", 8, 2, 1)], 3, scope="net"
            )
        return net

    return Case(build, (2, 33, 33, 3))


def _network(module, name, size, scope=None, **options):
    """A whole network: its variables and end points, not run."""

    def build(api, x):
        nets = api.contrib.nets
        home = getattr(nets, module)
        chosen = getattr(home, scope or name + "_arg_scope") if module != "resnet" else None
        with api.slim.arg_scope(chosen()):
            _, points = getattr(home, name)(x, **options)
        return [tensor for _, tensor in sorted(points.items())]

    return Case(build, (2, size, size, 3), names_only=True)


def _inception(name, end, size=75):
    def build(api, x):
        home = api.contrib.nets.inception
        with api.slim.arg_scope(getattr(home, name + "_arg_scope")()):
            net, _ = getattr(api.contrib.nets, name).__dict__[name + "_base"](x, final_endpoint=end)
        return api.tf.reduce_mean(net, [1, 2])

    return Case(build, (2, size, size, 3), gradients=False)


def _cell(name, *arguments, **options):
    """A cell of `tf.contrib.rnn` over time."""

    def build(api, x):
        inner = {"AttentionCellWrapper": 4, "HighwayWrapper": 2}.get(name)
        given = ([api.rnn.LSTMCell(inner)] if inner else []) + list(arguments)
        cell = getattr(api.rnn, name)(*given, **options)
        return tensors(api.rnn.dynamic_rnn(cell, x, sequence_length=LENGTHS[:3], dtype=api.tf.float32))

    return build


def _images(api, images):
    """Images rotated, moved and transformed, in both ways of looking between the pixels."""
    image, tf = api.contrib.image, api.tf
    turned = image.compose_transforms(
        image.angles_to_projective_transforms([0.3, 1.2], 5.0, 6.0),
        image.translations_to_projective_transforms([[1.0, -1.0], [0.5, 2.0]]),
    )
    return [
        image.rotate(images, 0.4),
        image.rotate(images, [0.7, -2.0], interpolation="BILINEAR"),
        image.rotate(images[0], tf.constant(1.0), "BILINEAR"),
        image.rotate(images[0, :, :, 0], 3.0),
        image.translate(images, [1.5, -0.5], "BILINEAR"),
        image.transform(images, turned, "BILINEAR", output_shape=[4, 3]),
        image.transform(images, [1.0, 0.2, 0.0, -0.1, 1.0, 0.5, 0.01, 0.02]),
    ]


def _parameters(api, images):
    """How many parameters tfprof counts."""
    analyzer, tf = api.contrib.tfprof.model_analyzer, api.tf
    weights = tf.get_variable("weights", [3, 4])
    tf.get_variable("statistics", [7], trainable=False)
    report = analyzer.print_model_analysis(
        tf.get_default_graph(), tfprof_options=analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    return tf.reduce_sum(images) * float(report.total_parameters) + tf.reduce_sum(weights)


def _batches(api, images):
    """Batches without the remainder, with and without padding, of one data set after the other."""
    data, tf = api.contrib.data, api.tf

    def values(dataset):
        return tf.data.make_one_shot_iterator(dataset).get_next()

    numbers = tf.data.Dataset.range(7)
    rows = numbers.map(lambda number: tf.fill([number], number))
    padded = data.padded_batch_and_drop_remainder(3, [4], tf.constant(-1, tf.int64))
    in_turn = data.sloppy_interleave(tf.data.Dataset.from_tensors, cycle_length=1)
    made = [
        values(numbers.apply(data.batch_and_drop_remainder(4))),
        values(rows.apply(padded)),
        values(numbers.apply(in_turn).apply(data.batch_and_drop_remainder(7))),
    ]
    return [tf.cast(batch, tf.float32) * tf.reduce_sum(images) for batch in made]


def _lazy_adam(api, values):
    """Two steps of it on a table whose rows are asked for, one of them twice, and on a dense variable."""
    tf = api.tf
    made = {
        name: tf.get_variable(name, initializer=tf.constant(start), trainable=False, use_resource=True)
        for name, start in (
            ("table", [[0.5, -1.0], [2.0, 0.1], [0.0, 3.0], [-0.2, 0.7]]),
            ("dense", [1.5, -0.5]),
        )
    }
    rows = tf.gather(made["table"], [3, 1, 3])
    loss = tf.reduce_sum(tf.square(rows * made["dense"])) + 0.1 * tf.reduce_sum(rows)
    optimizer = api.contrib.opt.LazyAdamOptimizer(0.1, beta1=0.8)
    gradients = optimizer.compute_gradients(loss, var_list=[made["table"], made["dense"]])
    step = optimizer.apply_gradients(gradients)
    with tf.control_dependencies([step]):
        step = optimizer.apply_gradients(gradients)
    with tf.control_dependencies([step]):
        slots = [optimizer.get_slot(variable, name) for variable in made.values() for name in "mv"]
        return [variable.read_value() * tf.reduce_sum(values) for variable in [*made.values(), *slots]]


def _keras_layers(api, images):
    """Layers of Keras that have no variables."""
    keras = api.contrib.keras_layers
    pooled = keras.MaxPooling2D()(images)
    return [
        keras.Flatten()(images),
        keras.Flatten(data_format="channels_first", name="named")(images),
        pooled,
        keras.MaxPool2D((3, 2), strides=1, padding="same")(images),
        keras.AveragePooling2D(pool_size=3, strides=(2, 1), padding="SAME")(images),
        keras.GlobalAveragePooling2D()(images),
        keras.Concatenate(axis=1)([images, images]),
        keras.concatenate([pooled, pooled]),
    ]


CASES = {
    "keras layers": Case(_keras_layers, (2, 5, 6, 3)),
    "images": Case(_images, (2, 5, 6, 3)),
    "batches without the remainder": Case(_batches, (2, 2)),
    "lazy adam": Case(_lazy_adam, (2, 2), keep_initial=True),
    "parameters by tfprof": Case(_parameters, (2, 2)),
    "nas": Case(_cell("NASCell", 4), (3, 4, 2)),
    "nas projected": Case(_cell("NASCell", 4, num_proj=3, use_bias=True), (3, 4, 2)),
    "ugrnn": Case(_cell("UGRNNCell", 4), (3, 4, 2)),
    "attention cell": Case(_cell("AttentionCellWrapper", 3), (3, 4, 2)),
    "attention cell sizes": Case(
        _cell("AttentionCellWrapper", 2, attn_size=5, attn_vec_size=3, input_size=6), (3, 4, 2)
    ),
    "highway": Case(_cell("HighwayWrapper"), (3, 4, 2)),
    "highway gates": Case(_cell("HighwayWrapper", couple_carry_transform_gates=False), (3, 4, 2)),
    "convolutional lstm": Case(
        _cell("Conv1DLSTMCell", input_shape=[5, 2], output_channels=3, kernel_shape=[3]), (3, 4, 5, 2)
    ),
    "convolutional lstm 2": Case(
        _cell(
            "Conv2DLSTMCell", input_shape=[4, 5, 2], output_channels=3, kernel_shape=[3, 2], forget_bias=0.5
        ),
        (3, 4, 4, 5, 2),
    ),
    "convolutional lstm 3": Case(
        _cell("ConvLSTMCell", 3, [2, 3, 2, 1], 2, [2, 2, 1], use_bias=False), (3, 4, 2, 3, 2, 1)
    ),
    "attention bahdanau": _attention("BahdanauAttention"),
    "attention bahdanau normalized": _attention("BahdanauAttention", normalize=True),
    "attention luong": _attention("LuongAttention"),
    "attention luong scaled": _attention("LuongAttention", scale=True, wrapper={"output_attention": False}),
    "attention bahdanau monotonic": _attention("BahdanauMonotonicAttention"),
    "attention luong monotonic": _attention("LuongMonotonicAttention", mode="hard"),
    "attention two": _attention("BahdanauAttention", mechanisms=2),
    "greedy": Case(_greedy, (3, 4, 6), gradients=False),
    "beams": Case(_beams, (3, 4, 6), gradients=False),
    "gather tree": Case(_tree, gradients=False),
    "sequence loss": _sequence_loss(),
    "sequence loss each": _sequence_loss(average_across_timesteps=False, average_across_batch=False),
    "scheduled outputs": Case(_scheduled, (3, 4, 2)),
    "crf": Case(_crf, (3, 4, 4)),
    "fused lstm": _fused(),
    "fused lstm lengths": _fused(LENGTHS, use_peephole=True, cell_clip=0.5),
    "reversed": Case(_reversed, (4, 3, 2)),
    "stacked": Case(_stacked, (3, 4, 2)),
    "wrapped": Case(_wrapped, (3, 4, 2)),
    "legacy rnn_decoder": _legacy("rnn_decoder"),
    "legacy attention_decoder": _legacy("attention_decoder", num_heads=2, output_size=3),
    "legacy embedding_attention": _legacy("embedding_attention_seq2seq", 6, 6, 3),
    "legacy embedding_rnn": _legacy("embedding_rnn_seq2seq", 6, 6, 3, feed_previous=True),
    "loss scale": Case(_scaled_gradients, (3, 4), gradients=False),
    "distributions": Case(_distributions, (3, 2)),
    "metrics": Case(_metrics, gradients=False),
    "accuracy": Case(_accuracy, (4, 3), gradients=False),
    "resnet v1": _small_resnet("v1"),
    "resnet v2": _small_resnet("v2"),
    "inception v1": _inception("inception_v1", "Mixed_3b"),
    "inception v2": _inception("inception_v2", "Mixed_3b"),
    "inception v3": _inception("inception_v3", "Mixed_5b"),
    "alexnet": _network("alexnet", "alexnet_v2", 224),
    "vgg_16": _network("vgg", "vgg_16", 224, "vgg_arg_scope"),
    "vgg_a": _network("vgg", "vgg_a", 224, "vgg_arg_scope"),
    "overfeat": _network("overfeat", "overfeat", 231),
    "inception_v1 whole": _network("inception", "inception_v1", 224),
    "inception_v2 whole": _network("inception", "inception_v2", 224),
    "inception_v3 whole": _network("inception", "inception_v3", 299),
    "resnet_v1_50": _network("resnet_v1", "resnet_v1_50", 64, "resnet_arg_scope", num_classes=7),
    "resnet_v2_50": _network("resnet_v2", "resnet_v2_50", 64, "resnet_arg_scope", num_classes=7),
}
