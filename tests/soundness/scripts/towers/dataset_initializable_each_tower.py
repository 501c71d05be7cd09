# Every tower takes its own batch from one iterator, in an order made by control dependencies; initialised each epoch.
import numpy as np
import tensorflow as tf

source = tf.placeholder(tf.float32, [None, 2])
dataset = tf.data.Dataset.from_tensor_slices(source).batch(2, drop_remainder=True)
iterator = tf.data.make_initializable_iterator(dataset)
v = tf.Variable([0.5, -0.5], name='v')
opt = tf.train.GradientDescentOptimizer(0.1)
previous, grads, losses = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.control_dependencies(previous), tf.device('/cpu:0'):
            batch = iterator.get_next()
        previous = [batch]
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(batch - v), 1))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss, [v]))
mean = [(tf.add(g0, g1) * 0.5, v0) for (g0, v0), (g1, _) in zip(*grads)]
train = opt.apply_gradients(mean)
rng = np.random.RandomState(9)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(iterator.initializer, {source: rng.randn(9, 2)})
        steps = 0
        while True:
            try:
                print(epoch, sess.run(losses + [train])[:-1])
                steps += 1
            except tf.errors.OutOfRangeError:
                break
        print('epoch', epoch, 'steps', steps, sess.run(v).tolist())
