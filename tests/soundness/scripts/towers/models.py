import numpy as np
import tensorflow as tf

#: batch_norm_all_towers_in_order: every tower's moving averages are applied, one tower after the other: an order made by control dependencies
N = 2
x = tf.placeholder(tf.float32, [N * 3, 2])
y = tf.placeholder(tf.float32, [N * 3, 1])


def normalize(v):
    mean = tf.get_variable('mean', [2], initializer=tf.zeros_initializer, trainable=False)
    count = tf.get_variable('count', [], tf.int32, initializer=tf.zeros_initializer, trainable=False)
    batch_mean = tf.reduce_mean(v, 0)

    def update():
        with tf.control_dependencies([tf.assign_sub(mean, 0.25 * (mean - batch_mean))]):
            return tf.assign_add(count, 1)
    return v - batch_mean, update


opt = tf.train.GradientDescentOptimizer(0.1)
updates, tower_grads, losses = [], [], []
for i in range(N):
    with tf.device('/gpu:%d' % i), tf.variable_scope('bn', reuse=i > 0):
        v, update = normalize(x[i * 3:(i + 1) * 3])
        w = tf.get_variable('w', [2, 1], initializer=tf.constant_initializer([[.3], [.7]]))
        loss = tf.reduce_mean((tf.matmul(v, w) - y[i * 3:(i + 1) * 3]) ** 2)
        updates.append(update)
        losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))

grads = [(tf.reduce_mean(tf.concat([tf.expand_dims(g, 0) for g, _ in gv], 0), 0), gv[0][1])
         for gv in zip(*tower_grads)]
done = opt.apply_gradients(grads)
for update in updates:
    with tf.control_dependencies([done]):
        done = update()

r = np.random.RandomState(6)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: r.randn(6, 2) + 1, y: r.randn(6, 1)}
        print(sess.run(losses, feed))
        print('updates so far', sess.run(done, feed))
        print([sess.run(v).ravel().tolist() for v in tf.global_variables()])

#: batch_norm_last_tower_updates: batch norm by hand: assign_moving_average in UPDATE_OPS; the last tower's updates are run; evaluation with the averages
from tensorflow.python.training import moving_averages

tf.set_random_seed(21)
is_training = tf.placeholder(tf.bool, [], name='is_training')
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])


def batch_norm(v, name):
    with tf.variable_scope(name):
        size = v.get_shape()[-1]
        gamma = tf.get_variable('gamma', [size], initializer=tf.ones_initializer())
        beta = tf.get_variable('beta', [size], initializer=tf.zeros_initializer())
        mean_var = tf.get_variable('moving_mean', [size], initializer=tf.zeros_initializer(), trainable=False)
        var_var = tf.get_variable('moving_variance', [size], initializer=tf.ones_initializer(), trainable=False)
        mean, var = tf.nn.moments(v, [0])
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS,
                             moving_averages.assign_moving_average(mean_var, mean, 0.8, zero_debias=False))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS,
                             moving_averages.assign_moving_average(var_var, var, 0.8, zero_debias=False))
        m, s = tf.cond(is_training, lambda: (mean, var), lambda: (tf.identity(mean_var), tf.identity(var_var)))
        return tf.nn.batch_normalization(v, m, s, beta, gamma, 1e-3)


def net(v):
    w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(stddev=0.5))
    h = tf.nn.relu(batch_norm(tf.matmul(v, w), 'bn'))
    u = tf.get_variable('u', [4], initializer=tf.random_normal_initializer(stddev=0.5))
    return tf.reduce_sum(h * u, 1)


opt = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True)
tower_grads = []
half = tf.shape(x)[0] // 2
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i) as scope:
                bx = tf.slice(x, [i * half, 0], [half, 3])
                by = tf.slice(y, [i * half], [half])
                out = net(bx)
                loss = tf.reduce_mean(tf.square(out - by))
                tf.get_variable_scope().reuse_variables()
                update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                tower_grads.append(opt.compute_gradients(loss))
