# One training of two towers, run in every way: savers, summaries, metrics, slots, supervisors, names.
import glob
import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
config = tf.ConfigProto(allow_soft_placement=True)
rng = np.random.RandomState(0)
x = tf.placeholder(tf.float32, [4, 2], name='x')
step = tf.train.get_or_create_global_step()
opt = tf.train.AdamOptimizer(0.1)
grads, losses = [], []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.5, -1.0]))
            losses.append(tf.reduce_mean(tf.cosh(x[i * 2:i * 2 + 2] * w), name='loss'))
            tf.summary.scalar('loss', losses[i])
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            tf.get_variable_scope().reuse_variables()
            grads.append(opt.compute_gradients(losses[i]))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
train = opt.apply_gradients(mean, step)

#: metrics_of_towers: tf.metrics over an evaluation, local variables of a scope set back between two of them
with tf.variable_scope('metrics', reuse=False):
    mean_loss, update_loss = tf.metrics.mean(tf.stack(losses))
reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope='metrics'))
print([v.op.name for v in tf.local_variables()])
with tf.Session(config=config) as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for epoch in range(2):
        sess.run(train, {x: rng.randn(4, 2)})
        sess.run(reset)
        for _ in range(2):
            print('so far', sess.run(update_loss, {x: rng.randn(4, 2)}))
        print('epoch', epoch, sess.run(mean_loss), sess.run(tf.local_variables()))

#: optimizer_state_read_and_set: slots read on the towers' devices, set to zero in between, and listed
sums = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        sums.append(tf.reduce_sum(opt.get_slot(w, 'm')) + tf.reduce_sum(opt.get_slot(w, 'v')) * 100.0)
reset = tf.variables_initializer(opt.variables())
print(opt.get_slot_names(), [v.op.name for v in opt.variables()])
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(5):
        sess.run(train, {x: rng.randn(4, 2)})
        print(n, sess.run(sums), sess.run(w).tolist())
        if n == 2:
            sess.run(reset)
            print('reset', sess.run(sums), [sess.run(v).tolist() for v in opt.variables()])

#: resumed_from_the_latest: from the latest checkpoint of a relative folder, whose number says where, or from none yet
saver = tf.train.Saver(max_to_keep=2)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    print('begun', tf.train.latest_checkpoint('logs'))
    for n in range(5):
        print(sess.run([losses, train], {x: rng.randn(4, 2)})[1:], sess.run(w))
        if n % 2 == 0:
            saver.save(sess, os.path.join('logs', 'model'), global_step=n)
    state = tf.train.get_checkpoint_state('logs')
    if state and state.model_checkpoint_path:
        saver.restore(sess, state.model_checkpoint_path)
        print('back to', state.model_checkpoint_path.split('-')[-1], list(state.all_model_checkpoint_paths))
    saver.restore(sess, tf.train.latest_checkpoint('logs'))
    print(sess.run(step), sess.run(w))

#: run_by_names: fetches and feeds by the names that the towers' scopes give
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        out = sess.run({'a': 'tower_0/loss:0', 'b': 'tower_1/loss:0', 't': train.name}, {'x:0': rng.randn(4, 2)})
        print('%.9g %.9g' % (out['a'], out['b']), out['t'], sess.run('w:0'))

#: summaries_with_variables_names: summaries under the variables' own names, which TF1 numbers on, and of the gradients
tf.summary.scalar('w', tf.reduce_sum(w))
for grad, var in mean:
    tf.summary.histogram(var.op.name, grad)
    tf.summary.histogram(var.op.name + '/gradients', grad)
merged = tf.summary.merge_all()
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    text = sess.run(merged, {x: rng.randn(4, 2)})
    print(len(text), [name in text for name in (b'w_1', b'w_2', b'w_3', b'w/gradients', b'w_1/gradients', b'tower_1/loss')])
    print(sess.run([losses, train], {x: rng.randn(4, 2)})[1:], sess.run(w))

#: summaries_written: summaries of the mean loss, of gradients and of a picture, written and read back
several = [tf.summary.scalar('mean_loss', tf.reduce_mean(tf.stack(losses))), tf.summary.image('batch', tf.reshape(x, [1, 4, 2, 1]))]
several += [tf.summary.histogram(v.op.name + '/gradients', g) for g, v in mean] + summaries
summary_op = tf.summary.merge(several)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    with tf.summary.FileWriter(folder, sess.graph) as writer:
        for n in range(4):
            feed = {x: rng.randn(4, 2)}
            if n % 2 == 0:
                writer.add_summary(sess.run(summary_op, feed), global_step=n)
            sess.run(train, feed)
            print(sess.run(step), sess.run(w).tolist())
for event in tf.train.summary_iterator(glob.glob(folder + '/events*')[0]):
    for v in event.summary.value:
        print(event.step, v.tag, '%.9g' % (v.histo.sum if v.HasField('histo') else v.simple_value), sum(v.image.encoded_image_string))

#: supervisor_managed: a Supervisor's managed_session; saved by its saver, read back
sv = tf.train.Supervisor(logdir=folder, global_step=step, summary_op=None, save_model_secs=0)
with sv.managed_session(config=config) as sess:
    while not sv.should_stop():
        sess.run(train, {x: rng.randn(4, 2)})
        n = sess.run(step)
        print(n, sess.run(w))
        if n >= 4:
            sv.saver.save(sess, sv.save_path, global_step=n)
            sv.request_stop()
print(tf.train.latest_checkpoint(folder).split('-')[-1])
reader = tf.train.load_checkpoint(folder)
print(sorted(reader.get_variable_to_shape_map()), reader.get_tensor('w'))
