# Loops over towers of every form; their gradients are averaged and applied after each of them.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2], name='x')
y = tf.placeholder(tf.float32, [4], name='y')
opt = tf.train.MomentumOptimizer(0.1, 0.9)
grads, losses = [], []

#: argparse_zip_devices: argparse; zip of devices with the parts of the batch
import argparse
import sys
parser = argparse.ArgumentParser()
parser.add_argument('folder')
parser.add_argument('--gpus', default='0,1')
parser.add_argument('--lr', type=float, default=0.25)
args = parser.parse_args(sys.argv[1:])
opt = tf.train.GradientDescentOptimizer(args.lr)
for device, part in zip(['/gpu:' + g for g in args.gpus.split(',')], tf.split(x, 2, axis=0)):
    with tf.device(device), tf.variable_scope('k', reuse=bool(losses)):
        w = tf.get_variable('w', (2,), initializer=tf.constant_initializer([.6, -.4]))
        losses.append(tf.reduce_mean(tf.square(tf.reduce_prod(part - w, 1))))
        grads.append(opt.compute_gradients(losses[-1]))

#: assign_to_device_function: a device function that keeps variables on the CPU; the flag for reuse is set in the loop
PS_OPS = ['Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp']


def assign_to_device(device, ps_device='/cpu:0'):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in PS_OPS:
            return ps_device
        return device
    return _assign


def net(x, training, reuse):
    with tf.variable_scope('Net', reuse=reuse):
        h = tf.layers.dense(x, 3, tf.nn.tanh, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
        h = tf.layers.dropout(h, rate=0.0, training=training)
        return tf.layers.dense(h, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=3))


reuse_vars = False
with tf.device('/cpu:0'):
    for i in range(2):
        with tf.device(assign_to_device('/gpu:{}'.format(i), ps_device='/cpu:0')):
            loss_op = tf.reduce_mean(tf.square(net(x[i * 2: (i + 1) * 2], True, reuse_vars)[:, 0] - y[i * 2: (i + 1) * 2]))
            test = net(x[i * 2: (i + 1) * 2], False, True)
            opt = tf.train.AdamOptimizer(learning_rate=0.1)
            grads.append(opt.compute_gradients(loss_op))
            if i == 0:
                losses.append(tf.reduce_mean(tf.cast(tf.greater(test, 0.0), tf.float32)))
            reuse_vars = True
losses.append(loss_op)

#: attention_decoder: contrib.seq2seq in each tower: a decoder in a while loop that attends to a memory
from tensorflow.contrib.seq2seq import AttentionWrapper, BahdanauAttention
start = tf.random_uniform_initializer(-.5, .5, seed=6)
for i, part in enumerate(tf.split(x, 2)):
    with tf.device(f'/gpu:{i}'), tf.name_scope(f'tower_{i}'):
        series = tf.stack([part, part * 0.5, -part], 1)
        with tf.variable_scope('model', reuse=tf.AUTO_REUSE, initializer=start):
            lengths = tf.constant([3, 2])
            attention = BahdanauAttention(3, series, memory_sequence_length=lengths)
            cell = AttentionWrapper(tf.contrib.rnn.GRUCell(3), attention, attention_layer_size=2)
            helper = tf.contrib.seq2seq.TrainingHelper(series[:, ::-1], lengths)
            decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
            outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder)
            losses.append(tf.reduce_mean(tf.square(outputs.rnn_output)))
        grads.append(opt.compute_gradients(losses[-1]))

#: break_and_continue: more devices than are wanted: continue for one, break after two; a variable of one tower only
made, extra = 0, None
for name in ['/gpu:0', '/cpu:7', '/gpu:1', '/gpu:2', '/gpu:3']:
    if name.startswith('/cpu'):
        continue
    if made >= 2:
        break
    with tf.device(name):
        with tf.variable_scope('w%s' % '', reuse=made > 0):
            v = tf.get_variable('v', [2], initializer=tf.constant_initializer(0.2))
        loss = tf.reduce_mean(tf.cosh(tf.reduce_sum(x[made * 2:made * 2 + 2] * v, 1)))
        if made == 0:
            extra = tf.Variable(0.3, name='first_only')
            loss = loss + extra * 0.5
        losses.append(loss)
        grads.append(opt.compute_gradients(loss, [v]))
        if made == 0:
            own = opt.apply_gradients([(tf.gradients(loss, extra)[0], extra)])
    made += 1
