# Small programs in the styles of tutorials and papers' code: one machine, one session, one model.
import collections
import os
import pickle
import random
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
tf.set_random_seed(1)
np.random.seed(2)
random.seed(3)
rows = np.random.randn(24, 3).astype(np.float32)
labels = (rows.sum(1) > 0).astype(np.int32)

#: feedable_iterator: a handle that is fed chooses between a training set that repeats and a validation set that is begun anew
train_set = tf.data.Dataset.from_tensor_slices((rows[:16], labels[:16])).shuffle(16, seed=4).batch(4).repeat()
valid_set = tf.data.Dataset.from_tensor_slices((rows[16:], labels[16:])).batch(4)
handle = tf.placeholder(tf.string, shape=[])
iterator = tf.data.Iterator.from_string_handle(handle, train_set.output_types, train_set.output_shapes)
x, y = iterator.get_next()
logits = tf.layers.dense(x, 2, name='logits')
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
right = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y), tf.int32))
train = tf.train.AdamOptimizer(0.05).minimize(loss)
train_iterator, valid_iterator = train_set.make_one_shot_iterator(), valid_set.make_initializable_iterator()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    train_handle, valid_handle = sess.run([train_iterator.string_handle(), valid_iterator.string_handle()])
    for epoch in range(2):
        for _ in range(3):
            print('loss', sess.run([loss, train], {handle: train_handle})[0])
        sess.run(valid_iterator.initializer)
        count = 0
        while True:
            try:
                count += sess.run(right, {handle: valid_handle})
            except tf.errors.OutOfRangeError:
                break
        print('epoch', epoch, 'right', count, 'of', 8)

#: reinitializable_iterator: one iterator of a structure, set to the training or the validation set; what is left is dropped
batch = tf.placeholder(tf.int64, [])
train_set = tf.data.Dataset.from_tensor_slices((rows[:15], labels[:15])).map(lambda x, y: (x * 2.0, y)).batch(batch)
valid_set = tf.data.Dataset.from_tensor_slices((rows[15:], labels[15:])).batch(batch)
iterator = tf.data.Iterator.from_structure(train_set.output_types, train_set.output_shapes)
begin_train, begin_valid = iterator.make_initializer(train_set), iterator.make_initializer(valid_set)
x, y = iterator.get_next()
w = tf.get_variable('w', [3, 2], initializer=tf.glorot_normal_initializer(seed=5))
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(x, w))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(begin_train, feed_dict={batch: 4})
        for _ in range(3):
            _, value = sess.run([train, loss])
        print('train', value)
        sess.run(begin_valid, feed_dict={batch: 9})
        print('valid', sess.run(loss))
    try:
        sess.run(loss)
    except tf.errors.OutOfRangeError:
        print('out of range', sess.run(w).tolist())

#: many_threads_fill_a_batch: tf.train.batch by four threads and a coordinator; its rows are all alike, so each batch is
row = tf.constant([1.0, -2.0, 0.5])
batches = tf.train.batch([row, tf.constant(1)], batch_size=4, num_threads=4, capacity=16)
w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.3))
loss = tf.reduce_mean(tf.square(tf.reduce_sum(batches[0] * w, 1) - tf.to_float(batches[1])))
train = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        for i in range(5):
            if coord.should_stop():
                break
            print(i, sess.run([loss, train])[0])
    finally:
        coord.request_stop()
        coord.join(threads)
    print(sess.run(w).tolist())

#: while_loop_writes_variables: a loop of the graph that counts and writes in its body, run until the counter is full
counter = tf.get_variable('counter', [], tf.int32, tf.zeros_initializer(), trainable=False)
total = tf.get_variable('total', [], initializer=tf.zeros_initializer(), trainable=False)
w = tf.get_variable('w', [], initializer=tf.constant_initializer(2.0))

def body(i, value):
    with tf.control_dependencies([counter.assign_add(1), total.assign_add(value)]):
        return i + 1, value * w

limit = tf.placeholder(tf.int32, [])
last, value = tf.while_loop(lambda i, _: i < limit, body, [0, tf.constant(1.0)], parallel_iterations=1)
gradient = tf.gradients(value, w)[0]
train = w.assign_sub(0.01 * gradient)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for n in (1, 3, 4):
        print(n, sess.run([last, value, gradient], {limit: n}), sess.run([counter, total]))
        sess.run(train, {limit: n})
    print(sess.run([w, counter, total]))

