import os
import sys
import time

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

#: async_adam_plain_session: a plain session on a server's target: Adam, its slots, what is on the parameter server
# tasks: 1 ps, 1 worker
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None])
    w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(seed=3))
    b = tf.get_variable('b', [4], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.xw_plus_b(x, w, b))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(hidden, 1) - y))
    step = tf.train.get_or_create_global_step()
    opt = tf.train.AdamOptimizer(0.05)
    train = opt.minimize(loss, global_step=step)

print([(v.name, v.device) for v in tf.global_variables()])
rng = np.random.RandomState(0)
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        value, _ = sess.run([loss, train], {x: rng.randn(6, 3), y: rng.randn(6)})
        print('%.9g' % value, sess.run(step))
    print(sess.run(w).tolist(), sess.run(opt.get_slot(w, 'm')).tolist(), sess.run(opt.get_slot(b, 'v')).tolist())

#: averages_of_shared_variables: moving averages, a schedule and clipped gradients on the parameter server; saved under the averages' names
# tasks: 1 ps, 1 worker
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable('w', [2, 2], initializer=tf.orthogonal_initializer(seed=6),
                        regularizer=lambda v: 0.01 * tf.nn.l2_loss(v))
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.)) + tf.losses.get_regularization_loss()
    rate = tf.train.polynomial_decay(0.5, step, 6, 0.1, power=2.0)
    opt = tf.train.GradientDescentOptimizer(rate)
    pairs = opt.compute_gradients(loss)
    clipped, norm = tf.clip_by_global_norm([g for g, _ in pairs], 0.7)
    apply_op = opt.apply_gradients(zip(clipped, [v for _, v in pairs]), global_step=step)
    ema = tf.train.ExponentialMovingAverage(0.9, step)
    keep = ema.apply(tf.trainable_variables())
    saver = tf.train.Saver(ema.variables_to_restore())
rng = np.random.RandomState(2)
with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(3, 2)}
        print(['%.9g' % v for v in sess.run([loss, norm, rate], feed)])
        sess.run(apply_op, feed)
        sess.run(keep)
        print(sess.run(ema.average(w)).tolist())
    path = saver.save(sess, os.path.join(folder, 'averages'))
    print(tf.train.list_variables(path), ema.average(w).device)
    saver.restore(sess, path)
    print(sess.run(w).tolist())

#: checkpoint_of_tf115: a checkpoint that TensorFlow 1.15 wrote, with Adam's slots, restored onto two parameter servers; training goes on
# tasks: 2 ps, 1 worker
import base64
import zlib




# three steps of the model below, in one process of TensorFlow 1.15.5
INDEX = (
    'eNpjYGDjYJRi4mBkYBRO5GAU4hBi4mACYQ0B0zWS+2sYWUX1HVMSc5GlFASAkmYb+SrYmETjDVFkFIAyQafDmRkYBZOAEixgQQMNDtPk'
    '1f37GFkFYWZBJCxAEkY3q9iYBMHmQEQdgKIFK6uXMnLxppYkGsYX5JenFgFlGRQ8NFhM5/pGGLGw8xohCfsAhTf6yhxh4OZNz8lPSsyJ'
    'Ly5JLeDgBEoFAM3aMNOTjwEIGEHE1IQVrnDOgU8LNzAwMmcwvGeEi9nWK7B8YeRoZOJnIAjCfzd0q5S63wYAb7Q3Fg==')
DATA = (
    'eNq7GRJvd+POcZvD103tF5q9tmvact7WqVVyT9+DCLvJTvx2NUVsVovubjLrL+CxznIstqoLM7O3kTezD/vebOd677LtwUfB1kccOa20'
    'vqnbO/6qs2dmgAAA7kQjGw==')
path = os.path.join(folder, 'model')
for end, text in (('index', INDEX), ('data-00000-of-00001', DATA)):
    with open(path + '.' + end, 'wb') as file:
        file.write(zlib.decompress(base64.b64decode(text)))

with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    a = tf.get_variable('a', [2, 2], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [None, 2])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.matmul(x, a) * b))
    opt = tf.train.AdamOptimizer(0.1)
    train = opt.minimize(loss, global_step=step)
    saver = tf.train.Saver()