losses.append(own)
print('towers', made)

#: comprehension_towers: towers made by a list comprehension over a function
def tower(i):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('m', reuse=bool(i)):
            w = tf.get_variable('w', [2, 1], initializer=tf.random_normal_initializer(seed=5))
            loss = tf.reduce_mean(tf.abs(tf.matmul(tf.split(x, 2)[i], w)[:, 0] - tf.split(y, 2)[i]))
        return loss, [(tf.clip_by_value(g, -0.2, 0.2), v) for g, v in opt.compute_gradients(loss)]


towers = [tower(i) for i in range(2)]
losses, grads = zip(*towers)

#: cond_scan_map: tf.cond, tf.scan and tf.map_fn inside towers; which branch is chosen depends on what is fed
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('c', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.5, -1.]))
        running = tf.scan(lambda a, b: a * 0.5 + b, x[2 * i:2 * i + 2] * w)
        squares = tf.map_fn(lambda r: tf.reduce_sum(r * r), running)
        losses.append(tf.cond(y[0] > 0.0, lambda: tf.reduce_mean(squares), lambda: tf.reduce_max(squares)))
        grads.append(opt.compute_gradients(losses[i]))

#: constants_as_input: each tower computes its data from constants and seeded random operations made in it
tf.set_random_seed(1234)
for i in range(2):
    with tf.device('/gpu:%d' % i):
        noise = tf.random_normal([2, 2], stddev=0.1, seed=i)
        with tf.variable_scope('x', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', initializer=tf.constant([0.2, 0.1]))
        losses.append(tf.reduce_mean(tf.square((tf.constant([[1., 2.], [3., 4.]]) / (i + 1.0) + noise) * w - 1)))
        grads.append(opt.compute_gradients(losses[-1]))

#: device_spec_and_weighted: tf.DeviceSpec; unequal parts by tf.split's sizes, gradients weighted by them
sizes = [3, 1]
specs = [tf.DeviceSpec(device_type='GPU', device_index=i) for i in range(len(sizes))]
for spec, bx, by, size in zip(specs, tf.split(x, sizes), tf.split(y, sizes), sizes):
    with tf.device(spec):
        with tf.variable_scope('lin', reuse=len(losses) > 0):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1., -1.]))
            c = tf.get_variable('c', [], initializer=tf.constant_initializer(0.5))
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(bx * w, 1) + c - by)))
        grads.append([(2.0 * float(size) / sum(sizes) * g, v) for g, v in opt.compute_gradients(losses[-1])])
print([s.to_string() for s in specs])

#: ema_of_each_loss: a moving average of each tower's loss, without a name scope, which the tower's total reads
ema = tf.train.ExponentialMovingAverage(0.9)
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(tf.split(x, 2)[i], w) - 1.0))
        with tf.control_dependencies([ema.apply([loss])]):
            total = loss + 0.1 * ema.average(loss)
        losses.append(total)
        grads.append(opt.compute_gradients(total))

#: files_of_contrib: contrib by the files that its names are in, as many scripts of 2016 and 2017 import it
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope, variables
from tensorflow.contrib.layers.python.layers import initializers, layers, regularizers


@add_arg_scope
def scaled(x, factor=1.0):
    return x * variables.model_variable("scale", [], initializer=tf.constant_initializer(factor))


def tower(x, reuse):
    with tf.variable_scope("net", reuse=reuse):
        with arg_scope([scaled], factor=0.5), arg_scope(
            [layers.fully_connected],
            weights_initializer=initializers.xavier_initializer(seed=3),
            weights_regularizer=regularizers.l2_regularizer(0.01),
        ):
            hidden = scaled(layers.fully_connected(x, 4, scope="one"))
            return tf.reduce_mean(tf.square(layers.fully_connected(hidden, 1, activation_fn=None, scope="two")))


