"""Parts of tf.contrib that few programs use, and names that were reached by other roads."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from cases import case, fed, given, normal, uniform
from tensorflow.contrib import predictor
from tensorflow.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops
from tensorflow.contrib.framework.python.ops import audio_ops
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import _compute_attention
from tensorflow.python.eager import context
from tensorflow.python.framework import indexed_slices, ops, tensor_shape
from tensorflow.python.ops import (
    control_flow_util,
    resource_variable_ops,
    resources,
    rnn_cell_impl,
    summary_op_util,
)
from tensorflow.python.saved_model import constants, signature_def_utils_impl
from tensorflow.python.training import evaluation, optimizer
from tensorflow.python.util import deprecation, tf_contextlib, tf_decorator

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


@case
def more_cells():
    inputs, pictures = normal(2, 4, 3), normal(2, 3, 5, 6, 2)
    shape = {"input_shape": [5, 6, 2], "output_channels": 3, "kernel_shape": [3, 3]}
    with tf.variable_scope("scope", initializer=drawn(4)):
        made = [
            tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32, scope=scope)
            for scope, cell in [
                ("update_gate", rnn.UGRNNCell(5)),
                ("own_initializer", rnn.UGRNNCell(5, drawn(3), 0.5, tf.nn.relu)),
                ("carried", rnn.HighwayWrapper(tf.nn.rnn_cell.GRUCell(3))),
                ("two_gates", rnn.HighwayWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), False, 0.3)),
                ("cudnn_lstm", tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(4)),
                ("cudnn_gru", tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(4)),
                ("block_gru", rnn.GRUBlockCell(4)),
                ("second_block_gru", rnn.GRUBlockCellV2(cell_size=3)),
            ]
        ]
        return [
            *made,
            tf.nn.dynamic_rnn(rnn.Conv2DLSTMCell(**shape), pictures, dtype=tf.float32, scope="plain"),
            rnn.ConvLSTMCell(2, skip_connection=True, use_bias=False, forget_bias=0.5, **shape)(
                pictures[:, 0], (normal(2, 5, 6, 3), normal(2, 5, 6, 3))
            ),
            tf.nn.dynamic_rnn(
                rnn.Conv1DLSTMCell(input_shape=[5, 2], output_channels=2, kernel_shape=[2]),
                normal(2, 3, 5, 2),
                dtype=tf.float32,
                scope="line",
            ),
        ]


class AttendsFirst(seq2seq.AttentionWrapper):
    """Asks the memory by the cell's last state, before the cell's step."""

    def call(self, inputs, state):
        asked = self._attention_layers[0] if self._attention_layers else None
        attention, alignments, attention_state = _compute_attention(
            self._attention_mechanisms[0], state.cell_state, state.attention_state, asked
        )
        output, cell_state = self._cell(self._cell_input_fn(inputs, attention), state.cell_state)
        state = seq2seq.AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple([attention_state]),
            alignments=self._item_or_tuple([alignments]),
            alignment_history=(),
        )
        return (attention if self._output_attention else output), state


@case
def attention_before_the_step():
    inputs, memory = normal(2, 3, 4), normal(2, 5, 6)
    with tf.variable_scope("scope", initializer=drawn(4)):
        cells = [
            AttendsFirst(tf.nn.rnn_cell.GRUCell(4), seq2seq.LuongAttention(4, memory, [5, 3]), 3),
            AttendsFirst(
                tf.nn.rnn_cell.GRUCell(4), seq2seq.BahdanauAttention(4, memory), output_attention=False
            ),
        ]
        return [
            tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32, scope="loop%d" % place)[0]
            for place, cell in enumerate(cells)
        ]


@case
def scaled_losses():
    mixed = tf.contrib.mixed_precision
    weights = tf.get_variable("w", [3], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
    other = tf.get_variable("other", [2], initializer=tf.constant_initializer(3.0))
    step = tf.train.get_or_create_global_step()
    manager = mixed.ExponentialUpdateLossScaleManager(4.0, 1, incr_ratio=3)
    optimizer = mixed.LossScaleOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), manager)
    train = optimizer.minimize(tf.reduce_sum(weights * weights), step, [weights])
    fixed = mixed.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), mixed.FixedLossScaleManager(128))
    # gradients that are no numbers: nothing is updated, and the scale falls after the second such
    # step
    bad_manager = mixed.ExponentialUpdateLossScaleManager(8.0, 5, 1, decr_ratio=0.5)
    bad = mixed.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), bad_manager)
    broken = bad.apply_gradients([(tf.constant([float("nan"), 1.0]), other)], step)
    with tf.control_dependencies([train, broken]):
        pairs = fixed.compute_gradients(tf.reduce_sum(other * other), [other])
        return [
            [gradient for gradient, _ in pairs],
            tf.identity(weights.read_value() if hasattr(weights, "read_value") else weights, "after"),
            manager.get_loss_scale() + 0.0,
            bad_manager.get_loss_scale() + 0.0,
        ]


@case
def helpers_of_functions():
    cell = tf.nn.rnn_cell.GRUCell(3, kernel_initializer=drawn(4))
    inputs, table = normal(2, 5, 3), normal(6, 3)
    helpers = {
        "custom": seq2seq.CustomHelper(
            lambda: (tf.constant([False, False]), table[:2]),
            lambda time, outputs, state: tf.argmax(outputs, -1, output_type=tf.int32),
            lambda time, outputs, state, sample_ids: (
                tf.fill([2], time > 2),
                tf.gather(table, sample_ids),
                state,
            ),
        ),
        "inference": seq2seq.InferenceHelper(
            lambda outputs: outputs * 2.0, [3], tf.float32, table[:2], lambda ids: ids[:, 0] > 5.0
        ),
        "next": seq2seq.InferenceHelper(
            lambda outputs: tf.argmax(outputs, -1, output_type=tf.int32),
            [],
            tf.int32,
            table[:2],
            lambda ids: tf.equal(ids, 7),
            lambda ids: tf.gather(table, ids),
        ),
        "never": seq2seq.ScheduledOutputTrainingHelper(inputs, [5, 3], 0.0, seed=3),
        "always": seq2seq.ScheduledOutputTrainingHelper(
            inputs, [5, 3], 1.0, seed=3, next_inputs_fn=lambda outputs: outputs + 1.0
        ),
    }
    made = []
    for name, helper in sorted(helpers.items()):
        decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
        made.append(seq2seq.dynamic_decode(decoder, maximum_iterations=6, scope=name))
    wide = tf.nn.rnn_cell.GRUCell(2, kernel_initializer=drawn(4))
    helper = seq2seq.ScheduledOutputTrainingHelper(
        normal(2, 5, 2), [5, 3], 1.0, auxiliary_inputs=normal(2, 5, 4)
    )
    decoder = seq2seq.BasicDecoder(wide, helper, wide.zero_state(2, tf.float32))
    return [*made, seq2seq.dynamic_decode(decoder, scope="auxiliary")]


@case
def parts_of_attention():
    from tensorflow.contrib.seq2seq.python.ops import attention_wrapper

    memory, score = normal(2, 4, 3), normal(2, 4)
    return [
        attention_wrapper._maybe_mask_score(score, [2, 4], score_mask_value=-5.0),
        attention_wrapper._maybe_mask_score(score, None, score_mask_value=-5.0),
        attention_wrapper._prepare_memory(memory, [2, 3]),
        attention_wrapper._prepare_memory(memory, None, check_inner_dims_defined=False),
    ]


@case
def old_sequences():
    legacy = tf.contrib.legacy_seq2seq
    ids = [fed(np.int32(each), [2]) for each in ([1, 2], [3, 0], [2, 2])]
    dense = [normal(2, 3), normal(2, 3)]
    projection = (normal(4, 5), normal(5))
    feeding = fed(True, [])
    with tf.variable_scope("scope", initializer=drawn(4)):
        return [
            legacy.basic_rnn_seq2seq(dense, dense, tf.nn.rnn_cell.GRUCell(4), scope="basic"),
            legacy.embedding_rnn_seq2seq(ids, ids, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3, scope="rnn_model"),
            legacy.embedding_rnn_seq2seq(
                ids, ids, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3, projection, True, scope="projected"
            ),
            legacy.embedding_rnn_seq2seq(
                ids, ids, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3, feed_previous=feeding, scope="asked"
            ),
            legacy.embedding_attention_seq2seq(
                ids, ids, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3, scope="attention_model"
            ),
            legacy.embedding_attention_seq2seq(
                ids, ids, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3, 2, projection, True, scope="heads"
            ),
            legacy.embedding_attention_seq2seq(
                ids, ids, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3, feed_previous=feeding, scope="fed"
            ),
        ]


@case
def buckets_of_sequences():
    legacy = tf.contrib.legacy_seq2seq
    ids = [fed(np.int32(each), [2]) for each in ([1, 2], [3, 0], [2, 2])]
    weights = [fed(np.float32([1, 0.5]), [2]) for _ in range(3)]

    def model(inside, outside):
        return legacy.embedding_rnn_seq2seq(inside, outside, tf.nn.rnn_cell.GRUCell(4), 5, 5, 3)

    with tf.variable_scope("scope", initializer=drawn(4)):
        given = (ids, ids, ids, weights, [(1, 2), (2, 3)], model)
        outputs, losses = legacy.model_with_buckets(*given)
    return [outputs, losses]


@case
def losses_of_distances():
    learning = tf.contrib.losses.metric_learning
    labels, points = fed([1, 2, 1, 2, 3, 1], [6]), normal(6, 4)
    return [
        learning.triplet_semihard_loss(labels, points),
        learning.triplet_semihard_loss(labels, tf.nn.l2_normalize(points, 1), 0.3),
        learning.contrastive_loss(fed([1, 0, 1, 0, 0, 1], [6]), points, normal(6, 4), 2.0),
    ]


@case
def least_distances():
    distances = given(np.random.RandomState(3).uniform(size=[4, 5]).astype(np.float32))
    return [
        image.bipartite_match(distances, 4.0),
        image.bipartite_match(distances, 3.0, 2),
        image.bipartite_match(tf.transpose(distances), fed(np.float32([2]), [1])),
    ]


@case
def percentiles():
    values, at = normal(3, 4, 5), tf.contrib.distributions.percentile
    return [
        at(values, 30.0),
        at(values, 50, axis=[1], interpolation="lower"),
        at(values, 50, axis=[0, 2], interpolation="higher", keep_dims=True),
        at(values, 12.5, axis=-1, validate_args=True),
        at(normal(4), 50.0),
        at(normal(6), 30.0),
    ]


@case
def nesterov_in_adam():
    weights = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(3.0))
    train = tf.contrib.opt.NadamOptimizer(0.1).minimize(tf.reduce_sum(weights * weights))
    table = tf.get_variable("table", [4, 2], initializer=tf.constant_initializer(2.0))
    rows = tf.nn.embedding_lookup(table, [1, 3, 1])
    of_rows = tf.contrib.opt.NadamOptimizer(0.1).minimize(tf.reduce_sum(rows * rows), var_list=[table])
    with tf.control_dependencies([train, of_rows]):
        return [tf.identity(weights, "after"), tf.identity(table, "table_after")]


@case
def the_largest_gradient_in_adam():
    weights = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(3.0))
    optimizer = tf.contrib.opt.AdaMaxOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(weights * weights))
    table = tf.get_variable("table", [4, 2], initializer=tf.constant_initializer(2.0))
    rows = tf.nn.embedding_lookup(table, [1, 3])
    of_rows = tf.contrib.opt.AdaMaxOptimizer(0.1, name="Rows").minimize(
        tf.reduce_sum(rows * rows), var_list=[table]
    )
    with tf.control_dependencies([train, of_rows]):
        return [tf.identity(weights, "after"), tf.identity(table, "table_after"), optimizer.get_slot_names()]


@case
def a_vocabulary():
    documents = ["the black cat", "The HTMLParser of the two-legged cat's dog", "", "a cat and the dog"]
    preprocessing = tf.contrib.learn.preprocessing
    processor = preprocessing.VocabularyProcessor(5)
    rows = np.array(list(processor.fit_transform(documents)))
    frequent = preprocessing.VocabularyProcessor(3, min_frequency=1).fit(documents)
    vocabulary = preprocessing.CategoricalVocabulary()
    vocabulary.add("x", 3)
    split = preprocessing.VocabularyProcessor(
        4, vocabulary=vocabulary, tokenizer_fn=lambda texts: [each.split(" ") for each in texts]
    )
    with tempfile.NamedTemporaryFile() as file:
        processor.save(file.name)
        again = preprocessing.VocabularyProcessor.restore(file.name)
    return [
        rows,
        sorted(processor.vocabulary_._mapping.items()),
        sorted(frequent.vocabulary_._mapping.items()),
        list(frequent.reverse([[1, 2, 0]])),
        np.array(list(frequent.transform(["dog cat emu the"]))),
        np.array(list(split.fit_transform(["x y", "y z x z x"]))),
        np.array(list(again.transform(["black dog"]))),
        [list(words) for words in preprocessing.tokenizer(documents)],
        len(vocabulary),
    ]


@case
def interleaved_as_it_is_ready():
    def read(number):
        return tf.data.Dataset.from_tensors(number).repeat(3)

    numbers = tf.data.Dataset.range(4).apply(tf.contrib.data.sloppy_interleave(read, cycle_length=2))
    return tf.data.experimental.get_single_element(numbers.batch(12).map(tf.contrib.framework.sort))


@case
def private_names_that_are_the_same():
    with ops.Graph().as_default(), context.graph_mode():
        tf.zeros([2])
    table = tf.get_variable("table", [3, 2], initializer=tf.zeros_initializer(), use_resource=True)
    added = resource_variable_ops.resource_scatter_add(table.handle, [1, 1], normal(2, 2))
    summary_op_util.collect(tf.summary.scalar("s", 1.0, collections=[]), ["own"], [])
    zeros = rnn_cell_impl._zero_state_tensors([3, 4], 2, tf.float32)
    slices = indexed_slices.IndexedSlices(normal(3, 2), tf.constant([1, 0, 1]))
    values, indices = optimizer._deduplicate_indexed_slices(slices.values, slices.indices)
    step = evaluation._get_or_create_eval_step()

    @tf_contextlib.contextmanager
    def entered():
        yield "entered"

    with entered() as word, tf.control_dependencies([added]):
        return [
            word, zeros, values, indices, table.read_value(), step.dtype.base_dtype.name, len(tf.get_collection("own")),
            rnn_cell_impl._concat(2, [3, 4], static=True), rnn_cell_impl._concat(tf.constant(2), [3]),
            constants.VARIABLES_DIRECTORY, tf_decorator.make_decorator(entered, lambda: 1).__name__,
            resources.initialize_resources(resources.shared_resources()).type,
            control_flow_util.GetContainingXLAContext(None), deprecation._PRINT_DEPRECATION_WARNINGS,
            signature_def_utils_impl.predict_signature_def({"x": step}, {"y": step}).method_name,
        ]  # fmt: skip


@case
def a_predictor():
    folder = os.path.join(tempfile.mkdtemp(), "model")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder_with_default([[1.0, 2.0]], [None, 2], name="x")
        w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.5))
        y, sums = tf.matmul(x, w, name="y"), tf.reduce_sum(x, 1)
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.builder.SavedModelBuilder(folder)
        signature = tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y, "sums": sums})
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    predict = predictor.from_saved_model(folder)
    named = predictor.from_saved_model(folder, input_names={"in": "x:0"}, output_names={"out": "y:0"})
    refused = []
    for call in (
        lambda: predict({"z": 1}),
        lambda: predictor.from_saved_model(folder, "serving_default", signature),
        lambda: predictor.from_saved_model(folder, input_names={}),
    ):
        try:
            call()
        except ValueError as problem:
            refused.append(str(problem)[:40])
    found = predict({"x": [[3.0, 4.0], [0.0, 1.0]]})
    names = [
        sorted(predict.feed_tensors),
        sorted(predict.fetch_tensors),
        predict.session.graph is predict.graph,
    ]
    return [
        names, refused, found["y"].tolist(), found["sums"].tolist(),
        predict({"x": None})["y"].tolist(), named({"in": [[1.0, 1.0]]})["out"].tolist(),
    ]  # fmt: skip


@case
def images_that_flow():
    flow = given(np.random.RandomState(1).uniform(-3, 3, [2, 4, 5, 2]).astype(np.float32))
    return [
        image.dense_image_warp(normal(2, 4, 5, 3), flow),
        image.dense_image_warp(normal(1, 2, 2, 1), tf.fill([1, 2, 2, 2], -0.25)),
    ]
