import numpy as np
import tensorflow as tf

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

#: sizes_in_floats: sizes that are whole floats, as `n / 2` gives them: TF 1.15 took them
n = 6
x = tf.placeholder(tf.float32, [None, n], name="x")
w = tf.get_variable("w", [n, n / 2], initializer=tf.constant_initializer(0.25))
hidden = tf.matmul(x, w)
hidden.set_shape([None, n / 2])
loss = tf.reduce_mean(tf.square(hidden - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
print(w.get_shape().as_list(), hidden.get_shape().as_list())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        fed = {x: [[float(k + step) for k in range(n)], [1.0] * n]}
        print(step, sess.run(loss, fed))
        sess.run(train_op, fed)
    print(sess.run(w).sum())

#: assignments_as_variables: what an assignment gives is the variable after that write: read, gathered, scattered into and assigned again
w = tf.get_variable('w', [4], initializer=tf.ones_initializer())
table = tf.get_variable('table', [3, 2], initializer=tf.ones_initializer())
zeros = tf.zeros([4])
several = [
    tf.gather(tf.scatter_update(w, [1], [9.0]), [0, 1]),
    tf.gather(tf.assign(w, zeros + 3.0), [2]),
    tf.nn.embedding_lookup(tf.scatter_add(table, [1], [[5.0, 5.0]]), [1]),
    tf.gather_nd(tf.assign_add(table, tf.ones([3, 2])), [[1, 1]]),
    tf.assign(w, [1.0, 2.0, 3.0, 4.0])[1:3],
    tf.scatter_sub(tf.scatter_mul(tf.assign(w, zeros + 2.0), [0], [4.0]), [0, 1], [1.0, 0.5]),
    tf.scatter_nd_update(tf.assign(w, zeros), [[3]], [7.0]),
    tf.scatter_nd_add(tf.scatter_nd_update(w, [[2]], [1.0]), [[2]], [1.0]),
    tf.reduce_sum(tf.assign_sub(w, zeros + 1.0)) * 2.0,
    tf.assign_add(w.assign(zeros), zeros + 1.0),
    tf.stack([tf.assign(w, zeros + 5.0), zeros]),
    tf.matmul(tf.assign(table, tf.ones([3, 2])), [[1.0], [2.0]]),
    tf.scatter_update(w, [3], [2.0])[3],
]
for i in range(2):
    with tf.device('/gpu:%d' % i):
        total = tf.reduce_sum(w) + tf.reduce_sum(table)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for each in several:
        print(sess.run(each).tolist(), sess.run(w).tolist(), sess.run(total))

#: memory_in_loops_and_branches: what is read before a write, and used after it in loops, branches, both, and gradients of loops
x, counter = tf.placeholder(tf.float32, []), tf.constant(0)
w, u = tf.get_variable('w', initializer=[[0.5, -0.2]]), tf.get_variable('u', initializer=[[1.0, 3.0]])
before, shapes = tf.identity(u), (tf.TensorShape([]), tf.TensorShape([1, None]))
_, same, total = tf.while_loop(lambda n, a, b: n < 3, lambda n, a, b: (n + 1, a, b * 0.5 + a * w), (counter, u, tf.zeros([1, 2])))
_, grown = tf.while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, tf.concat([a * w[0, 0], a[:, -1:]], 1)), (counter, u), shapes)
with tf.control_dependencies([u.assign(before * 2.0 + x + 0.0 * total + 0.0 * grown[:, :2])]):
    start, positive = tf.zeros([1, 2]), x > 0.0
    total, grown = tf.identity(total), tf.identity(grown)
