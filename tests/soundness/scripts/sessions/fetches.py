import numpy as np
import tensorflow as tf

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
