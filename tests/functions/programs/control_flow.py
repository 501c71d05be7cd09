"""Branches, loops, Python functions, assertions, arrays of tensors."""

import numpy as np
import tensorflow as tf
from cases import case, cases, fed, integers, normal, uniform


@case
def nested_loops():
    values = normal(3)

    def outer(number, total):
        _, inner = tf.while_loop(
            lambda i, x: i < number, lambda i, x: (i + 1, x * values), (0, total), name="inner"
        )
        return number + 1, tf.cond(number > 1, lambda: inner, lambda: inner * 2.0)

    return tf.while_loop(lambda number, total: number < 3, outer, (0, tf.ones([3])))


@case
def arrays_of_tensors():
    values = normal(3, 2)
    first = tf.TensorArray(tf.float32, size=3).unstack(values)
    second = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    second = second.write(0, values[0]).write(1, values[1])
    third = tf.TensorArray(tf.float32, 2, infer_shape=False).split(values, [1, 2])
    return [
        first.read(1),
        tf.TensorArray(tf.float32, 3).unstack(values).stack(),
        second.stack(),
        second.size(),
        second.gather([1, 0]),
        second.read(0),
        third.concat(),
        tf.TensorArray(tf.float32, 3, element_shape=[2]).scatter([2, 1, 0], values).stack(),
        first.dtype.name,
        first.handle.dtype.name,
        tf.TensorArray(tf.float32, 3, name="named").flow.name,
    ]


def doubled(values):
    return (values * 2).astype(np.float32)


@case
def assertions():
    values = normal(3, 4)
    positive = uniform(3)
    with tf.control_dependencies([tf.assert_positive(positive + 1.0), tf.assert_less(1, 2)]):
        checked = tf.identity(values)
    return [
        checked,
        tf.assert_equal([1], [1]),
        tf.assert_equal(values, values, message="same", summarize=2),
        tf.assert_rank(values, 2),
        tf.assert_rank_in(values, [1, 2]),
        tf.assert_rank_at_least(values, 1),
        tf.assert_type(values, tf.float32),
        tf.assert_greater(values, -99.0),
        tf.assert_greater_equal(values, -99.0, name="named"),
        tf.assert_less_equal(values, 99.0),
        tf.assert_none_equal(values, 99.0),
        tf.assert_near(values, values),
        tf.assert_negative([-1.0]),
        tf.assert_non_positive([-1.0]),
        tf.assert_integer(integers(3, 2)),
        tf.assert_non_negative(positive),
        tf.assert_scalar(tf.constant(1)),
        tf.assert_variables_initialized() is None,
        tf.Assert(tf.constant(True), ["x"]),
        tf.Assert(fed(True, []), [values], summarize=3, name="Checked"),
        tf.check_numerics(values, "message"),
        tf.verify_tensor_all_finite(values, "message"),
        tf.verify_tensor_all_finite(t=values, msg="message", name="finite"),
        tf.Print(values, [values], "printed", first_n=1, summarize=2),
        tf.tuple([values, positive]),
        tf.group(values, tf.no_op()),
        tf.no_op("nothing"),
        tf.stop_gradient(values),
        tf.guarantee_const(values),
        tf.is_numeric_tensor(values),
        tf.is_strictly_increasing([1, 2, 3]),
        tf.is_non_decreasing([1, 1, 3]),
        tf.contrib.framework.is_tensor(values),
        tf.contrib.util.constant_value(tf.constant(3)),
    ]


@case
def gradients_of_ones_own():
    @tf.custom_gradient
    def clipped(values):
        return tf.identity(values), lambda slope: tf.clip_by_value(slope, -0.1, 0.1)

    values = normal(3)
    with tf.get_default_graph().gradient_override_map({"Sign": "Identity"}):
        straight = tf.sign(values)
    return [clipped(values), straight, tf.stop_gradient(values) * values]


