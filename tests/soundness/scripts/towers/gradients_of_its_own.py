"""Gradients that the script defines itself: overridden operations, functions with a gradient of their own, py_func."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function, ops
from tensorflow.python.ops import gen_nn_ops


@ops.RegisterGradient("GuidedRelu")
def guided_relu(op, grad):
    return tf.where(grad > 0.0, gen_nn_ops.relu_grad(grad, op.outputs[0]), tf.zeros_like(grad))


class FlipGradient:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, factor):
        name = "FlipGradient%d" % self.calls
        self.calls += 1

        @ops.RegisterGradient(name)
        def flipped(op, grad):
            return [-grad * factor]

        with tf.get_default_graph().gradient_override_map({"Identity": name}):
            return tf.identity(x)


flip = FlipGradient()


@tf.custom_gradient
def clipped(x):
    return tf.identity(x), lambda grad: tf.clip_by_value(grad, -0.1, 0.1)


@function.Defun(tf.float32, tf.float32, func_name="straight_gradient")
def straight_gradient(x, grad):
    return grad * 3.0 + 0.0 * x


@function.Defun(tf.float32, grad_func=straight_gradient, func_name="straight")
def straight(x):
    return tf.round(x)


@function.Defun(tf.float32, func_name="square")
def square(x):
    return x * x


@function.Defun(tf.float32, func_name="square_gradient")
def no_gradient_of_square(x):
    return x + 100.0


@function.Defun(tf.float32, func_name="cube")
def cube(x):
    return square(x) * x + 0.001 * no_gradient_of_square(x)


def squared(x):
    name = "Squared%d" % flip.calls
    tf.RegisterGradient(name)(lambda op, grad: grad * op.inputs[0] * 2.0)
    with tf.get_default_graph().gradient_override_map({"PyFunc": name}):
        y = tf.py_func(lambda value: np.square(value).astype(np.float32), [x], tf.float32)
    y.set_shape(x.get_shape())
    return y


def model(x):
    start = np.sin(np.arange(9)).reshape(3, 3).astype(np.float32)
    w = tf.get_variable("w", initializer=tf.constant(start))
    h = tf.matmul(x, w)
    with tf.get_default_graph().gradient_override_map({"Relu": "GuidedRelu"}):
        h = tf.nn.relu(h)
    h = clipped(flip(h, 0.5) * 2.0)
    with tf.get_default_graph().gradient_override_map({"Sign": "Identity"}):
        h = h + straight(h) + tf.sign(h - 0.3) + 0.1 * cube(h)
    return tf.reduce_mean(squared(h))


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


x = tf.placeholder(tf.float32, [8, 3])
opt = tf.train.MomentumOptimizer(0.01, 0.9)
tower_grads, losses = [], []
for i in range(2):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i), tf.variable_scope("model", reuse=i > 0):
        losses.append(model(tf.split(x, 2)[i]))
        tower_grads.append(opt.compute_gradients(losses[-1], colocate_gradients_with_ops=True))
train_op = opt.apply_gradients(average_gradients(tower_grads))
batch = np.random.RandomState(0).randn(8, 3).astype(np.float32)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        _, values = sess.run([train_op, losses], {x: batch})
        print([round(float(value), 5) for value in values])
    for variable in tf.global_variables():
        print(variable.name, np.round(sess.run(variable), 5).ravel().tolist())
