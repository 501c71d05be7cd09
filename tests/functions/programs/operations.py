"""What other programs of tests/functions leave out: rarely called functions, second names, old names."""

import tensorflow as tf
from cases import case, fed, integers, normal, uniform
from tensorflow.python.framework import ops, tensor_shape, tensor_util
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops, metrics_impl, nn_ops, variable_scope
from tensorflow.python.training import moving_averages
from tensorflow.python.util import nest


@case
def second_names():
    values, positive = normal(3, 4), uniform(3, 4) + 0.1
    return [
        tf.math.reduce_sum(values, 1, keepdims=True),
        tf.math.reduce_mean(input_tensor=values, axis=0),
        tf.math.divide_no_nan(values, positive),
        tf.math.reciprocal_no_nan(values),
        tf.linalg.matmul(values, values, transpose_b=True),
        tf.linalg.transpose(values),
        tf.linalg.normalize(values, axis=1),
        tf.linalg.trace(normal(3, 3)),
        tf.linalg.pinv(normal(3, 2)),
        tf.linalg.matrix_rank(normal(3, 2)),
        tf.manip.reshape(values, [4, 3]),
        tf.bitwise.bitwise_or(integers(4, 3), 8),
        tf.bitwise.bitwise_xor(integers(4, 3), 8),
        tf.bitwise.right_shift(integers(9, 3) + 8, 1),
        tf.image.extract_patches(uniform(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
        tf.nn.space_to_depth(uniform(1, 4, 4, 1), 2),
        tf.nn.depth_to_space(uniform(1, 2, 2, 4), 2),
        tf.random.stateless_multinomial(normal(2, 3), 4, [1, 2]),
        tf.random.stateless_categorical(normal(2, 3), 4, [1, 2], dtype=tf.int32),
        tf.debugging.check_numerics(values, "message"),
        tf.debugging.assert_shapes([(values, (3, "n"))]),
        tf.greater_equal(values, 0.0),
        tf.logical_or(values > 0, values < -1),
        tf.unravel_index([5, 7], [3, 4]),
        tf.fingerprint([b"abc"]),
        tf.repeat([1, 2], [2, 1]),
        tf.to_complex128(normal(2)),
        tf.fake_quant_with_min_max_vars_gradient(values, values, -1.0, 1.0),
        tf.dequantize(tf.quantize(values, -3.0, 3.0, tf.quint8)[0], -3.0, 3.0),
        tf.to_float(tf.to_bfloat16(normal(2))),
        tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
        tf.strings.ngrams(tf.constant(["a", "b", "c"]), 2),
        tf.strings.unicode_split(["ab"], "UTF-8").values,
        tf.io.decode_compressed([b"abc"]),
        tf.ragged.constant([[1, 2], [3]]).to_tensor(),
        tf.RaggedTensor.from_row_splits(normal(3), [0, 2, 3]).to_tensor(),
        tf.reduce_sum(tf.ragged.constant([[1.0, 2.0], [3.0]]), axis=1),
    ]


@case
def by_their_modules():
    values = normal(3, 4)
    average = tf.get_variable("average", initializer=1.0, trainable=False)
    with ops.name_scope("scope"), ops.control_dependencies([values]):
        named = array_ops.identity(values, name="named")
    with variable_scope.variable_scope("inner"):
        variable = variable_scope.get_variable("w", initializer=[1.0])
    return [
        named,
        variable,
        math_ops.reduce_sum(values, 1),
        math_ops.cast(values, tf.int32),
        array_ops.concat([values, values], 0),
        array_ops.expand_dims(values, 1),
        nn_ops.softmax(values),
        nn_ops.bias_add(values, normal(4)),
        control_flow_ops.cond(fed(True, []), lambda: values, lambda: values * 2),
        control_flow_ops.with_dependencies([values], values * 3.0),
        control_flow_ops.group(values),
        moving_averages.assign_moving_average(average, 3.0, 0.5, zero_debias=False),
        ops.convert_to_tensor([1, 2]),
        nest.flatten([(1, 2), {"a": 3}]),
        nest.map_structure(lambda number: number * 2, {"a": (1, 2)}),
        tensor_util.constant_value(tf.constant([1, 2])).tolist(),
        tf.make_ndarray(tf.make_tensor_proto([1.0, 2.0])).tolist(),
        tf.contrib.util.make_tensor_proto([1, 2], shape=[2]).dtype,
        tf.get_static_value(tf.constant(3)),
        ops.get_default_graph() is tf.get_default_graph(),
        tf.nest.flatten({"b": 1, "a": 2}),
        tf.dimension_value(values.shape[0]),
        tf.dimension_at_index(values.shape, 1).value,
        [tf.executing_eagerly(), tf.get_seed(5), tf.is_tensor(values)],
        [
            tf.GraphKeys.UPDATE_OPS,
            tf.GraphKeys.GLOBAL_STEP,
            tf.NodeDef(name="x").name,
            tf.DeviceSpec(job="ps", task=1).to_string(),
        ],
        [
            tf.DeviceSpec.from_string("/job:worker/task:2/gpu:1").device_index,
            str(tf.float32),
            tf.int32.size,
            tf.uint8.limits,
        ],
    ]


@case
def variables_of_old_programs():
    with tf.variable_scope("scope", partitioner=tf.variable_axis_size_partitioner(16)):
        parts = tf.get_variable("w", [4, 2], initializer=tf.zeros_initializer())
    with tf.variable_scope("other", partitioner=tf.min_max_variable_partitioner(2, min_slice_size=8)):
        others = tf.get_variable("w", [4, 2], initializer=tf.zeros_initializer())
    pieces = tf.create_partitioned_variables([4, 2], [2, 1], tf.ones_initializer(), name="pieces")
    with tf.device("/cpu:0"), tf.container("container"):
        placed = tf.Variable(1.0, name="placed")
    with tf.colocate_with(placed):
        beside = tf.Variable(2.0, name="beside")
    with tf.init_scope():
        lifted = tf.constant(1.0)

    def doubling(creator, **options):
        options["initial_value"] = [8.0]
        return creator(**options)

    with tf.variable_creator_scope(doubling):
        created = tf.Variable([1.0], name="created")
    return [
        [part.name for part in parts],
        [part.name for part in others],
        [part.name for part in pieces],
        tf.convert_to_tensor(parts),
        placed.device,
        beside.op.device,
        lifted,
        created,
        [variable.name for variable in tf.all_variables()],
        tf.initialize_all_variables().name,
        tf.initialize_variables([placed]).name,
        tf.initialize_local_variables().name,
        tf.global_variables_initializer().name,
        [variable._save_slice_info.spec for variable in parts],
        tf.trainable_variables("scope"),
    ]


@case
def functions_of_the_graph():
    values = normal(3)

    @tf.function
    def squared(given):
        return given * given

    tf.print("printed", values, output_stream="file:///dev/null")
    return [
        squared(values),
        tf.autograph.to_graph(branching)(values),
        tf.map_fn(squared, values),
        tf.compat.as_bytes("a"),
        tf.compat.as_text(b"a"),
        tf.compat.as_str_any(5),
        tf.compat.dimension_value(values.shape[0]),
        str(tf.compat.forward_compatible(2018, 1, 1)),
    ]


def branching(values):
    if tf.reduce_sum(values) > 100.0:
        values = values * 2.0
    return values + 1.0


@case
def names_of_private_modules():
    labels, guesses = tf.constant([0, 1, 1]), tf.constant([0, 0, 1])
    total, update = metrics_impl._streaming_confusion_matrix(labels, guesses, 2)
    return [
        tf.identity(update),
        [str(tensor_shape.TensorShape(sizes)) for sizes in ([], [3], [None, 2])],
        tf.placeholder_with_default(1.0, tensor_shape.TensorShape([])) * 2.0,
    ]