#: py_func_augments: tf.py_func draws flips and noise by NumPy, with what is fed and in tf.data
def augment(image, random=np.random):
    if random.rand() < 0.5:
        image = image[::-1]
    return (image + random.normal(0, 0.1, image.shape)).astype(np.float32)

def of_dataset(image, random=np.random.RandomState(7)):
    return augment(image, random)

fed = tf.placeholder(tf.float32, [3])
augmented = tf.py_func(augment, [fed], tf.float32)
augmented.set_shape([3])
dataset = tf.data.Dataset.from_tensor_slices(rows).map(lambda x: tf.py_func(of_dataset, [x], tf.float32)).batch(4)
batch = dataset.make_one_shot_iterator().get_next()
batch.set_shape([None, 3])
w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(batch * w)) + tf.reduce_sum(tf.square(augmented - w))
train = tf.train.AdagradOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print(sess.run([loss, train], {fed: rows[i]})[0])
    print(sess.run(w).tolist())

#: metrics_of_an_epoch: accuracy, AUC, precision and a confusion matrix over local variables that each epoch begins anew
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
score = tf.layers.dense(x, 1, use_bias=False)[:, 0]
loss = tf.losses.sigmoid_cross_entropy(y, score)
train = tf.train.RMSPropOptimizer(0.05, momentum=0.5, centered=True).minimize(loss)
with tf.variable_scope('metrics'):
    found = tf.to_int32(score > 0)
    metrics = {
        'accuracy': tf.metrics.accuracy(y, found), 'auc': tf.metrics.auc(y, tf.sigmoid(score)),
        'precision': tf.metrics.precision(y, found), 'iou': tf.metrics.mean_iou(y, found, 2),
        'loss': tf.metrics.mean(loss),
    }
values = {name: pair[0] for name, pair in metrics.items()}
update = tf.group(*[pair[1] for pair in metrics.values()])
reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope='metrics'))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(reset)
        for i in range(3):
            feed = {x: rows[i * 8:i * 8 + 8], y: labels[i * 8:i * 8 + 8]}
            sess.run([train, update], feed)
        print(epoch, sorted(sess.run(values).items()))

#: monitored_with_many_hooks: a MonitoredTrainingSession with hooks of the library and one that feeds a rate and fetches
class Halve(tf.train.SessionRunHook):
    def begin(self):
        self.rate = 0.4

    def before_run(self, context):
        return tf.train.SessionRunArgs(step, feed_dict={rate: self.rate})

    def after_run(self, context, values):
        if values.results % 2 == 0:
            self.rate /= 2
        print('after step', values.results, 'rate', self.rate)

x = tf.constant(rows)
rate = tf.placeholder_with_default(0.1, [])
step = tf.train.get_or_create_global_step()
w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.1))
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1.0), name='loss')
tf.summary.scalar('loss', loss)
train = tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
final = tf.train.FinalOpsHook(w)
hooks = [
    tf.train.StopAtStepHook(last_step=6), tf.train.NanTensorHook(loss), final, Halve(),
    tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=2), tf.train.StepCounterHook(2, output_dir=folder),
    tf.train.SummarySaverHook(2, output_dir=folder, summary_op=tf.summary.merge_all()),
    tf.train.CheckpointSaverHook(folder, save_steps=3),
]
with tf.train.MonitoredTrainingSession(hooks=hooks, save_summaries_steps=None, save_summaries_secs=None) as sess:
    while not sess.should_stop():
        print(sess.run([train, loss])[1])
print('final', final.final_ops_values.tolist(), tf.train.latest_checkpoint(folder)[-6:])

#: saver_keeps_two_and_goes_back: max_to_keep=2; the best is restored in the middle of training, which goes on from it
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(tf.layers.dense(x, 4, tf.nn.tanh), 2))
train = tf.train.MomentumOptimizer(1.5, 0.9).minimize(loss)
saver, best = tf.train.Saver(max_to_keep=2), tf.train.Saver(max_to_keep=1)
lowest, patience = np.inf, 0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        sess.run(train, {x: rows[i:i + 6], y: labels[i:i + 6]})
        value = sess.run(loss, {x: rows, y: labels})
        saver.save(sess, os.path.join(folder, 'model'), global_step=i)
        if value < lowest:
            lowest, patience = value, 0
            best.save(sess, os.path.join(folder, 'best'))
        else:
            patience += 1
        print(i, value, lowest, patience)
        if patience == 1:
            best.restore(sess, os.path.join(folder, 'best'))
            print('back to', sess.run(loss, {x: rows, y: labels}))
    print([os.path.basename(path) for path in saver.last_checkpoints])