slots = [opt.get_slot(v, name) for v in (a, b) for name in ('m', 'v')]
print(sorted({v.device for v in tf.global_variables()}))
rng = np.random.RandomState(3)
for _ in range(3):
    rng.randn(4, 2)
with tf.Session(server.target) as sess:
    saver.restore(sess, path)
    print(sess.run(step), len(sess.run(tf.report_uninitialized_variables())))
    for value in sess.run([a, b] + slots):
        print(' '.join('%.9g' % number for number in value.ravel()))
    losses = [sess.run([loss, train], {x: rng.randn(4, 2)})[0] for _ in range(3)]
    print(['%.5g' % loss for loss in losses])
    # as TensorFlow 1.15 went on
    print(np.allclose(losses, [0.25960511, 0.216891587, 0.050374046], rtol=1e-5))
    print(np.allclose(sess.run(slots[1]), [[0.00065853080, 4.1837142e-05], [0.0026105850, 0.0010738332]], rtol=1e-5))
    saver.save(sess, path, global_step=step)
    print([name for name, _ in tf.train.list_variables(path + '-6')])

#: close_ends_waiting_runs: closing a session ends the runs that wait for a parameter server's queue, and what they waited for goes to the next one
# tasks: 1 ps, 1 worker
import threading




with tf.device('/job:ps/task:0'):
    queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], shared_name='queue')
    taken = queue.dequeue()
    value = tf.placeholder(tf.float32, [])
    put = queue.enqueue(value)
    size = queue.size()
said = []


def waiting(sess, op, feed):
    def run():
        try:
            said.append(sess.run(op, feed))
        except tf.errors.OpError as error:
            said.append(type(error).__name__)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    time.sleep(0.8)
    return thread


sess = tf.Session(server.target)
sess.run(put, {value: 0})
print(sess.run(size), sess.run(taken))
thread = waiting(sess, taken, {})
print(sess.run(size), said)
sess.close()
thread.join(10)
print(thread.is_alive(), said)
sess = tf.Session(server.target)
for number in (1, 2):
    sess.run(put, {value: number})
    print(sess.run(size))
thread = waiting(sess, put, {value: 3})
sess.close()
thread.join(10)
print(thread.is_alive(), said)
with tf.Session(server.target) as sess:
    print(sess.run(taken), sess.run(taken), sess.run(size))

#: iterators_of_each_session: each session of a worker has iterators of its own, also two at once, and begins one-shot ones; one with a shared name is all sessions', as a variable on the worker is
# tasks: 1 ps, 1 worker
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    numbers = tf.data.Dataset.range(6)
    total = tf.get_variable('total', [], tf.int64, initializer=tf.zeros_initializer())
    once = numbers.make_one_shot_iterator().get_next()
    begun = numbers.make_initializable_iterator()
    shared = numbers.make_initializable_iterator(shared_name='everybodys')
    again = begun.get_next()
    common = shared.get_next()
    add = tf.assign_add(total, once)
with tf.device('/job:worker/task:%d' % task):
    local = tf.get_variable('local', [], initializer=tf.ones_initializer())


def show(sess, *fetches):
    for fetch in fetches:
        try:
            print(sess.run(fetch), end=' ')
        except tf.errors.OpError as error:
            print(type(error).__name__, end=' ')
    print()


for number in range(3):
    with tf.Session(server.target) as sess:
        if number == 0:
            sess.run([total.initializer, local.initializer, shared.initializer])
        if number < 2:
            sess.run(begun.initializer)
        show(sess, once, add, once, again, again, tf.assign_add(local, 1.0), total)
one, two = tf.Session(server.target), tf.Session(server.target)
one.run([begun.initializer, shared.initializer])
show(one, once, again, common)
show(two, once, again, common)
two.run(begun.initializer)
show(one, once, again, common)
show(two, once, again, common)