print(len(update_ops), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in gv]), axis=0), gv[0][1]) for gv in zip(*tower_grads)]
with tf.control_dependencies(update_ops):
    train = opt.apply_gradients(grads)

rng = np.random.RandomState(8)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    tf.global_variables_initializer().run()
    for step in range(5):
        l, _ = sess.run([loss, train], {x: rng.randn(8, 3) + 2, y: rng.randn(8), is_training: True})
        print('train %.9g' % l)
    e, p = sess.run([loss, out], {x: rng.randn(4, 3), y: rng.randn(4), is_training: False})
    print('eval %.9g' % e, p.tolist())
    for v in tf.global_variables():
        print(v.op.name, sess.run(v).ravel().tolist())

#: generator_asks_its_shape: A DCGAN in towers: the generator's batch is a constant, its input's is open; the shape is asked of the tensor
BATCH = 4


def generator(z, reuse):
    with tf.variable_scope('generator', reuse=reuse):
        w = tf.get_variable('w', [3, 2 * 2 * 4], initializer=tf.random_normal_initializer(stddev=0.3))
        h = tf.nn.relu(tf.reshape(tf.matmul(z, w), [-1, 2, 2, 4]))
        up = tf.get_variable('up', [3, 3, 2, 4], initializer=tf.random_normal_initializer(stddev=0.3))
        h = tf.nn.conv2d_transpose(h, up, output_shape=[BATCH, 4, 4, 2], strides=[1, 2, 2, 1])
        b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        return tf.tanh(tf.reshape(tf.nn.bias_add(h, b), h.get_shape()))


def discriminator(image, reuse):
    with tf.variable_scope('discriminator', reuse=reuse):
        batch, flat = int(image.get_shape()[0]), int(np.prod(image.get_shape().as_list()[1:]))
        w = tf.get_variable('w', [flat, 1], initializer=tf.random_normal_initializer(stddev=0.3))
        return tf.matmul(tf.reshape(image, [batch, flat]), w)


tf.set_random_seed(3)
z = tf.placeholder(tf.float32, [None, 3])
real = tf.placeholder(tf.float32, [2 * BATCH, 4, 4, 2])
opt = tf.train.GradientDescentOptimizer(0.5)
d_grads, g_grads = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        fake = generator(z[i * BATCH:(i + 1) * BATCH], i > 0)
        logits = discriminator(tf.nn.dropout(real[i * BATCH:(i + 1) * BATCH], 0.8), i > 0)
        logits_ = discriminator(fake, True)
        print(fake.get_shape().as_list(), logits.get_shape().as_list())
        d_loss = tf.reduce_mean(tf.nn.softplus(-logits)) + tf.reduce_mean(tf.nn.softplus(logits_))
        g_loss = tf.reduce_mean(tf.nn.softplus(-logits_))
        d_vars = [v for v in tf.trainable_variables() if v.name.startswith('discriminator')]
        g_vars = [v for v in tf.trainable_variables() if v.name.startswith('generator')]
        d_grads.append(opt.compute_gradients(d_loss, d_vars))
        g_grads.append(opt.compute_gradients(g_loss, g_vars))
train = [opt.apply_gradients([(tf.add_n([g for g, _ in p]) / 2., p[0][1]) for p in zip(*tower_grads)])
         for tower_grads in (d_grads, g_grads)]
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        draw = np.random.RandomState(step)
        feed = {z: draw.randn(2 * BATCH, 3), real: draw.randn(2 * BATCH, 4, 4, 2)}
        print(step, sess.run([d_loss, g_loss], feed))
        sess.run(train[0], feed)
        sess.run(train[1], feed)
    for v in tf.trainable_variables():
        print(v.op.name, sess.run(v).ravel().tolist())

#: layers_of_a_tower: layers, losses and initializers in the towers, two optimizers with schedules: what certain programs are made of
NUM_TOWERS = 2