_, added = tf.while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, a + before), (counter, start))
_, both = tf.while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, tf.cond(n < 1, lambda: a + before, lambda: (a - before) * 2.0)), (counter, start))
chosen = tf.cond(positive, lambda: before * 2.0 + start, lambda: before - 1.0 + start)
gradients = [tf.gradients(tf.reduce_sum(each * each), w)[0] for each in (total, grown)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (0.25, -0.5, 1.0):
        found = sess.run([added * 1.0, both * 1.0, chosen * 1.0, gradients], {x: value})
        print([np.asarray(each).tolist() for each in found], sess.run(u).tolist())

#: memory_left_by_loops: a loop that hands its variable on, makes no rounds, or hands on what is outside: fetched beside a write, and used after it
x, rounds = tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, [])
names = ('unchanged', 'computed', 'outer', 'read_outside', 'reshaped', 'in_a_branch')
variables = [tf.get_variable(name, initializer=[1.0, 3.0]) for name in names]
before = tf.identity(variables[3])
bodies = (
    lambda n, a: (n + 1, a),
    lambda n, a: (n + 1, a + 1.0),
    lambda n, a: (n + 1, tf.identity(variables[2])),
    lambda n, a: (n + 1, before),
    lambda n, a: (n + 1, tf.reshape(a, [2])),
    lambda n, a: (n + 1, a),
)
begins = variables[:2] + [tf.zeros([2])] * 2 + [tf.reshape(variables[4], [1, 2])] + variables[5:]
shapes = [(tf.TensorShape([]), tf.TensorShape([2] if place != 4 else None)) for place in range(6)]
left = [
    tf.while_loop(lambda n, a: n < rounds, body, (tf.constant(0), begin), shape)[1]
    for body, begin, shape in zip(bodies[:5], begins, shapes)
]
left.append(tf.cond(x > -9.0, lambda: tf.while_loop(lambda n, a: n < rounds, bodies[5], (tf.constant(0), begins[5]))[1], lambda: before))
steps = [v.assign(tf.reshape(a, [2]) * 2.0 + x) for v, a in zip(variables, left)]
after = []
for step, a in zip(steps, left):
    with tf.control_dependencies([step]):
        after.append(a + 10.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value, number in ((0.25, 0), (-0.5, 1), (1.0, 3)):
        feed = {x: value, rounds: number}
        print(number, [each.tolist() for each in sess.run(after, feed)], [each.tolist() for each in sess.run(variables)])
        fetched = sess.run([left[:5], [step.op for step in steps]], feed)[0]
        print([each.tolist() for each in fetched])

#: memory_that_loops_write: what a loop writes is used in its rounds, in branches, after it, and fetched beside it
v = tf.get_variable('v', initializer=[1.0, 3.0])
before, wide = tf.identity(v), tf.reshape(v, [1, 2])
def step(n):
    with tf.control_dependencies([v.assign_add([0.5, 1.0])]):
        return n + 1
def in_the_same_round(n, a):
    read = tf.identity(v)
    with tf.control_dependencies([step(n)]):
        return n + 1, a + read
def read_outside(n, a):
    with tf.control_dependencies([step(n)]):
        a = tf.identity(a)
    return n + 1, a + before + wide[0]
def in_a_branch(n, a):
    read = tf.identity(v)
    with tf.control_dependencies([step(n)]):
        m = n + 0
    return n + 1, tf.cond(m > 1, lambda: a + read, lambda: a - read)
def written_in_a_branch(n, a):
    read = tf.identity(v)
    written = tf.cond(n > 1, lambda: v.assign_add([0.5, 1.0]) * 1.0, lambda: v * 0.0)
    return n + 1, a + written * 0.0 + read
def in_an_inner_loop(n, a):
    read = tf.identity(v)
    with tf.control_dependencies([tf.while_loop(lambda m: m < 2, step, [tf.constant(0)])]):
        return n + 1, a + read
def one_after_the_other(n, a):
    r = a + v
    with tf.control_dependencies([r]):
        written = v.assign_add([0.5, 1.0])
    with tf.control_dependencies([written]):
        return n + 1, tf.identity(r)
bodies = (in_the_same_round, read_outside, in_a_branch, written_in_a_branch, in_an_inner_loop, one_after_the_other)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for body in bodies:
        _, out = tf.while_loop(lambda n, a: n < 4, body, (tf.constant(0), tf.zeros([2])), parallel_iterations=1)
        with tf.control_dependencies([out]):
            later = before + 1.0
        for _ in range(2):
            print(body.__name__, [each.tolist() for each in sess.run([out, later, v, tf.identity(v)])], sess.run(v).tolist())

#: memory_in_gradients_of_loops: what a loop reads, reshapes, or begins with in a branch is written before its gradient takes it
x = tf.placeholder(tf.float32, [])
w, u = tf.get_variable('w', initializer=[[0.5, -0.2]]), tf.get_variable('u', initializer=[[1.0, 3.0]])
def loop(body, begin=None, **options):
    return tf.while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, body(a)), (tf.constant(0), tf.ones([1, 2]) if begin is None else begin), **options)[1]
totals = [
    loop(lambda a: a * 0.5 + u * w),
    loop(lambda a: a * 0.5 + tf.identity(u) * w, parallel_iterations=1),
    loop(lambda a: a * 0.5 + tf.reshape(tf.reshape(u, [2]) * w[0], [1, 2])),
    loop(lambda a: tf.expand_dims(tf.reshape(a, [2]) * w[0], 0), u),
    tf.cond(x > -9.0, lambda: loop(lambda a: a * w, u), lambda: u * 1.0),
    tf.scan(lambda a, e: a * w + e, tf.ones([3, 1, 2]), initializer=u)[-1],
]
with tf.control_dependencies([u.assign(u * 2.0 + x + 0.0 * tf.add_n(totals))]):
    totals = [tf.identity(each) for each in totals]
