import numpy as np
import tensorflow as tf

#: assert_print_check_numerics: tf.Assert and check_numerics as control dependencies of the step; an assertion that fails is caught
x = tf.placeholder(tf.float32, [4])
opt = tf.train.GradientDescentOptimizer(0.1)
w = tf.get_variable('w', initializer=2.0)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        part = x[i * 2:i * 2 + 2]
        with tf.control_dependencies([tf.Assert(tf.reduce_all(part > 0), [part], name='positive%d' % i)]):
            part = tf.identity(part)
        loss = tf.reduce_mean(tf.log(part * w))
        loss = tf.check_numerics(loss, 'loss of tower %d' % i)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
checked = [(tf.check_numerics((a + b) / 2, 'gradient'), v) for (a, v), (b, _) in zip(*grads)]
train = opt.apply_gradients(checked)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run([losses, train], {x: rng.rand(4) + 0.1})[0], sess.run(w))
    for bad in ([1, 1, 1, -1], [-1, 1, 1, 1], [np.inf, 1, 1, 1]):
        try:
            sess.run(train, {x: bad})
            print('trained')
        except tf.errors.InvalidArgumentError as e:
            print(type(e).__name__, 'assertion' in e.message.lower(), 'Inf' in e.message)
        print(sess.run(w))

#: assign_in_tower_counts: every tower adds to a shared counter, in an order; the schedule reads the counter
seen = tf.get_variable('seen', [], tf.int64, tf.zeros_initializer(tf.int64), trainable=False)
lr = tf.train.inverse_time_decay(0.3, seen, 6, 0.5)
opt = tf.train.GradientDescentOptimizer(lr)
x = tf.placeholder(tf.float32, [None, 2])
order, grads, losses = [lr], [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.4)) if i == 0 else w
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(part * w, 1) - 1)))
        grads.append(tf.gradients(losses[i], w)[0])
        with tf.control_dependencies(order + [grads[i]]), tf.device('/cpu:0'):
            order = [tf.assign_add(seen, tf.shape(part, out_type=tf.int64)[0])]
with tf.control_dependencies(grads):
    update = opt.apply_gradients([((grads[0] + grads[1]) / 2, w)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in (2, 4, 2, 6):
        feed = {x: rng.randn(n, 2)}
        print('%.7g' % sess.run(lr), ['%.9g' % v for v in sess.run(losses, feed)])
        sess.run(update, feed)
        sess.run(order, feed)
        print(sess.run(seen), sess.run(w).tolist())

#: cond_assigns_what_both_read: A variable is assigned inside tf.cond and tf.while_loop on the first tower's device; the second tower reads it
x = tf.placeholder(tf.float32, [4])
flag = tf.placeholder(tf.bool, [])
opt = tf.train.GradientDescentOptimizer(0.2)
w = tf.get_variable('w', initializer=1.0)
scale = tf.get_variable('scale', initializer=1.0, trainable=False)
offset = tf.get_variable('offset', initializer=0.0, trainable=False)
grads, losses, reads = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_mean((x[i * 2:i * 2 + 2] * w * scale + offset - 1.0) ** 2))
        grads.append(opt.compute_gradients(losses[i], [w]))
        reads.append(scale.read_value() * 1.0)
with tf.device('/gpu:0'):
    change = tf.cond(flag, lambda: scale.assign_add(0.5), lambda: tf.identity(scale))
    count = tf.while_loop(lambda n: n < 3, lambda n: n + tf.cast(offset.assign_add(0.25) > -1.0, tf.int32), [0])
train = opt.apply_gradients([((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)])
with tf.control_dependencies([change]):
    late = []
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            late.append(scale.read_value() * 1.0)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        feed = {x: rng.rand(4), flag: n % 2 == 0}
        print(sess.run(losses, feed))
        sess.run(train, feed)
        print(sess.run(change, feed), sess.run(reads), sess.run(late, feed))
        print(sess.run(count), sess.run([w, scale, offset]))
    print(sess.run(losses, feed))

#: local_steps_then_mean_of_weights: every tower has weights of its own, trained alone; now and then they are set to their mean
x = tf.placeholder(tf.float32, [2, 3])
copies, losses, trains = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('tower_%d' % i):
        w = tf.get_variable('w', [3], initializer=tf.constant_initializer([1., 2., 3.]))
        loss = tf.square(tf.reduce_sum(w * x[i]) - 1.0)
        copies.append(w)
        losses.append(loss)
        trains.append(tf.train.GradientDescentOptimizer(0.05).minimize(loss, var_list=[w]))
mean = tf.add_n([c.read_value() for c in copies]) / len(copies)
with tf.control_dependencies([mean]):
    sync = tf.group(*[tf.assign(c, mean) for c in copies])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(6):
        values, _ = sess.run([losses, trains], {x: rng.randn(2, 3)})
        print(n, ['%.9g' % v for v in values])
        if n % 3 == 2:
            sess.run(sync)
            print('mean', [c.eval().tolist() for c in copies])

#: minimize_in_each_tower_sequential: not averaged: each tower's own minimize, the second after the first (a chain of control dependencies)
x = tf.placeholder(tf.float32, [2, 3])
w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.5))
step = tf.train.get_or_create_global_step()
previous, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.control_dependencies(previous):
        loss = tf.square(tf.reduce_sum(x[i] * w.read_value()) - 1.0)
        opt = tf.train.GradientDescentOptimizer(0.1 / (i + 1))
        gv = opt.compute_gradients(loss, [w])
        losses.append(loss)
        previous = [opt.apply_gradients(gv, step)]