def volumes(x):
    h = tf.reshape(x, [-1, 4, 6, 2, 1])
    h = tf.layers.conv3d(h, 2, 2, padding='same', activation=tf.nn.relu, kernel_initializer=tf.constant_initializer(0.2),
                         name='volume')
    h = tf.layers.max_pooling3d(h, 2, 2, padding='same')
    return tf.layers.flatten(tf.layers.average_pooling3d(h, 1, 1))


def signals(x):
    h = tf.reshape(x, [-1, 8, 6])
    h = tf.layers.conv1d(h, 4, 3, padding='same', kernel_initializer=tf.variance_scaling_initializer(seed=3), name='signal')
    h = tf.layers.max_pooling1d(h, 2, 2)
    return tf.layers.flatten(tf.layers.average_pooling1d(h, 2, 1))


def images(x):
    h = tf.reshape(x, [-1, 4, 6, 2])
    h = tf.layers.conv2d_transpose(
        h, 3, 2, strides=2, kernel_initializer=tf.initializers.random_uniform(-0.3, 0.3, seed=4), name='wider')
    h = tf.layers.separable_conv2d(
        h, 2, 2, depthwise_initializer=tf.initializers.constant(0.3), pointwise_initializer=tf.initializers.ones(), name='apart')
    w = tf.get_variable('w', [2, 2], initializer=tf.orthogonal_initializer(seed=5))
    v = tf.get_variable('v', [2, 2], initializer=tf.uniform_unit_scaling_initializer(seed=5))
    u = tf.get_variable('u', [2, 2], initializer=tf.initializers.identity())
    return tf.reduce_mean(tf.tensordot(h, w + v + u, [[3], [0]]), [1, 2])


def tower_loss(x, labels):
    features = tf.concat([volumes(x), signals(x), images(x)], 1)
    logits = tf.layers.dense(features, 3, kernel_initializer=tf.initializers.truncated_normal(0.0, 0.1, seed=7), name='logits')
    one_hot = tf.one_hot(labels, 3)
    part = tf.sigmoid(logits)
    losses = [
        tf.losses.softmax_cross_entropy(one_hot, logits, label_smoothing=0.1),
        tf.losses.sparse_softmax_cross_entropy(labels, logits), tf.losses.sigmoid_cross_entropy(one_hot, logits),
        tf.losses.mean_squared_error(one_hot, logits), tf.losses.absolute_difference(one_hot, logits),
        tf.losses.huber_loss(one_hot, logits), tf.losses.log_loss(one_hot, part), tf.losses.hinge_loss(one_hot, logits),
        tf.losses.mean_pairwise_squared_error(one_hot, logits),
        tf.losses.cosine_distance(tf.nn.l2_normalize(one_hot, 1), tf.nn.l2_normalize(logits, 1), axis=1),
    ]
    return tf.add_n(losses)


x = tf.placeholder(tf.float32, [None, 48])
labels = tf.placeholder(tf.int64, [None])
global_step = tf.train.get_or_create_global_step()
rate = tf.train.polynomial_decay(0.05, global_step, 10)
natural = tf.train.natural_exp_decay(0.01, global_step, 5, 0.3)
inverse = tf.train.inverse_time_decay(0.01, global_step, 5, 0.3)
cosine = tf.train.cosine_decay(0.01, global_step, 10)
opt = tf.train.FtrlOptimizer(0.05, l2_regularization_strength=0.01)
tower_grads = []
tower_losses = []
xs = tf.split(x, NUM_TOWERS)
ys = tf.split(labels, NUM_TOWERS)
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_TOWERS):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                loss = tower_loss(xs[i], ys[i])
                tf.get_variable_scope().reuse_variables()
                tower_losses.append(loss)
                tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    grads.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]))
