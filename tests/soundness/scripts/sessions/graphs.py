import numpy as np
import tensorflow as tf

#: finalized_graph: graph.finalize(): running goes on, adding fails
with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [4])
    w = tf.Variable(1.0)
    loss = tf.reduce_mean(tf.sin(x * w))
    train = tf.train.RMSPropOptimizer(0.1).minimize(loss)
    init = tf.global_variables_initializer()
    saver = tf.train.Saver()
    g.finalize()
    with tf.Session() as sess:
        sess.run(init)
        for i in range(4):
            feed = {x: np.arange(4) + i}
            print(sess.run([loss, train], feed)[0], sess.run(w), w.eval())
        try:
            tf.constant(1)
        except RuntimeError as e:
            print('RuntimeError', 'finalized' in str(e))
        try:
            tf.global_variables_initializer()
            print('one more initializer')
        except RuntimeError as e:
            print('RuntimeError', 'finalized' in str(e))
        print(g.finalized, loss.eval({x: np.ones(4)}))

#: interactive_session: InteractiveSession: eval and op.run with no session named
sess = tf.InteractiveSession()
m = tf.Variable([[1., 2.], [3., 4.]])
y = tf.placeholder(tf.float32, [2])
out = tf.reduce_sum(m * y, axis=1)
loss = tf.nn.l2_loss(out - 1)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
tf.global_variables_initializer().run()
print(tf.constant([1, 2, 3]).eval().tolist())
for i in range(4):
    feed = {y: np.array([0.1, 0.2]) * i}
    print(loss.eval(feed), out.eval(feed_dict=feed).tolist())
    train.run(feed_dict=feed)
print(m.eval().tolist(), tf.get_default_session() is sess)
m.initializer.run()
print(m.eval().tolist())
sess.close()
print(tf.get_default_session() is sess)

#: reset_default_graph: the default graph is reset between two trainings; names begin anew
def train(rate):
    tf.reset_default_graph()
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.Variable(tf.truncated_normal([2, 2]))
    b = tf.Variable(tf.zeros([2]))
    loss = tf.reduce_mean(tf.abs(tf.matmul(x, w) + b))
    op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            _, value = sess.run([op, loss], {x: rng.randn(2, 2)})
        print(rate, '%.9g' % value, w.name, b.name, loss.name)
        return sess.run([w, b])


for rate in (0.1, 0.2, 0.1):
    w, b = train(rate)
    print(w.tolist(), b.tolist())

#: seeds_across_sessions: random numbers: graph seed, op seed, both, and how a second run and a second session go on
def draw(graph_seed, op_seed):
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        a = tf.random_uniform([2], seed=op_seed)
        b = tf.random_normal([1], seed=op_seed)
        c = tf.random_shuffle(tf.range(5), seed=op_seed)
        d = tf.multinomial([[0.1, 0.5, 0.4]], 4, seed=op_seed)
        v = tf.get_variable('v', [2], initializer=tf.truncated_normal_initializer(seed=op_seed))
        e = tf.nn.dropout(tf.ones([6]), 0.5, seed=op_seed)
        for _ in range(2):
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(2):
                    print(graph_seed, op_seed, [t.tolist() for t in sess.run([a, b, c, d, e])])
                print(sess.run(v).tolist())
                sess.run(v.initializer)
                print(sess.run(v).tolist())


draw(7, None)
draw(None, 7)
draw(7, 8)

#: session_as_default_nested: default sessions nested in each other, sess.as_default(), eval in whichever is the default
v = tf.Variable(1.0)
up = v.assign_add(1.0)
init = tf.global_variables_initializer()
a, b = tf.Session(), tf.Session()
with a.as_default():
    init.run()
    up.op.run()
    print(v.eval(), tf.get_default_session() is a)
    with b.as_default():
        init.run()
        print(v.eval(), tf.get_default_session() is b)
    up.eval()
    print(v.eval(), b.run(v))
print(tf.get_default_session())
try:
    v.eval()
except ValueError as e:
    print('ValueError', 'default session' in str(e))
with a, a.graph.as_default():
    loss = v * v
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    for _ in range(3):
        print(loss.eval(), train.run(), v.eval())
print(b.run(loss))
b.close()

#: several_graphs: two graphs with variables of the same name, trained in turn; the default graph stays empty
def model(power):
    g = tf.Graph()
    with g.as_default():
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.get_variable('w', initializer=0.5)
        loss = tf.pow(w * x - 1.0, power, name='loss')
        tf.train.GradientDescentOptimizer(0.05).minimize(loss, name='train')
        tf.global_variables_initializer()
    return g


first, second = model(2.0), model(4.0)
s1, s2 = tf.Session(graph=first), tf.Session(graph=second)
s1.run('init')
s2.run('init')
for x in np.linspace(0.5, 1.5, 4):
    for s in (s1, s2):
        _, value = s.run(['train', 'loss:0'], {'x:0': x})
        print('%.9g' % value, end=' ')
    print(s1.run('w:0'), s2.run('w:0'))