for i, part in enumerate(tf.split(x, 2)):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        losses.append(tower(part, i > 0))
        grads.append(opt.compute_gradients(losses[-1] + tf.losses.get_regularization_loss()))
print([(variable.op.name, variable.shape) for variable in tf.model_variables()])

#: get_variable_replaced_for_a_while: the script puts a function in the place of tf.get_variable: layers take no notice
import contextlib
made = []


@contextlib.contextmanager
def noted():
    plain = tf.get_variable

    def get_variable(*args, **kwargs):
        made.append(args[0])
        return plain(*args, **kwargs) * 0.5

    tf.get_variable = get_variable
    yield
    tf.get_variable = plain


for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('a', reuse=tf.AUTO_REUSE), noted():
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        hidden = tf.layers.dense(tf.reshape(w, [1, 2]), 2, kernel_initializer=tf.ones_initializer(), name='d')
        out = tf.contrib.layers.fully_connected(hidden, 2, weights_initializer=tf.ones_initializer(), scope='f')
        losses.append(tf.reduce_sum(out**2) * 0.01 * (i + 1))
        grads.append(opt.compute_gradients(losses[i]))
print(made)

#: gradient_of_gradient: a gradient penalty in each tower; tf.gradients with grad_ys and stop_gradients
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('critic', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2], initializer=tf.glorot_uniform_initializer(seed=4))
        part = x[i * 2:i * 2 + 2]
        out = tf.nn.tanh(tf.reduce_sum(part * w, 1))
        slope = tf.gradients(out, part, grad_ys=tf.ones_like(out) * 2.0)[0]
        penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.) ** 2)
        losses.append(penalty + tf.reduce_mean(tf.stop_gradient(out)))
        grads.append(list(zip(tf.gradients(losses[i], [w]), [w])))

#: guards_on_the_index: `if not i`, `i != N - 1`, conditional expressions
N = 2
kept = {}
for i in range(N):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('g', reuse=(None if i == 0 else True)):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.8))
            loss = tf.reduce_mean(tf.square(x[2 * i:2 * i + 2] * w - 1))
        if not i:
            kept['first'] = loss
        if i != N - 1:
            kept['not last'] = tf.reduce_sum(w)
        else:
            last = loss
        rate = 1.0 if i == 0 else 0.5
        grads.append([(g * rate, v) for g, v in opt.compute_gradients(loss)])
losses = [kept, last]

#: helper_module_like_namespace: a set of static methods; a class of constants; towers from a generator function
class Config(object):
    gpus = [0, 1]
    units = 4


class Layers(object):
    @staticmethod
    def fc(x, n, name, nl=None):
        with tf.variable_scope(name):
            w = tf.get_variable('W', [x.get_shape().as_list()[-1], n], tf.float32, tf.random_normal_initializer(stddev=0.2, seed=n))
            b = tf.get_variable('b', [n], tf.float32, tf.constant_initializer(0.05))
            y = tf.nn.xw_plus_b(x, w, b)
        return y if nl is None else nl(y)


def towers(config):
    for k, gpu in enumerate(config.gpus):
        with tf.device('/gpu:%d' % gpu):
            with tf.variable_scope('v', reuse=True if k > 0 else None):
                with tf.name_scope('tower%d' % k):
                    yield k


for k in towers(Config):
    h = Layers.fc(x[2 * k:2 * k + 2], Config.units, 'fc0', tf.tanh)
    losses.append(tf.reduce_mean(tf.square(Layers.fc(h, 2, 'fc1') - 0.5)))
    grads.append(opt.compute_gradients(losses[-1]))
print([l.op.name for l in losses])

