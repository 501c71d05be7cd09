import numpy as np
import tensorflow as tf

#: all_optimizers: every optimizer of TF1, three steps each, with its slots
makers = [
    ('sgd', lambda: tf.train.GradientDescentOptimizer(0.1)),
    ('momentum', lambda: tf.train.MomentumOptimizer(0.1, 0.9)),
    ('nesterov', lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)),
    ('adam', lambda: tf.train.AdamOptimizer(0.1)),
    ('rms', lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.2)),
    ('rms centered', lambda: tf.train.RMSPropOptimizer(0.1, centered=True)),
    ('adagrad', lambda: tf.train.AdagradOptimizer(0.1)),
    ('adadelta', lambda: tf.train.AdadeltaOptimizer(1.0)),
    ('ftrl', lambda: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=0.1)),
    ('prox sgd', lambda: tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01)),
    ('prox adagrad', lambda: tf.train.ProximalAdagradOptimizer(0.1)),
]
for name, make in makers:
    with tf.Graph().as_default():
        v = tf.get_variable('v', initializer=tf.constant([1.0, -2.0]))
        e = tf.get_variable('e', initializer=tf.constant([[1.0], [2.0], [3.0]]))
        x = tf.constant([[1.0, 0.5], [0.25, -1.0]])
        loss = tf.reduce_sum((tf.reduce_sum(x * v, 1) - 1) ** 2) + tf.reduce_sum(tf.gather(e, [0, 2, 2]) ** 2)
        opt = make()
        train = opt.minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train)
            print(name, '%.8g' % sess.run(loss), opt.get_name(), opt.get_slot_names())
            print({w.op.name: [round(float(n), 6) for n in sess.run(w).ravel()] for w in tf.global_variables()})

#: all_schedules: every learning rate schedule of TF1 against the step
step = tf.Variable(0, trainable=False)
rates = {
    'exp': tf.train.exponential_decay(0.1, step, 3, 0.5),
    'stair': tf.train.exponential_decay(0.1, step, 3, 0.5, staircase=True),
    'piece': tf.train.piecewise_constant(step, [2, 4], [1.0, 0.5, 0.1]),
    'poly': tf.train.polynomial_decay(0.1, step, 4, 0.01, power=0.5, cycle=True),
    'natural': tf.train.natural_exp_decay(0.1, step, 2, 0.5),
    'inverse': tf.train.inverse_time_decay(0.1, step, 2, 0.5),
    'cosine': tf.train.cosine_decay(0.1, step, 5, 0.1),
    'restarts': tf.train.cosine_decay_restarts(0.1, step, 2),
    'linear cosine': tf.train.linear_cosine_decay(0.1, step, 5),
}
warm = tf.cond(step < 3, lambda: 0.01 * tf.cast(step + 1, tf.float32), lambda: rates['exp'])
w = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(warm).minimize(tf.sin(w) * 3.0, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(6):
        print({k: '%.6g' % v for k, v in sorted(sess.run(rates).items())}, '%.6g' % sess.run(warm))
        sess.run(train)
        print(sess.run([step, w]))

#: assigns: assign, assign_add, assign_sub as functions and methods; fetched together with reads under control dependencies
v = tf.Variable([1.0, 2.0], name='v')
n = tf.Variable(10, name='n', trainable=False)
ph = tf.placeholder(tf.float32, [2])
set_v = tf.assign(v, ph)
add = v.assign_add([0.5, 0.5])
sub = tf.assign_sub(n, 3)
with tf.control_dependencies([add]):
    after = v.read_value() + 0.0
    with tf.control_dependencies([after]):
        zero = v.assign(tf.zeros([2]))
before = v + 0.0
with tf.control_dependencies([before]):
    late = tf.assign_add(v, [100., 100.])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(set_v, {ph: [3, 4]}).tolist(), sess.run(v).tolist())
    print(sess.run(add).tolist(), sess.run(sub))
    print(sess.run([after, zero])[0].tolist(), sess.run(v).tolist())
    print(sess.run([before, late])[0].tolist(), sess.run(v).tolist())
    v.load([9., 9.], sess)
    sess.run(v.assign(v * 2.0).op)
    print(v.eval().tolist(), sess.run(v.assign_sub([1., 2.])).tolist())
    sess.run(tf.group(v.initializer, n.initializer))
    print(sess.run([v, n])[1], v.eval().tolist())
    print(sess.run(tf.assign(n, tf.size(ph)), {ph: [0, 0]}))

