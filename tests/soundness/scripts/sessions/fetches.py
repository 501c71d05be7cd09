import numpy as np
import tensorflow as tf

#: eval_of_everything: eval() of tensors, variables, operations run by name, tf.group, tf.tuple, tf.no_op, identity of many
with tf.Session():
    a = tf.Variable(np.array([1, 2, 3]), name='ints')
    b = tf.Variable(tf.fill([2, 2], 0.5), name='floats')
    c = tf.Variable(True, name='flag')
    s = tf.Variable(['x', 'yy'], name='strings')
    tf.initialize_variables([a, b, c, s]).run()
    print(a.eval().tolist(), b.eval().tolist(), c.eval(), s.eval().tolist())
    print(a.dtype.base_dtype.name, b.shape.as_list(), c.op.name, s.get_shape().as_list())
    tf.group(a.assign_add([1, 1, 1]), c.assign(False)).run()
    print(a.value().eval().tolist(), c.read_value().eval(), (a + 1).eval().tolist(), b[0].eval().tolist())
    first, second = tf.tuple([a * 2, tf.cast(b, tf.int64)])
    print(first.eval().tolist(), second.eval().tolist(), tf.no_op().run())
    loss = tf.reduce_sum(b ** 3)
    train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    for _ in range(3):
        train.run()
        print(loss.eval(), tf.identity_n([b, b])[1].eval().sum())
    print(tf.shape(b).eval().tolist(), tf.size(s).eval(), tf.strings.length(s).eval().tolist())

#: errors_caught: what scripts catch: uninitialised variables, wrong shapes, missing feeds, other dtypes, an empty graph
x = tf.placeholder(tf.float32, [2, 3], name='x')
n = tf.placeholder(tf.int32, [], name='n')
w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
loss = tf.reduce_mean(x * w) / tf.cast(n, tf.float32)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
whole = tf.floordiv(7, n)


def attempt(name, *args, **kwargs):
    try:
        print(name, 'gave', sess.run(*args, **kwargs))
    except (tf.errors.OpError, ValueError, TypeError, RuntimeError) as e:
        code = e.error_code if isinstance(e, tf.errors.OpError) else '-'
        print(name, type(e).__name__, code)


ones = np.ones([2, 3])
with tf.Session() as sess:
    attempt('uninitialised', w)
    attempt('uninitialised train', train, {x: ones, n: 1})
    sess.run(tf.global_variables_initializer())
    attempt('shape', loss, {x: np.ones([3, 2]), n: 1})
    attempt('rank', loss, {x: np.ones([2, 3, 1]), n: 1})
    attempt('no feed', loss, {n: 1})
    attempt('no feed at all', train)
    attempt('float for int', loss, {x: ones, n: 1.5})
    attempt('a tensor fed', loss, {x: tf.ones([2, 3]), n: 1})
    attempt('unknown key', loss, {'y:0': 1})
    attempt('a list', [1, 2])
    attempt('by zero', whole, {n: 0})
    attempt('fine', [loss, whole], {x: ones, n: 2})
    sess.run(train, {x: ones, n: 2})
    attempt('after', w)
with tf.Graph().as_default(), tf.Session() as sess:
    attempt('empty graph', 'w:0')
    attempt('empty list', [])
    try:
        sess.run()
    except TypeError:
        print('TypeError for nothing')

#: feed_intermediates: any tensor is fed: a matmul's output, a constant, a variable's read, an input of the gradient
c = tf.constant(2.0, name='c')
v = tf.get_variable('v', initializer=tf.constant([1.0, 2.0]), use_resource=True)
read = tf.identity(v, name='read')
prod = tf.multiply(read, c, name='prod')
loss = tf.reduce_sum(prod ** 2)
grad = tf.gradients(loss, read)[0]
train = tf.train.GradientDescentOptimizer(0.01).apply_gradients([(grad, v)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss), sess.run(loss, {c: 3.0}), sess.run(loss, {prod: [1., 1.]}), sess.run(loss, {read: [0., 5.]}))
    print(sess.run([loss, grad], {'c:0': 1.0}))
    sess.run(train)
    print(sess.run(v).tolist())
    sess.run(train, {c: 0.0})
    print(sess.run(v).tolist())
    sess.run(train, {grad: [10., -10.]})
    print(sess.run(v).tolist())
    print(sess.run(prod, {prod: [4., 4.]}).tolist(), sess.run([read, prod], {read: [3., 3.]})[1].tolist())
    for bad in ([1., 2., 3.], 'text'):
        try:
            sess.run(loss, {read: bad})
            print('ran')
        except (ValueError, TypeError) as e:
            print(type(e).__name__)

