import glob
import os
import sys

import numpy as np
import tensorflow as tf

#: checkpoint_of_everything_types: checkpoints of int, bool, string and float variables; NewCheckpointReader; saved without the step
path = os.path.join(sys.argv[1], 'all')
i = tf.Variable(np.arange(3), name='i')
b = tf.Variable([True, False], name='b')
s = tf.Variable(['x', 'yz'], name='s')
d = tf.Variable(np.float64(0.25), name='d')
u = tf.Variable(np.uint8([1, 255]), name='u')
change = tf.group(i.assign_add([1, 1, 1]), b.assign([False, False]), s.assign(['q', 'r']), d.assign_sub(1.0))
saver = tf.train.Saver(save_relative_paths=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(os.path.basename(saver.save(sess, path)))
    sess.run(change)
    print([np.asarray(v).tolist() for v in sess.run([i, b, s, d, u])])
    saver.restore(sess, path)
    print([np.asarray(v).tolist() for v in sess.run([i, b, s, d, u])])
reader = tf.train.NewCheckpointReader(path)
print(sorted((k, str(v)) for k, v in reader.get_variable_to_dtype_map().items()) != [])
print(reader.has_tensor('i'), reader.has_tensor('none'), reader.get_tensor('i').tolist(), reader.get_tensor('d'))
print(tf.train.latest_checkpoint(sys.argv[1]) == path, sorted(reader.get_variable_to_shape_map().items()))

#: evaluation_of_checkpoints: checkpoints evaluated by slim's and contrib.training's loops: metrics, final operations, summaries, hooks, timeouts
import tensorflow.contrib.slim as slim

folder = os.path.join(sys.argv[1], 'checkpoints')


def model():
    x = tf.data.Dataset.from_tensor_slices(np.arange(24, dtype=np.float32).reshape(12, 2) / 10).batch(3).make_one_shot_iterator().get_next()
    w = slim.model_variable('w', [2], initializer=tf.constant_initializer([.3, -.1]))
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1))
    return x, w, step, loss


with tf.Graph().as_default():
    x, w, step, loss = model()
    train = tf.train.GradientDescentOptimizer(.1).minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=2, save_summaries_steps=None) as s:
        while not s.should_stop():
            s.run(train)
with tf.Graph().as_default():
    x, w, step, loss = model()
    names, updates = tf.contrib.metrics.aggregate_metric_map({'loss': tf.metrics.mean(loss), 'w': tf.metrics.mean(w[0])})
    for n, v in names.items():
        slim.summaries.add_scalar_summary(v, n, prefix='eval')
    print(slim.evaluation.evaluate_once('', tf.train.latest_checkpoint(folder), os.path.join(folder, 'ev1'), num_evals=3, eval_op=list(updates.values()), final_op=names))
with tf.Graph().as_default():
    x, w, step, loss = model()
    m, up = tf.metrics.mean(loss)
    print(slim.summaries.add_zero_fraction_summary(x).name, slim.summaries.add_scalar_summary(m).name)
    print(slim.evaluation.evaluation_loop('', folder, os.path.join(folder, 'ev2'), num_evals=2, eval_op=up, final_op=[m, step], variables_to_restore=slim.get_variables_to_restore(), eval_interval_secs=0, timeout=0.5))
with tf.Graph().as_default():
    x, w, step, loss = model()
    m, up = tf.metrics.mean(loss)
    hooks = [tf.contrib.training.SummaryAtEndHook(os.path.join(folder, 'ev3'), summary_op=tf.summary.scalar('m', m)), tf.contrib.training.StopAfterNEvalsHook(4)]
    print(tf.contrib.training.evaluate_repeatedly(folder, eval_ops={'up': up}, final_ops={'m': m}, hooks=hooks, max_number_of_evaluations=1), len(hooks))
    print([v.name for v in tf.local_variables()])
with tf.Graph().as_default():
    x, w, step, loss = model()
    print(tf.contrib.training.evaluate_once(tf.train.latest_checkpoint(folder), final_ops=w, hooks=[tf.contrib.training.StopAfterNEvalsHook(None)], eval_ops=loss))
for p in tf.contrib.training.checkpoints_iterator(folder, timeout=0.5):
    print(os.path.basename(p))
print(tf.contrib.training.wait_for_new_checkpoint(folder, p, timeout=0.5))

#: monitored_catches_and_recovers: a MonitoredSession's own errors: an exception in the body closes it, OutOfRange ends it quietly, the values are kept
gs = tf.train.get_or_create_global_step()
v = tf.Variable(1.0, name='v')
limit = tf.Variable(0, trainable=False, name='limit')
tick = limit.count_up_to(3)
with tf.control_dependencies([tick]):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v - 3.0), gs)


class Ends(tf.train.SessionRunHook):
    def end(self, session):
        print('end', session.run([gs, v]))


def session():
    return tf.train.MonitoredTrainingSession(
        checkpoint_dir=sys.argv[1], hooks=[Ends()], save_checkpoint_secs=None, save_checkpoint_steps=1,
        save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None)