#: cached_on_its_own_device: caching_device of a variable's own device: TF1's cache is the variable's memory, and changes with it
for device in (None, '/cpu:0', lambda op: op.device):
    with tf.Graph().as_default():
        with tf.device('/cpu:0'), tf.variable_scope('a', caching_device=device):
            w = tf.get_variable(
                'w', [3], initializer=tf.ones_initializer(), constraint=lambda t: tf.clip_by_norm(t, 1.2)
            )
        gradients = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                gradients.append(tf.gradients(tf.reduce_sum(w * [1.0, 2.0, i]), w)[0])
        train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.add_n(gradients) / 2, w)])
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([train]):
            after, penalty, same, read = w * 10.0, tf.nn.l2_loss(w), tf.identity(w), w.read_value()
            averaged = average.apply([w])
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([after, penalty, same]))
            print(sess.run(read))
            sess.run(averaged)
            print(sess.run([w, average.average(w)]))

#: control_dependencies_everywhere: order by control dependencies: nested, cleared with None, tf.group, with_dependencies, on variables' reads
from tensorflow.python.ops import control_flow_ops

a = tf.Variable(1.0, name='a')
with tf.control_dependencies([a.assign(a * 2.0)]):
    b = a.read_value() + 1.0
    with tf.control_dependencies([b]):
        c = a.assign_add(10.0)
    with tf.control_dependencies(None):
        free = tf.constant(5.0) * 2.0
with tf.control_dependencies([c]):
    d = a.read_value() * 1.0
e = control_flow_ops.with_dependencies([d], tf.constant(3.0))
everything = tf.group(b, c, d, e)
count = tf.Variable(0, trainable=False)
with tf.control_dependencies([count.assign_add(1)]):
    counted = tf.identity(free)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([b, d]), sess.run(a))
    print(sess.run(free), sess.run(a))
    print(sess.run(everything), sess.run(a))
    print(sess.run([counted, counted]), sess.run(count))
    print(sess.run(e), sess.run(a), [op.name for op in counted.op.control_inputs] != [])

#: count_up_to: count_up_to as a loop counter: OutOfRange ends the training
limit = tf.Variable(0, name='limit', trainable=False)
tick = limit.count_up_to(4)
w = tf.Variable(4.0)
loss = tf.square(w) + 1.0
with tf.control_dependencies([tick]):
    train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        while True:
            at, _ = sess.run([tick, train])
            print(at, sess.run(limit), '%.9g %.9g' % tuple(sess.run([loss, w])))
    except tf.errors.OutOfRangeError as e:
        print(type(e).__name__, sess.run(limit))
    print('%.9g' % sess.run(w))
    sess.run(limit.assign(2))
    print(sess.run(tf.count_up_to(limit, 10)), sess.run(limit))

#: ema_in_order: moving averages of a variable and of a tensor, decay from num_updates, applied after the update; swap and restore
x = tf.placeholder(tf.float32, [2])
w = tf.Variable([1.0, -1.0], name='w')
step = tf.Variable(0, name='step', trainable=False)
loss = tf.reduce_sum((x - w) ** 2, name='loss')
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, step)
ema = tf.train.ExponentialMovingAverage(0.9, num_updates=step, name='averages')
plain = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]):
    both = tf.group(ema.apply([w]), plain.apply([w, loss]))
backup = tf.Variable(tf.zeros([2]), trainable=False, name='backup')
save = backup.assign(w)
with tf.control_dependencies([save]):
    swap = w.assign(ema.average(w))
undo = w.assign(backup)
print(sorted(ema.variables_to_restore()), plain.average_name(loss), [v.op.name for v in tf.moving_average_variables()])
rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(both, {x: rng.rand(2)})
        print(sess.run(w).tolist(), sess.run(ema.average(w)).tolist(), sess.run(plain.average(w)).tolist(), sess.run(plain.average(loss)))
    sess.run(swap)
    print(sess.run(w).tolist())
    sess.run(undo)
    print(sess.run(w).tolist(), sess.run(step))