values, names = zip(*grads)
clipped, norm = tf.clip_by_global_norm(values, 2.0)
train_op = opt.apply_gradients(zip(clipped, names), global_step=global_step)
mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(5)
    for step in range(4):
        feed = {x: rng.randn(8, 48), labels: rng.randint(0, 3, 8)}
        _, value, length, now = sess.run([train_op, mean_loss, norm, rate], feed)
        print('%d %.9g %.9g %.9g' % (step, value, length, now))
        print('%.9g %.9g %.9g' % tuple(sess.run([natural, inverse, cosine])))

#: loss_mean_over_concat_logits: the towers only compute logits; one loss over the concatenated logits, on the CPU
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int32, [None])
logits = []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('forward', reuse=tf.AUTO_REUSE):
        k = tf.get_variable('k', [3, 3], initializer=tf.glorot_uniform_initializer(seed=2))
        logits.append(tf.matmul(part, k))
with tf.device('/cpu:0'):
    joined = tf.concat(logits, axis=0)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=joined, labels=y))
    step = tf.train.create_global_step()
    train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step, colocate_gradients_with_ops=True)
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(joined, y, 1), tf.float32))
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(6, 3), y: rng.randint(0, 3, 6)}
        l, a, _ = sess.run([loss, accuracy, train], feed)
        print('%.9g %.4f' % (l, a), sess.run(step))
    print(sess.run(k).tolist())

#: multi_task_losses: two tasks on two towers: each tower has a loss of its own on the same input, shared body
x = tf.placeholder(tf.float32, [4, 3], name='x')
targets = [tf.placeholder(tf.float32, [4, 1], name='t%d' % i) for i in range(2)]


def body(v):
    with tf.variable_scope('body', reuse=tf.AUTO_REUSE):
        return tf.nn.relu(tf.matmul(v, tf.get_variable('w', [3, 4], initializer=tf.glorot_normal_initializer(seed=5))))


losses = []
for i, t in enumerate(targets):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('task%d' % i):
            u = tf.get_variable('u', [4, 1], initializer=tf.constant_initializer(0.1 * (i + 1)))
        losses.append(tf.losses.mean_squared_error(t, tf.matmul(body(x), u), weights=1.0 + i))
total = tf.losses.get_total_loss()
opts = [tf.train.GradientDescentOptimizer(0.05), tf.train.AdagradOptimizer(0.1)]
train = opts[0].minimize(total, var_list=tf.trainable_variables('body'))
with tf.control_dependencies([train]):
    heads = opts[1].apply_gradients(
        [(tf.gradients(total, v)[0], v) for s in ('task0', 'task1') for v in tf.trainable_variables(s)])
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {x: rng.randn(4, 3), targets[0]: rng.randn(4, 1), targets[1]: rng.randn(4, 1)}
        print(sess.run([total] + losses, feed))
        sess.run(heads if i % 2 else train, feed)
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.global_variables()])

#: operations_of_a_tower: each tower goes through operations by their old names, one family a function, and trains on them
def total(*values):
    return tf.add_n([tf.reduce_sum(tf.cast(value, tf.float32)) for value in values])


def of_every_element(x):
    positive, inside = tf.abs(x) + 0.1, tf.clip_by_value(x, -0.9, 0.9)
    return total(
        tf.asin(inside), tf.acosh(positive + 1.0), tf.log1p(positive), tf.expm1(inside), tf.erf(x), tf.lgamma(positive),
        tf.digamma(positive), tf.reciprocal(positive), tf.log_sigmoid(x), tf.math.pow(positive, 1.5), tf.nn.crelu(x))


