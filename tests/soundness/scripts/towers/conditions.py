import numpy as np
import tensorflow as tf

digits = 6

#: phase_by_a_fed_flag: dropout, batch norm and summaries under tf.cond, whose predicate is fed
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.bool, []), tf.placeholder_with_default(False, [])
opt = tf.train.AdamOptimizer(0.01)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        with tf.variable_scope('net', reuse=i > 0):
            h = tf.layers.dense(x[i * 4:i * 4 + 4], 5, name='h', kernel_initializer=tf.random_normal_initializer(seed=3))
            h = tf.layers.batch_normalization(tf.expand_dims(tf.expand_dims(h, 1), 1), training=phase, name='bn')
            h = tf.reshape(h, [4, 5])
            h = tf.cond(phase, lambda: tf.nn.dropout(h, 0.7, seed=5), lambda: h)
            out = tf.layers.dense(h, 1, name='out', kernel_initializer=tf.random_normal_initializer(seed=4))
        loss = tf.reduce_mean(tf.square(out - y[i * 4:i * 4 + 4]))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
mean = [((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)]
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = opt.apply_gradients(mean)
total = tf.add_n(losses) / 2
summary = tf.cond(wanted, lambda: tf.summary.scalar('loss', total), lambda: tf.constant(b'', tf.string))

#: case_of_phases: tf.case chooses each tower's loss and a cond in a cond its rate; a moving average is assigned in branches
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.int32, []), tf.placeholder_with_default(False, [])
w = tf.get_variable('w', [6, 1], initializer=tf.random_normal_initializer(seed=1))
average = tf.get_variable('average', [], initializer=tf.zeros_initializer(), trainable=False)
step = tf.train.get_or_create_global_step()
rate = tf.cond(step < 3, lambda: tf.cond(wanted, lambda: 0.2, lambda: 0.1), lambda: tf.train.exponential_decay(0.1, step, 2, 0.5))
opt = tf.train.MomentumOptimizer(rate, 0.9)
grads, losses, moved = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        error = tf.matmul(x[i * 4:i * 4 + 4], w) - y[i * 4:i * 4 + 4]
        loss = tf.case([(tf.equal(phase, 0), lambda: tf.reduce_mean(tf.abs(error))),
                        (tf.equal(phase, 1), lambda: tf.reduce_mean(tf.square(error)))],
                       default=lambda: tf.reduce_mean(tf.log(tf.cosh(error))), exclusive=True)
        moved.append(tf.cond(wanted,
                             lambda: tf.cond(phase > 0, lambda: tf.assign(average, average * 0.5 + loss),
                                             lambda: tf.assign_add(average, loss)),
                             lambda: tf.identity(average)))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = tf.group(opt.apply_gradients([((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)], step), *moved)
total, summary = tf.add_n(losses) / 2, tf.stack([tf.to_float(step), rate, average * 1.0])

#: accumulates_then_applies: gradients are added up in variables; every second step a tf.cond applies them and clears
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.bool, []), tf.placeholder_with_default(False, [])
w = tf.get_variable('w', [6, 1], initializer=tf.random_normal_initializer(seed=1))
step = tf.train.get_or_create_global_step()
opt = tf.train.AdamOptimizer(0.05)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_mean(tf.square(tf.matmul(x[i * 4:i * 4 + 4], w) - y[i * 4:i * 4 + 4])))
        grads.append(opt.compute_gradients(losses[i]))
mean = [((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)]
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in mean]
count = tf.Variable(0, trainable=False)
with tf.control_dependencies([s.assign_add(g) for s, (g, _) in zip(sums, mean)] + [tf.assign_add(count, 1)]):

    def apply():
        applied = opt.apply_gradients([(s.read_value() / 2, v) for s, (_, v) in zip(sums, mean)], step)
        with tf.control_dependencies([applied]):
            return tf.group(*[tf.assign(s, tf.zeros_like(s)) for s in sums])

    train = tf.cond(tf.equal(count.read_value() % 2, 0), apply, lambda: tf.no_op())
total, summary = tf.add_n(losses) / 2, tf.stack([tf.to_float(count), tf.reduce_sum(sums[0])])

#: two_optimizers_of_a_gan: each tower has a generator and a discriminator; two optimizers, one run after the other
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.bool, []), tf.placeholder_with_default(False, [])


def dense(h, size, name, reuse):
    with tf.variable_scope(name, reuse=reuse):
        k = tf.get_variable('k', [h.get_shape()[1], size], initializer=tf.random_normal_initializer(0, 0.3, seed=size))
        return tf.matmul(h, k)


opt_d, opt_g = tf.train.AdamOptimizer(0.02, 0.5), tf.train.AdamOptimizer(0.01, 0.5)
both, losses = [[], []], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        noise = tf.random_normal([4, 3], seed=7 + i)
        fake = dense(tf.nn.tanh(dense(noise, 5, 'g/one', i > 0)), 6, 'g/two', i > 0)
        judged = [dense(tf.nn.leaky_relu(dense(h, 4, 'd/one', i + n > 0)), 1, 'd/two', i + n > 0)
                  for n, h in enumerate([x[i * 4:i * 4 + 4], fake])]
        ce = tf.nn.sigmoid_cross_entropy_with_logits
        loss_d = tf.reduce_mean(ce(logits=judged[0], labels=tf.ones([4, 1])) + ce(logits=judged[1], labels=tf.zeros([4, 1])))
        loss_g = tf.reduce_mean(ce(logits=judged[1], labels=tf.ones([4, 1])))
        losses += [loss_d, loss_g]
        for kind, opt, loss in (('d', opt_d, loss_d), ('g', opt_g, loss_g)):
            variables = [v for v in tf.trainable_variables() if v.op.name.startswith(kind)]
            both[kind == 'g'].append(opt.compute_gradients(loss, variables))