#: fetch_by_name: tensors and operations by their names, in run, in feeds and from the graph; unknown names
with tf.name_scope('in'):
    tf.placeholder(tf.float32, [2, 2], name='x')
with tf.variable_scope('layer'):
    w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.5))
g = tf.get_default_graph()
x = g.get_tensor_by_name('in/x:0')
y = tf.reduce_sum(x * w, 1, name='y')
with tf.name_scope('obj') as scope:
    loss = tf.reduce_mean(y ** 2, name='loss')
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name='go')
init = tf.global_variables_initializer()
print(scope, loss.name, train.name, init.name, w.name, g.get_operation_by_name('y').type)
rng = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(init.name)
    for _ in range(4):
        fed = {'in/x:0': rng.randn(2, 2)}
        value, out, nothing = sess.run(['obj/loss:0', 'y:0', 'go'], fed)
        print('%.9g' % value, out.shape, nothing, sess.run('layer/w:0').tolist())
    for bad in ('nowhere:0', 'obj/loss:1', 'nothing', 'obj/loss:x'):
        try:
            sess.run(bad, fed)
            print('ran')
        except (ValueError, TypeError) as e:
            print(type(e).__name__, bad)
    for bad in ('nowhere:0', 'nothing'):
        try:
            g.get_tensor_by_name(bad)
        except (KeyError, ValueError) as e:
            print(type(e).__name__, bad)
    print(g.as_graph_element('y').name, g.as_graph_element('y:0').name, g.is_feedable(y), g.is_fetchable(train))

#: lookup_of_devices_and_attrs: attributes of operations and tensors: types, inputs, consumers, devices asked for, shapes, dtypes
with tf.device('/cpu:0'):
    a = tf.constant([[1.0, 2.0]], name='a')
with tf.device('/gpu:1'):
    b = tf.constant([[3.0], [4.0]], name='b')
c = tf.matmul(a, b, name='c')
v = tf.get_variable('v', initializer=c * 2.0)
print(a.device, c.op.type, [t.name for t in c.op.inputs], [o.name for o in a.consumers()])
print(c.shape.as_list(), c.dtype.name, c.op.get_attr('transpose_a'), v.dtype.base_dtype.name, v.shape.as_list())
print(c.graph is tf.get_default_graph(), c.value_index, c.op.outputs[0] is c, v.op.name, v.name)
loss = tf.reduce_sum(tf.square(v - 1.0))
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run(loss), sess.run(c).tolist())
        sess.run(train)
    print(sess.run(v).tolist(), sess.graph.get_tensor_by_name('c:0') is c)

#: make_callable: make_callable, with and without feeds; kept and called in a loop
from tensorflow.core.protobuf import config_pb2