def without_gradient(x):
    whole = tf.cast(tf.abs(x) * 10.0, tf.int32) + 1
    return total(
        tf.ceil(x), tf.rint(x), tf.is_nan(x), tf.is_finite(x), tf.logical_xor(x > 0, x > 1), tf.floordiv(whole, 3), tf.argmin(x, 1),
        tf.count_nonzero(whole), tf.bitcast(whole, tf.int32), tf.to_double(x), tf.to_bfloat16(x), tf.cast(whole, tf.int8),
        tf.nn.top_k(x, 2)[1], tf.sequence_mask([1, 2, 3], 4), tf.invert_permutation([1, 0, 2]), tf.where(x > 1.0),
        tf.unique([1, 1, 2])[0], tf.setdiff1d([1, 2, 3], [2])[0])


def over_axes(x):
    return total(
        tf.reduce_logsumexp(x, 1), tf.cumprod(x * 0.1 + 1.0, 1), tf.math.reduce_std(x, 1), tf.accumulate_n([x, x * 2.0]),
        tf.global_norm([x, x * 2.0]), tf.clip_by_average_norm(x, 0.5), tf.segment_mean(x, [0, 0, 1, 1]),
        tf.unsorted_segment_sum(x, [1, 0, 1, 0], 2), tf.sort(x), tf.nn.weighted_moments(x, [0], tf.abs(x))[1])


def of_matrices(x):
    square = tf.matmul(x, x, transpose_b=True) + 9.0 * tf.eye(4)
    return total(
        tf.einsum('ij,kj->ik', x, x), tf.trace(square), tf.diag_part(square), tf.diag([1.0, 2.0]), tf.matrix_band_part(square, 1, 0),
        tf.matrix_inverse(square), tf.matrix_determinant(square), tf.cholesky(square), tf.matrix_solve(square, x),
        tf.matrix_transpose(x), tf.cross(x[:, :3], x[:, 3:]), tf.matrix_set_diag(square, x[:, 0]))


def of_another_shape(x):
    return total(
        tf.reverse(x, [1]) * x, tf.gather_nd(x, [[0, 1], [2, 3]]), tf.boolean_mask(x, x[:, 0] > -9.0),
        tf.scatter_nd([[1], [3]], x[:2], [5, 6]), tf.reverse_sequence(x, [1, 2, 3, 4], 1) * x,
        tf.dynamic_stitch([[0, 2], [1, 3]], [x[:2], x[2:]]) * x, tf.manip.roll(x, 1, 0), tf.batch_gather(x, [[0], [1], [2], [3]]),
        tf.space_to_depth(tf.reshape(x, [1, 4, 6, 1]), 2), tf.space_to_batch_nd(tf.reshape(x, [1, 4, 6, 1]), [2, 2], [[0, 0], [0, 0]]))


def of_images(x):
    image, volume = tf.reshape(x, [1, 4, 6, 1]), tf.reshape(x, [1, 2, 3, 4, 1])
    return total(
        tf.nn.conv2d_transpose(image, tf.ones([2, 2, 3, 1]) * 0.2, [1, 8, 12, 3], [1, 2, 2, 1]),
        tf.nn.conv3d(volume, tf.ones([2, 2, 2, 1, 1]), [1, 1, 1, 1, 1], 'SAME'),
        tf.nn.pool(image, [2, 2], 'AVG', 'SAME'), tf.image.resize_bilinear(image, [8, 12]), tf.image.transpose_image(image),
        tf.image.resize_image_with_crop_or_pad(image, 6, 4), tf.image.per_image_standardization(image),
        tf.extract_image_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'))


def losses_of(x):
    probabilities, sparse = tf.nn.softmax(x), tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    return total(
        tf.nn.log_poisson_loss(tf.abs(x), x), tf.nn.weighted_cross_entropy_with_logits(probabilities, x, 2.0),
        tf.confusion_matrix([0, 1], [1, 1], 2), tf.nn.in_top_k(x, [0, 1, 2, 3], 2), tf.sparse_reduce_sum(sparse))


x = tf.placeholder(tf.float32, [8, 6])
opt = tf.train.GradientDescentOptimizer(0.01)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i), tf.variable_scope('net', reuse=i > 0):
        w = tf.get_variable('w', [6], initializer=tf.random_uniform_initializer(0.5, 1.5, seed=7))
        h = tf.split(x, 2)[i] * w
        losses.append((of_every_element(h) + without_gradient(h) + over_axes(h) + of_matrices(h) + of_another_shape(h)
                       + of_images(h) + losses_of(h)) * 1e-4)
        grads.append(opt.compute_gradients(losses[i]))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*grads)])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(5)
    for step in range(3):
        print(step, sess.run([losses, train], {x: rng.randn(8, 6)})[0])
    print(sess.run(w).tolist())