#: local_copies_downpour: local variables that are trained, and sent to the parameter server every other step; two workers in turn
# tasks: 1 ps, 2 worker
worker = '/job:worker/task:%d' % task
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=worker)):
    shared = tf.get_variable('shared', [2], initializer=tf.constant_initializer([0.5, -0.5]))
    turn = tf.get_variable('turn', [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
with tf.device(worker):
    own = tf.get_variable('own', [2], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES])
    seen = tf.Variable(0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='seen')
    x = tf.placeholder(tf.float32, [3, 2])
    loss = tf.reduce_sum(tf.square(x * own - 1.0))
    grad = tf.gradients(loss, own)[0]
    pull = tf.assign(own, shared)
    with tf.control_dependencies([tf.assign_add(seen, 1)]):
        train = tf.assign_sub(own, 0.05 * grad)
    push = tf.assign_add(shared, 0.5 * (own - shared))
    pass_on = tf.assign_add(turn, 1)

print(own.device, shared.device, [v.name for v in tf.local_variables()], [v.name for v in tf.global_variables()])
rng = np.random.RandomState(task)
with tf.Session(server.target) as sess:
    if task == 0:
        sess.run(tf.global_variables_initializer())
    else:
        while len(sess.run(tf.report_uninitialized_variables(tf.global_variables()))):
            time.sleep(0.1)
    sess.run(tf.local_variables_initializer())
    for round_ in range(3):
        while sess.run(turn) != 2 * round_ + task:
            time.sleep(0.01)
        sess.run(pull)
        for _ in range(2):
            value, _ = sess.run([loss, train], {x: rng.randn(3, 2)})
            print('%.9g' % value, sess.run(own).tolist())
        print(sess.run(push).tolist(), sess.run(seen))
        sess.run(pass_on)
    while sess.run(turn) < 6:
        time.sleep(0.01)
    print(sess.run(shared).tolist(), sess.run(own).tolist())

#: monitored_hooks: one worker, MonitoredTrainingSession: the checkpoint, stop and log hooks, and one of its own
# tasks: 1 ps, 1 worker
class Watch(tf.train.SessionRunHook):
    def __init__(self, fetches):
        self.fetches, self.seen = fetches, []

    def after_create_session(self, session, coord):
        print('created', [session.run(self.fetches['w']).sum()])

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.fetches, feed_dict={scale: 2.0})

    def after_run(self, run_context, run_values):
        self.seen.append('%.9g' % run_values.results['loss'])

    def end(self, session):
        print('end', session.run(self.fetches['w']).tolist())


with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    scale = tf.placeholder_with_default(1.0, [], name='scale')
    step = tf.train.get_or_create_global_step()
    data = tf.data.Dataset.from_tensor_slices(np.arange(24, dtype=np.float32).reshape(12, 2) / 10).repeat().batch(3)
    batch = tf.compat.v1.data.make_one_shot_iterator(data).get_next()
    w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.3, -.1]))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(batch * w, 1) * scale - 1))
    train = tf.train.RMSPropOptimizer(0.01).minimize(loss, global_step=step)
watch = Watch({'loss': loss, 'w': w})
hooks = [tf.train.StopAtStepHook(num_steps=6), watch]
with tf.train.MonitoredTrainingSession(server.target, is_chief=True, checkpoint_dir=folder, hooks=hooks,
                                       save_checkpoint_steps=2, save_summaries_steps=None, log_step_count_steps=None) as sess:
    while not sess.should_stop():
        sess.run(train)
print(watch.seen)
print([n for n, _ in tf.train.list_variables(tf.train.latest_checkpoint(folder))],
      os.path.basename(tf.train.latest_checkpoint(folder)))

#: partitioned_and_sparse: embeddings on two parameter servers by hand, a partitioned variable, sparse updates with momentum, gathers, scatter updates
# tasks: 2 ps, 1 worker
parts = []
for n in range(2):
    with tf.device('/job:ps/task:%d' % n):
        parts.append(tf.get_variable('part%d' % n, [4, 2], initializer=tf.random_uniform_initializer(-1, 1, seed=n)))
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    with tf.variable_scope('net', partitioner=tf.fixed_size_partitioner(2)):
        net = tf.get_variable('weights', [4, 2], initializer=tf.truncated_normal_initializer(seed=1))
with tf.device('/job:worker/task:0'):
    ids = tf.placeholder(tf.int64, [None])
    rows = tf.nn.embedding_lookup(parts, ids)
    loss = tf.reduce_sum(tf.square(rows - 0.25)) + tf.reduce_sum(tf.matmul(rows, tf.convert_to_tensor(net), transpose_b=True))
    train = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss)
    lazy = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.device('/job:ps/task:1'):
    reset = tf.scatter_update(parts[1], [0, 2], [[9., 9.], [8., 8.]])
