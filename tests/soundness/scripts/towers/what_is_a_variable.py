"""A library of the script's own asks what it was given: variables, tensors, operations, names."""
import tensorflow as tf


def is_expression(x):
    return isinstance(x, tf.Tensor) or isinstance(x, tf.Variable) or isinstance(x, tf.Operation)


def decay(x):
    return 0.5 * tf.reduce_sum(tf.square(x)) if isinstance(x, tf.Variable) else tf.constant(0.0)


def kinds(x):
    return [isinstance(x, kind) for kind in (tf.Variable, tf.Tensor, tf.Operation)], is_expression(x)


x = tf.placeholder(tf.float32, [None, 2])
optimizer = tf.train.GradientDescentOptimizer(0.1)
gradients, losses = [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0):
        w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[0.5], [-1.0]]))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        y = tf.matmul(part, w) + b
        losses.append(tf.reduce_mean(tf.square(y - 1.0)) + decay(w) + decay(y))
        gradients.append(optimizer.compute_gradients(losses[-1]))
average = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*gradients)]
train = optimizer.apply_gradients(average)
step = tf.Variable(0, trainable=False)
for thing in (w, step, y, train, step.initializer, w.name, tf.global_variables()[0], average[0][1], average[0][0]):
    print(kinds(thing))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    session.run(tf.global_variables_initializer())
    for number in range(4):
        feed = {x: [[1.0, number], [0.5, -number], [2.0, 1.0], [0.0, 3.0]]}
        print(number, session.run(losses, feed))
        session.run(train, feed)
    print(session.run([w, b]))