print(len(tf.get_default_graph().get_operations()))
try:
    s1.run(second.get_tensor_by_name('loss:0'), {'x:0': 1.0})
except ValueError as e:
    print('ValueError', 'not an element of this graph' in str(e))
print([v.name for v in first.get_collection('trainable_variables')])
s1.close()
s2.close()

#: several_sessions_one_graph: three sessions of one graph: each has its own variables
graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(11)
    v = tf.get_variable('v', [3], initializer=tf.random_uniform_initializer())
    counter = tf.Variable(0, name='counter', trainable=False)
    target = tf.placeholder(tf.float32, [3])
    loss = tf.reduce_sum((v - target) ** 2)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=counter)
    init = tf.global_variables_initializer()
a, b = tf.Session(graph=graph), tf.Session(graph=graph)
a.run(init)
b.run(init)
print(a.run(v).tolist() == b.run(v).tolist())
for i in range(4):
    a.run(train, {target: [1, 2, 3]})
    if i % 2:
        b.run(train, {target: [-1, 0, 1]})
    print(a.run([loss, counter], {target: [0, 0, 0]}), b.run([loss, counter], {target: [0, 0, 0]}))
with tf.Session(graph=graph) as c:
    try:
        c.run(v)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    c.run(v.initializer)
    print(c.run(v).tolist())
    v.load([7., 8., 9.], c)
    print(v.eval().tolist(), v.eval(session=a).tolist(), v.eval(b).tolist())
b.close()
print(a.run(counter))
a.close()

#: sibling_names_shadow: local names that look like TensorFlow's: a function called Session, a variable called tf inside a function
class Session:
    def __init__(self, real):
        self.real, self.count = real, 0

    def run(self, *args, **kwargs):
        self.count += 1
        return self.real.run(*args, **kwargs)


def shadow(tf):
    return tf * 2


def placeholder(name):
    return tf.placeholder(tf.float32, [], name)


a, b = placeholder('a'), placeholder('b')
v = tf.Variable(1.0)
loss = (a * v + b) ** 2
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
real = tf.Session()
sess = Session(real)
sess.run(tf.global_variables_initializer())
for i in range(4):
    print(sess.run([loss, train], {a: shadow(i), b: 1.0})[0], sess.run(v))
print(sess.count, isinstance(sess, tf.Session), isinstance(real, tf.Session), shadow(21))

#: random_in_loops_and_branches: seeded draws inside a map, a branch and a loop: one sequence each, over all runs
tf.set_random_seed(3)
images = tf.placeholder(tf.float32, [2, 4, 4, 1])
train = tf.placeholder(tf.bool)


def augmented(batch):
    """Crops, and flips image by image."""
    batch = tf.random_crop(batch, [2, 3, 3, 1], seed=11)
    return tf.map_fn(lambda image: tf.image.random_flip_left_right(image, 12), batch,
                     parallel_iterations=1)  # rounds side by side would draw in no fixed order


mapped = tf.map_fn(lambda image: image + tf.random_normal([4, 4, 1], seed=5), images, parallel_iterations=1)
branch = tf.cond(train, lambda: augmented(images), lambda: images[:, :3, :3])
unseeded = tf.cond(train, lambda: tf.random_uniform([2]), lambda: tf.zeros([2]))
total = tf.while_loop(
    lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.random_uniform([], seed=9)), [tf.constant(0), tf.constant(0.0)],
    parallel_iterations=1
)[1]
w = tf.get_variable("w", [9, 1], initializer=tf.random_uniform_initializer(seed=2))
loss = tf.reduce_mean(tf.square(tf.matmul(tf.reshape(branch, [2, 9]), w))) + tf.reduce_mean(mapped) + total
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

data = np.arange(32, dtype=np.float32).reshape(2, 4, 4, 1) / 16
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in range(4):
        feed = {images: data, train: number != 1}
        print(number, sess.run(branch, feed).ravel().tolist())
        print(sess.run([mapped, unseeded], feed)[0].sum(), sess.run(unseeded, feed), sess.run(total))
        print(sess.run([loss, step], feed)[0], sess.run(w).ravel())