#: index_carried_by_range_step: range with a step, devices taken modulo, a rate that is not fed
opt = tf.train.GradientDescentOptimizer(tf.placeholder_with_default(0.1, [], 'lr'))
for begin in range(0, 4, 2):
    with tf.device('/gpu:%d' % (begin // 2 % 2)), tf.variable_scope('lin', reuse=begin != 0):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.3))
        losses.append(tf.reduce_mean((tf.reduce_sum(x[begin:begin + 2] * w, 1) - y[begin:begin + 2]) ** 2))
        grads.append(opt.compute_gradients(losses[-1]))

#: iterable_made_once: what the loop goes over is made by a call that counts, and takes from a generator
tf.set_random_seed(31)
calls = []


def parts(x, n):
    calls.append(n)
    return tf.split(x, n, name='parts')


def ticks():
    k = 0
    while True:
        yield k
        k += 1


numbers = ticks()
for i, part in enumerate(parts(x, 2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.random_normal_initializer())
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(tf.nn.dropout(part, 0.5) * w, 1) - 1)))
        grads.append(opt.compute_gradients(losses[-1]))
    print(i, part.name, losses[-1].name)
print(calls, next(numbers))
for d, n in zip(('/gpu:0', '/gpu:1'), numbers):
    with tf.device(d):
        losses.append(tf.reduce_sum(w) * n)
remaining = iter(['/gpu:0', '/gpu:1'])
for device in remaining:
    with tf.device(device):
        losses.append(tf.random_uniform([]))
print(list(remaining), next(numbers), [m.name for m in losses])

#: loss_carried_between_towers: the second tower uses what the first one made
carried = tf.constant(0.0)
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('c', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.3, 0.6]))
        own = tf.reduce_mean(tf.square(tf.reduce_sum(x[2 * i:2 * i + 2] * w, 1) - 1))
        loss = own + 0.1 * carried
        carried = loss
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))

#: names_already_taken: names of the script's own for everything that a migrated script might bring along
strategy, tower, TowerStrategy = 'data parallel', 'one of two', 'of its own'
towers = 2
tower_devices = ['/gpu:0', '/gpu:1']


def graph_mode():
    return 'mine'


for i in range(towers):
    with tf.device(tower_devices[i]), tf.variable_scope('n', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        losses.append(tf.reduce_mean(tf.square(x[i * 2:i * 2 + 2] * w - 0.5)))
        grads.append(opt.compute_gradients(losses[i]))
print(strategy, tower, TowerStrategy, towers, tower_devices, graph_mode())

#: nested_cpu_device: '/cpu:0' around everything, gradients collected on the CPU, and a part of the model moved there
with tf.device('/cpu:0'):
    for d in range(2):
        with tf.variable_scope('m', reuse=(d > 0)):
            with tf.device('/gpu:%d' % d):
                w = tf.get_variable('w', [2, 3], initializer=tf.truncated_normal_initializer(seed=1))
                h = tf.matmul(x[d * 2:d * 2 + 2], w)
                with tf.device('/cpu:0'):
                    norm = tf.sqrt(tf.reduce_sum(h * h, 1, keepdims=True)) + 1e-3
                probs = tf.nn.softmax(h / norm)
                loss = tf.reduce_mean(tf.reduce_sum(probs * tf.log(probs), 1))
                gv = opt.compute_gradients(loss)
            losses.append(loss)
            grads.append(gv)

#: no_towers_then_two: a loop over no GPUs before a loop over two of them; symbols kept in a class body
class Api(object):
    tf = tf
    optimizer = staticmethod(tf.train.ProximalGradientDescentOptimizer)


def towers(num_gpus):
    made = []
    for i in range(num_gpus):
        with Api.tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.5, -1.]))
            made.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) - 1.0)))
    return made


print(towers(0), len(tf.global_variables()))
losses, opt = towers(2), Api.optimizer(0.1)
grads = [opt.compute_gradients(loss) for loss in losses]