rng = np.random.RandomState(6)
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for op in (train, lazy, train):
        feed = {ids: rng.randint(8, size=5)}
        print('%.9g' % sess.run(loss, feed))
        sess.run(op, feed)
        print([p.tolist() for p in sess.run(parts + list(net))])
    sess.run(reset)
    print(sess.run(rows, {ids: [1, 5, 1]}).tolist())

#: queue_and_accumulator_between_workers: one worker fills a queue and an accumulator on the parameter server, the other empties them
# tasks: 1 ps, 2 worker
with tf.device('/job:ps/task:0'):
    queue = tf.FIFOQueue(4, [tf.float32, tf.int64], shapes=[[2], []], shared_name='items')
    words = tf.PaddingFIFOQueue(10, [tf.string], [[None]], shared_name='words')
    acc = tf.ConditionalAccumulator(tf.float32, [2], shared_name='acc')
    w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
    back = tf.FIFOQueue(1, tf.float32, shapes=[[2]], shared_name='back')
value, number = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
text = tf.placeholder(tf.string, [None])
put, say = queue.enqueue([value, number]), words.enqueue(text)
give = acc.apply_grad(value, local_step=number)
take, hear, mean = queue.dequeue(), words.dequeue_many(2), acc.take_grad(3)
update = tf.assign_sub(w, 0.1 * mean)
answer, hear_back = back.enqueue(w), back.dequeue()
with tf.Session(server.target) as sess:
    if task == 0:
        for n in range(6):
            sess.run(put, {value: [n, n * 0.5], number: n})
        for line in (['a', 'b', 'c'], ['d']):
            sess.run(say, {text: line})
        for n in range(3):
            sess.run(give, {value: [n + 1.0, -n], number: n})
        print(sess.run(hear_back).tolist())
        sess.run(queue.close())
    else:
        sess.run(tf.global_variables_initializer())
        for _ in range(6):
            print([value.tolist() for value in sess.run(take)])
        print(sess.run(hear).tolist())
        print(sess.run(update).tolist(), sess.run(acc.num_accumulated()))
        sess.run(answer)
        try:
            sess.run(take)
        except tf.errors.OutOfRangeError as e:
            print('OutOfRange', 'closed' in str(e))

#: round_robin_two_ps: variables of two parameter servers in turn, set in two ways; slots beside their variables
# tasks: 2 ps, 1 worker
def build():
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    out = x
    for n, size in enumerate([5, 3, 1]):
        with tf.variable_scope('layer%d' % n):
            w = tf.get_variable('w', [out.shape[1].value, size], initializer=tf.glorot_normal_initializer(seed=n))
            b = tf.get_variable('b', [size], initializer=tf.constant_initializer(0.1))
            out = tf.tanh(tf.matmul(out, w) + b)
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(out))
    return x, loss, tf.train.MomentumOptimizer(0.2, 0.8).minimize(loss, global_step=step)


rng = np.random.RandomState(4)
for kind in ('turns', 'merged'):
    with tf.Graph().as_default():
        setter = tf.train.replica_device_setter(ps_tasks=2, worker_device='/job:worker/task:%d/cpu:0' % task,
                                                merge_devices=kind == 'merged')
        with tf.device(setter), tf.variable_scope(kind):
            x, loss, train = build()
        print([(v.name, v.device) for v in tf.global_variables()])
        with tf.Session(server.target) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                print('%.9g' % sess.run([loss, train], {x: rng.randn(3, 4)})[0])
            print([float(np.abs(v).sum()) for v in sess.run(tf.global_variables())])

#: supervisor_resumes: a Supervisor's training, and a second one that goes on from its checkpoint in another graph
# tasks: 1 ps, 1 worker
rng = np.random.RandomState(8)
for attempt in range(2):
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(cluster=cluster)), tf.variable_scope('attempt'):
            x = tf.placeholder(tf.float32, [5])
            step = tf.Variable(0, name='global_step', trainable=False)
            w = tf.Variable([0.1, 0.2, 0.3, 0.4, 0.5], name='w')
            loss = tf.reduce_sum(tf.square(w * x - 1))
            train = tf.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01).minimize(loss, global_step=step)
            tf.summary.scalar('loss', loss)
            forget = tf.assign(w, tf.zeros([5]))
        sv = tf.train.Supervisor(logdir=folder, global_step=step, summary_op=None, save_model_secs=0)
        with sv.managed_session(server.target) as sess:
            print('at', sess.run(step), sess.run(w).tolist())
            while not sv.should_stop() and sess.run(step) < 3 * (attempt + 1):
                _, value = sess.run([train, loss], {x: rng.rand(5)})
                print('%.9g' % value)
            sv.saver.save(sess, sv.save_path, global_step=step)
            sess.run(forget)
            print(sess.run(w).tolist())
