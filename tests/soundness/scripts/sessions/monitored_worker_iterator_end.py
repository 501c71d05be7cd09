# A MonitoredTrainingSession that ends because its iterator does.
import numpy as np
import tensorflow as tf

data = np.arange(10, dtype=np.float32).reshape(5, 2)
it = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(data).repeat(2).batch(3))
batch = it.get_next()
w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
gs = tf.train.get_or_create_global_step()
loss = tf.reduce_mean(tf.square(batch - w))
train = tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.01).minimize(loss, gs)
final = []


class Last(tf.train.SessionRunHook):
    def end(self, session):
        final.append(session.run([gs, w]))


with tf.train.MonitoredTrainingSession(hooks=[Last()]) as sess:
    while not sess.should_stop():
        print('%.9g' % sess.run([loss, train])[0])
print('over', final[0][0], final[0][1].tolist())