#: one_tower: num_gpus = 1: a tower of one, the average over one
num_gpus = 1
step = tf.Variable(0, trainable=False)
opt = tf.train.RMSPropOptimizer(tf.train.piecewise_constant(step, [1, 3], [0.2, 0.1, 0.02]), 0.8)
xs = tf.split(axis=0, num_or_size_splits=num_gpus, value=x)
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(num_gpus):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i) as scope:
                w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
                losses.append(tf.reduce_mean((tf.reduce_sum(xs[i] * w, 1) - y) ** 2))
                tf.get_variable_scope().reuse_variables()
                grads.append(opt.compute_gradients(losses[-1]))

#: penalties_of_layers_by_scope: the first tower alone has its layers' regularization losses under its name scope
decay = tf.contrib.layers.l2_regularizer(0.1)
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
        with tf.variable_scope('model', reuse=i > 0):
            out = tf.layers.dense(x[i * 2:i * 2 + 2], 1, kernel_initializer=tf.constant_initializer(0.2), kernel_regularizer=decay)
        loss = tf.reduce_mean(tf.square(out - 1.0))
        losses.append(loss + sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope)))
        grads.append(opt.compute_gradients(losses[i]))

#: py_func_in_tower: a py_func of each tower computes weights of the samples in NumPy; what it saw is printed
def sample_weights(values):
    print(values.shape)
    return (1.0 / (1.0 + np.abs(values))).astype(np.float32)


m = tf.Variable(0.5, name='m')
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('t%d' % i):
        k = tf.py_func(sample_weights, [y[i * 2:i * 2 + 2]], tf.float32, stateful=False)
        k.set_shape([2])
        losses.append(tf.reduce_sum(k * tf.square(y[i * 2:i * 2 + 2] - m)))
        grads.append(opt.compute_gradients(losses[i]))

#: recursive_helper: towers by a recursive helper, each in the name scope of the last
def towers(parts, index=0):
    if not parts:
        return []
    with tf.name_scope('level'), tf.device('/gpu:%d' % index):
        with tf.variable_scope('p', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.4, 0.1]))
        loss = tf.reduce_sum(tf.square(parts[0] - w), name='loss')
        grad, = tf.gradients(loss, [w])
        return [(loss, [(grad, w)])] + towers(parts[1:], index + 1)


losses, grads = zip(*towers(tf.split(x, 2)))
print([loss.name for loss in losses])

#: replica_device_setter_local: replica_device_setter with ps_device on the CPU, for two towers of one machine
tf.set_random_seed(77)
for i in range(2):
    setter = tf.train.replica_device_setter(
        ps_tasks=1, ps_device='/cpu', worker_device='/gpu:%d' % i, ps_ops=['Variable', 'VariableV2', 'VarHandleOp'])
    with tf.variable_scope('model', reuse=None if i == 0 else True):
        with tf.name_scope('tower_%d' % i), tf.device(setter):
            w = tf.get_variable('w', [2], initializer=tf.random_normal_initializer())
            with tf.variable_scope('deep'):
                s = tf.get_variable('scale', [], initializer=tf.constant_initializer(2.0))
            p = s * tf.reduce_sum(tf.sin(tf.split(x, 2)[i]) * w, axis=1)
            losses.append(tf.losses.huber_loss(tf.split(y, 2)[i], p, delta=0.5))
            grads.append(opt.compute_gradients(losses[-1]))

#: scope_entered_by_object_in_loop: a scope object entered again in each round, original_name_scope, names printed
with tf.variable_scope('net') as net_scope:
    pass
names = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.name_scope('tower_%d/' % i):
            with tf.variable_scope(net_scope, reuse=(i == 1), auxiliary_name_scope=False):
                w = tf.get_variable('w', [2], initializer=tf.constant_initializer(1.0))
                h = tf.multiply(x[i * 2:i * 2 + 2], w, name='h')
            with tf.name_scope(net_scope.original_name_scope):
                loss = tf.reduce_mean(tf.square(h) - h, name='loss')
        names.append([h.name, loss.name, w.name])
        grads.append(opt.compute_gradients(loss))
losses = [n[1] for n in names]
print(names, net_scope.name)