#: averages_swapped_in: shadow variables take the weights' place for an evaluation, and the weights come back
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable('w', [3, 1], initializer=tf.random_normal_initializer(seed=1))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.Variable(0, trainable=False, name='step')
optimize = tf.train.AdamOptimizer(0.2).minimize(loss, global_step=step)
averages = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
with tf.control_dependencies([optimize]):
    train = averages.apply(tf.trainable_variables())
with tf.variable_scope('backup'):
    backup = [tf.get_variable(v.op.name, v.shape, trainable=False) for v in tf.trainable_variables()]
keep = tf.group(*[b.assign(v) for b, v in zip(backup, tf.trainable_variables())])
with tf.control_dependencies([keep]):
    swap = tf.group(*[v.assign(averages.average(v)) for v in tf.trainable_variables()])
back = tf.group(*[v.assign(b) for b, v in zip(backup, tf.trainable_variables())])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run(train, {x: rows})
        sess.run(swap)
        shadow = sess.run(loss, {x: rows})
        sess.run(back)
        print(i, shadow, sess.run(loss, {x: rows}))

#: teacher_and_student: two graphs and two sessions, open at once; the teacher's soft labels are fed to the student
def network(size):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    target = tf.placeholder(tf.float32, [None, 2], name='target')
    logits = tf.layers.dense(tf.layers.dense(x, size, tf.nn.relu), 2, name='out')
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=logits))
    return x, target, tf.nn.softmax(logits / 2.0), loss, tf.train.AdamOptimizer(0.1).minimize(loss)

nets, sessions = [], []
for size in (8, 2):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(size)
        nets.append(network(size))
        sessions.append(tf.Session(graph=graph))
        sessions[-1].run(tf.global_variables_initializer())
(x, target, soft, loss, train), (x2, target2, soft2, loss2, train2) = nets
for i in range(3):
    value, _ = sessions[0].run([loss, train], {x: rows, target: np.eye(2)[labels]})
    taught = sessions[0].run(soft, {x: rows})
    print(value, sessions[1].run([loss2, train2], {x2: rows, target2: taught})[0])
for session in sessions:
    session.close()

#: deep_q_learning: a replay memory, an epsilon-greedy policy, a target network that tf.assign copies and another that follows
def q_network(name):
    with tf.variable_scope(name):
        hidden = tf.layers.dense(state, 6, tf.nn.relu, kernel_initializer=tf.truncated_normal_initializer(0, 0.3, seed=1))
        return tf.layers.dense(hidden, 2, kernel_initializer=tf.truncated_normal_initializer(0, 0.3, seed=2))

state = tf.placeholder(tf.float32, [None, 3])
action, target = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
q, q_target, q_slow = q_network('main'), q_network('target'), q_network('slow')
chosen = tf.reduce_sum(q * tf.one_hot(action, 2), axis=1)
loss = tf.losses.huber_loss(target, chosen)
optimizer = tf.train.RMSPropOptimizer(0.01, epsilon=0.01)
gradients = optimizer.compute_gradients(loss, tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, 'main'))
train = optimizer.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in gradients])
weights = [tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=name + '/') for name in ('main', 'target', 'slow')]
weights[0] = [v for v in weights[0] if 'RMSProp' not in v.name]
copy = [tf.assign(t, m) for m, t in zip(weights[0], weights[1])]
follow = [s.assign(0.9 * s + 0.1 * m) for m, s in zip(weights[0], weights[2])]
memory, epsilon = collections.deque(maxlen=12), 1.0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    now = np.zeros(3)
    for t in range(16):
        if random.random() < epsilon:
            move = random.randrange(2)
        else:
            move = int(np.argmax(sess.run(q, {state: [now]})[0]))
        after, reward = np.clip(now + (move - 0.5) * rows[t], -2, 2), float(rows[t].sum())
        memory.append((now, move, reward, after))
        now, epsilon = after, epsilon * 0.8
        if len(memory) >= 4:
            some = random.sample(list(memory), 4)
            best = np.max(sess.run(q_target, {state: [m[3] for m in some]}), axis=1)
            feed = {state: [m[0] for m in some], action: [m[1] for m in some], target: [m[2] for m in some] + 0.9 * best}
            value, _ = sess.run([loss, train], feed)
            sess.run(follow)
            if t % 5 == 0:
                sess.run(copy)
            print(t, move, value, sess.run(q_slow, {state: [now]})[0].tolist())

