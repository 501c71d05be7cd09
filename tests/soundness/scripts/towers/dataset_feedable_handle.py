# A feedable iterator: a training and a validation handle into the same towers.
import numpy as np
import tensorflow as tf

train_x = np.random.RandomState(1).rand(12, 2).astype('f')
valid_x = np.random.RandomState(2).rand(4, 2).astype('f') + 1
train_set = tf.data.Dataset.from_tensor_slices(train_x).repeat().batch(4)
valid_set = tf.data.Dataset.from_tensor_slices(valid_x).batch(4)
handle = tf.placeholder(tf.string, shape=[])
iterator = tf.data.Iterator.from_string_handle(
    handle, tf.data.get_output_types(train_set), tf.data.get_output_shapes(train_set))
batch = iterator.get_next()
train_it = tf.data.make_one_shot_iterator(train_set)
valid_it = tf.data.make_initializable_iterator(valid_set)

centre = tf.get_variable('centre', [2], initializer=tf.zeros_initializer())
opt = tf.train.AdadeltaOptimizer(1.0)
losses, gs = [], []
parts = tf.split(batch, 2)
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_sum((parts[i] - centre) ** 2))
        gs.append(opt.compute_gradients(losses[i]))
loss = tf.reduce_mean(losses)
train = opt.apply_gradients([((a[0] + b[0]) / 2, a[1]) for a, b in zip(gs[0], gs[1])])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    train_handle, valid_handle = sess.run([train_it.string_handle(), valid_it.string_handle()])
    for n in range(6):
        value, _ = sess.run([loss, train], feed_dict={handle: train_handle})
        print('train %.9g' % value)
        if n % 3 == 2:
            sess.run(valid_it.initializer)
            print('valid %.9g' % sess.run(loss, {handle: valid_handle}), sess.run(centre).tolist())
    print([(v.op.name, sess.run(v).tolist()) for v in tf.global_variables()])