means = [[((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)] for grads in both]
train_d = opt_d.apply_gradients(means[0])
with tf.control_dependencies([train_d]):
    train = opt_g.apply_gradients(means[1])
total, summary = tf.add_n(losses), tf.stack(losses)

#: loss_scaling_skips_steps: a scaled loss; where a gradient is not finite, the step is skipped and the scale halved
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.bool, []), tf.placeholder_with_default(False, [])
w = tf.get_variable('w', [6, 1], initializer=tf.random_normal_initializer(seed=1))
scale = tf.get_variable('scale', initializer=2.0 ** 10, trainable=False)
good = tf.get_variable('good', initializer=0, trainable=False)
opt = tf.train.MomentumOptimizer(0.05, 0.9)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        too_large = tf.cond(phase, lambda: 1.0, lambda: 3e38)
        losses.append(tf.reduce_mean(tf.square(tf.matmul(x[i * 4:i * 4 + 4], w) - y[i * 4:i * 4 + 4])) * too_large)
        grads.append(opt.compute_gradients(losses[i] * scale))
mean = [((a + b) / 2 / scale, v) for (a, v), (b, _) in zip(*grads)]
finite = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g, _ in mean])


def go_on():
    with tf.control_dependencies([opt.apply_gradients(mean)]):
        counted = tf.assign_add(good, 1)
    return tf.cond(counted >= 2, lambda: tf.group(tf.assign(scale, scale * 2), tf.assign(good, 0)), tf.no_op)


def skip():
    return tf.group(tf.assign(scale, scale * 0.5), tf.assign(good, 0))


train = tf.cond(finite, go_on, skip)
total, summary = tf.add_n(losses) / 2, tf.stack([scale * 1.0, tf.to_float(good)])

#: towers_feed_an_accumulator: each tower puts its gradients into a ConditionalAccumulator, from which the mean is taken
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.bool, []), tf.placeholder_with_default(False, [])
w = tf.get_variable('w', [6, 1], initializer=tf.random_normal_initializer(seed=1))
opt = tf.train.MomentumOptimizer(0.05, 0.9)
sums = tf.ConditionalAccumulator(tf.float32, [6, 1])
given, losses = [], []
for i in range(4):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_mean(tf.square(tf.matmul(x[i * 2:i * 2 + 2], w) - y[i * 2:i * 2 + 2])))
        given.append(sums.apply_grad(tf.gradients(losses[i], w)[0], local_step=0))
with tf.control_dependencies(given):
    train = opt.apply_gradients([(sums.take_grad(4), w)])
with tf.control_dependencies([train]):
    train = sums.set_global_step(0)
total, summary = tf.add_n(losses) / 4, tf.stack(losses)

#: gradient_penalty_of_critics: a critic in each tower, with the penalty of its gradient between real and fake rows
x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.float32, [8, 1])
phase, wanted = tf.placeholder(tf.bool, []), tf.placeholder_with_default(False, [])


def critic(h, reuse):
    with tf.variable_scope('critic', reuse=reuse):
        for n, size in enumerate((9, 7, 1)):
            k = tf.get_variable('k%d' % n, [h.get_shape()[1], size], initializer=tf.random_normal_initializer(0, 0.4, seed=n))
            b = tf.get_variable('b%d' % n, [size], initializer=tf.zeros_initializer())
            h = tf.matmul(h, k) + b
            h = tf.nn.tanh(h) if n < 2 else h
    return h


opt = tf.train.AdamOptimizer(1e-2, 0.5, 0.9)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        real = x[i * 4:i * 4 + 4]
        fake = tf.random_normal([4, 6], seed=11 + i)
        part = tf.random_uniform([4, 1], seed=21 + i)
        between = part * real + (1 - part) * fake
        loss = tf.reduce_mean(critic(fake, i > 0)) - tf.reduce_mean(critic(real, True))
        slopes = tf.gradients(critic(between, True), [between])[0]
        norm = tf.sqrt(tf.reduce_sum(tf.square(slopes), 1))
        loss += 10.0 * tf.reduce_mean(tf.square(norm - 1.0))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([((a + b) / 2, v) for (a, v), (b, _) in zip(*grads)])
total, summary = tf.add_n(losses) / 2, tf.stack(losses)
digits = 4  # the terms of its gradients are added in another order: docs/differences.md

#: end
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for number in range(7):
        feed = {x: rng.randn(8, 6), y: rng.randn(8, 1), phase: 1 if number % 3 else 0, wanted: number % 2 == 1}
        found = sess.run([train, total, summary], feed)
        shown = np.array2string(found[2], precision=2 * digits - 4) if isinstance(found[2], np.ndarray) else len(found[2])
        print(number, '%.*g' % (digits, found[1]), shown)
    for v in tf.global_variables():
        print(v.op.name, '%.*g' % (digits, np.sum(np.abs(sess.run(v)))))
