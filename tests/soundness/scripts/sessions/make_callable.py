# make_callable, with and without feeds; kept and called in a loop.
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

x = tf.placeholder(tf.float32, [2], name='x')
scale = tf.placeholder(tf.float32, [], name='scale')
w = tf.Variable([1.0, -1.0])
loss = tf.reduce_sum(tf.square(x * w - scale))
step = tf.train.create_global_step()
train = tf.train.AdagradOptimizer(0.5).minimize(loss, step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    run_step = sess.make_callable([loss, train], feed_list=[x, scale])
    weights = sess.make_callable(w)
    both = sess.make_callable({'w': w, 'n': step})
    only = sess.make_callable(train, [x, scale])
    rng = np.random.RandomState(0)
    for _ in range(4):
        out = run_step(rng.rand(2), 0.5)
        print(out[0], out[1], weights().tolist())
    print(only(np.ones(2), 1.0))
    print(sorted((k, np.asarray(v).tolist()) for k, v in both().items()))
    options = config_pb2.CallableOptions(feed=['x:0', 'scale:0'], fetch=[loss.name], target=[train.name])
    fed = np.ones(2, np.float32), np.float32(1.0)
    print(float(sess._make_callable_from_options(options)(*fed)[0]), weights().tolist())