train = tf.group(*previous)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        values, _ = sess.run([losses, train], {x: rng.randn(2, 3)})
        print(['%.9g' % v for v in values], sess.run(step), sess.run(w).tolist())

#: partial_last_batch: batches of changing sizes, parts by tf.shape; the last one has fewer rows for the second tower
x = tf.placeholder(tf.float32, [None, 2])
n = tf.shape(x)[0]
first = (n + 1) // 2
opt = tf.train.MomentumOptimizer(0.1, 0.9)
grads, losses, sizes = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('var', reuse=tf.AUTO_REUSE):
        part = x[:first] if i == 0 else x[first:]
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, -0.5]))
        loss = tf.reduce_sum(tf.square(tf.reduce_sum(part * w, 1) - 0.25))
        losses.append(loss)
        sizes.append(tf.shape(part)[0])
        grads.append(opt.compute_gradients(loss))
scale = 1.0 / tf.cast(n, tf.float32)
train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) * scale, p[0][1]) for p in zip(*grads)])
data = np.random.RandomState(0).randn(13, 2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(0, 13, 5):
        values, counts, _ = sess.run([losses, sizes, train], {x: data[start:start + 5]})
        print(['%.9g' % v for v in values], [int(c) for c in counts])
    print(sess.run(w).tolist())

#: placement_by_layers: no data parallelism: layers of one model on different devices
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int32, [None])
with tf.device('/cpu:0'):
    table = tf.get_variable('first', [3, 4], initializer=tf.random_normal_initializer(seed=1))
with tf.device('/gpu:0'):
    w0 = tf.get_variable('w0', [4, 4], initializer=tf.random_normal_initializer(seed=2))
    h0 = tf.nn.relu(tf.matmul(tf.matmul(x, table), w0))
with tf.device('/gpu:1'):
    w1 = tf.get_variable('w1', [4, 2], initializer=tf.random_normal_initializer(seed=3))
    logits = tf.matmul(h0, w1)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))
step = tf.train.get_or_create_global_step()
with tf.device('/cpu:0'):
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step, colocate_gradients_with_ops=True)
    top = tf.nn.top_k(logits, 1).indices
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(4, 3), y: rng.randint(0, 2, 4)}
        l, t, _ = sess.run([loss, top, train], feed)
        print('%.9g' % l, t.ravel().tolist(), sess.run(step))
    print([(v.op.name, float(sess.run(v).sum())) for v in tf.trainable_variables()])

#: reads_before_and_after_in_one_run: in one run each tower reads before the update and after it, by control dependencies
x = tf.placeholder(tf.float32, [4, 2])
w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, -1.0]))
opt = tf.train.MomentumOptimizer(0.1, 0.9)
before, after, grads = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        before.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) - 1), name='before'))
        grads.append(opt.compute_gradients(before[i]))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
with tf.control_dependencies(before):
    train = opt.apply_gradients(mean)
with tf.control_dependencies([train]):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            new = w.read_value()
            after.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * new, 1) - 1), name='after'))
with tf.control_dependencies(after):
    reset = tf.cond(tf.reduce_max(after) > 4.0, lambda: w.assign([0., 0.]), lambda: w.assign_add([0., 0.]))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        b, a, _ = sess.run([before, after, reset], {x: rng.randn(4, 2) * 2})
        print(['%.9g' % v for v in b], ['%.9g' % v for v in a], sess.run(w).tolist())
    print(sess.run(opt.get_slot(w, 'momentum')).tolist())

#: staging_area: A StagingArea of each tower: put and get in the same step, filled once before
from tensorflow.python.ops import data_flow_ops

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
puts, grads, losses, gets = [], [], [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i):
        area = data_flow_ops.StagingArea([tf.float32], shapes=[[2, 2]])
        puts.append(area.put([part]))
        got = area.get()
        batch = got[0] if isinstance(got, (list, tuple)) else got
        gets.append(batch)
        with tf.variable_scope('v', reuse=i > 0):
            w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
            loss = tf.reduce_mean((batch * w - 0.5) ** 2)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
with tf.control_dependencies(gets):
    fill = tf.group(*puts)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(puts, {x: rng.randn(4, 2)})
        print(['%.9g' % v for v in sess.run(losses + [train])[:2]])
    print(sess.run(w).tolist())
    sess.run(puts, {x: np.ones([4, 2])})
    print(sess.run(losses))

