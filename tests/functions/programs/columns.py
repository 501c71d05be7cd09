"""tf.feature_column, pipelines that are fed, and other ways in for data."""

import numpy as np
import tensorflow as tf
from cases import case, fed, normal, uniform

column = tf.feature_column


def features():
    return {
        "age": tf.constant([[20.0], [35.0], [70.0]]),
        "pair": normal(3, 2),
        "word": tf.constant([["a"], ["c"], ["z"]]),
        "number": tf.constant([[1], [0], [3]], tf.int64),
        "words": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "b", "a"], [3, 2]),
    }


@case
def input_layers():
    age = column.numeric_column("age", normalizer_fn=lambda value: value / 10.0)
    buckets = column.bucketized_column(column.numeric_column("age"), [30.0, 60.0])
    words = column.categorical_column_with_vocabulary_list("word", ["a", "b", "c"], num_oov_buckets=1)
    number = column.categorical_column_with_identity("number", 4, default_value=0)
    hashed = column.categorical_column_with_hash_bucket("words", 5)
    crossed = column.crossed_column([buckets, "word"], 7)
    embedded = column.embedding_column(hashed, 2, initializer=tf.ones_initializer(), combiner="sum")
    return [
        column.input_layer(features(), [age, buckets, column.numeric_column("pair", shape=2)]),
        column.input_layer(features(), [column.indicator_column(words), column.indicator_column(number)]),
        column.input_layer(features(), [embedded, column.indicator_column(crossed)]),
        column.input_layer(
            features(),
            column.shared_embedding_columns(
                [hashed, column.categorical_column_with_hash_bucket("word", 5)],
                2,
                initializer=tf.ones_initializer(),
            ),
        ),
        column.linear_model(features(), [age, words, hashed, crossed]),
        column.linear_model(features(), [age], units=2, weight_collections=["mine"], trainable=False),
        column.make_parse_example_spec([age, hashed])["age"].shape,
        [variable.name for variable in tf.global_variables()],
        [age.name, buckets.name, crossed.name, embedded.name],
    ]


@case
def weighted_columns():
    words = column.categorical_column_with_vocabulary_list("words", ("a", "b"))
    given = features()
    given["weights"] = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0.5, 2.0, 3.0], [3, 2])
    weighted = column.weighted_categorical_column(words, "weights")
    return [
        column.linear_model(given, [weighted]),
        column.input_layer(given, [column.indicator_column(weighted)]),
    ]


@case
def pipelines_that_are_fed():
    values = tf.placeholder(tf.float32, [None, 2])
    dataset = tf.data.Dataset.from_tensor_slices(values).repeat(2).batch(3)
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    found = []
    with tf.Session() as session:
        for rows in (2, 4):
            session.run(iterator.initializer, {values: np.arange(rows * 2.0).reshape(rows, 2)})
            while True:
                try:
                    found.append(session.run(following).tolist())
                except tf.errors.OutOfRangeError:
                    break
    return found


@case
def iterators_of_one_structure():
    first = tf.data.Dataset.range(3).map(lambda x: (x, tf.cast(x, tf.float32)))
    second = tf.data.Dataset.range(10, 12).map(lambda x: (x, tf.cast(x, tf.float32) * 2.0))
    iterator = tf.data.Iterator.from_structure(first.output_types, first.output_shapes)
    to_first, to_second = iterator.make_initializer(first), iterator.make_initializer(second, name="second")
    following = iterator.get_next()
    handle = tf.placeholder(tf.string, [])
    any_iterator = tf.data.Iterator.from_string_handle(handle, first.output_types, first.output_shapes)
    one, other = first.make_one_shot_iterator(), second.make_initializable_iterator()
    found = []
    with tf.Session() as session:
        for start in (to_first, to_second, to_first):
            session.run(start)
            found.append([[float(part) for part in session.run(following)] for _ in range(2)])
        session.run(other.initializer)
        handles = session.run([one.string_handle(), other.string_handle()])
        for chosen in (0, 1, 0, 1):
            found.append(
                [float(part) for part in session.run(any_iterator.get_next(), {handle: handles[chosen]})]
            )
    return [found, to_second.name, any_iterator.output_shapes[0].ndims]


@case
def errors_at_the_end():
    found = []
    with tf.Graph().as_default():
        queue = tf.train.input_producer(tf.constant([1, 2, 3]), num_epochs=1, shuffle=False)
        batch = tf.train.batch([queue.dequeue()], 2, allow_smaller_final_batch=True)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
            try:
                while not coordinator.should_stop():
                    found.append(session.run(batch).tolist())
            except tf.errors.OutOfRangeError as problem:
                found.append(type(problem).__name__)
                found.append("closed" in problem.message)
            finally:
                coordinator.request_stop()
            coordinator.join(threads)
    return found


@case
def flags_and_logs():
    flags = tf.app.flags
    flags.DEFINE_integer("functions_number", 3, "a number")
    flags.DEFINE_string("functions_text", "x", "a text")
    flags.DEFINE_boolean("functions_truth", False, "a truth")
    flags.DEFINE_float("functions_rate", 0.5, "a rate")
    flags.DEFINE_list("functions_list", "a,b", "a list")
    flags.DEFINE_enum("functions_kind", "one", ["one", "two"], "a kind")
    known = flags.FLAGS
    known(["program", "--functions_number=7", "--nofunctions_truth", "left"])
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.logging.info("not seen %d", 1)
    return [
        [known.functions_number, known.functions_text, known.functions_truth, known.functions_rate],
        [known.functions_list, known.functions_kind, tf.logging.get_verbosity(), tf.logging.DEBUG],
        known.flag_values_dict()["functions_number"],
        "functions_rate" in known,
    ]


@case
def versions_and_constants():
    return [
        tf.VERSION[:0],
        tf.newaxis is None,
        tf.GraphKeys.TRAINABLE_VARIABLES,
        tf.saved_model.tag_constants.SERVING,
        tf.saved_model.signature_constants.PREDICT_METHOD_NAME,
        tf.AUTO_REUSE is not None,
        tf.QUANTIZED_DTYPES is not None,
        tf.test.is_gpu_available(),
        tf.test.is_built_with_cuda() in (True, False),
        tf.contrib.framework.nest.is_sequence([1]),
        str(uniform(2).dtype),
        fed(np.ones([2], np.float32), [None]),
    ]