#: language_model_with_fed_state: a stacked LSTM whose state is fed from batch to batch; clipped by the global norm; the rate is assigned
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(4, forget_bias=0.0) for _ in range(2)])
words, targets = tf.placeholder(tf.int32, [2, 3]), tf.placeholder(tf.int32, [2, 3])
initial = cell.zero_state(2, tf.float32)
embedding = tf.get_variable('embedding', [7, 4], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
embedded = tf.nn.dropout(tf.nn.embedding_lookup(embedding, words), keep_prob=0.9, seed=1)
outputs, final = tf.nn.dynamic_rnn(cell, embedded, initial_state=initial)
logits = tf.reshape(tf.layers.dense(outputs, 7, name='softmax'), [-1, 7])
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=logits))
rate = tf.Variable(0.0, trainable=False)
new_rate = tf.placeholder(tf.float32, [])
set_rate = tf.assign(rate, new_rate)
variables = tf.trainable_variables()
gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 0.5)
train = tf.train.GradientDescentOptimizer(rate).apply_gradients(zip(gradients, variables))
text = np.random.randint(0, 7, [2, 13])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(set_rate, {new_rate: 1.0 * 0.5 ** epoch})
        state, costs = sess.run(initial), 0.0
        for i in range(0, 12, 3):
            feed = {words: text[:, i:i + 3], targets: text[:, i + 1:i + 4]}
            for (c, h), of in zip(initial, state):
                feed[c], feed[h] = of.c, of.h
            cost, state, size, _ = sess.run([loss, final, norm, train], feed)
            costs += cost
            print(cost, size)
        print('perplexity', np.exp(costs / 4), sess.run(rate))

#: schedule_with_weights_and_biases: the rate is fed, decays by the step, and weight decay leaves the biases out
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
base = tf.placeholder(tf.float32, shape=(), name='learning_rate')
step = tf.train.get_or_create_global_step()
hidden = tf.layers.dense(x, 5, tf.nn.elu, kernel_initializer=tf.variance_scaling_initializer(seed=3))
out = tf.layers.dense(hidden, 1, kernel_initializer=tf.orthogonal_initializer(seed=4))
decay = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if 'bias' not in v.name]) * 0.01
loss = tf.losses.mean_squared_error(y, out) + decay
rate = tf.train.polynomial_decay(base, step, 4, end_learning_rate=0.01, power=2.0)
warm = tf.cond(step < 2, lambda: base * 0.1, lambda: rate)
train = tf.train.MomentumOptimizer(warm, 0.9).minimize(loss, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        value, used, _ = sess.run([loss, warm, train], {x: rows, y: labels[:, None], base: 0.3 if i < 4 else 0.03})
        print(i, value, used)

#: word_vectors: skip-gram with a noise-contrastive loss, nearest words by cosine, embeddings that are normalized
inputs, context = tf.placeholder(tf.int32, [6]), tf.placeholder(tf.int32, [6, 1])
with tf.device('/cpu:0'):
    embeddings = tf.Variable(tf.random_uniform([20, 5], -1.0, 1.0, seed=1))
    vectors = tf.nn.embedding_lookup(embeddings, inputs)
    weights = tf.Variable(tf.truncated_normal([20, 5], stddev=0.4, seed=2))
    biases = tf.Variable(tf.zeros([20]))
sampler = tf.nn.log_uniform_candidate_sampler(tf.cast(context, tf.int64), 1, 4, True, 20, seed=3)
loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, context, vectors, 4, 20, sampled_values=sampler))
train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
normalized = embeddings / tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
near = tf.nn.top_k(tf.matmul(tf.nn.embedding_lookup(normalized, tf.constant([1, 7])), normalized, transpose_b=True), 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {inputs: np.random.randint(0, 20, 6), context: np.random.randint(0, 20, [6, 1])}
        print(sess.run([loss, train], feed)[0])
    print(sess.run(near).indices.tolist())

#: contrib_layers_optimize_loss: contrib's arg_scope, layers and optimize_loss with clipping, a decay and summaries
from tensorflow.contrib import layers
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
with tf.contrib.framework.arg_scope(
        [layers.fully_connected], weights_regularizer=layers.l2_regularizer(0.01), normalizer_fn=layers.batch_norm,
        normalizer_params={'is_training': True, 'decay': 0.9}):
    net = layers.fully_connected(x, 6, scope='one')
    net = layers.fully_connected(net, 4, activation_fn=tf.nn.tanh, scope='two')
logits = layers.linear(net, 2)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits) + tf.losses.get_regularization_loss()
train = layers.optimize_loss(
    loss, tf.train.get_or_create_global_step(), 0.1, 'Adam', clip_gradients=1.0,
    learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 2, 0.5, staircase=True),
    summaries=['loss', 'learning_rate', 'global_gradient_norm'])
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        value, text = sess.run([train, merged], {x: rows, y: labels})
        found = {each.tag: each.simple_value for each in tf.Summary.FromString(text).value}
        print(i, value, sorted(found.items()))
    print(sess.run([v for v in tf.global_variables() if 'moving' in v.name])[0].tolist())