try:
    with session() as sess:
        sess.run(train)
        raise KeyError('out of the body')
except KeyError as e:
    print('KeyError', e)
with session() as sess:
    print('again', sess.run([gs, v]), sess.should_stop())
    while not sess.should_stop():
        sess.run(train)
print(tf.train.load_variable(sys.argv[1], 'limit'), tf.train.load_variable(sys.argv[1], 'global_step'))

#: monitored_feed_and_summary_hooks: SummarySaverHook and StepCounterHook with an event file that is read back; feed hook; last step by hook
x = tf.placeholder(tf.float32, [2], name='x')
w = tf.Variable([0.5, 0.5])
gs = tf.train.get_or_create_global_step()
loss = tf.reduce_sum((x - w) ** 2)
tf.summary.scalar('loss', loss)
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss, gs)


class Feed(tf.train.SessionRunHook):
    def __init__(self):
        self.rng = np.random.RandomState(0)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(fetches=[], feed_dict={x: self.rng.rand(2)})


hooks = [Feed(), tf.train.StopAtStepHook(last_step=5),
         tf.train.SummarySaverHook(save_steps=2, output_dir=sys.argv[1], summary_op=tf.summary.merge_all())]
with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
    while not sess.should_stop():
        print('%.9g' % sess.run([loss, train])[0])
tf.summary.FileWriterCache.clear()
for path in glob.glob(sys.argv[1] + '/events*'):
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            print(event.step, value.tag, '%.9g' % value.simple_value)

#: session_creators_and_managers: SessionManager used by hand: prepare_session with an init_op, recover_session from a checkpoint, wait is not needed
v = tf.Variable(3.0, name='v')
w = tf.Variable(v.initialized_value() + 1.0, name='w')
up = tf.group(v.assign_add(1.0), w.assign_sub(0.5))
init = tf.global_variables_initializer()
saver = tf.train.Saver()
manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
sess = manager.prepare_session('', init_op=init, saver=saver, checkpoint_dir=sys.argv[1])
for _ in range(3):
    sess.run(up)
print(sess.run([v, w]))
saver.save(sess, os.path.join(sys.argv[1], 'm'), global_step=3)
sess.close()
sess, restored = manager.recover_session('', saver=saver, checkpoint_dir=sys.argv[1])
print(restored, sess.run([v, w]))
sess.close()
sess = manager.prepare_session('', init_op=init, saver=saver, checkpoint_dir=sys.argv[1], init_feed_dict=None)
sess.run(up)
print(sess.run([v, w]))
sess.close()
try:
    manager.prepare_session('', init_op=None)
except RuntimeError as e:
    print('RuntimeError')
with tf.Session() as plain:
    print([n.decode() for n in plain.run(tf.report_uninitialized_variables())])

#: supervisor_prepare_or_wait: supervisor with its own init_op, prepare_or_wait_for_session, loop, stop
tf.set_random_seed(6)
x = tf.placeholder(tf.float32, [3, 2])
w = tf.Variable(tf.random_normal([2]))
global_step = tf.Variable(0, name='global_step', trainable=False)
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
init_op = tf.global_variables_initializer()
sv = tf.train.Supervisor(is_chief=True, logdir=sys.argv[1], init_op=init_op, recovery_wait_secs=1,
                         global_step=global_step, summary_op=None, save_model_secs=0)
sess = sv.prepare_or_wait_for_session('')
rng = np.random.RandomState(0)
step = 0
while not sv.should_stop() and step < 5:
    _, value = sess.run([train, loss], {x: rng.randn(3, 2)})
    step = sess.run(global_step)
    print(step, '%.9g' % value)
print(sess.run(w).tolist(), sv.is_chief, sv.should_stop())
sv.stop()
print(sv.should_stop())

#: truth_of_variables: variables asked for their truth, as `if global_step:` does, and as TensorFlow's own input functions do
def train_op(loss, global_step=None):
    """Counts steps where it is given something to count with."""
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    if global_step:
        return optimizer.minimize(loss, global_step=global_step)
    return optimizer.minimize(loss)


os.makedirs("parts", exist_ok=True)
for part in range(3):
    with open("parts/part-%d.txt" % part, "w") as lines:
        lines.write("".join("%d.%d\n" % (part, line) for line in range(2)))

step = tf.Variable(0, trainable=False, name="global_step")
w = tf.get_variable("w", initializer=[3.0, 4.0])
loss = tf.reduce_sum(tf.square(w))
train = train_op(loss, step)
found = tf.train.match_filenames_once("parts/part-*.txt")
names = tf.train.string_input_producer(found, num_epochs=1, shuffle=False)
_, line = tf.TextLineReader().read(names)
print(bool(step), bool(w), not w, [v.op.name for v in (w, step, None) if v], (w or step) is w)

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coordinator)
    try:
        while not coordinator.should_stop():
            print(sess.run([line, loss]), sess.run([train, step])[1])
    except tf.errors.OutOfRangeError:
        print("the end")
    coordinator.request_stop()
    coordinator.join(threads)
    print(sess.run([w, step]))