#: samplers_in_several_runs: seeded operations that keep their place in their kernel: one sequence for all runs of a session
tf.set_random_seed(7)
words = tf.placeholder(tf.int64, [None, 1])
table = tf.get_variable('table', [30, 4], initializer=tf.random_normal_initializer(seed=1))
bias = tf.get_variable('bias', [30], initializer=tf.zeros_initializer())
hidden = tf.get_variable('hidden', [4, 4], initializer=tf.random_normal_initializer(seed=2))
inputs = tf.matmul(tf.nn.embedding_lookup(table, words[:, 0]), hidden)
loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(table, bias, words, inputs, num_sampled=5, num_classes=30, seed=3))
noise = tf.reduce_mean(tf.nn.nce_loss(table, bias, words, inputs, num_sampled=4, num_classes=30))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sampler = tf.nn.log_uniform_candidate_sampler(words, 1, 3, True, 30, seed=5)
order = tf.random_shuffle(tf.range(6), seed=6)
gamma = tf.random_gamma([2], 1.5, seed=8)
picked = tf.multinomial([[0.0, 1.0, 2.0]], 4, seed=9)
rng = np.random.RandomState(0)
for begun in range(2):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(6):
            feed = {words: rng.randint(0, 30, [3 + number % 2, 1])}
            if number % 3 == 1:
                print('noise', sess.run([noise, order], feed))
            if number % 2:
                print('sampled', sess.run(list(sampler) + [order], feed))
            else:
                print('all', sess.run([sampler[0], order, gamma, picked], feed))
            print('gamma', sess.run(gamma), sess.run([picked, gamma]))
            print('loss', sess.run(loss, feed), sess.run([loss, step], feed)[0])

#: queue_ops_and_closing: queues: many at once, sizes, is_closed, cancelled enqueues, a padding queue
q = tf.FIFOQueue(10, tf.float32, shapes=[2], name='q')
x = tf.placeholder(tf.float32, [None, 2])
put_many, get_one, get_many = q.enqueue_many([x]), q.dequeue(), q.dequeue_many(3)
up_to, size, closed, close = q.dequeue_up_to(4), q.size(), q.is_closed(), q.close()
padding = tf.PaddingFIFOQueue(5, [tf.int32], [[None]])
row = tf.placeholder(tf.int32, [None])
put_row, rows = padding.enqueue([row]), padding.dequeue_many(2)
w = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(0.01).minimize(w * tf.reduce_sum(get_one))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(put_many, {x: np.arange(16).reshape(8, 2)})
    print(sess.run(size), sess.run(get_one).tolist(), sess.run(get_many).tolist(), sess.run(size))
    sess.run(train)
    print(sess.run(w), sess.run(size), sess.run(closed))
    sess.run(close)
    print(sess.run(closed), sess.run(up_to).tolist())
    for op in (get_one, put_many):
        try:
            sess.run(op, {x: np.zeros([1, 2])})
        except tf.errors.OpError as e:
            print(type(e).__name__)
    sess.run(put_row, {row: [1, 2, 3]})
    sess.run(put_row, {row: [4]})
    print(sess.run(rows).tolist(), q.name, q.shapes[0].as_list(), [d.name for d in q.dtypes])
with tf.Session() as other:
    other.run(put_many, {x: np.ones([2, 2])})
    print(other.run(size))

#: supervisor_start_queue_runners: the supervisor starts the queue runners of the graph
values = np.arange(12, dtype=np.float32) / 4.0
with tf.Graph().as_default():
    one = tf.train.input_producer(values, shuffle=False, num_epochs=None).dequeue()
    batch = tf.train.batch([one], 3)
    m = tf.Variable(0.0)
    gs = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean((batch - m) ** 2)
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, gs)
    with tf.control_dependencies([train]):
        seen = tf.identity(batch)
    sv = tf.train.Supervisor(logdir='', summary_op=None)
    with sv.managed_session() as sess:
        for _ in range(5):
            b, l = sess.run([seen, loss])
            print(b.tolist(), '%.9g' % l, sess.run(m))
        sv.request_stop()
    print(sv.coord.should_stop())

#: nan_hooks: NanTensorHook that raises, and one that only stops
gs = tf.train.get_or_create_global_step()
v = tf.Variable(1.0)
loss = tf.log(v)
opt = tf.train.GradientDescentOptimizer(0.4)
gradients = opt.compute_gradients(loss)
with tf.control_dependencies([loss]):
    train = opt.apply_gradients(gradients, gs)
nan = tf.train.NanTensorHook(loss, fail_on_nan_loss=True)
try:
    with tf.train.MonitoredSession(hooks=[nan]) as sess:
        for _ in range(12):
            sess.run(train)
            print('%.9g' % sess.run(v))
    print('no nan')
except tf.train.NanLossDuringTrainingError as e:
    print(type(e).__name__)
quiet = tf.train.NanTensorHook(loss, False)
with tf.train.MonitoredSession(hooks=[quiet]) as sess:
    count = 0
    while not sess.should_stop() and count < 20:
        sess.run(train)
        count += 1
print('stopped after', count)

#: run_step_fn: run_step_fn: several runs of the raw session within one step
gs = tf.train.get_or_create_global_step()
w = tf.Variable(1.0)
x = tf.placeholder(tf.float32, [])
loss = (w * x - 2.0) ** 2
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, gs)


def step(step_context):
    out = []
    for k in range(2):
        out.append(float(step_context.session.run([loss, train], {x: k + 1.0})[0]))
    if step_context.session.run(gs) >= 8:
        step_context.request_stop()
    return out


with tf.train.MonitoredSession() as sess:
    while not sess.should_stop():
        print(sess.run_step_fn(step))
    print('stopped', sess.should_stop())