#: split_written_in_loop_header: names and random numbers that follow depend on how many operations the header makes
tf.set_random_seed(23)
for i, (px, py) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2], initializer=tf.truncated_normal_initializer())
        noise = tf.random_normal(tf.shape(py), stddev=0.01)
        losses.append(tf.reduce_mean(tf.abs(tf.reduce_sum(px * w, 1) - py + noise)))
        print(px.op.name, py.op.name, noise.op.name)
        grads.append(opt.compute_gradients(losses[i]))
after = tf.split(x, 2)
losses.append(tf.random_uniform([2]))
print(after[0].name, losses[-1].name, tf.Variable(1.0).name)

#: unrolled_by_hand: no loop: two towers written out one after the other
with tf.device('/cpu:0'):
    W = tf.get_variable('W', [2, 3], initializer=tf.random_uniform_initializer(-1., 1., seed=99))
with tf.device('/gpu:0'):
    loss_a = tf.nn.l2_loss(tf.matmul(x[:2], W) - y[0])
    grad_a = tf.gradients(loss_a, W)[0]
with tf.device('/gpu:1'):
    loss_b = tf.nn.l2_loss(tf.matmul(x[2:], W) - y[1])
    grad_b = tf.gradients(loss_b, W)[0]
losses, grads = [loss_a, loss_b, loss_a + loss_b], [[(grad_a, W)], [(grad_b, W)]]

#: variables_added_to_in_place: `variable += value`: TF1 computes a tensor, and binds the name to it
count = tf.Variable(0.0, trainable=False)
step = count.assign_add(1.0)
step += 10.0
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2, 4], initializer=tf.constant_initializer(0.1))
        b = tf.get_variable('b', [4], initializer=tf.zeros_initializer())
        b += tf.constant(np.eye(2).flatten(), dtype=tf.float32)
        w *= 2.0
        w -= 0.05
        w /= 3.0
        s = tf.get_variable('s', [], initializer=tf.constant_initializer(1.5))
        s **= 2.0
        losses.append(tf.reduce_mean(tf.square(tf.matmul(part, w) * s + b - 1.0)))
        grads.append(opt.compute_gradients(losses[-1]))
losses.append(step)

#: variables_on_different_towers: each tower makes a variable that both use
made = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        made.append(tf.Variable(tf.ones([2]) * (i + 1), name='v%d' % i))
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_sum(tf.square(x[i] * made[0] - made[1] * 0.5)))
        grads.append(opt.compute_gradients(losses[i], made))
with tf.device('/gpu:1'):
    losses.append(made[0].assign(made[0] * 0.5))

#: while_loop_index: a Python while over the towers; the scope object's reuse_variables()
n_gpu = 2
with tf.variable_scope('shared') as shared:
    i = 0
    while i < n_gpu:
        with tf.device('/gpu:%d' % i):
            a = tf.get_variable('a', initializer=tf.constant([0.3, -0.2]))
            c = tf.get_variable('c', initializer=0.25)
            guess = tf.sigmoid(tf.reduce_sum(x[i::2] * a, axis=1) + c)
            losses.append(tf.reduce_sum((guess - y[i::2]) ** 2))
            grads.append([(g, v) for g, v in opt.compute_gradients(losses[i], [a, c])])
            shared.reuse_variables()
        i += 1

#: while_loop_model: tf.while_loop in each tower, with gradients through it; its length is fed
rounds = tf.cast(tf.abs(y[0]) * 3.0, tf.int32) + 1
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('loop', reuse=i > 0):
            w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer([[.5, .1], [-.1, .5]]))

            def body(n, v):
                return n + 1, tf.tanh(tf.matmul(v, w))

            _, out = tf.while_loop(lambda n, v: n < rounds, body, [tf.constant(0), x[2 * i:2 * i + 2]])
        losses.append(tf.reduce_mean(tf.square(out - 0.3)))
        grads.append(opt.compute_gradients(losses[i]))

#: end
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(4, 2), y: rng.randn(4)}
        print(sess.run(losses, feed))
        sess.run(train, feed)
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.global_variables()])