#: weights_in_a_pickle: weights are taken out into a pickle and an npz, changed there, and put back by placeholders
x = tf.placeholder(tf.float32, [None, 3])
h = tf.layers.dense(x, 4, tf.nn.relu, name='fc1', kernel_initializer=tf.glorot_uniform_initializer(seed=1))
loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1, name='fc2') - 0.5))
train = tf.train.AdadeltaOptimizer(1.0).minimize(loss)
feeds = {v.op.name: tf.placeholder(v.dtype.base_dtype, v.shape) for v in tf.trainable_variables()}
put = [v.assign(feeds[v.op.name]) for v in tf.trainable_variables()]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        sess.run(train, {x: rows})
    with open(os.path.join(folder, 'weights.pkl'), 'wb') as f:
        pickle.dump({v.op.name: v.eval() for v in tf.trainable_variables()}, f)
    np.savez(os.path.join(folder, 'weights'), **{v.op.name.replace('/', '-'): sess.run(v) for v in tf.global_variables()})
    print(sess.run(loss, {x: rows}), sorted(np.load(os.path.join(folder, 'weights.npz')).files))
    with open(os.path.join(folder, 'weights.pkl'), 'rb') as f:
        kept = pickle.load(f)
    kept['fc1/kernel'] = kept['fc1/kernel'] * 0.5
    sess.run(put, {feeds[name]: value for name, value in kept.items()})
    for i in range(2):
        print(sess.run([loss, train], {x: rows})[0])
    for v in tf.trainable_variables():
        v.load(np.ones(v.shape.as_list()) * 0.1, sess)
    print(sess.run(loss, {x: rows}))

#: policy_gradient: gradients of each episode are fetched, added up in NumPy, and fed back to apply_gradients
state, move, gain = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
logits = tf.layers.dense(tf.layers.dense(state, 5, tf.nn.relu), 2)
policy = tf.nn.softmax(logits)
drawn = tf.multinomial(logits, 1, seed=9)
loss = tf.reduce_mean(gain * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=move, logits=logits))
variables = tf.trainable_variables()
gradients = tf.gradients(loss, variables)
holders = [tf.placeholder(tf.float32, name='%d_holder' % i) for i, _ in enumerate(variables)]
update = tf.train.AdamOptimizer(0.05).apply_gradients(zip(holders, variables))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    buffer = sess.run(variables)
    for i, g in enumerate(buffer):
        buffer[i] = g * 0
    for episode in range(6):
        states = rows[episode * 4:episode * 4 + 4]
        probabilities = sess.run(policy, {state: states})
        moves = [np.random.choice(2, p=p / p.sum()) for p in probabilities.astype(np.float64)]
        feed = {state: states, move: moves, gain: np.cumsum(states[:, 0])[::-1]}
        for i, g in enumerate(sess.run(gradients, feed)):
            buffer[i] += g
        if episode % 2 == 1:
            sess.run(update, dict(zip(holders, buffer)))
            buffer = [g * 0 for g in buffer]
        print(moves, sess.run(loss, feed), sess.run(drawn, {state: states}).ravel().tolist())

