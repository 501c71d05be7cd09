# options and run_metadata are given with each run; the values are the same.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
w = tf.Variable([0.5, 0.25])
loss = tf.reduce_sum((w * x) ** 2)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1, allow_soft_placement=True)
config.gpu_options.allow_growth = True
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    options = tf.RunOptions(timeout_in_ms=60000)
    metadata = tf.RunMetadata()
    for i in range(4):
        value, _ = sess.run([loss, train], feed_dict={x: [1.0, i]}, options=options, run_metadata=metadata)
        print('%.9g' % value, sess.run(w, options=options).tolist())
    print(type(metadata).__name__, sess.run(loss, {x: [2., 2.]}, None, None))