#: step_and_flags_read_in_towers: towers read the global step (int64), a flag (bool) and a table of words: what is not a weight
step = tf.train.get_or_create_global_step()
warm = tf.get_variable('warm', [], tf.bool, initializer=tf.constant_initializer(True), trainable=False)
counts = tf.get_variable('counts', [2], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
x = tf.placeholder(tf.float32, [2, 3])
opt = tf.train.AdamOptimizer(0.1)
losses, grads, marks = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('v', reuse=i > 0):
        w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
        noise = tf.where(warm, 0.0, 1.0 / (1.0 + tf.cast(step, tf.float32)))
        loss = tf.square(tf.reduce_sum(x[i] * w) - noise)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss, [w]))
        marks.append(tf.stack([tf.cast(step, tf.int32), counts[i]]))
mean = [((a + b) / 2.0, v) for (a, v), (b, _) in zip(*grads)]
with tf.control_dependencies(losses + marks):
    train = opt.apply_gradients(mean, step)
    touch = counts.assign_add([1, 2])
cool = warm.assign(False)
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(5):
        l, m, _, _ = sess.run([losses, marks, train, touch], {x: rng.randn(2, 3)})
        print(['%.9g' % v for v in l], [k.tolist() for k in m])
        if n == 2:
            print(sess.run(cool))
    print(sess.run([step, warm]), sess.run(counts).tolist(), sess.run(w).tolist())

#: string_int_bool_tensors: strings, integers and booleans beside the training: labels looked up in a table, counters, flags
words = tf.placeholder(tf.string, [4])
table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant(['ant', 'bee', 'cat']), tf.constant([0, 1, 2], tf.int64)), -1)
ids = table.lookup(words)
seen = tf.get_variable('seen', [3], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
ever = tf.get_variable('ever', [], tf.bool, initializer=tf.constant_initializer(False), trainable=False)
last = tf.Variable('none', name='last', trainable=False)
opt = tf.train.GradientDescentOptimizer(1.0)
grads, counts, losses = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        part = ids[i * 2:i * 2 + 2]
        hot = tf.one_hot(part, 3)
        with tf.variable_scope('u', reuse=tf.AUTO_REUSE):
            logits = tf.get_variable('logits', [3], initializer=tf.zeros_initializer())
        losses.append(-tf.reduce_mean(tf.reduce_sum(hot * tf.nn.log_softmax(logits), 1)))
        grads.append(opt.compute_gradients(losses[-1]))
        counts.append(tf.reduce_sum(tf.cast(hot, tf.int32), 0))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
bookkeeping = tf.group(
    seen.assign_add(tf.add_n(counts)),
    ever.assign(tf.logical_or(ever, tf.reduce_any(ids < 0))),
    tf.assign(last, tf.string_join([words[3], tf.as_string(ids[3])], ':')))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for batch in (['ant', 'bee', 'cat', 'cat'], ['bee', 'bee', 'ant', 'cat'], ['bee', 'bee', 'bee', 'dog']):
        l, _ = sess.run([losses, train], {words: batch})
        sess.run(bookkeeping, {words: batch})
        print(['%.9g' % v for v in l], sess.run(ids, {words: batch}).tolist())
        print(sess.run([seen, ever, last, logits]))

#: summaries_of_old_releases: TF 0.x's summaries, whose tags are what is written, whatever the name scope: kept by the towers, merged and printed
x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer(0.5))
            act = tf.nn.relu(tf.matmul(x[i * 2:i * 2 + 2], w), name='act')
            tf.contrib.deprecated.histogram_summary('activations of the last', act)
            loss = tf.reduce_sum(act)
            tf.contrib.deprecated.scalar_summary(['loss (raw)', 'half'], tf.stack([loss, loss / 2.0]), name='told')
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
for g, v in grads:
    summaries.append(tf.contrib.deprecated.histogram_summary(v.op.name + '/gradients', g))
train = opt.apply_gradients(grads)
merged = tf.summary.merge(summaries)
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        rows = rng.rand(2, 2).astype('float32')
        feed = {x: np.concatenate([rows, rows])}
        print(sess.run(merged, feed))
        sess.run(train, feed)

#: towers_built_after_training_began: towers that are built after the first steps: an evaluation on two GPUs of a model that one GPU has trained, then both train
x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.MomentumOptimizer(0.05, 0.5)


def tower(i, part):
    with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.5, -1.]))
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
        return tf.reduce_mean((tf.reduce_sum(part * w, 1) + b - 1.) ** 2), w, b


loss, w, b = tower(0, x)
step = opt.minimize(loss)
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        print('%.9g' % sess.run(loss, {x: rng.randn(4, 2)}))
        sess.run(step, {x: rng.randn(4, 2)})
    losses = [tower(i, x[i * 2:i * 2 + 2])[0] for i in range(2)]
    feed = {x: rng.randn(4, 2)}
    print(['%.9g' % v for v in sess.run(losses, feed)])
    sess.run(step, feed)
    print(['%.9g' % v for v in sess.run(losses, feed)])
    grads = [opt.compute_gradients(v, [w, b]) for v in losses]
    both = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
    for _ in range(3):
        sess.run(both, feed)
        print(['%.9g' % v for v in sess.run(losses, feed)], '%.9g' % sess.run(loss, feed))
        sess.run(step, feed)
    print(sess.run([w, b]))