#: regularizers_scope_default: L2 regularizers set on the scope; REGULARIZATION_LOSSES are added once, to the mean loss
def l2(scale):
    def regularize(v):
        return scale * tf.nn.l2_loss(v)
    return regularize


def network(x):
    with tf.variable_scope('a'):
        w = tf.get_variable('w', [3, 3], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
    with tf.variable_scope('b', regularizer=l2(0.5)):
        u = tf.get_variable('u', [3, 1], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
    return tf.matmul(tf.nn.elu(tf.matmul(x, w)), u)


x, y = tf.placeholder(tf.float32, [6, 3]), tf.placeholder(tf.float32, [6, 1])
losses = []
with tf.variable_scope('net', regularizer=l2(0.01)) as scope:
    for n, (px, py) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
        with tf.device('/gpu:%d' % n):
            if n:
                scope.reuse_variables()
            losses.append(tf.reduce_mean(tf.square(network(px) - py)))
regular = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
print(len(regular), [r.op.name for r in regular])
data_loss = tf.add_n(losses) / len(losses)
loss = data_loss + tf.add_n(regular)
step = tf.Variable(0, name='global_step', trainable=False)
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
rng = np.random.RandomState(3)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.initialize_all_variables())
for _ in range(5):
    feed = {x: rng.randn(6, 3), y: rng.randn(6, 1)}
    a, b = sess.run([data_loss, loss], feed)
    sess.run(train, feed)
    print('%.9g %.9g' % (a, b), sess.run(step))
print([['%.9g' % e for e in row] for row in sess.run(tf.trainable_variables()[0])])
print('%.9g' % sess.run(tf.losses.get_regularization_loss()))

#: static_rnn_by_hand: A recurrent cell written by hand, unrolled in Python; the state is carried in a variable of each tower
T, H = 3, 2


def cell(x, h):
    w = tf.get_variable('w', [1 + H, H], initializer=tf.random_uniform_initializer(-.5, .5, seed=6))
    b = tf.get_variable('b', [H], initializer=tf.zeros_initializer())
    return tf.tanh(tf.matmul(tf.concat([x, h], 1), w) + b)


series = tf.placeholder(tf.float32, [4, T + 1, 1])
opt = tf.train.AdamOptimizer(0.05)
grads, losses, keep, states = [], [], [], []
for i, part in enumerate(tf.split(series, 2)):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        state = tf.Variable(tf.zeros([2, H]), trainable=False, name='state')
        states.append(state)
        with tf.variable_scope('rnn', reuse=tf.AUTO_REUSE):
            h = state
            for t in range(T):
                h = cell(part[:, t], h)
            v = tf.get_variable('v', [H, 1], initializer=tf.ones_initializer())
            loss = tf.reduce_mean(tf.square(tf.matmul(h, v) - part[:, T]))
        losses.append(loss)
        gv = opt.compute_gradients(loss)
        grads.append(gv)
        with tf.control_dependencies([g for g, _ in gv]):
            keep.append(tf.assign(state, h))
with tf.control_dependencies(keep):
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
r = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        values, _ = sess.run([losses, train], {series: r.rand(4, T + 1, 1)})
        print(['%.9g' % v for v in values], [s.tolist() for s in sess.run(states)])
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.trainable_variables()])