x = tf.placeholder(tf.float32, [2], name='x')
scale = tf.placeholder(tf.float32, [], name='scale')
w = tf.Variable([1.0, -1.0])
loss = tf.reduce_sum(tf.square(x * w - scale))
step = tf.train.create_global_step()
train = tf.train.AdagradOptimizer(0.5).minimize(loss, step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    run_step = sess.make_callable([loss, train], feed_list=[x, scale])
    weights = sess.make_callable(w)
    both = sess.make_callable({'w': w, 'n': step})
    only = sess.make_callable(train, [x, scale])
    rng = np.random.RandomState(0)
    for _ in range(4):
        out = run_step(rng.rand(2), 0.5)
        print(out[0], out[1], weights().tolist())
    print(only(np.ones(2), 1.0))
    print(sorted((k, np.asarray(v).tolist()) for k, v in both().items()))
    options = config_pb2.CallableOptions(feed=['x:0', 'scale:0'], fetch=[loss.name], target=[train.name])
    fed = np.ones(2, np.float32), np.float32(1.0)
    print(float(sess._make_callable_from_options(options)(*fed)[0]), weights().tolist())

#: metrics_streaming: tf.metrics: mean, accuracy, precision, recall, auc, mean_iou; local variables set back
labels = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
guess = tf.cast(scores > 0.5, tf.int64)
ops = {
    'mean': tf.metrics.mean(scores), 'accuracy': tf.metrics.accuracy(labels, guess),
    'precision': tf.metrics.precision(labels, guess), 'recall': tf.metrics.recall(labels, guess),
    'auc': tf.metrics.auc(labels, scores, num_thresholds=20), 'mse': tf.metrics.mean_squared_error(tf.cast(labels, tf.float32), scores),
    'iou': tf.metrics.mean_iou(labels, guess, 2), 'tp': tf.metrics.true_positives(labels, guess),
}
values = {k: v for k, (v, _) in ops.items()}
updates = [u for _, (_, u) in sorted(ops.items())]
init = tf.local_variables_initializer()
rng = np.random.RandomState(0)
print(len(tf.local_variables()), len(tf.global_variables()))
with tf.Session() as sess:
    for _ in range(2):
        sess.run(init)
        for _ in range(3):
            sess.run(updates, {labels: rng.randint(0, 2, 8), scores: rng.rand(8)})
        print({k: '%.6g' % v for k, v in sorted(sess.run(values).items())})

#: nested_fetches: fetches nested in lists, tuples, dictionaries, namedtuples; the same tensor twice; operations give None
import collections


Point = collections.namedtuple('Point', ['loss', 'weights', 'op'])
x = tf.placeholder(tf.float32, [3])
w = tf.get_variable('w', initializer=tf.constant([1., 2., 3.]))
loss = tf.tensordot(x, w, 1)
with tf.control_dependencies([loss]):
    train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.gradients(loss, w)[0] * 1.0, w)])
rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        r = sess.run({'a': [loss, (x, loss)], 'b': {'c': loss}, 'd': (loss,)}, {x: rng.rand(3)})
        print(sorted(r), r['a'][0], type(r['a'][1]).__name__, r['a'][1][0].tolist(), r['b']['c'], r['d'])
        p = sess.run(Point(loss, w, train.name), {x: rng.rand(3)})
        print(type(p).__name__, p.loss, p.op)
        print(sess.run(w).tolist())
    print(sess.run([]), sess.run({}), sess.run([[], [loss, loss]], {x: np.ones(3)}))
    print(sess.run(train, {x: np.ones(3)}), sess.run([train], {x: np.zeros(3)}))
    od = sess.run(collections.OrderedDict([('z', loss), ('a', w)]), {x: np.ones(3)})
    print(type(od).__name__, list(od), od['z'])
    try:
        sess.run(None)
    except TypeError as e:
        print('TypeError', str(e)[:40])
    try:
        sess.run([1.5])
    except TypeError as e:
        print('TypeError', 'Fetch argument' in str(e))

#: no_variables_at_all: a session that only computes: linear algebra, strings, numbers; a graph without any variable
m = tf.placeholder(tf.float64, [3, 3])
inverse = tf.matrix_inverse(m)
det = tf.matrix_determinant(m)
eig = tf.self_adjoint_eigvals(tf.matmul(m, m, transpose_a=True))
best = tf.argmax(tf.reduce_sum(m, 1))
rng = np.random.RandomState(0)
print(tf.global_variables(), tf.trainable_variables())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        a = rng.rand(3, 3)
        i, d, b = sess.run([inverse, det, best], {m: a})
        print(np.round(i.dot(a), 6).tolist(), '%.9g' % d, b, np.round(sess.run(eig, {m: a}), 8).tolist())
    print(sess.run(tf.string_split(['a b', 'c']).values).tolist(), sess.run(tf.range(3)).tolist())
    print(sess.run(tf.unique([1, 1, 2])).idx.tolist(), sess.run(tf.where([True, False, True])).tolist())
    print(sess.run(tf.dynamic_partition([1, 2, 3, 4], [0, 1, 0, 1], 2))[1].tolist())

