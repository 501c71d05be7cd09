# A FIFOQueue filled by feeding, each tower dequeues in a fixed order.
import numpy as np
import tensorflow as tf

example = tf.placeholder(tf.float32, [3])
queue = tf.FIFOQueue(capacity=20, dtypes=[tf.float32], shapes=[[3]])
enqueue = queue.enqueue([example])
size = queue.size()
close = queue.close()
w = tf.get_variable('w', initializer=tf.constant([0.1, 0.2, 0.3]))
opt = tf.train.RMSPropOptimizer(0.05)
losses, grads, after = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.control_dependencies(after):
            batch = queue.dequeue_many(2)
        after = [batch]
        loss = tf.reduce_mean(tf.log1p(tf.exp(tf.reduce_sum(batch * w, 1))))
        losses.append(loss)
        grads.append(tf.gradients(loss, [w])[0])
train = opt.apply_gradients([(tf.add_n(grads) / 2, w)])
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(14):
        sess.run(enqueue, {example: rng.randn(3)})
    print('size', sess.run(size))
    for _ in range(3):
        a, b, _ = sess.run(losses + [train])
        print('%.9g %.9g' % (a, b), sess.run(size))
    sess.run(close)
    try:
        sess.run(train)
    except tf.errors.OutOfRangeError as e:
        print(type(e).__name__)
    print(sess.run(w).tolist())