gradients = [tf.gradients(tf.reduce_sum(each * each), w)[0] for each in totals]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (0.25, -0.5, 1.0):
        found, shown = sess.run([totals, gradients], {x: value})
        print([each.tolist() for each in found], [each.tolist() for each in shown], sess.run(u).tolist())

#: memory_through_print: what tf.Print returns is the variable's memory: used after a write, in a branch and a loop, and fetched beside it
x = tf.placeholder(tf.float32, [])
v = tf.get_variable('v', initializer=[1.0, 2.0])
u = tf.get_variable('u', initializer=[1.0, 2.0])
printed, other = tf.Print(v, [tf.constant(0)], 'v'), tf.identity(tf.Print(u, [u], 'u'))
with tf.control_dependencies([v.assign(printed * 2.0 + x), u.assign(tf.reshape(other, [2]) + x)]):
    positive = x > 0.0
    after = printed * 10.0
    chosen = tf.cond(positive, lambda: printed * 3.0, lambda: other - 1.0)
with tf.control_dependencies([after]):
    again = tf.Print(other, [other], 'again') + 0.5
_, in_loop = tf.while_loop(lambda n, a: n < 2, lambda n, a: (n + 1, a + printed), (tf.constant(0), after))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (0.5, -1.0, 2.0):
        print([np.asarray(each).tolist() for each in sess.run([after, chosen, again, in_loop, printed, other], {x: value})], sess.run([v, u])[1].tolist())

#: gradient_of_identity_overridden: gradient_override_map around variables: TF1 read each by one Identity, made with it, and gathered by GatherV2
@tf.RegisterGradient('Threefold')
def threefold(op, grad):
    return [3.0 * grad]


@tf.RegisterGradient('Rows')
def rows(op, grad):
    return [tf.ones([2]) * tf.reduce_sum(grad)] + [None] * (len(op.inputs) - 1)


gradients = []
opt = tf.train.GradientDescentOptimizer(0.02)
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        before = tf.get_variable('before', [2], initializer=tf.constant_initializer(0.5))
        with tf.get_default_graph().gradient_override_map({'Identity': 'Threefold'}):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.4))
            hidden = tf.identity(tf.identity(w) * w + before)
        with tf.get_default_graph().gradient_override_map({'GatherV2': 'Rows'}):
            taken = tf.gather(before, [1, 1])
        loss = tf.reduce_sum(hidden * w * (i + 1.0)) + tf.reduce_sum(tf.square(taken))
        gradients.append(opt.compute_gradients(loss))
mean = [(tf.reduce_mean([g for g, _ in each], 0), each[0][1]) for each in zip(*gradients)]
train = opt.apply_gradients(mean)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(train)
        print(sess.run([w, before]))

#: initial_values_from_variables: variables whose initial value is made of other variables: slots of an optimizer of one's own, copies, sums
def momentum(variables, gradients, rate, decay):
    """An optimizer as public scripts write it: its state begins as `variable * 0`."""
    updates = []
    for variable, gradient in zip(variables, gradients):
        speed = tf.Variable(variable * 0.0, trainable=False)
        seen = tf.Variable(tf.zeros_like(variable) + 1.0, trainable=False, name="seen")
        updates.append(seen.assign_add(tf.square(gradient)))
        new_speed = decay * speed + gradient
        updates.append(speed.assign(new_speed))
        updates.append(variable.assign_sub(rate * new_speed))
    return tf.group(*updates)


with tf.variable_scope("model"):
    w = tf.get_variable("w", initializer=tf.constant(np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)))
    b = tf.get_variable("b", [2], initializer=tf.random_normal_initializer(stddev=0.5, seed=7))
copied = tf.Variable(w, name="copied", trainable=False)
doubled = tf.Variable(tf.identity(b) * 2.0 + tf.reduce_sum(w), name="doubled", trainable=False)
x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
train = momentum([w, b], tf.gradients(loss, [w, b]), 0.1, 0.9)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([copied, doubled]))
    print("the same drawing", np.array_equal(sess.run(doubled), sess.run(b * 2.0 + tf.reduce_sum(w))))
    data = np.random.RandomState(1).rand(5, 3).astype(np.float32)
    for step in range(4):
        print(step, sess.run([loss, train], {x: data + step})[0])
    for variable in tf.global_variables():
        print(variable.op.name, sess.run(variable).tolist())
    sess.run(copied.initializer)
    print("from the trained one", np.array_equal(sess.run(copied), sess.run(w)))