#: clipped_policy: two policies, a ratio that is clipped, a normal distribution that is sampled; the old policy is set to the new
def actor(name, trainable=True):
    with tf.variable_scope(name):
        hidden = tf.layers.dense(state, 4, tf.nn.tanh, trainable=trainable, kernel_initializer=tf.ones_initializer())
        mean = tf.layers.dense(hidden, 1, trainable=trainable)
        scale = tf.layers.dense(hidden, 1, tf.nn.softplus, trainable=trainable) + 0.1
    return tf.distributions.Normal(mean, scale), tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=name)

state, moved, advantage = (tf.placeholder(tf.float32, [None, n]) for n in (3, 1, 1))
(new, of_new), (old, of_old) = actor('new'), actor('old', trainable=False)
sample = tf.squeeze(new.sample(1, seed=5), axis=0)
renew = [o.assign(n) for n, o in zip(of_new, of_old)]
ratio = new.prob(moved) / (old.prob(moved) + 1e-5)
loss = -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage)) - 0.01 * tf.reduce_mean(new.entropy())
train = tf.train.AdamOptimizer(0.02).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(renew)
        moves = sess.run(sample, {state: rows[:8]})
        feed = {state: rows[:8], moved: moves, advantage: rows[:8, :1]}
        for _ in range(2):
            sess.run(train, feed)
        print(moves[:2].ravel().tolist(), sess.run(loss, feed))

#: variational_autoencoder: a latent code is drawn without a seed of its own, the bound has two parts, pictures are made from fixed noise
x = tf.placeholder(tf.float32, [None, 3])
hidden = tf.layers.dense(x, 5, tf.nn.relu)
mean, log_variance = tf.layers.dense(hidden, 2), tf.layers.dense(hidden, 2)
z = mean + tf.exp(0.5 * log_variance) * tf.random_normal(tf.shape(mean))
decode = tf.make_template('decoder', lambda code: tf.layers.dense(tf.layers.dense(code, 5, tf.nn.relu, name='one'), 3, name='two'))
made = decode(tf.constant(np.linspace(-1, 1, 4).reshape(2, 2), tf.float32))
likelihood = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(x), logits=decode(z)), 1)
divergence = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
bound = tf.reduce_mean(likelihood + divergence)
train = tf.train.AdamOptimizer(0.05).minimize(bound)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print(sess.run([bound, tf.reduce_mean(divergence), train], {x: rows})[:2])
    print(sess.run(made).tolist())

#: critic_with_clipped_weights: a critic makes several steps for each of the generator, and its weights are clipped after the update
def critic(x, reuse=False):
    with tf.variable_scope('critic', reuse=reuse):
        return tf.layers.dense(tf.layers.dense(x, 4, tf.nn.leaky_relu), 1)

noise, real = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope('generator'):
    fake = tf.layers.dense(tf.layers.dense(noise, 4, tf.nn.relu), 3)
of_real, of_fake = critic(real), critic(fake, reuse=True)
critic_loss, generator_loss = tf.reduce_mean(of_fake) - tf.reduce_mean(of_real), -tf.reduce_mean(of_fake)
of_critic = [v for v in tf.trainable_variables() if v.name.startswith('critic')]
of_generator = [v for v in tf.trainable_variables() if v.name.startswith('generator')]
critic_step = tf.train.RMSPropOptimizer(0.05).minimize(critic_loss, var_list=of_critic)
with tf.control_dependencies([critic_step]):
    critic_step = tf.tuple([v.assign(tf.clip_by_value(v, -0.1, 0.1)) for v in of_critic])
generator_step = tf.train.RMSPropOptimizer(0.05).minimize(generator_loss, var_list=of_generator)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        for _ in range(2):
            feed = {noise: np.random.uniform(-1, 1, [6, 2]), real: rows[np.random.choice(24, 6)]}
            value, weights = sess.run([critic_loss, critic_step], feed)
        print(value, np.abs(weights[0]).max(), sess.run([generator_loss, generator_step], feed)[0])

#: guided_backpropagation: a gradient of one's own for relu, set by gradient_override_map; the input itself is trained
@tf.RegisterGradient('Guided')
def guided(op, grad):
    return tf.where(grad > 0.0, tf.where(op.outputs[0] > 0.0, grad, tf.zeros_like(grad)), tf.zeros_like(grad))

