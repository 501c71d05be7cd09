"""What the test must find: it plants a fault into each of these, the control of all other comparisons."""

import tensorflow as tf
from cases import case, normal


@case
def another_value():
    return tf.reduce_sum(normal(3, 4), 1)


@case
def value_near_it():
    return normal(3, 4) * 1.0001


@case
def another_gradient():
    values = normal(3)
    return values * tf.identity(values)


@case
def another_name():
    return tf.get_variable("weights", initializer=[1.0, 2.0])


@case
def another_shape():
    return tf.placeholder_with_default([[1.0, 2.0]], [None, 2])


@case
def another_type():
    return tf.cast(normal(3), tf.float32)


@case
def another_collection():
    tf.add_to_collection("kept", normal(2))
    return normal(2)


@case
def another_second_run():
    count = tf.get_variable("count", initializer=0.0)
    return tf.group(tf.assign_add(count, 1.0)), normal(2)


@case
def error():
    return tf.squeeze(normal(1, 3), [0])
