# tf.data: one get_next, split over the towers; ends with OutOfRangeError.
import numpy as np
import tensorflow as tf

data = np.random.RandomState(0).randn(20, 3).astype(np.float32)
target = data.dot([[1.], [2.], [3.]]).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices((data, target)).batch(4).repeat(1)
iterator = tf.data.make_one_shot_iterator(dataset)
next_x, next_y = iterator.get_next()
w = tf.get_variable('w', [3, 1], initializer=tf.zeros_initializer())
opt = tf.train.FtrlOptimizer(0.5)
tower_grads, tower_losses = [], []
for i, (bx, by) in enumerate(zip(tf.split(next_x, 2), tf.split(next_y, 2))):
    with tf.device('/gpu:%d' % i):
        loss = tf.reduce_mean(tf.squared_difference(tf.matmul(bx, w), by))
        tower_losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))
apply_op = opt.apply_gradients(
    [(tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), gv[0][1]) for gv in zip(*tower_grads)])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    count = 0
    try:
        while True:
            values, _ = sess.run([tower_losses, apply_op])
            count += 1
            print(count, ['%.9g' % v for v in values])
    except tf.errors.OutOfRangeError:
        print('end after', count)
    print(sess.run(w).ravel().tolist())
    print([(v.op.name, float(sess.run(v).sum())) for v in tf.global_variables()])