#: numpy_feeds_of_many_kinds: what is fed: lists, scalars, ints, bools, strings, arrays of other dtypes, non-contiguous arrays, empty ones
f = tf.placeholder(tf.float32, name='f')
i = tf.placeholder(tf.int32, [None], name='i')
b = tf.placeholder(tf.bool, [], name='b')
s = tf.placeholder(tf.string, [None], name='s')
d = tf.placeholder_with_default(np.float64(2.5), [], name='d')
h = tf.placeholder(tf.uint8, [None], name='h')
total = tf.reduce_sum(f)
rank = tf.rank(f)
text = tf.strings.reduce_join(s, separator='+')
with tf.Session() as sess:
    for value in (1, 2.5, [1, 2], [[1.0], [2.0]], np.arange(6).reshape(2, 3)[:, ::2], np.float64(3), np.zeros([0, 4]), True):
        print(sess.run([total, rank], {f: value}))
    print(sess.run(i, {i: np.array([1, 2], np.int64)}).dtype, sess.run(i, {i: []}).shape, sess.run(i, {i: (3, 4)}).tolist())
    print(sess.run(tf.logical_not(b), {b: False}), sess.run(tf.logical_not(b), {b: np.bool_(True)}))
    print(sess.run(text, {s: ['a', b'b', 'c']}), sess.run(text, {s: np.array(['x', 'yy'])}), sess.run(text, {s: np.array(['q'], object)}))
    print(sess.run(d), sess.run(d, {d: 4}), sess.run(d).dtype)
    print(sess.run(tf.cast(h, tf.int32) * 2, {h: [1, 200]}).tolist(), sess.run(h, {h: np.uint8([7])}).dtype)
    print(sess.run(tf.transpose(f), {f: np.asfortranarray(np.eye(2, 3))}).tolist())

#: run_in_loop_of_ops: many different sets of fetches of one graph: each pair, each order; the same numbers whatever is fetched with what
import itertools


x = tf.placeholder(tf.float32, [2, 2], name='x')
w = tf.Variable([[0.1, 0.2], [0.3, 0.4]], name='w')
a = tf.matmul(x, w, name='a')
b = tf.nn.softmax(a, name='b')
c = tf.reduce_mean(b * a, name='c')
n = tf.Variable(0, trainable=False)
count = n.assign_add(1)
data = np.array([[1., 2.], [3., 4.]])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for pair in itertools.permutations([a, b, c], 2):
        out = sess.run(list(pair), {x: data})
        print([t.op.name for t in pair], ['%.7g' % v.sum() for v in out])
    for k in range(1, 4):
        out = sess.run([c] * k + [count], {x: data * k})
        print(len(set(map(float, out[:k]))), '%.9g' % out[0], out[-1])
    print(sess.run(n))

#: run_options_and_metadata: options and run_metadata are given with each run; the values are the same
x = tf.placeholder(tf.float32, [2])
w = tf.Variable([0.5, 0.25])
loss = tf.reduce_sum((w * x) ** 2)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1, allow_soft_placement=True)
config.gpu_options.allow_growth = True
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    options = tf.RunOptions(timeout_in_ms=60000)
    metadata = tf.RunMetadata()
    for i in range(4):
        value, _ = sess.run([loss, train], feed_dict={x: [1.0, i]}, options=options, run_metadata=metadata)
        print('%.9g' % value, sess.run(w, options=options).tolist())
    print(type(metadata).__name__, sess.run(loss, {x: [2., 2.]}, None, None))

