"""tf.contrib.slim and what of tf.contrib is called seldom: summaries, data sets, learning, metrics, old sequences."""

import os
import tempfile
import time

import numpy as np
import tensorflow as tf
from cases import case, cases, integers, normal, uniform
from tensorflow.contrib import layers, slim


@case
def streaming_metrics():
    labels, predictions, metrics = integers(2, 8), integers(2, 8), tf.contrib.metrics
    made = [
        metrics.streaming_covariance(uniform(8), uniform(8)),
        metrics.streaming_false_negatives(predictions, labels),
        metrics.streaming_false_positives(predictions, labels),
        metrics.streaming_true_negatives(predictions, labels),
        metrics.streaming_true_positives(predictions, labels),
        metrics.streaming_mean_absolute_error(uniform(8), uniform(8)),
        metrics.streaming_mean_squared_error(uniform(8), uniform(8), weights=uniform(8)),
        metrics.streaming_mean_relative_error(uniform(8), uniform(8), uniform(8) + 1.0),
        metrics.streaming_mean_cosine_distance(uniform(3, 4), uniform(3, 4), 1),
        metrics.streaming_mean_tensor(uniform(8)),
        metrics.streaming_percentage_less(uniform(8), 0.5),
        metrics.streaming_recall_at_k(normal(3, 4), tf.constant([1, 2, 0], tf.int64), 2),
    ]
    values, updates = metrics.aggregate_metrics(*made[:2])
    names, operations = slim.metrics.aggregate_metric_map({"b": made[2], "a": made[3]})
    return [
        [update for _, update in made],
        len(values),
        len(updates),
        sorted(names),
        sorted(operations),
        [variable.name for variable in tf.local_variables()],
    ]


@case
def summaries():
    values = tf.nn.relu(normal(3, 4), name="active")
    variable = tf.get_variable("w", initializer=[1.0, 2.0])
    loss = tf.reduce_sum(values, name="loss")
    tf.losses.add_loss(loss)
    return [
        layers.summarize_activation(values),
        layers.summarize_tensor(loss),
        layers.summarize_tensor(variable),
        layers.summarize_tensors([loss, variable]),
        layers.summarize_collection(tf.GraphKeys.LOSSES),
        slim.summaries.add_scalar_summary(loss, "scalar", "prefix"),
        slim.summaries.add_histogram_summaries([variable]),
        slim.summaries.add_zero_fraction_summary(values),
        slim.summaries.add_scalar_summaries([loss]),
        slim.summaries.add_image_summary(uniform(2, 3, 3, 1), "pictures"),
        [summary.name for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)],
    ]


@case
def optimized_losses():
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    other = tf.get_variable("other", initializer=[3.0])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(weights**2) * other[0]
    made = []
    for name in sorted(layers.OPTIMIZER_CLS_NAMES):
        made.append(
            layers.optimize_loss(loss, step, 0.01, name, name="by_" + name, summaries=["loss", "gradients"])
        )
        made[-1] = tf.group(made[-1])
    clipped = layers.optimize_loss(
        loss, step, 0.1, "SGD", clip_gradients=0.5, name="clipped", variables=[weights]
    )
    multiplied = layers.optimize_loss(
        loss,
        step,
        0.1,
        "Adam",
        gradient_multipliers={"weights": 2.0},
        name="multiplied",
        increment_global_step=False,
    )
    noisy = layers.optimize_loss(
        loss, None, 0.1, lambda rate: tf.train.AdagradOptimizer(rate, 0.2), name="function"
    )
    return [
        made,
        tf.group(clipped),
        tf.group(multiplied),
        tf.group(noisy),
        sorted(layers.OPTIMIZER_CLS_NAMES),
        layers.OPTIMIZER_SUMMARIES,
        [variable.name for variable in tf.global_variables()],
        [summary.name for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)],
    ]