print(sorted(f for f in os.listdir(folder) if f.startswith('model') and 'index' in f))

#: sync_monitored_hook: SyncReplicasOptimizer's session hook in a MonitoredTrainingSession, sparse gradients among them
# tasks: 1 ps, 2 worker
chief = task == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    ids = tf.placeholder(tf.int32, [None])
    table = tf.get_variable('table', [6, 2], initializer=tf.random_normal_initializer(seed=1))
    scale = tf.get_variable('scale', [2], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids) * scale - 0.5))
    step = tf.train.get_or_create_global_step()
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2, total_num_replicas=2)
    grads = opt.compute_gradients(loss)
    train = opt.apply_gradients(grads, global_step=step)
print([type(g).__name__ for g, _ in grads], opt.get_slot_names())


class Ready(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        open(ready, 'w').close()


ready = os.path.join(folder, 'ready')
while not chief and not os.path.exists(ready):  # or it looks again after 30 s only
    time.sleep(0.05)
hooks = [opt.make_session_run_hook(chief, num_tokens=0), tf.train.StopAtStepHook(last_step=5)] + ([Ready()] if chief else [])
rng = np.random.RandomState(20 + task)
with tf.train.MonitoredTrainingSession(server.target, is_chief=chief, hooks=hooks, stop_grace_period_secs=5) as sess:
    for turn in range(4):
        value, _ = sess.run([loss, train], {ids: rng.randint(6, size=5)})
        print(turn, '%.9g' % value)
    print('ends', sess.should_stop())

#: sync_supervisor: SyncReplicasOptimizer and a Supervisor; the mean of two workers' gradients
# tasks: 1 ps, 2 worker
chief = task == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable('w', [3, 2], initializer=tf.random_uniform_initializer(-1, 1, seed=5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = tf.train.get_or_create_global_step()
    opt = tf.train.SyncReplicasOptimizer(tf.train.AdagradOptimizer(0.3), replicas_to_aggregate=2, total_num_replicas=2)
    train = opt.minimize(loss, global_step=step)
    runner = opt.get_chief_queue_runner()
    tokens = opt.get_init_tokens_op(0)
    last_tokens = opt.get_init_tokens_op(4)
    done = tf.FIFOQueue(2, tf.int32, shapes=[[]], shared_name='done')
    enter, leave = done.enqueue(task), done.dequeue_many(2)
    local_init = opt.chief_init_op if chief else opt.local_step_init_op

sv = tf.train.Supervisor(is_chief=chief, logdir=folder, init_op=tf.global_variables_initializer(), local_init_op=local_init,
                         ready_for_local_init_op=opt.ready_for_local_init_op, global_step=step, recovery_wait_secs=1,
                         save_model_secs=0, save_summaries_secs=0)
sess = sv.prepare_or_wait_for_session(server.target)
if chief:
    sv.start_queue_runners(sess, [runner])
    sess.run(tokens)
rng = np.random.RandomState(task)
for turn in range(5):
    value, _ = sess.run([loss, train], {x: rng.randn(4, 3)})
    print(turn, '%.9g' % value)
    while sess.run(step) <= turn:
        time.sleep(0.01)
    print(sess.run(w).tolist(), sess.run(step))

#: towers_in_a_worker: a worker with two towers: variables on the parameter server, a mean over the towers that no collective can take; one variable is placed on a GPU of the parameter server, which has none
# tasks: 1 ps, 1 worker
x = tf.placeholder(tf.float32, [4, 3])
with tf.device('/job:ps/task:0/gpu:0'):
    scale = tf.get_variable('scale', [], initializer=tf.ones_initializer())
    step = tf.train.get_or_create_global_step()
opt = tf.train.MomentumOptimizer(0.1, 0.9)
tower_grads, losses = [], []
for i in range(2):
    place = tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d/gpu:%d' % (task, i))
    with tf.device(place), tf.variable_scope('net', reuse=i > 0, regularizer=lambda v: 0.01 * tf.nn.l2_loss(v)):
        w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer([[.1, .2], [.3, -.4], [.5, .6]]))
        h = tf.matmul(x[2 * i:2 * i + 2], w) * scale
        loss = tf.reduce_mean(tf.square(h - 1.0))
        losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    stacked = tf.concat([tf.expand_dims(g, 0) for g, _ in pairs], 0)
    grads.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
train = opt.apply_gradients(grads, step)
regular = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
average = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]):
    follow = average.apply(losses)
