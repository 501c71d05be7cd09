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

#: filewriter_read_back: FileWriter with the graph and summaries; the event file is read back
x = tf.placeholder(tf.float32, [3])
w = tf.Variable(0.5, name='w')
with tf.name_scope('train'):
    loss = tf.reduce_mean((x * w - 1.0) ** 2, name='loss')
tf.summary.scalar('loss', loss)
tf.summary.scalar('weight', w)
tf.summary.histogram('inputs', x)
merged = tf.summary.merge_all()
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
rng = np.random.RandomState(0)
with tf.Session() as sess:
    writer = tf.summary.FileWriter(sys.argv[1], sess.graph)
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {x: rng.rand(3)}
        writer.add_summary(sess.run(merged, feed), i)
        sess.run(train, feed)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='by hand', simple_value=2.5)]), 4)
    writer.close()
graphs = 0
for path in glob.glob(sys.argv[1] + '/events*'):
    for event in tf.train.summary_iterator(path):
        graphs += event.HasField('graph_def')
        for value in event.summary.value:
            number = value.histo.sum if value.HasField('histo') else value.simple_value
            print(event.step, value.tag, '%.9g' % number)
print('graphs', graphs)

#: flags_and_app_run: flags of every kind, their defaults changed by the script, tf.app.run with a main that gets argv
flags = tf.app.flags
flags.DEFINE_string('name', 'model', 'Name.')
flags.DEFINE_integer('steps', 4, 'Steps.')
flags.DEFINE_float('rate', 0.5, 'Rate.')
flags.DEFINE_bool('square', True, 'Square.')
flags.DEFINE_enum('how', 'sgd', ['sgd', 'adam'], 'How.')
flags.DEFINE_list('sizes', '2,3', 'Sizes.')
FLAGS = flags.FLAGS


def main(argv):
    print(len(argv), FLAGS.name, FLAGS.steps, FLAGS.rate, FLAGS.square, FLAGS.how, FLAGS.sizes)
    FLAGS.rate = 0.25
    v = tf.Variable([float(s) for s in FLAGS.sizes])
    loss = tf.reduce_sum(v ** 2 if FLAGS.square else v)
    opt = {'sgd': tf.train.GradientDescentOptimizer, 'adam': tf.train.AdamOptimizer}[FLAGS.how](FLAGS.rate)
    train = opt.minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(FLAGS.steps):
            print(sess.run(loss))
            sess.run(train)
        print(sess.run(v).tolist())


if __name__ == '__main__':
    sys.argv = sys.argv[:1] + ['--name=other', '--how', 'sgd', 'rest']
    tf.app.run(main)

#: import_meta_graph: the graph is imported from its .meta; tensors found by name and in collections
path = os.path.join(sys.argv[1], 'net')
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', [2, 1], initializer=tf.constant_initializer([[1.], [2.]]))
    y = tf.matmul(x, w, name='y')
    loss = tf.reduce_mean((y - 1.0) ** 2, name='loss')
    train = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss, name='train')
    tf.add_to_collection('outputs', y)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(3):
            print(sess.run([loss, train], {x: [[i, 1.]]})[0])
        saver.save(sess, path)
with tf.Graph().as_default() as g:
    saver = tf.train.import_meta_graph(path + '.meta')
    with tf.Session() as sess:
        saver.restore(sess, path)
        print(sess.run('y:0', {'x:0': np.ones([2, 2])}).ravel().tolist())
        print(tf.get_collection('outputs')[0].name, [v.op.name for v in tf.trainable_variables()])
        for i in range(2):
            print(sess.run(['loss:0', g.get_operation_by_name('train')], {'x:0': [[i, 1.]]})[0])
        print(sess.run(tf.global_variables()[0]).ravel().tolist())

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

#: monitored_stop_at_num_steps: StopAtStepHook with num_steps, a checkpoint saver by steps, and the final values from the checkpoint
def run():
    with tf.Graph().as_default():
        gs = tf.train.get_or_create_global_step()
        v = tf.get_variable('v', initializer=5.0)
        loss = tf.abs(v) + 0.1 * v * v
        with tf.control_dependencies([loss]):
            gradient = tf.identity(tf.gradients(loss, v)[0])
        train = tf.train.MomentumOptimizer(0.1, 0.5).apply_gradients([(gradient, v)], global_step=gs)
        hooks = [tf.train.StopAtStepHook(num_steps=3),
                 tf.train.CheckpointSaverHook(sys.argv[1], save_steps=2)]
        with tf.train.MonitoredSession(
                session_creator=tf.train.ChiefSessionCreator(checkpoint_dir=sys.argv[1]), hooks=hooks) as sess:
            while not sess.should_stop():
                value, _ = sess.run([loss, train])
                print('%.9g' % value)
    state = tf.train.get_checkpoint_state(sys.argv[1])
    print(state.model_checkpoint_path.split('-')[-1], len(state.all_model_checkpoint_paths))
    print(tf.train.load_variable(sys.argv[1], 'v'), tf.train.load_variable(sys.argv[1], 'global_step'))


run()
run()

