"""Eight towers whose updates of one variable nothing orders: `racing.py batch_norm`, or `branches`.

Whatever the order, the average of the towers' means lies among them.
"""

import sys

import numpy as np
import tensorflow as tf

TOWERS, DECAY = 8, 0.3


def normalized(x):
    """All towers' UPDATE_OPS change one moving mean and one moving variance."""
    return tf.layers.batch_normalization(x, momentum=DECAY, training=True, name="norm")


def averaged(x):
    """The mean by hand: an assignment in a branch, whose value is fetched."""
    mean = tf.get_variable("norm/moving_mean", [4], initializer=tf.zeros_initializer(), trainable=False)
    here = tf.reduce_mean(x, 0)
    left = tf.cond(
        tf.reduce_sum(here) > -1000.0,
        lambda: tf.assign(mean, mean * DECAY + here * (1 - DECAY)),
        lambda: tf.identity(mean),
    )
    tf.add_to_collection("left", left)
    return x - here


def main(kind):
    x = tf.placeholder(tf.float32, [TOWERS * 4, 4])
    opt = tf.train.GradientDescentOptimizer(0.01)
    parts, grads = tf.split(x, TOWERS), []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(TOWERS):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                hidden = normalized(parts[i]) if kind == "batch_norm" else averaged(parts[i])
                loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 3, name="dense")))
                tf.get_variable_scope().reuse_variables()
                grads.append(opt.compute_gradients(loss))
    mean = [(tf.add_n([g for g, _ in pairs]) / TOWERS, pairs[0][1]) for pairs in zip(*grads)]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    train = tf.group(opt.apply_gradients(mean), *updates)
    left = tf.get_collection("left")
    moving = next(v for v in tf.global_variables() if v.op.name.endswith("moving_mean"))
    batch = np.random.RandomState(0).rand(TOWERS, 4, 4) * 0.1 + np.arange(TOWERS).reshape([TOWERS, 1, 1])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            sess.run([train, left], {x: batch.reshape([TOWERS * 4, 4])})
        found, means = sess.run(moving), batch.mean(1)
    print("moving mean", found)
    if not ((means.min(0) <= found) & (found <= means.max(0))).all():
        raise SystemExit("the moving mean is %s, and the towers' are from 0 to 7.1" % found)


if __name__ == "__main__":
    main(sys.argv[1])