#: fed_variables: variables that are fed: by themselves, by the tensor that all use, and by a read of their own
w = tf.get_variable('w', initializer=[11.0, 12.0])
scaled = w * 2.0
value = w.value()
read = w.read_value()
more = w + tf.reduce_sum(w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for fed in (value, read, w, w.value()):
        print([found.tolist() for found in sess.run([scaled, value, read, more], {fed: [13.0, 14.0]})])
    print(sess.run(w).tolist())

#: graph_grows_between_runs: operations added after the session was made, between two runs: they are there in the next run
x = tf.placeholder(tf.float32, [2])
w = tf.Variable([1.0, 1.0], name='w')
y = x * w
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: [1, 2]}).tolist())
for power in (1, 2, 3):
    loss = tf.reduce_sum(y ** power)
    train = tf.train.GradientDescentOptimizer(0.1 / power).minimize(loss)
    print(power, sess.run([loss, train], {x: [0.5, 1.5]})[0], sess.run(w).tolist())
late = tf.Variable(w.initialized_value() * 10.0, name='late')
sess.run(late.initializer)
print(sess.run(late).tolist(), sess.run(w.assign(late / 20.0)).tolist())
print(sess.run(tf.constant(3) + 4), sess.run(tf.global_variables())[1].tolist())

#: python_side_state: values of one run decide what is built and run next: early stopping, best weights kept as NumPy, lr halved
x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None])
lr = tf.placeholder_with_default(tf.constant(0.5), [])
w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
err = tf.reduce_sum(x * w, 1) - y
mse = tf.reduce_mean(err ** 2)
train = tf.train.GradientDescentOptimizer(lr).minimize(mse)
rng = np.random.RandomState(1)
valid = (rng.randn(5, 2), rng.randn(5))
best, best_w, rate, bad = float('inf'), None, 0.5, 0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(10):
        bx = rng.randn(4, 2)
        sess.run(train, {x: bx, y: bx.dot([1, -1]), lr: rate})
        score = sess.run(mse, {x: valid[0], y: valid[1]})
        print(epoch, '%.9g' % score, rate)
        if score < best:
            best, best_w, bad = score, sess.run(w), 0
        else:
            bad += 1
            rate /= 2
        if bad == 2:
            break
    w.load(best_w, sess)
    print(sess.run(w).tolist(), '%.9g' % sess.run(mse, {x: valid[0], y: valid[1]}), epoch)

#: scatter_updates: scatter_update, scatter_add, scatter_sub, scatter_nd_update on a table of counters and of weights
table = tf.get_variable('table', [4, 2], initializer=tf.zeros_initializer())
hits = tf.get_variable('hits', [4], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
ids = tf.placeholder(tf.int32, [None])
count = tf.scatter_add(hits, ids, tf.ones_like(ids))
with tf.control_dependencies([count]):
    rows = tf.gather(table, ids)
    loss = tf.reduce_sum((rows - 1.0) ** 2)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
setter = tf.scatter_update(table, [0, 3], [[5., 5.], [7., 7.]])
lower = tf.scatter_sub(table, tf.constant([3]), [[1., 2.]])
one = tf.scatter_nd_update(table, [[1, 1]], [42.0])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for batch in ([0, 1], [1, 2], [1]):
        print(sess.run([loss, train], {ids: batch})[0], sess.run(hits).tolist())
    print(sess.run(table).tolist())
    print(sess.run(setter).tolist())
    print(sess.run(lower)[3].tolist(), sess.run(one)[1].tolist())
    print(sess.run(table).sum(), sess.run(count, {ids: [3, 3]}).tolist())

#: tables: lookup tables: a mutable hash table and a static one, initialised by tables_initializer
keys = tf.constant(['a', 'b', 'c'])
static = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, tf.constant([10, 20, 30], tf.int64)), -1)
names = tf.placeholder(tf.string, [None])
found = static.lookup(names)
w = tf.Variable(0.0)
loss = (w - tf.cast(tf.reduce_sum(found), tf.float32)) ** 2
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(found, {names: ['a']})
        print('found')
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    sess.run(tf.tables_initializer())
    print(sess.run(found, {names: ['c', 'x', 'a']}).tolist(), sess.run(static.size()))
    for batch in (['a'], ['b', 'a'], ['x']):
        print(sess.run([loss, train], {names: batch})[0], sess.run(w))
    print(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)))
    sess.run(tf.tables_initializer())
    print(sess.run(found, {names: ['b']}).tolist())

#: uninitialised_variables: report_uninitialized_variables, is_variable_initialized, and initialising only what is missing
a = tf.get_variable('a', initializer=1.0)
b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
c = tf.Variable(a.initialized_value() * 3.0, name='c')
local = tf.Variable(5, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='local')
report = tf.report_uninitialized_variables()
checks = [tf.is_variable_initialized(v) for v in (a, b, c)]
loss = (a - 3.0) ** 2 + tf.reduce_sum((b - 1.0) ** 2)
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)