picture = tf.get_variable('picture', [1, 4, 4, 1], initializer=tf.random_uniform_initializer(seed=1))
with tf.get_default_graph().gradient_override_map({'Relu': 'Guided'}):
    maps = tf.nn.relu(tf.layers.conv2d(picture, 3, 3, padding='same', trainable=False, kernel_initializer=tf.random_normal_initializer(seed=2)))
saliency = tf.gradients(tf.reduce_max(maps, axis=3), picture)[0]
total = tf.reduce_mean(tf.square(maps - 0.3)) + 0.1 * tf.reduce_sum(tf.image.total_variation(picture))
train = tf.train.AdamOptimizer(0.1).minimize(total, var_list=[picture])
with tf.control_dependencies([train]):
    clipped = picture.assign(tf.clip_by_value(picture, 0.0, 1.0))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([total, clipped], {})[0], sess.run(saliency).sum())
    print(sess.run(picture)[0, :, :, 0].tolist())

#: graph_convolution: a sparse adjacency and sparse features are fed; dropout keeps some of a sparse tensor's values; a mask
features, support = tf.sparse_placeholder(tf.float32), tf.sparse_placeholder(tf.float32)
mask, keep = tf.placeholder(tf.float32, [6]), tf.placeholder_with_default(1.0, ())
sizes = tf.placeholder(tf.int32)
kept = tf.cast(tf.floor(keep + tf.random_uniform(tf.reshape(sizes, [1]), seed=6)), tf.bool)
dropped = tf.sparse_retain(features, kept) * (1.0 / keep)
with tf.variable_scope('layer'):
    w = tf.get_variable('w', [3, 2], initializer=tf.glorot_uniform_initializer(seed=2))
out = tf.sparse_tensor_dense_matmul(support, tf.sparse_tensor_dense_matmul(dropped, w))
loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=np.eye(2, dtype=np.float32)[labels[:6]], logits=out)
loss = tf.reduce_mean(loss * mask / tf.reduce_mean(mask)) + 0.05 * tf.nn.l2_loss(w)
train = tf.train.AdamOptimizer(0.1).minimize(loss)

def sparse(array):
    where = np.argwhere(array)
    return where, array[tuple(where.T)], array.shape

adjacency = np.eye(6) + np.roll(np.eye(6), 1, 0)
feed = {features: sparse(rows[:6]), support: sparse(adjacency / 2), mask: [1, 1, 0, 1, 0, 1], sizes: 18}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print(sess.run([loss, train], dict(feed, **{})) [0], sess.run(loss, {**feed, keep: 0.5}))

#: speech_by_ctc: labels of changing lengths as a sparse placeholder, the CTC loss, a decoder and the edit distance
inputs, lengths = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.int32, [None])
targets = tf.sparse_placeholder(tf.int32)
outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(5), inputs, lengths, dtype=tf.float32)
logits = tf.transpose(tf.layers.dense(outputs, 4), (1, 0, 2))
loss = tf.reduce_mean(tf.nn.ctc_loss(targets, logits, lengths))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
decoded, _ = tf.nn.ctc_greedy_decoder(logits, lengths)
distance = tf.reduce_mean(tf.edit_distance(tf.cast(decoded[0], tf.int32), targets))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {inputs: rows.reshape(4, 6, 3), lengths: [6, 5, 6, 4],
                targets: tf.SparseTensorValue([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [3, 0]], [1, 2, 0, 1, 0, 2], [4, 2])}
        print(sess.run([loss, distance, train], feed)[:2])

#: center_loss: class centers in a variable that scatter_sub moves, in the same run as the update of the weights
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
vectors = tf.layers.dense(x, 2, kernel_initializer=tf.random_normal_initializer(seed=3))
centers = tf.get_variable('centers', [2, 2], initializer=tf.constant_initializer(0.1), trainable=False)
of_batch = tf.gather(centers, y)
loss_center = tf.nn.l2_loss(vectors - of_batch)
_, places, counts = tf.unique_with_counts(y)
moved = (of_batch - vectors) / tf.cast(1 + tf.reshape(tf.gather(counts, places), [-1, 1]), tf.float32) * 0.5
move = tf.scatter_sub(centers, y, moved)
total = tf.losses.sparse_softmax_cross_entropy(y, vectors) + 0.05 * loss_center
with tf.control_dependencies([move]):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {x: rows[i * 6:i * 6 + 6], y: labels[i * 6:i * 6 + 6]}
        sess.run(train, feed)
        print(sess.run([total, loss_center], feed), sess.run(centers).tolist())

