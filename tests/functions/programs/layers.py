"""tf.layers: functions, classes, reuse, and layers of one's own."""

import numpy as np
import tensorflow as tf
from cases import case, cases, fed, normal

SMALL = tf.constant_initializer(0.05)


def pictures():
    return normal(2, 8, 8, 3)


@case
def dense():
    return [
        tf.layers.dense(normal(2, 3), 4, tf.nn.relu, True, SMALL),
        tf.layers.dense(
            normal(2, 5, 3),
            4,
            kernel_initializer=SMALL,
            bias_initializer=SMALL,
            activity_regularizer=tf.nn.l2_loss,
        ),
        tf.layers.dense(
            normal(2, 3), 4, kernel_initializer=tf.glorot_normal_initializer(seed=4), name="named"
        ),
        tf.layers.dense(
            normal(2, 3), 4, kernel_initializer=SMALL, kernel_constraint=lambda weights: weights * 0.5
        ),
        tf.layers.dense(normal(2, 3), 4, kernel_initializer=SMALL, trainable=False, use_bias=False),
        tf.layers.dense(fed(np.ones([2, 3]), [None, 3]), 4, kernel_initializer=SMALL),
    ]


@case
def objects():
    dense = tf.layers.Dense(4, kernel_initializer=SMALL, name="fully_connected")
    convolution = tf.layers.Conv2D(4, 3, kernel_initializer=SMALL)
    normalization = tf.layers.BatchNormalization(momentum=0.5)
    made = [
        dense(normal(2, 3)),
        dense.apply(normal(5, 3)),
        convolution(pictures()),
        normalization(pictures(), training=True),
    ]
    return made + [
        [variable.name for variable in dense.variables],
        [variable.name for variable in convolution.trainable_weights],
        [variable.name for variable in normalization.non_trainable_variables],
        dense.kernel,
        dense.bias,
        dense.name,
        dense.scope_name,
        dense.count_params(),
        len(normalization.updates),
        dense.built,
    ]


@case
def values_of_objects():
    dense, normalization = tf.layers.Dense(4, kernel_initializer=SMALL), tf.layers.BatchNormalization()
    dense(normal(2, 3))
    normalization(pictures(), training=True)
    wrong = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        dense.set_weights([np.full([3, 4], 0.5), np.arange(4.0)])
        for values in ([np.zeros([3, 4])], [np.zeros([3, 4]), np.zeros([3])]):
            try:
                dense.set_weights(values)
            except ValueError as problem:
                wrong.append(type(problem).__name__)
        values = [value.tolist() for layer in (dense, normalization) for value in layer.get_weights()]
    return [values, wrong]


class Summing(tf.layers.Layer):
    """A layer of a program's own, with a loss."""

    def build(self, shape):
        self.weights_of_inputs = self.add_variable("weights", [int(shape[-1]), 2], initializer=SMALL)
        self.steps = self.add_variable("steps", [], tf.int32, tf.zeros_initializer(), trainable=False)
        super(Summing, self).build(shape)

    def call(self, inputs):
        self.add_loss(tf.reduce_sum(self.weights_of_inputs))
        self.add_update(tf.assign_add(self.steps, 1))
        return tf.matmul(inputs, self.weights_of_inputs)


@case
def layer_of_ones_own():
    layer = Summing(name="summing")
    with tf.variable_scope("scope"):
        return [
            layer(normal(2, 3)),
            layer.losses,
            tf.losses.get_regularization_losses(),
            [variable.name for variable in layer.variables],
            len(layer.updates),
        ]


TABLE = {"dense_of_the_default_initializer": lambda: tf.layers.dense(normal(2, 3), 4)}
cases(__name__, TABLE)