def initialize_missing(sess):
    missing = [v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]
    print('missing', [v.op.name for v in missing])
    sess.run(tf.variables_initializer(missing))


with tf.Session() as sess:
    print(sorted(n.decode() for n in sess.run(report)), sess.run(checks))
    sess.run(a.initializer)
    sess.run(a.assign_add(1.0))
    print(sorted(n.decode() for n in sess.run(report)), sess.run(checks))
    initialize_missing(sess)
    print(sess.run([a, c]), sess.run(report).tolist())
    sess.run(local.initializer)
    print(len(sess.run(report)), sess.run(local))
    for _ in range(3):
        sess.run(train)
        print(sess.run([loss, a]), sess.run(b).tolist())
    initialize_missing(sess)
    print(sess.run(tf.report_uninitialized_variables([a, b])).size)

#: variable_initializers: initialisers of every kind, seeded; values before training; initial_value; initializers that depend on others
tf.set_random_seed(100)
kinds = {
    'zeros': tf.zeros_initializer(), 'const': tf.constant_initializer([[1, 2], [3, 4]]),
    'normal': tf.random_normal_initializer(0, 2, seed=1), 'uniform': tf.random_uniform_initializer(-3, 3),
    'trunc': tf.truncated_normal_initializer(seed=2), 'glorot': tf.glorot_uniform_initializer(),
    'ortho': tf.orthogonal_initializer(0.5, seed=3), 'scale': tf.variance_scaling_initializer(2.0, 'fan_out', seed=4),
    'he': tf.initializers.variance_scaling(2.0, seed=5),
}
variables = {k: tf.get_variable(k, [2, 2], initializer=kinds[k]) for k in sorted(kinds)}
raw = tf.Variable(np.arange(4, dtype='f').reshape(2, 2), name='raw', dtype=tf.float32)
double = tf.Variable(raw.initialized_value() * 2, name='double')
by_call = tf.get_variable('called', initializer=tf.eye(2) * 3)
ints = tf.get_variable('ints', [2], tf.int64, tf.ones_initializer(tf.int64), trainable=False)
half = tf.get_variable('half', [2], tf.float64, tf.constant_initializer(0.5, tf.float64))
loss = sum(tf.reduce_sum(tf.tanh(v)) for v in list(variables.values()) + [raw, double, by_call])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in sorted(variables):
        print(k, sess.run(variables[k]).ravel().tolist())
    print(sess.run([raw, double, by_call])[1].tolist(), sess.run(ints).dtype, sess.run(half).tolist())
    for _ in range(3):
        print(sess.run(loss))
        sess.run(train)
    print(sess.run(raw.initial_value).tolist(), sess.run(variables['zeros']).tolist())

#: variable_scopes_and_names: names: nested scopes, reuse, default names, unique names, variables' names in name scopes, op names
with tf.variable_scope('a'):
    with tf.variable_scope('b') as b:
        v1 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
    with tf.name_scope('n'):
        v2 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
        v3 = tf.Variable([1.0], name='v')
        c = tf.constant(1.0)
with tf.variable_scope('a/b', reuse=True):
    v4 = tf.get_variable('v', [1])
with tf.variable_scope(None, default_name='d') as d1:
    v5 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
with tf.variable_scope(None, 'd') as d2:
    v6 = tf.get_variable('v', [1], initializer=tf.ones_initializer())
with tf.variable_scope(b, reuse=True):
    v7 = tf.get_variable('v')
    e = tf.add(v7, v1)
with tf.variable_scope('a', reuse=tf.AUTO_REUSE) as s:
    v8 = tf.get_variable('fresh', initializer=lambda: tf.constant([3.0]))
    print(s.name, s.reuse is tf.AUTO_REUSE, s.original_name_scope, tf.get_variable_scope().name)
print([v.name for v in (v1, v2, v3, v4, v5, v6, v7, v8)], v4 is v1, v7 is v1)
print(c.name, e.name, d1.name, d2.name, tf.no_op(name='x').name, tf.no_op(name='x').name)
for bad in (lambda: tf.get_variable('a/b/v'), lambda: tf.get_variable('q')):
    try:
        with tf.variable_scope('', reuse=True):
            print(bad().name)
    except ValueError:
        print('ValueError')
try:
    with tf.variable_scope('a/b'):
        tf.get_variable('v', [1])
except ValueError:
    print('exists')
