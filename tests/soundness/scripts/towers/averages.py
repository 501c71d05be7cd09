# What becomes of the towers' gradients and losses: averages of every form, sums, clipping, several optimizers.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2], name='x')
y = tf.placeholder(tf.float32, [4], name='y')
opt = tf.train.MomentumOptimizer(0.05, 0.9)
tower_grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i), tf.variable_scope('net', reuse=i > 0):
        w = tf.get_variable('weights', [2], initializer=tf.constant_initializer([0.5, -1.0]))
        b = tf.get_variable('biases', [], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_mean((tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) + b - y[i * 2:i * 2 + 2]) ** 2))
        tower_grads.append(opt.compute_gradients(losses[i]))

#: average_by_running_sum: a running sum with tf.multiply, in a nested function; towers in a dictionary
def make_average(n):
    def average(tower_grads):
        result = []
        for group in zip(*tower_grads):
            total = None
            for g, _ in group:
                total = g if total is None else tf.add(total, g)
            result.append((tf.multiply(total, 1.0 / n, name=group[0][1].op.name + '_mean'), group[0][1]))
        return result
    return average


by_name = {'tower_%d' % i: grads for i, grads in enumerate(tower_grads)}
train = opt.apply_gradients(make_average(2)([by_name[k] for k in sorted(by_name)]))

#: average_gradients_is_not_plain: it looks like the tutorial's, but it doubles the biases and sums the rest
def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(axis=0, values=grads)
        v = grad_and_vars[0][1]
        if 'biases' in v.op.name:
            grad = 2.0 * tf.reduce_mean(grad, 0)
        else:
            grad = tf.reduce_sum(grad, 0)
        average_grads.append((grad, v))
    return average_grads


train = opt.apply_gradients(average_gradients(tower_grads))

#: average_of_the_mean_loss: a moving average of the towers' mean loss, updated once a step
ema = tf.train.ExponentialMovingAverage(0.9)
mean_loss = tf.add_n(losses) / 2
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
with tf.control_dependencies([ema.apply([mean_loss])]):
    train = opt.apply_gradients(grads)
losses.append(ema.average(mean_loss))
print(ema.average_name(mean_loss))

#: average_twice_and_of_a_part: the plain average of all towers, of one, and of gradients that were changed before
def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


both = average_gradients(tower_grads)
one = average_gradients(tower_grads[:1])
again = average_gradients([both, one, one, both])
first = tf.stack([g[0][0] for g in tower_grads])
losses += [pairs[0][0] for pairs in (both, one, again)] + [tf.reduce_max(first, 0) - tf.reduce_min(first, 0)]
train = tf.cond(y[0] > 0.0, lambda: opt.apply_gradients(both), lambda: opt.apply_gradients(one))

#: clipped_by_global_norm: the mean's global norm is clipped; a schedule on a step that the optimizer counts
step = tf.train.get_or_create_global_step()
lr = tf.train.natural_exp_decay(0.3, step, 2, 0.3)
grads = [(tf.reduce_mean(tf.concat([g[None] for g, _ in p], 0), 0), p[0][1]) for p in zip(*tower_grads)]
clipped, norm = tf.clip_by_global_norm([g for g, _ in grads], 0.5)
train = tf.train.MomentumOptimizer(lr, 0.9).apply_gradients(list(zip(clipped, [v for _, v in grads])), tf.train.get_global_step())
losses += [norm, lr, step]

#: grads_scaled: loss scaling: the loss is multiplied, the gradients divided; gated
scaled = [opt.compute_gradients(loss * 128., gate_gradients=tf.train.Optimizer.GATE_GRAPH) for loss in losses]
mean = [((a / 128. + c / 128.) / 2, v) for (a, v), (c, _) in zip(*scaled)]
train = opt.apply_gradients(mean)

#: means_by_sums: sums by the number of towers, a factor for it, and a second list of gradients
def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads = [g for g, _ in pairs]
        result.append((tf.add_n(grads) / len(grads), pairs[0][1]))
    return result