#: tf_layers_dense_bn: tf.layers: dense, batch_normalization with UPDATE_OPS of the first tower, dropout with a training switch
tf.set_random_seed(19)
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
training = tf.placeholder_with_default(False, [], name='training')


def net(v, reuse):
    with tf.variable_scope('net', reuse=reuse):
        h = tf.layers.dense(v, 5, name='fc1')
        h = tf.layers.batch_normalization(h, training=training, momentum=0.7, name='bn')
        h = tf.layers.dropout(tf.nn.relu(h), 0.4, training=training, seed=3)
        return tf.layers.dense(h, 1, use_bias=False, name='fc2')


opt = tf.train.GradientDescentOptimizer(0.1)
grads, losses = [], []
for i, (a, b) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
        losses.append(tf.reduce_mean((net(a, i > 0) - b) ** 2))
        if i == 0:
            update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        grads.append(opt.compute_gradients(losses[i]))
print(len(update_ops), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
with tf.control_dependencies(update_ops):
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(8, 4), y: rng.randn(8, 1), training: True}
        print(['%.8g' % v for v in sess.run(losses + [train], feed)[:2]])
    print(sess.run(losses, {x: rng.randn(4, 4), y: rng.randn(4, 1)}))
    for v in tf.global_variables():
        print(v.name, '%.7g' % sess.run(v).sum())

#: three_towers_split_momentum: three towers over a split batch; printed to five digits
GPUS = ['/gpu:0', '/gpu:1', '/gpu:2']
x = tf.placeholder(tf.float32, [9, 2])
y = tf.placeholder(tf.float32, [9])
opt = tf.train.MomentumOptimizer(0.1, 0.9)
tower_grads = []
losses = []
xs, ys = tf.split(x, len(GPUS)), tf.split(y, len(GPUS))
for i in range(len(GPUS)):
    with tf.device(GPUS[i]), tf.variable_scope('m', reuse=(i > 0)):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.1, 0.2]))
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_mean((tf.reduce_sum(xs[i] * w, 1) + b - ys[i]) ** 2))
        tower_grads.append(opt.compute_gradients(losses[-1]))
mean = []
for gv in zip(*tower_grads):
    mean.append((tf.add_n([g for g, _ in gv]) / len(gv), gv[0][1]))
train = opt.apply_gradients(mean)
rng = np.random.RandomState(1)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        out = sess.run([losses, train], {x: rng.randn(9, 2), y: rng.randn(9)})[0]
        print(['%.5g' % v for v in out])
    print(['%.5g' % v for v in sess.run(w)], '%.5g' % sess.run(b))

#: two_loops_train_and_eval: two tower loops: one for training, one for evaluation with the same variables
G = 2


def logits_of(x):
    w = tf.get_variable('w', [3, 3], initializer=tf.uniform_unit_scaling_initializer(seed=3))
    return tf.matmul(tf.nn.relu(x), w)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.int32, [None])
opt = tf.train.GradientDescentOptimizer(0.4)
grads, losses = [], []
for i, (a, b) in enumerate(zip(tf.split(x, G), tf.split(y, G))):
    with tf.device('/gpu:%d' % i), tf.variable_scope('clf', reuse=i > 0):
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=b, logits=logits_of(a)))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])

predictions = []
for i, a in enumerate(tf.split(x, G)):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('clf', reuse=True):
            predictions.append(tf.argmax(logits_of(a), 1, output_type=tf.int32))
hits = tf.reduce_sum(tf.cast(tf.equal(tf.concat(predictions, 0), y), tf.int32))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        for _ in range(3):
            bx = rng.randn(8, 3)
            _, both = sess.run([train, losses], {x: bx, y: bx.argmax(1)})
            print(['%.9g' % v for v in both])
        ex = rng.randn(10, 3)
        print('hits', sess.run(hits, {x: ex, y: ex.argmax(1)}), [p.tolist() for p in sess.run(predictions, {x: ex})])
    print(sess.run('clf/w:0').tolist())
