# Other ways to import: names from tensorflow, an alias, a submodule.
import numpy as np
import tensorflow as tf
import tensorflow as T
from tensorflow import Session, global_variables_initializer as init_all
from tensorflow.python.ops import array_ops

k = T.train
x = T.placeholder(T.float32, [None, 2])
w = T.Variable(array_ops.ones([2]))
loss = tf.reduce_mean(T.square(tf.reduce_sum(x * w, 1) - 1))
step = k.get_or_create_global_step()
op = k.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
rng = np.random.RandomState(0)
with Session() as sess:
    sess.run(init_all())
    for _ in range(5):
        value, _ = sess.run([loss, op], {x: rng.rand(3, 2)})
        print('%.9g' % value, k.global_step(sess, step))
    print(sess.run(w).tolist(), isinstance(sess, tf.Session))