#: own_training_loop_class: a trainer class that owns its graph and session; context manager; saves, loads, predicts
class Regression(object):
    def __init__(self, size, rate=0.1):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, size])
            self.y = tf.placeholder(tf.float32, [None])
            self.w = tf.get_variable('w', [size], initializer=tf.zeros_initializer())
            self.out = tf.reduce_sum(self.x * self.w, 1)
            self.cost = tf.reduce_mean((self.out - self.y) ** 2)
            self.step = tf.train.AdamOptimizer(rate).minimize(self.cost)
            self.saver = tf.train.Saver()
            self._init = tf.global_variables_initializer()

    def __enter__(self):
        self._session = tf.Session(graph=self.graph)
        self._session.run(self._init)
        return self

    def __exit__(self, *ignored):
        self._session.close()

    def partial_fit(self, x, y):
        return self._session.run((self.cost, self.step), {self.x: x, self.y: y})[0]

    def predict(self, x):
        return self._session.run(self.out, feed_dict={self.x: x})

    def save(self, path):
        return self.saver.save(self._session, path)

    def load(self, path):
        self.saver.restore(self._session, path)


rng = np.random.RandomState(0)
path = os.path.join(sys.argv[1], 'reg')
with Regression(3) as model:
    for _ in range(5):
        x = rng.randn(4, 3)
        print('%.9g' % model.partial_fit(x, x.sum(1)))
    model.save(path)
    print(model.predict(np.eye(3)).tolist())
with Regression(3, rate=1.0) as other:
    print(other.predict(np.eye(3)).tolist())
    other.load(path)
    print(other.predict(np.eye(3)).tolist(), '%.9g' % other.partial_fit(np.eye(3), [1, 1, 1]))

#: saver_max_to_keep: max_to_keep, last_checkpoints, the checkpoint file, keep names, restoring an older one in a second session
folder = sys.argv[1]
v = tf.Variable(1.0, name='v')
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        sess.run(train)
        saver.save(sess, folder + '/m', global_step=step)
        print([os.path.basename(p) for p in saver.last_checkpoints], sess.run(v))
    print(sorted(os.path.basename(p) for p in glob.glob(folder + '/m-*.index')))
state = tf.train.get_checkpoint_state(folder)
print([os.path.basename(p) for p in state.all_model_checkpoint_paths], os.path.basename(state.model_checkpoint_path))
with tf.Session() as again:
    saver.restore(again, folder + '/m-4')
    print(again.run([v, step]))
    saver.restore(again, tf.train.latest_checkpoint(folder))
    print(again.run([v, step]))
    again.run(train)
    print(again.run([v, step]), tf.train.checkpoint_exists(folder + '/m-1'))

#: scaffold_everything: scaffold: init_op, init_fn, init_feed_dict, ready_op, local_init_op, saver; read through the session
start = tf.placeholder(tf.float32, [2])
v = tf.Variable(start, name='v')
local = tf.Variable([0, 0], name='local', collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
gs = tf.train.get_or_create_global_step()
loss = tf.reduce_sum(tf.exp(v))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, gs)
double = tf.assign(v, v * 2)


def init_fn(scaffold, session):
    print('init_fn', session.run(v).tolist())
    session.run(double)


scaffold = tf.train.Scaffold(
    init_op=tf.global_variables_initializer(),
    init_feed_dict={start: np.array([0.25, -0.5])},
    init_fn=init_fn,
    local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()),
    ready_op=tf.report_uninitialized_variables(),
    saver=tf.train.Saver([v, gs], max_to_keep=1))
with tf.train.MonitoredTrainingSession(
        scaffold=scaffold, checkpoint_dir=sys.argv[1], save_checkpoint_secs=None, save_checkpoint_steps=2,
        save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=4)]) as sess:
    print(sess.run(v).tolist(), sess.run(local).tolist())
    while not sess.should_stop():
        print(sess.run([loss, train])[0])
print(scaffold.saver is not None, tf.train.latest_checkpoint(sys.argv[1]).split('-')[-1])
print(tf.train.load_variable(sys.argv[1], 'v').tolist())

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

#: supervisor_resumes: managed_session twice over one folder: the second goes on where the first was saved; init_fn only the first time
def run(steps):
    with tf.Graph().as_default():
        v = tf.get_variable('v', initializer=tf.constant([3.0, -1.0]))
        gs = tf.train.get_or_create_global_step()
        loss = tf.reduce_sum(v ** 2)
        train = tf.train.AdamOptimizer(0.2).minimize(loss, gs)

        start = v.assign([2.0, 2.0])

        def init_fn(sess):
            print('init_fn')
            sess.run(start)

        sv = tf.train.Supervisor(logdir=sys.argv[1], init_fn=init_fn, summary_op=None, save_model_secs=0)
        with sv.managed_session() as sess:
            for _ in range(steps):
                if sv.should_stop():
                    break
                print(sess.run(loss), end=' ')
                sess.run(train)
                print(sess.run(gs))
            sv.saver.save(sess, os.path.join(sys.argv[1], 'model.ckpt'), global_step=gs)
            print(sess.run(v).tolist())


run(3)
run(3)
print(os.path.basename(tf.train.latest_checkpoint(sys.argv[1])))

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
