"""Cases for what stands in tf2towers.runtime for `tf.contrib`: seq2seq, more of rnn, slim's networks.

`tests/functions` has its crf, LazyAdamOptimizer and stacked loops.

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
        parts = wrapper(api) if callable(wrapper) else {"attention_layer_size": sizes, **(wrapper or {})}
        attending = seq2seq.AttentionWrapper(cell, made if mechanisms > 1 else made[0], **parts)
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


def _own_parts(api):
    """A layer and a function in place of the wrapper's."""

    def attend(mechanism, output, state, layer):
        alignments, following = mechanism(output, state=state)
        context = api.tf.squeeze(api.tf.matmul(api.tf.expand_dims(alignments, 1), mechanism.values), [1])
        return layer(api.tf.concat([output * 0.5, context], 1)), alignments, following

    return {"attention_layer": api.layers.Dense(4), "attention_fn": attend}


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


def _beams(api, memory, coverage=0.0, **wrapper):
    seq2seq, tf = api.contrib.seq2seq, api.tf
    tiled = seq2seq.tile_batch(memory, 3)
    mechanism = seq2seq.BahdanauAttention(
        5, tiled, memory_sequence_length=seq2seq.tile_batch(tf.constant(LENGTHS), 3)
    )
    cell = seq2seq.AttentionWrapper(api.rnn.GRUCell(5), mechanism, attention_layer_size=4, **wrapper)
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
        coverage_penalty_weight=coverage,
    )
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=6)
    found = outputs.beam_search_decoder_output
    history = [state.cell_state.alignment_history] if wrapper else []
    history = [kept.stack() if hasattr(kept, "stack") else kept for kept in history]
    return [tf.cast(outputs.predicted_ids, tf.float32), found.scores, tf.cast(lengths, tf.float32), *history]


def _beams_with_alignments(length):
    """In TensorFlow 1.15 a memory of known length keeps the alignments as they were written, in no beam's order."""

    def build(api, memory):
        memory = api.tf.placeholder_with_default(memory, [3, length, 6])
        return _beams(api, memory, alignment_history=True)

    return build


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


def _legacy(name, **options):
    def build(api, x, memory):
        tf, legacy = api.tf, api.contrib.legacy_seq2seq
        cell = api.rnn.GRUCell(4)
        steps = tf.unstack(x, axis=1)
        if name == "attention_decoder":
            found = legacy.attention_decoder(steps, tf.zeros([3, 4]), memory, cell, **options)
        else:
            found = legacy.rnn_decoder(steps, tf.zeros([3, 4]), cell, **options)
        return tensors(list(found))

    return Case(build, (3, 2, 4), (3, 5, 4))


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


def _images(api, images):
    """Images rotated, in both ways of looking between the pixels."""
    image, tf = api.contrib.image, api.tf
    return [
        image.rotate(images, 0.4),
        image.rotate(images, [0.7, -2.0], interpolation="BILINEAR"),
        image.rotate(images[0], tf.constant(1.0), "BILINEAR"),
        image.rotate(images[0, :, :, 0], 3.0),
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


CASES = {
    "images": Case(_images, (2, 5, 6, 3)),
    "parameters by tfprof": Case(_parameters, (2, 2)),
    "attention bahdanau": _attention("BahdanauAttention"),
    "attention bahdanau normalized": _attention("BahdanauAttention", normalize=True),
    "attention luong": _attention("LuongAttention"),
    "attention luong scaled": _attention("LuongAttention", scale=True, wrapper={"output_attention": False}),
    "attention of own parts": _attention(
        "LuongAttention", wrapper=_own_parts, custom_key_value_fn=lambda keys, values: (keys * 2, values / 2)
    ),
    "attention two": _attention("BahdanauAttention", mechanisms=2),
    "greedy": Case(_greedy, (3, 4, 6), gradients=False),
    "beams": Case(_beams, (3, 4, 6), gradients=False),
    "beams with coverage": Case(lambda *given: _beams(*given, coverage=0.3), (3, 4, 6), gradients=False),
    "beams with alignments": Case(_beams_with_alignments(None), (3, 4, 6), gradients=False),
    "beams with alignments as written": Case(_beams_with_alignments(4), (3, 4, 6), gradients=False),
    "gather tree": Case(_tree, gradients=False),
    "sequence loss": _sequence_loss(),
    "sequence loss each": _sequence_loss(average_across_timesteps=False, average_across_batch=False),
    "sequence loss summed": _sequence_loss(
        average_across_timesteps=False, average_across_batch=False, sum_over_timesteps=True
    ),
    "legacy rnn_decoder": _legacy("rnn_decoder"),
    "legacy attention_decoder": _legacy("attention_decoder", num_heads=2, output_size=3),
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