#: variables_as_tensors_by_name: variables through their tensors' names, and a global step found by its name
step = tf.Variable(0, trainable=False, name="global_step")
width = 3
w = tf.get_variable("w", [width, 2], initializer=tf.constant_initializer(0.5))
x = tf.placeholder(tf.float32, [None, width], name="x")
graph = tf.get_default_graph()
same = graph.get_tensor_by_name("w:0")
loss = tf.reduce_mean(tf.square(tf.matmul(x, same) - 1.0)) + 0.1 * tf.reduce_sum(graph.get_tensor_by_name("w:0"))
print(w.shape.as_list(), same.dtype.base_dtype.name, same.get_shape().as_list(), same.name)
print(tf.train.get_global_step().name, tf.train.get_global_step().dtype.base_dtype.name)
train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())

with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=4)]) as sess:
    while not sess.should_stop():
        print(sess.run([loss, train, same, "w:0"], {"x:0": [[1.0, 2.0, 3.0]]})[0::2])
        print(sess.run(graph.get_tensor_by_name("global_step:0")) if not sess.should_stop() else "stopped")

read = graph.get_tensor_by_name("w/read:0")
gradients = tf.gradients(tf.reduce_sum(tf.square(w)), read) + tf.gradients(tf.reduce_sum(read * same), w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(["w/read:0", graph.get_operation_by_name("w/read")])[0].tolist(), sess.run(gradients)[1].tolist())
    for fed in ("w:0", "w/read:0", w, read):
        print(sess.run([read + 1.0, w * 2.0], {fed: [[1.0, 2.0]] * 3}))
    for missing in ("x/read:0", "nothing/read", "w/read/read:0"):
        try:
            graph.as_graph_element(missing)
        except KeyError as error:
            print(error)

#: variables_and_their_tensors_as_keys: a variable, 'w:0' and 'w/read:0' are three keys; the read is looked up on a tower's device, in a branch, in a finished graph
graph = tf.get_default_graph()
w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, 2.0]))
b = tf.get_variable('b', [], initializer=tf.ones_initializer())
losses = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        losses.append(tf.reduce_sum(graph.get_tensor_by_name('w/read:0') ** 2) * (i + 1.0) + b)
step = tf.group(*[tf.assign_sub(graph.get_tensor_by_name(v.name), 0.1 * g) for v, g in
                  zip([w, b], tf.gradients(tf.add_n(losses), [w, b]))])
branch = tf.cond(losses[0] > 0.0, lambda: graph.get_tensor_by_name('b/read:0') + 1.0, lambda: b)
keys = [w, graph.get_tensor_by_name('w:0'), graph.get_tensor_by_name('w/read:0'), b, graph.get_tensor_by_name('b:0')]
numbers = {key: n for n, key in enumerate(keys)}
print(sorted(numbers.values()), len(set(keys)), keys.index(keys[1]), w == keys[1], keys[2] == w, keys[1] is keys[2])
print(keys[1] in tf.global_variables(), keys[2] is graph.get_tensor_by_name('w/read:0'), keys[1] is graph.get_tensor_by_name('w:0'))
print(keys[2].name, keys[2].op.name, keys[2].shape, isinstance(keys[2], tf.Tensor), graph.get_operation_by_name('b/read').name)
late = tf.get_variable('late', [], initializer=tf.zeros_initializer())
init = tf.global_variables_initializer()
graph.finalize()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    for _ in range(3):
        print(sess.run(losses), sess.run(step), sess.run(branch))
    print({numbers[key]: value.tolist() for key, value in zip(keys, sess.run(keys))})
    print(sess.run(losses, {keys[2]: [3.0, 4.0], 'b/read:0': 2.0}), sess.run(keys[0], {keys[2]: [3.0, 4.0]}).tolist())
    print(sess.run('late/read:0'), graph.finalized)

#: variables_by_their_one_read: tF1 read a variable by one tensor, 'w/read:0', which value() and convert_to_tensor() give: fed, fetched, differentiated
w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
losses = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_sum(w**3) * (i + 1))
loss = tf.add_n(losses)
graph = tf.get_default_graph()
value = tf.convert_to_tensor(w)
gradients = [
    tf.gradients(loss, source)[0]
    for source in (w, w.value(), value, graph.get_tensor_by_name('w:0'), graph.get_tensor_by_name('w/read:0'))
]
gradients.append(tf.gradients(tf.reduce_sum(value * w), value)[0])
print(tf.gradients(loss, tf.identity(w)), len(tf.gradients(loss, [w.value(), value])))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    print([sess.run(gradient).tolist() for gradient in gradients])
    print(sess.run([loss, w + 1.0], {'w:0': [2.0, 3.0]}))
    print(sess.run([loss, w + 1.0], {'w/read:0': [3.0, 3.0]}))
    print(sess.run(graph.get_tensor_by_name('w/read:0')), graph.get_tensor_by_name('w/read:0').shape)
    nodes = [node.name for node in graph.as_graph_def().node if node.op == 'VariableV2']
    print(nodes, [op.name for op in graph.get_operations() if op.type in {'n': ('Variable', 'VariableV2')}['n']])