rng = np.random.RandomState(1)
config = tf.ConfigProto(allow_soft_placement=True)
with tf.Session(server.target, config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        data = rng.rand(4, 3).astype(np.float32)
        print(' '.join('%.9g' % value for value in sess.run(losses + regular, {x: data})))
        sess.run(follow, {x: data})
        print(' '.join('%.9g' % value for value in sess.run(w).ravel()), '%.9g' % sess.run(scale), sess.run(step))
    print(['%.5g' % value for value in sess.run([average.average(loss) for loss in losses])])

#: setter_around_towers: the scope of one setter around two towers: gradients of shared variables and their mean, and towers that a second loop builds
# tasks: 1 ps, 1 worker
def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        stacked = tf.concat([tf.expand_dims(g, 0) for g, _ in pairs], 0)
        result.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
    return result


def train_op(x, devices):
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
        step = tf.train.get_or_create_global_step()
        opt = tf.train.AdamOptimizer(0.05)
        grads, losses = [], []
        with tf.variable_scope(tf.get_variable_scope()) as scope:
            for i, device in enumerate(devices):
                with tf.device(device), tf.name_scope('tower_%d' % i):
                    w = tf.get_variable('w', [3, 2], initializer=tf.random_normal_initializer(seed=4))
                    loss = tf.reduce_mean(tf.square(tf.matmul(x[2 * i:2 * i + 2], w) - 1.0))
                    scope.reuse_variables()
                    grads.append(opt.compute_gradients(loss))
                    losses.append(loss)
        checks = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                checks.append(tf.reduce_sum(losses[i] * (i + 1)))
        return opt.apply_gradients(average(grads), step), losses + checks, w


x = tf.placeholder(tf.float32, [4, 3])
train, values, weights = train_op(x, ['/gpu:0', '/gpu:1'])
print([v.name for v in tf.global_variables()])
rng = np.random.RandomState(3)
with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.rand(4, 3)}
        print(['%.9g' % value for value in sess.run(values, feed)])
        sess.run(train, feed)
    print(sess.run(weights).tolist())

#: device_functions: device functions that ask for the type of a variable's operation, or for its shape: on which parameter server it is
# tasks: 2 ps, 1 worker
worker = '/job:worker/task:0'
TYPES = ['Variable', 'VariableV2']


class InTurn(object):
    def __init__(self):
        self.made = 0

    def __call__(self, op):
        if op.type not in TYPES:
            return worker + '/cpu:0'
        self.made += 1
        return '/job:ps/task:%d' % (self.made % 2)


class Smallest(object):
    def __init__(self):
        self.loads = [0, 0]

    def __call__(self, op):
        index = int(np.argmin(self.loads))
        self.loads[index] += int(np.prod(op.outputs[0].get_shape().as_list())) * op.outputs[0].dtype.size
        return index


def by_node(op):
    node = op if isinstance(op, tf.NodeDef) else op.node_def
    return '/job:ps/task:1' if node.op == 'VariableV2' else worker


setters = [
    tf.train.replica_device_setter(cluster=cluster, worker_device=worker, ps_ops=TYPES),
    tf.train.replica_device_setter(cluster=cluster, worker_device=worker, ps_strategy=Smallest()),
    InTurn(),
    by_node,
    lambda op: '/job:ps/task:0' if isinstance(op, tf.Operation) and op.type.startswith('Variable') else worker,
]
x = tf.constant([[1., 2., 3.]])
losses = []
for number, setter in enumerate(setters):
    with tf.device(setter):
        w = tf.get_variable('w%d' % number, [3, 4], initializer=tf.constant_initializer(.1 * (number + 1)))
        v = tf.get_variable('v%d' % number, [4, 1], initializer=tf.constant_initializer(.5))
        b = tf.get_variable('b%d' % number, [], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_sum(tf.square(tf.matmul(tf.matmul(x, w), v) + b - 1.)))
    with tf.device(worker):
        train = tf.train.AdamOptimizer(.05).minimize(losses[-1])
    losses[-1] = (losses[-1], train)
