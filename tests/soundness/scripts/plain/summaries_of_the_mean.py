# Summaries of the mean loss, of the averaged gradients and of a batch as a picture, merged and written.
import os
import sys

import numpy as np
import tensorflow as tf


def show(folder):
    for name in sorted(os.listdir(folder)):
        for event in tf.train.summary_iterator(os.path.join(folder, name)):
            for entry in event.summary.value:
                picture = entry.image
                print(event.step, entry.tag, '%.9g' % entry.simple_value, picture.height, sum(picture.encoded_image_string))


folder = sys.argv[1]
x = tf.placeholder(tf.float32, [4, 3])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
losses = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
                loss = tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:(i + 1) * 2] * w, 1) - 1.0))
                tf.get_variable_scope().reuse_variables()
                losses.append(loss)
                tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
summaries = [tf.summary.scalar('mean_loss', tf.reduce_mean(tf.stack(losses)))]
for grad, var in grads:
    summaries.append(tf.summary.histogram(var.op.name + '/gradients', grad))
summaries.append(tf.summary.image('batch', tf.reshape(x, [1, 4, 3, 1])))
train_op = opt.apply_gradients(grads)
summary_op = tf.summary.merge(summaries)
rng = np.random.RandomState(11)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.global_variables_initializer())
writer = tf.summary.FileWriter(folder)
for step in range(4):
    feed = {x: rng.randn(4, 3)}
    _, value = sess.run([train_op, loss], feed)
    text = sess.run(summary_op, feed)
    writer.add_summary(text, step)
    print('%.9g' % value)
writer.close()
show(folder)
