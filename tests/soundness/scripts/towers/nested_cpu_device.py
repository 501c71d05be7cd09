# '/cpu:0' around everything, gradients collected on the CPU, and a part of the model moved there.
import numpy as np
import tensorflow as tf

with tf.device('/cpu:0'):
    xs = tf.placeholder(tf.float32, [2, 4, 3])
    opt = tf.train.AdamOptimizer(learning_rate=1e-2)
    grads_and_vars, all_probs = [], []
    for d in range(2):
        with tf.variable_scope('m', reuse=(d > 0)):
            with tf.device('/gpu:%d' % d):
                w = tf.get_variable('w', [3, 3], initializer=tf.truncated_normal_initializer(seed=1))
                h = tf.matmul(xs[d], w)
                with tf.device('/cpu:0'):
                    norm = tf.sqrt(tf.reduce_sum(h * h, 1, keepdims=True)) + 1e-3
                probs = tf.nn.softmax(h / norm)
                loss = tf.reduce_mean(tf.reduce_sum(probs * tf.log(probs), 1))
                all_probs.append(probs)
                gv = opt.compute_gradients(loss)
            grads_and_vars.append(gv)
    merged = tf.concat(all_probs, 0)
    final = []
    for pairs in zip(*grads_and_vars):
        g = tf.reduce_mean(tf.stack([p[0] for p in pairs]), 0)
        final.append((g, pairs[0][1]))
    train = opt.apply_gradients(final)
    mean_probs = tf.reduce_mean(merged, 0)
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        f = {xs: rng.randn(2, 4, 3)}
        print(sess.run(mean_probs, f).tolist(), float(sess.run(loss, f)))
        sess.run(train, f)
    print(sess.run(w).tolist())
