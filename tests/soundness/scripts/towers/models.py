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