for variable in tf.global_variables():
    print(variable.name, variable.device)
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        for loss, train in losses:
            sess.run(train)
            print('%.9g' % sess.run(loss))
with tf.Session(server.target) as sess:  # on the parameter servers they outlive a session
    print(['%.9g' % sess.run(loss) for loss, _ in losses])

#: pulls_after_the_update: what a worker takes of shared variables after their update, in the same run: copies, moving averages, a new read
# tasks: 1 ps, 1 worker
with tf.device('/job:worker/task:0'):
    local = tf.get_variable('local', [2], initializer=tf.zeros_initializer(), trainable=False)
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
    x = tf.placeholder(tf.float32, [2])
    shared = tf.get_variable('shared', [2], initializer=tf.ones_initializer())
    copy = tf.get_variable('copy', [2], initializer=tf.zeros_initializer(), trainable=False)
    loss = tf.reduce_sum(tf.square(shared * x + local))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[shared])
    ema = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([train_op]):
        average = ema.apply([shared])
        pull = tf.assign(local, shared)
        kept = tf.assign(copy, shared)
        computed = tf.identity(shared) * 2.0
        read_again = shared.read_value() * 2.0
        branch = tf.cond(tf.reduce_sum(x) > 3.5, lambda: computed, lambda: read_again)
        alone = tf.identity(shared) + local
    count = tf.get_variable('count', [], initializer=tf.zeros_initializer(), trainable=False)
with tf.device('/job:worker/task:0'):
    counted = tf.assign_add(count, 1.0) * 10.0
with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        feed = {x: [1.0, 2.0 + step % 2]}
        print([value.tolist() for value in sess.run([pull, kept, computed, read_again, branch], feed)])
        print([value.tolist() for value in sess.run([shared, local, copy])])
        sess.run([average, train_op, pull], feed)
        print(sess.run(ema.average(shared)).tolist(), sess.run(local).tolist())
        sess.run(alone, feed)  # nothing else that needs the update
        print(sess.run(shared).tolist(), sess.run(counted), sess.run(count))

#: in_graph_over_workers: one worker runs the whole graph, towers on all workers; the other one waits on a queue of its own until it is over
# tasks: 1 ps, 2 worker
workers = sys.argv[5].split(",")
with tf.device("/job:worker/task:1"):
    over = tf.FIFOQueue(1, tf.float32, shared_name="over")
if task == 1:
    with tf.Session(server.target) as sess:
        print("over", sess.run(over.dequeue()))
    sys.exit(0)

with tf.device("/job:ps/task:0"):
    weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
gradients = []
feeds = []
for index in range(len(workers)):
    with tf.device("/job:worker/task:%d" % index), tf.name_scope("worker_%d" % index):
        seen = tf.get_variable(
            "seen_%d" % index, [], initializer=tf.zeros_initializer(), trainable=False
        )
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.placeholder(tf.float32, [None, 1], name="y")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
        gradient = tf.gradients(loss, weights)[0]
        with tf.control_dependencies([tf.assign_add(seen, loss)]):
            gradients.append(tf.identity(gradient))
        feeds += [x, y]
with tf.device("/job:worker/task:1"):
    mean = tf.add_n(gradients) / len(workers)
    table = tf.data.Dataset.range(20).make_one_shot_iterator().get_next()
train = tf.assign_sub(weights, 0.1 * mean)
with tf.Session("grpc://" + workers[0]) as sess:
    sess.run(tf.global_variables_initializer())
    random = np.random.RandomState(7)
    for step in range(6):
        xs = [random.rand(4, 3) for _ in workers]
        values = [part for x in xs for part in (x, x.sum(1, keepdims=True))]
        print(
            step,
            sess.run([train, table], dict(zip(feeds, values)))[0].ravel(),
            sess.run("seen_1:0"),
        )
    print(sess.run(["seen_0:0", "seen_1:0", weights]))
    sess.run(over.enqueue(tf.reduce_sum(weights)))
