"""Variables whose initial value is made of other variables: slots of an optimizer of one's own, copies, sums."""

import numpy as np
import tensorflow as tf


def momentum(variables, gradients, rate, decay):
    """An optimizer as public scripts write it: its state begins as `variable * 0`."""
    updates = []
    for variable, gradient in zip(variables, gradients):
        speed = tf.Variable(variable * 0.0, trainable=False)
        seen = tf.Variable(tf.zeros_like(variable) + 1.0, trainable=False, name="seen")
        updates.append(seen.assign_add(tf.square(gradient)))
        new_speed = decay * speed + gradient
        updates.append(speed.assign(new_speed))
        updates.append(variable.assign_sub(rate * new_speed))
    return tf.group(*updates)


with tf.variable_scope("model"):
    w = tf.get_variable("w", initializer=tf.constant(np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)))
    b = tf.get_variable("b", [2], initializer=tf.random_normal_initializer(stddev=0.5, seed=7))
copied = tf.Variable(w, name="copied", trainable=False)
doubled = tf.Variable(tf.identity(b) * 2.0 + tf.reduce_sum(w), name="doubled", trainable=False)
x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
train = momentum([w, b], tf.gradients(loss, [w, b]), 0.1, 0.9)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([copied, doubled]))
    print("the same drawing", np.array_equal(sess.run(doubled), sess.run(b * 2.0 + tf.reduce_sum(w))))
    data = np.random.RandomState(1).rand(5, 3).astype(np.float32)
    for step in range(4):
        print(step, sess.run([loss, train], {x: data + step})[0])
    for variable in tf.global_variables():
        print(variable.op.name, sess.run(variable).tolist())
    sess.run(copied.initializer)
    print("from the trained one", np.array_equal(sess.run(copied), sess.run(w)))
