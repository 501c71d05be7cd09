"""What a run's reads and writes of variables see of one another, where control dependencies say it."""

import numpy as np
import tensorflow as tf
from cases import case, fed, normal


def variable(name="value", start=(1.0, 2.0)):
    return tf.get_variable(name, initializer=list(start))


@case
def reads_after_writes():
    value = variable()
    before = tf.identity(value) * 1.0
    with tf.control_dependencies([before]):
        added = tf.assign_add(value, [1.0, 1.0])
    with tf.control_dependencies([added]):
        after = value * 2.0
        read = value.read_value() * 3.0
        part = value[0] * 1.0
    with tf.control_dependencies([after, read, part]):
        last = tf.assign(value, value * 0.5)
    with tf.control_dependencies([last]):
        return [before, after, read, part, value + 0.0]


@case
def tuples_after_writes():
    value, numbers = variable(), normal(2)
    added = tf.assign_add(value, [1.0, 1.0])
    together = tf.tuple([numbers, None, numbers * 2.0], control_inputs=[added])
    with tf.control_dependencies(together[2:]):
        later = tf.tuple([value + 0.0], "named", [added.op, numbers, tf.no_op()])
    return [together, later]


@case
def writes_in_branches():
    value, counts = variable(), tf.get_variable("counts", initializer=0)
    grow = tf.cond(
        fed(True, []), lambda: tf.assign_add(value, [1.0, 1.0]), lambda: tf.assign_sub(value, [5.0, 5.0])
    )
    with tf.control_dependencies([grow]):
        again = tf.cond(
            tf.reduce_sum(value) > 100.0,
            lambda: tf.group(tf.assign(value, [0.0, 0.0])),
            lambda: tf.group(tf.assign_add(counts, 1)),
        )
    with tf.control_dependencies([again]):
        return [value + 0.0, counts + 0]


@case
def what_a_dead_branch_takes():
    value = variable()
    added = tf.assign_add(value, [1.0, 1.0])
    return [tf.cond(tf.constant(False), lambda: added * 2.0, lambda: tf.constant([3.0, 4.0]))]


@case
def writes_in_loops():
    value = variable()

    def body(number, total):
        with tf.control_dependencies([tf.assign_add(value, [1.0, 0.5])]):
            return number + 1, total + tf.reduce_sum(value)

    _, total = tf.while_loop(lambda number, total: number < 3, body, (0, 0.0), parallel_iterations=1)
    with tf.control_dependencies([total]):
        return [total, value + 0.0]


@case
def reads_in_loops():
    value = variable()
    _, total = tf.while_loop(
        lambda number, total: number < 3,
        lambda number, total: (number + 1, total + value * value),
        (0, tf.zeros([2])),
    )
    slopes = tf.gradients(total, value)
    update = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(slopes[0], value)])
    with tf.control_dependencies([update]):
        return [tf.stop_gradient(value + 0.0)]


@case
def loops_over_arrays():
    value = variable(start=(1.0, 2.0, 3.0))
    array = tf.TensorArray(tf.float32, 3).unstack(value * value)
    _, written = tf.while_loop(
        lambda number, kept: number < 3,
        lambda number, kept: (number + 1, kept.write(number, array.read(number) * 2.0)),
        (0, tf.TensorArray(tf.float32, 3)),
    )
    return [written.stack(), tf.hessians(tf.reduce_sum(value**3), value)]


@case
def updates_one_after_the_other():
    value = variable()
    first = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(value**2))
    averages = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([first]):
        averaged = averages.apply([value])
    with tf.control_dependencies([averaged]):
        loss = tf.reduce_sum(value * 2.0)
        average = averages.average(value) * 1.0
    with tf.control_dependencies([loss, average]):
        second = tf.scatter_sub(value, [1], [0.25])
    with tf.control_dependencies([second]):
        return [tf.stop_gradient(loss), tf.stop_gradient(average), tf.stop_gradient(value + 0.0)]


@case
def two_variables_change_places():
    first, second = variable("first"), variable("second", (5.0, 6.0))
    kept = tf.stack([first, second]) + 0.0
    with tf.control_dependencies([kept]):
        return [tf.group(tf.assign(first, kept[1]), tf.assign(second, kept[0]))]


@case
def targets_of_reinforcement():
    """A copy of the weights that follows slowly, and one that is made anew at times."""
    with tf.variable_scope("online"):
        online = variable()
    with tf.variable_scope("target"):
        target = variable(start=(0.0, 0.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.1).minimize(
        tf.reduce_sum(tf.square(online - tf.stop_gradient(target) - 1.0)), global_step=step
    )
    with tf.control_dependencies([train]):
        follow = tf.group(
            *[
                tf.assign(slow, 0.9 * slow + 0.1 * fast)
                for fast, slow in zip(
                    tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="online"),
                    tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "target"),
                )
            ]
        )
    with tf.control_dependencies([follow]):
        renewed = tf.cond(
            tf.equal(step % 2, 0), lambda: target.assign(online), lambda: target.assign(target + 0.0)
        )
    return tf.stop_gradient(renewed)


@case
def variables_without_a_shape():
    value = tf.Variable(np.zeros([0, 2], np.float32), validate_shape=False, name="rows")
    grown = tf.assign(value, tf.concat([value, tf.ones([1, 2])], 0), validate_shape=False)
    with tf.control_dependencies([grown]):
        return [tf.shape(value.read_value())]


@case
def queues_of_variables():
    value = variable()
    queue = tf.FIFOQueue(3, tf.float32, [[2]])
    with tf.control_dependencies([queue.enqueue(value)]):
        with tf.control_dependencies([tf.assign_add(value, [1.0, 1.0])]):
            taken = queue.dequeue()
    with tf.control_dependencies([taken]):
        return [taken + 0.0, value + 0.0]


@case
def python_between():
    value = variable()
    seen = []

    def look(given):
        seen.append(given.tolist())
        return np.float32(given.sum())

    with tf.control_dependencies([tf.assign_add(value, [1.0, 1.0])]):
        looked = tf.py_func(look, [value], tf.float32)
    with tf.control_dependencies([tf.assign(value, [looked, looked])]):
        return [looked, value + 0.0]


@case
def assignments_as_values():
    value, count = variable(), tf.get_variable("count", initializer=5)
    return [tf.assign_add(value, [1.0, 1.0]) * 2.0, tf.assign(count, 7) + tf.constant(1)]


@case
def several_sessions():
    value = variable()
    drawn = tf.random_normal([2], seed=4)
    shuffled = tf.random_shuffle(tf.range(5), seed=3)
    iterator = tf.data.Dataset.range(5).make_one_shot_iterator().get_next()
    found = []
    for _ in range(2):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                found.append(
                    [
                        part.tolist()
                        for part in session.run([tf.assign_add(value, [1.0, 1.0]), shuffled, iterator])
                    ]
                )
                found.append([round(float(number), 5) for number in session.run(drawn)])
    return found


@case
def gradients_by_hand():
    value, values = variable(), normal(3, 2)
    loss = tf.reduce_sum(tf.square(tf.matmul(values, tf.expand_dims(value, 1))))
    slope = tf.gradients(loss, value)[0]
    product = tf.gradients(tf.reduce_sum(slope * tf.stop_gradient(slope)), value)[0]
    penalty = tf.square(tf.norm(tf.gradients(tf.reduce_sum(tf.tanh(values * value)), values)[0]) - 1.0)
    return [slope, product, penalty, tf.gradients(penalty, value)]