@case
def gradients_for_learning():
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    table = tf.get_variable("table", [4, 2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(weights * tf.nn.embedding_lookup(table, [1, 1, 3]))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    clipped = slim.learning.clip_gradient_norms(pairs, 0.5)
    multiplied = slim.learning.multiply_gradients(pairs, {weights: 3.0, "table": 0.5})
    train = slim.learning.create_train_op(
        loss + 3.0,
        optimizer,
        gradient_multipliers={"weights": 2.0},
        variables_to_train=[weights],
        update_ops=[tf.no_op()],
        check_numerics=False,
    )
    return [
        [tf.convert_to_tensor(slope) for slope, _ in clipped],
        [tf.convert_to_tensor(slope) for slope, _ in multiplied],
        [summary.name for summary in slim.learning.add_gradients_summaries(pairs)],
        tf.group(train),
        [variable.name for variable in tf.global_variables()],
    ]


@case
def training_in_one_call():
    path = tempfile.mkdtemp()
    with tf.Graph().as_default():
        weights = slim.variable("weights", initializer=tf.constant([1.0, 2.0]))
        tf.losses.add_loss(tf.reduce_sum(weights**2))
        train = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.AdamOptimizer(0.1))
        calls = []

        def step(session, operation, global_step, options):
            while tf.train.latest_checkpoint(path) is None:  # a thread writes the first one meanwhile
                time.sleep(0.01)
            calls.append(sorted(options))
            return slim.learning.train_step(session, operation, global_step, options)

        loss = slim.learning.train(
            train,
            path,
            train_step_fn=step,
            number_of_steps=3,
            log_every_n_steps=1,
            save_summaries_secs=None,
            save_interval_secs=600,
            init_fn=lambda session: calls.append("init"),
        )
    names = sorted(name for name in tf.gfile.ListDirectory(path) if "events" not in name)
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(path))
    trained = [round(float(number), 5) for number in reader.get_tensor("weights")]
    return [round(float(loss), 4), [str(call) for call in calls], names, trained]


@case
def values_assigned():
    first = tf.get_variable("first", initializer=[1.0, 2.0])
    second = slim.model_variable("second", [2], initializer=tf.zeros_initializer())
    operation, feeds = slim.assign_from_values({"first": np.array([5.0, 6.0])})
    assign = slim.assign_from_values_fn({"second": np.array([7.0, 8.0])})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(operation, feeds)
        assign(session)
        values = [value.tolist() for value in session.run([first, second])]
    chooser = tf.contrib.framework.VariableDeviceChooser(num_tasks=2)
    return [
        values,
        [chooser(operation_of_variable()) for _ in range(3)],
        [variable.op.name for variable in slim.get_model_variables()],
        slim.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=False),
        slim.model_analyzer.tensor_description(first.value()),
    ]


def operation_of_variable():
    return tf.get_default_graph().get_operation_by_name("first")


def records(path):
    pixels = np.arange(12).reshape(2, 2, 3).astype(np.uint8)
    with tf.Graph().as_default(), tf.Session() as session:
        encoded = session.run(tf.image.encode_png(pixels))
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(4):
            features = {
                "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[encoded])),
                "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "boxes/xmin": tf.train.Feature(float_list=tf.train.FloatList(value=[0.1, 0.2])),
                "boxes/ymin": tf.train.Feature(float_list=tf.train.FloatList(value=[0.3, 0.4])),
                "boxes/xmax": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 0.6])),
                "boxes/ymax": tf.train.Feature(float_list=tf.train.FloatList(value=[0.7, 0.8])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    return path


@case
def sets_of_data():
    path = records(os.path.join(tempfile.mkdtemp(), "train-00000"))
    tfexample = slim.tfexample_decoder
    decoder = tfexample.TFExampleDecoder(
        {
            "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
            "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
            "label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], tf.int64)),
            "boxes/xmin": tf.VarLenFeature(tf.float32),
            "boxes/ymin": tf.VarLenFeature(tf.float32),
            "boxes/xmax": tf.VarLenFeature(tf.float32),
            "boxes/ymax": tf.VarLenFeature(tf.float32),
        },
        {
            "image": tfexample.Image(shape=[2, 2, 3], channels=3),
            "label": tfexample.Tensor("label"),
            "boxes": tfexample.BoundingBox(["ymin", "xmin", "ymax", "xmax"], "boxes/"),
            "none": tfexample.Tensor("label", shape=[1]),
        },
    )
    data = slim.dataset.Dataset(
        data_sources=path[:-5] + "*",
        reader=tf.TFRecordReader,
        decoder=decoder,
        num_samples=4,
        items_to_descriptions={"label": "a number"},
        num_classes=4,
    )
    provider = slim.dataset_data_provider.DatasetDataProvider(
        data, num_readers=1, shuffle=False, common_queue_capacity=8, common_queue_min=2
    )
    image, label, boxes = provider.get(["image", "label", "boxes"])
    images, labels = tf.train.batch([image, label], 2, capacity=4)
    (pixels, numbers) = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2).dequeue()
    found = []
    with tf.Session() as session:
        with slim.queues.QueueRunners(session):
            for _ in range(3):
                seen = session.run([pixels, numbers])
                found.append([seen[0].shape, seen[1].tolist()])
    return [
        [str(part) for part in found],
        sorted(provider.list_items()),
        provider.num_samples(),
        sorted(decoder.list_items()),
        data.num_classes,
        str(image.get_shape()),
        str(boxes.get_shape()),
        [os.path.basename(name) for name in slim.parallel_reader.get_data_files(path[:-5] + "*")],
    ]