loss = tf.add_n([tf.reduce_sum(v * v - v) for v in tf.trainable_variables()])
train = tf.train.AdagradOptimizer(0.5).minimize(loss)
print([v.op.name for v in tf.global_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
        print(sess.run(loss), sess.run(v8).tolist())

#: variables_in_python_containers: variables in nested containers fetched whole; scalars compared in Python; loops over collections build the step
params = {'enc': [tf.Variable(tf.ones([2]) * k, name='e%d' % k) for k in range(3)], 'dec': (tf.Variable(0.5, name='d'),)}
flat = params['enc'] + list(params['dec'])
x = tf.placeholder(tf.float32, [2])
h = x
for p in flat:
    h = tf.tanh(h * p + 0.1)
loss = tf.reduce_sum(h)
gs = tf.gradients(loss, flat)
with tf.control_dependencies(gs):
    updates = [p.assign_sub(0.1 * g) for p, g in zip(flat, gs)]
with tf.Session() as sess:
    sess.run([v.initializer for v in flat])
    for _ in range(3):
        print('%.9g' % sess.run(loss, {x: [1., -1.]}))
        sess.run(updates, {x: [1., -1.]})
    out = sess.run(params)
    print(sorted(out), [v.tolist() for v in out['enc']], out['dec'])
    print(sess.run(flat[-1]) > 0.4, sess.run(tf.stack([tf.reduce_sum(p) for p in flat])).tolist())

#: local_variables_and_collections: collections of every kind; local variables; get_collection_ref; by scope
with tf.variable_scope('one'):
    a = tf.get_variable('a', [2], initializer=tf.ones_initializer(), collections=['mine', tf.GraphKeys.GLOBAL_VARIABLES])
    b = tf.get_variable('b', [2], initializer=tf.ones_initializer())
    cache = tf.get_variable('cache', [], tf.int32, tf.zeros_initializer(), trainable=False,
                            collections=[tf.GraphKeys.LOCAL_VARIABLES])
with tf.variable_scope('two'):
    c = tf.get_variable('c', [], initializer=tf.constant_initializer(2.0), trainable=False)
    d = tf.get_local_variable('d', [], initializer=tf.constant_initializer(4.0))
tf.add_to_collections(['results', 'losses'], tf.reduce_sum(b) * c, )
tf.add_to_collection('losses', tf.reduce_sum(b ** 2) * d)
tf.get_collection_ref('notes').append('text')
tf.get_collection_ref('notes').extend([1, 2])
loss = tf.add_n(tf.get_collection('losses'))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
g = tf.get_default_graph()
names = lambda key, scope=None: [v.op.name for v in tf.get_collection(key, scope)]
print(names('mine'), names(tf.GraphKeys.GLOBAL_VARIABLES), names('trainable_variables', 'one'), names('variables', 'tw'))
print(names(tf.GraphKeys.LOCAL_VARIABLES), tf.get_collection('notes'), tf.get_collection('nothing'))
print(sorted(k for k in g.get_all_collection_keys() if isinstance(k, str) and not k.startswith('_')))
print([v.op.name for v in tf.trainable_variables('one')], [v.op.name for v in tf.global_variables('two')])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(loss)
    except tf.errors.FailedPreconditionError:
        print('local variables first')
    sess.run(tf.local_variables_initializer())
    for _ in range(3):
        print(sess.run(tf.get_collection('losses')), sess.run(cache.assign_add(1)))
        sess.run(train)
    g.clear_collection('losses')
    print(len(tf.get_collection('losses')), sess.run(b).tolist())

#: while_and_cond_in_session: control flow with assignments inside: tf.cond that updates one of two variables, a while_loop that accumulates
a = tf.Variable(0.0, name='a')
b = tf.Variable(10.0, name='b')
which = tf.placeholder(tf.bool, [])
n = tf.placeholder(tf.int32, [])
moved = tf.cond(which, lambda: tf.assign_add(a, 1.0), lambda: tf.assign_sub(b, 2.0))
total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t + tf.cast(i, tf.float32) * b), [0, a.read_value()])[1]
case = tf.case([(tf.less(a, 1.0), lambda: tf.constant('small')), (tf.less(a, 3.0), lambda: tf.constant('medium'))],
               default=lambda: tf.constant('large'), exclusive=False)
loss = total ** 2 * 1e-3
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[b])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in range(4):
        print(sess.run(moved, {which: k % 2 == 0}), sess.run([a, b]), sess.run(case).decode())
        print('%.9g' % sess.run(total, {n: k}))
        sess.run(train, {n: k})
    print('%.9g' % sess.run(b))