#: sparse_and_slices: SparseTensors fed and fetched; IndexedSlices fetched; a sparse placeholder
sp = tf.sparse_placeholder(tf.float32, shape=[3, 4])
w = tf.get_variable('w', [4, 2], initializer=tf.constant_initializer(np.arange(8) / 10.0))
ids = tf.placeholder(tf.int32, [None])
rows = tf.gather(w, ids)
loss = tf.reduce_sum(tf.sparse_tensor_dense_matmul(sp, w)) + tf.reduce_sum(rows ** 2)
opt = tf.train.GradientDescentOptimizer(0.1)
gather_grad = tf.gradients(tf.reduce_sum(rows ** 2), w)[0]
train = opt.minimize(loss)
value = tf.SparseTensorValue(indices=[[0, 1], [2, 3]], values=[1.0, 2.0], dense_shape=[3, 4])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    out = sess.run(sp, {sp: value})
    print(type(out).__name__, out.indices.tolist(), out.values.tolist(), out.dense_shape.tolist())
    out = sess.run(sp, {sp: ([[1, 1]], [5.0], [3, 4])})
    print(out.values.tolist())
    g = sess.run(gather_grad, {ids: [1, 3]})
    print(type(g).__name__, g.indices.tolist(), g.values.tolist())
    for _ in range(3):
        print(sess.run(loss, {sp: value, ids: [0, 2]}))
        sess.run(train, {sp: value, ids: [0, 2]})
    print(sess.run(w).tolist())
    doubled = tf.SparseTensor(sp.indices, sp.values * 2, sp.dense_shape)
    print(sess.run([doubled, tf.sparse_reduce_sum(doubled)], {sp: value})[0].values.tolist())
    print(doubled.eval({sp: value}).dense_shape.tolist(), sess.run(tf.sparse_tensor_to_dense(sp), {sp: value}).sum())

#: stacks_of_what_is_fed: `tf.parallel_stack` of what is fed, and variables and their slices that are fetched beside an update
x = tf.placeholder(tf.float32, [3])
unit = tf.get_variable("unit", initializer=[0.5])
rows = tf.get_variable("rows", initializer=np.arange(64, dtype=np.float32).reshape(4, 16))
stacked = tf.parallel_stack([x, 2.0 * x, tf.fill([3], 1.5)])
loss = tf.reduce_sum(tf.square(tf.stack([x, 2.0 * x]))) * unit[0] + tf.reduce_mean(tf.square(rows))
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        feeds = {x: np.arange(3, dtype=np.float32) + step}
        print(sess.run(stacked, feeds).tolist())
        values = sess.run([train_op, unit[:], tf.reshape(unit, [1, 1])[0], rows[1], rows[2:3]], feeds)[1:]
        print([value.ravel()[:2].tolist() for value in values])

#: tensor_arrays_and_shapes: shapes known and unknown, set_shape, tf.shape in the graph, TensorArray, dynamic batch, reshape by placeholders
x = tf.placeholder(tf.float32, [None, None, 2])
print(x.shape.as_list(), x.get_shape().ndims, x.shape[2].value, x.shape[0].value)
flat = tf.reshape(x, [-1, 2])
w = tf.get_variable('w', [2, 3], initializer=tf.constant_initializer(np.arange(6).reshape(2, 3) / 6.0))
out = tf.reshape(tf.matmul(flat, w), [tf.shape(x)[0], tf.shape(x)[1], 3])
print(out.shape.as_list())
out.set_shape([None, None, 3])
ta = tf.TensorArray(tf.float32, size=tf.shape(x)[0], element_shape=[])
ta = tf.while_loop(lambda i, t: i < tf.shape(x)[0], lambda i, t: (i + 1, t.write(i, tf.reduce_sum(out[i]))), [0, ta])[1]
sums = ta.stack()
loss = tf.reduce_mean(tf.square(sums - 1.0))
train = tf.train.AdagradOptimizer(0.1).minimize(loss)
rng = np.random.RandomState(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for n, t in ((1, 2), (3, 1), (2, 4)):
        feed = {x: rng.rand(n, t, 2)}
        print(sess.run(out, feed).shape, sess.run(sums, feed).tolist())
        print('%.7g' % sess.run([loss, train], feed)[0])
    print(sess.run(w).tolist())