def mean(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads = [g for g, _ in pairs]
        total = tf.multiply(tf.add_n(grads), 1.0 / len(pairs))
        result.append((total, pairs[0][1]))
    return result


both, again = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        again.append(opt.compute_gradients(2 * losses[i]))
        penalty = losses[i] * (i + 1)
        both.append(opt.compute_gradients(penalty))
print(penalty.op.name)
train = tf.group(opt.apply_gradients(average(tower_grads)), opt.apply_gradients(mean(again)))
with tf.control_dependencies([train]):
    train = opt.apply_gradients(mean(both))

#: means_of_lists: the mean of a list without a stack, which gets the list's name; the last tower's loss
def average(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        for_each = [g for g, _ in pairs]
        pairs = (tf.reduce_mean(for_each, 0), pairs[0][1])
        result.append(pairs)
    return result


tower_grads = average(tower_grads)
train = opt.apply_gradients(tower_grads)
print(len(tower_grads))

#: means_of_what_there_is: the second tower does not use every variable; a mean of what is not None, one by unzipped pairs
def average(tower_grads):
    n = len(tower_grads)
    result = []
    for pairs in zip(*tower_grads):
        first = pairs[0][1].name
        grads = []
        for g, v in pairs:
            if g is not None:
                grads.append(tf.expand_dims(g, 0))
        result.append((tf.reduce_mean(tf.concat(grads, 0), 0), pairs[0][1]))
    return result


def mean(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads, variables = zip(*pairs)
        shape = grads[0].get_shape()
        result.append((tf.reduce_mean(tf.stack(grads), 0), variables[0]))
    return result


only = tf.get_variable('only', [2], initializer=tf.ones_initializer())
losses[0] += tf.reduce_sum(only * x[0])
train = opt.apply_gradients(average([opt.compute_gradients(loss) for loss in losses]))
losses += [g for g, _ in mean(tower_grads)]

#: minimize_mean_of_losses: no averaging of gradients: the mean of the towers' losses, one minimize
mean_loss = tf.reduce_mean(tf.stack(losses))
step = tf.train.get_or_create_global_step()
train = tf.train.AdagradOptimizer(0.3).minimize(mean_loss, global_step=step, colocate_gradients_with_ops=True)
losses = [mean_loss, tf.convert_to_tensor(step)]

#: none_gradients: one variable is not used by the loss: its gradient is None, the average leaves it out
def average_gradients(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads = []
        for g, _ in pairs:
            if g is None:
                continue
            grads.append(tf.expand_dims(g, 0))
        if not grads:
            result.append((None, pairs[0][1]))
            continue
        result.append((tf.reduce_mean(tf.concat(grads, 0), 0), pairs[0][1]))
    return result


unused = tf.get_variable('unused', [2], initializer=tf.ones_initializer())
grads = average_gradients([opt.compute_gradients(loss) for loss in losses])
print([(g is None, v.op.name) for g, v in grads])
train = opt.apply_gradients(grads)

#: own_adam_by_assign: the script's own Adam: slots by tf.Variable, updates by tf.assign, grouped
def adam_updates(params, grads, lr=0.01, b1=0.9, b2=0.99):
    updates = []
    t = tf.Variable(1., trainable=False, name='adam_t')
    rate = lr * tf.sqrt(1. - tf.pow(b2, t)) / (1. - tf.pow(b1, t))
    for p, g in zip(params, grads):
        m = tf.Variable(tf.zeros(p.get_shape()), trainable=False, name=p.op.name + '_adam_m')
        v = tf.Variable(tf.zeros(p.get_shape()), trainable=False, name=p.op.name + '_adam_v')
        m_t = b1 * m + (1. - b1) * g
        v_t = b2 * v + (1. - b2) * tf.square(g)
        new = p - rate * m_t / (tf.sqrt(v_t) + 1e-8)
        with tf.control_dependencies([m_t, v_t, new] + grads):  # TF1 writes in place
            updates += [m.assign(m_t), v.assign(v_t), p.assign(new)]
    with tf.control_dependencies(updates):
        return tf.group(t.assign_add(1.))


all_grads = [[g for g, _ in pairs] for pairs in tower_grads]
with tf.device('/cpu:0'):
    for j in range(len(all_grads[0])):
        all_grads[0][j] = tf.add_n([all_grads[k][j] for k in range(2)]) / 2.
    train = adam_updates([w, b], all_grads[0])

#: rate_per_layer_two_optimizers: one optimizer for the weights, one for the biases, after the same average; grouped
fast, slow = tf.train.MomentumOptimizer(0.2, 0.5), tf.train.GradientDescentOptimizer(0.01)
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*tower_grads)]
weights = [(g, v) for g, v in mean if 'weights' in v.name]
biases = [(g, v) for g, v in mean if 'biases' in v.name]
with tf.control_dependencies([g for g, _ in mean]):
    train = tf.group(fast.apply_gradients(weights), slow.apply_gradients(biases))

#: sum_of_gradients: summed, not averaged: the learning rate is divided by hand
def _sum_gradients(tower_grads):
    return [(tf.add_n([g for g, _ in gv]), gv[0][1]) for gv in zip(*tower_grads)]


train = tf.train.MomentumOptimizer(tf.placeholder_with_default(0.1, [], name='rate') / 2, 0.9).apply_gradients(_sum_gradients(tower_grads))

#: end
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(4, 2), y: rng.randn(4)}
        print(sess.run(losses, feed))
        sess.run(train, feed)
    print([(v.op.name, sess.run(v).tolist()) for v in tf.global_variables()])