@case
def control_dependencies():
    count = tf.Variable(0, name="count")
    with tf.control_dependencies([tf.assign_add(count, 2)]):
        with tf.control_dependencies(None):
            free = tf.constant(1)
        after = tf.identity(count)
    with tf.get_default_graph().control_dependencies([after]):
        last = tf.no_op(name="last")
    return [[operation.name for operation in last.control_inputs], len(free.op.control_inputs), after, last]


TABLE = {
    "branches": lambda chosen=(fed, True, []), values=(normal, 2), others=(normal, 3): [
        tf.cond(tf.constant(True), lambda: values, lambda: values * 2),
        tf.cond(chosen, lambda: (values, others), lambda: (others, values)),
        tf.cond(chosen, true_fn=lambda: values * 2, false_fn=lambda: values, name="named"),
        tf.cond(chosen, lambda: tf.constant(1), lambda: 2),
        tf.cond(chosen, lambda: {"a": values}, lambda: {"a": values + 1}),
        tf.cond(chosen, lambda: [values], lambda: [values], strict=True),
        tf.case([(tf.constant(False), lambda: tf.constant(1))], default=lambda: tf.constant(2)),
        tf.case({tf.constant(True): lambda: tf.constant(1)}, default=lambda: tf.constant(2), exclusive=True),
        tf.case([(chosen, lambda: values), (tf.constant(True), lambda: values * 2)], lambda: values * 3),
        tf.switch_case(tf.constant(1), {0: lambda: values, 1: lambda: values * 2}),
    ],
    "loops": lambda values=(normal, 2): [
        tf.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * 2], [tf.constant(0), values]),
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]),
        tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, tf.concat([x, [1.0]], 0)),
            [tf.constant(0), tf.zeros([1])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        ),
        tf.while_loop(
            cond=lambda i, x: tf.less(i, 5),
            body=lambda i, x: (i + 1, x + values),
            loop_vars=(0, values),
            parallel_iterations=1,
            back_prop=True,
            swap_memory=True,
            maximum_iterations=3,
            name="named",
        ),
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], return_same_structure=True),
        tf.while_loop(
            lambda i, pair: i < 2, lambda i, pair: (i + 1, {"a": pair["a"] * 2}), (0, {"a": normal(2)})
        ),
    ],
    "functional": lambda values=(normal, 3, 4): [
        tf.map_fn(lambda row: row * 2, values),
        tf.map_fn(
            lambda pair: (pair[0] + pair[1], pair[0]), (values, values), dtype=(tf.float32, tf.float32)
        ),
        tf.map_fn(lambda row: tf.reduce_sum(row) > 0, values, dtype=tf.bool, parallel_iterations=1),
        tf.map_fn(lambda row: row, fed(np.ones([2, 3], np.float32)), infer_shape=False, back_prop=False),
        tf.scan(lambda total, row: total + row, values),
        tf.scan(lambda total, row: total + row, values, initializer=normal(4), reverse=True),
        tf.scan(
            lambda total, pair: (total[0] + pair[0], total[1] * pair[1]),
            (values, values),
            initializer=(tf.zeros([4]), tf.ones([4])),
        ),
        tf.foldl(lambda total, row: total + row, values),
        tf.foldr(lambda total, row: total - row, values, initializer=normal(4)),
        tf.vectorized_map(lambda row: row * 2, values),
    ],
    "python_functions": lambda values=(normal, 3, 4): [
        tf.py_func(doubled, [values], tf.float32),
        tf.py_func(doubled, [values], [tf.float32], stateful=False, name="named"),
        tf.py_func(lambda first, second: (first, second), [values, np.int64(3)], [tf.float32, tf.int64]),
        tf.py_func(lambda: np.array([b"x", b"yz"]), [], tf.string),
        tf.py_func(lambda: None, [], []),
        tf.py_function(lambda given: given * 2, [values], tf.float32),
        tf.py_function(func=lambda given: given.numpy() * 2, inp=[values], Tout=[tf.float32]),
        tf.numpy_function(doubled, [values], tf.float32),
    ],
}
cases(__name__, TABLE)