#: lazy_properties: a model class whose parts are built when they are first asked for, by a decorator that opens a scope
import functools

def lazy(function):
    name = '_cache_' + function.__name__
    @property
    @functools.wraps(function)
    def wrapped(self):
        if not hasattr(self, name):
            with tf.variable_scope(function.__name__):
                setattr(self, name, function(self))
        return getattr(self, name)
    return wrapped

class Model:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.prediction
        self.optimize
        self.error

    @lazy
    def prediction(self):
        return tf.layers.dense(tf.layers.dropout(self.x, 0.3, training=True), 2, tf.nn.softmax)

    @lazy
    def optimize(self):
        cross_entropy = -tf.reduce_sum(self.y * tf.log(self.prediction + 1e-6))
        return tf.train.RMSPropOptimizer(0.03).minimize(cross_entropy)

    @lazy
    def error(self):
        return tf.reduce_mean(tf.to_float(tf.not_equal(tf.argmax(self.y, 1), tf.argmax(self.prediction, 1))))

model = Model(tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 2]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(model.optimize, {model.x: rows, model.y: np.eye(2)[labels]})
        print(sess.run([model.error, tf.reduce_sum(tf.trainable_variables()[0])], {model.x: rows, model.y: np.eye(2)[labels]}))

#: stochastic_depth: blocks are left out by tf.cond on a draw without a seed of its own; the graph's seed alone is set
x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool, [])
h = tf.layers.dense(x, 4)
for i in range(3):
    with tf.variable_scope('block_%d' % i):
        branch = tf.layers.dense(h, 4, tf.nn.relu)
        survives = tf.less(tf.random_uniform([]), 0.6)
        h = tf.cond(training, lambda: tf.cond(survives, lambda: h + branch, lambda: h), lambda: h + 0.6 * branch)
loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1) - 1.0))
train = tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        print(sess.run([loss, train], {x: rows, training: True})[0], sess.run(loss, {x: rows, training: False}))

#: accumulated_by_hand: gradients are added to variables over several runs, applied by another run, and set to zero by a third
x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(tf.square(tf.layers.dense(tf.layers.dense(x, 4, tf.nn.selu), 1) + 0.5))
optimizer = tf.train.AdamOptimizer(0.05)
variables = tf.trainable_variables()
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in variables]
zero = [s.assign(tf.zeros_like(s)) for s in sums]
pairs = optimizer.compute_gradients(loss, variables)
add = [sums[i].assign_add(g) for i, (g, _) in enumerate(pairs)]
apply = optimizer.apply_gradients([(sums[i] / 3.0, v) for i, (_, v) in enumerate(pairs)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(zero)
        for n in range(3):
            value = sess.run([loss, add], {x: rows[n * 8:n * 8 + 8]})[0]
        sess.run(apply)
        print(i, value, [float(np.abs(s).sum()) for s in sess.run(sums)])

#: records_parsed_in_a_pipeline: examples written to a file of records, parsed, shuffled, padded by what is in them
path = os.path.join(folder, 'train.tfrecords')
with tf.python_io.TFRecordWriter(path) as writer:
    for row, label in zip(rows, labels):
        feature = {
            'x': tf.train.Feature(float_list=tf.train.FloatList(value=row[:1 + label * 2])),
            'y': tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
        }
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())

def parse(text):
    found = tf.parse_single_example(text, {'x': tf.VarLenFeature(tf.float32), 'y': tf.FixedLenFeature([], tf.int64)})
    return tf.sparse_tensor_to_dense(found['x']), found['y']

names = tf.placeholder(tf.string, [None])
dataset = tf.data.TFRecordDataset(names).map(parse, num_parallel_calls=2).shuffle(10, seed=7).repeat(2)
dataset = dataset.padded_batch(5, ([3], [])).prefetch(2)
iterator = dataset.make_initializable_iterator()
x, y = iterator.get_next()
loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(x, 2))
train = tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.01).minimize(loss)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    sess.run(iterator.initializer, {names: [path]})
    steps = 0
    try:
        while True:
            value, size, _ = sess.run([loss, tf.shape(x), train])
            steps += 1
    except tf.errors.OutOfRangeError:
        print('done', steps, value, size.tolist())
    print([v.eval().sum() for v in tf.trainable_variables()])