class Chosen(tf.contrib.seq2seq.Helper):
    """A helper of one's own."""

    batch_size = 2
    sample_ids_shape = tf.TensorShape([])
    sample_ids_dtype = tf.int32

    def __init__(self, table):
        self.table = table

    def initialize(self, name=None):
        return tf.constant([False, False]), tf.zeros([2, 3])

    def sample(self, time, outputs, state, name=None):
        return tf.argmax(outputs, -1, output_type=tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        return time >= [1, 2], tf.gather(self.table, sample_ids), state


@case
def parts_of_sequences():
    seq2seq = tf.contrib.seq2seq
    with tf.variable_scope("scope", initializer=tf.random_uniform_initializer(-0.5, 0.5, 4)):
        decoder = seq2seq.BasicDecoder(
            tf.nn.rnn_cell.GRUCell(3),
            Chosen(normal(5, 3)),
            tf.zeros([2, 3]),
            tf.layers.Dense(5, name="projection"),
        )
        outputs, state, lengths = seq2seq.dynamic_decode(decoder)
    return [outputs.rnn_output, outputs.sample_id, state, lengths]


@case
def checkpoints_of_variables():
    path = os.path.join(tempfile.mkdtemp(), "model.ckpt")
    framework = tf.contrib.framework
    values = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("whole", initializer=values)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    zeros = tf.zeros_initializer()
    whole = framework.variable("whole", [4, 2], initializer=zeros)
    assign, feeds = framework.assign_from_checkpoint(path, {"whole": [whole]})
    other = framework.variable("other", [2, 4], initializer=zeros)
    restore = framework.assign_from_checkpoint_fn(path, {"whole": other})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(assign, feeds)
        found = session.run([whole])
        try:
            restore(session)
        except tf.errors.InvalidArgumentError:
            found.append("another shape")
    return [found, [framework.get_variable_full_name(part) for part in [whole]]]


@case
def updates_by_their_operations():
    slim.batch_norm(normal(4, 3), updates_collections="updates")
    return [
        len(tf.get_collection("updates")),
        [type(update.op).__name__ for update in tf.get_collection("updates")],
    ]


TABLE = {
    "rare_functions": lambda: [
        [tf.estimator.ModeKeys.TRAIN, tf.contrib.learn.ModeKeys.EVAL],
        [variable.name for variable in tf.trainable_variables()],
    ],
    "pools_of_a_shape": lambda images=(normal, 2, 4, 4, 3): [
        slim.pool(images, images.shape[1:3], "AVG"),
        slim.pool(images, [2, 2], "MAX", stride=2),
        slim.pool(images, 3, "MAX", padding="SAME"),
    ],
}
cases(__name__, TABLE)
