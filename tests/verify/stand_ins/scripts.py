"""Tiny TF1 scripts, whole and unedited, and what each prints. Those that need no stand-in run on TF 1.15 as well."""

IMPORTS = """
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.contrib as contrib
import tensorflow.contrib.layers
import tensorflow.contrib.slim as slim
import tensorflow.contrib.slim.nets as nets
import tensorflow.examples.tutorials.mnist.input_data as data
from tensorflow import app, flags, gfile, Session, ConfigProto
from tensorflow.contrib import layers, rnn, slim as again
from tensorflow.contrib.framework import arg_scope, nest
from tensorflow.contrib.framework.python.ops import add_arg_scope
from tensorflow.contrib.layers.python.layers import batch_norm, utils
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
from tensorflow.examples.tutorials.mnist import input_data, mnist
from tensorflow.layers import dense
from tensorflow.nn import relu, static_rnn
from tensorflow.python.client import device_lib, timeline
from tensorflow.python.framework import dtypes, ops
from tensorflow.python.layers import core
from tensorflow.python.ops import control_flow_ops, rnn_cell
from tensorflow.python.ops.rnn_cell_impl import GRUCell
from tensorflow.python.platform import gfile as files
from tensorflow.python.training import moving_averages
import tensorflow.contrib.crf
from tensorflow.contrib.seq2seq import AttentionWrapper  # never used

print(slim is again is contrib.slim is tf.contrib.slim, tf1.get_variable is tf.get_variable, tf.Session is Session)
print(dense is tf.layers.dense is tf1.layers.dense is core.dense)
print(rnn.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell is rnn_cell.BasicLSTMCell is core_rnn_cell.BasicLSTMCell)
print(batch_norm is slim.batch_norm is slim.layers.batch_norm is tf.contrib.layers.batch_norm,
      arg_scope is slim.arg_scope, utils.__name__)
print(data.read_data_sets is input_data.read_data_sets is read_data_sets, mnist.IMAGE_PIXELS)
print(GRUCell is rnn.GRUCell, add_arg_scope is slim.add_arg_scope, nest.flatten([1, [2]]))
print(control_flow_ops.cond is tf.cond, tf.nn.relu is relu, tf.nn.static_rnn is static_rnn, tf.executing_eagerly())
print(tf.python.framework.ops is ops, tf.mul is tf.multiply)
print(tf.keras.utils.to_categorical([1], 2).tolist(), tf.__version__.split(".")[0])
"""

TUTORIAL = """
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import mnist

logits = [mnist.inference(tf.ones([1, 784]), 2, 3) for _ in range(2)]
mnist.training(mnist.loss(logits[0], [1]), 0.1)
print([variable.op.name for variable in tf.global_variables()][4:8])
"""

LAYERS = """
import tensorflow as tf

tf.set_random_seed(1)
x = tf.placeholder(tf.float32, [None, 8, 8, 3])


def model(x):
    h = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))
    h = tf.layers.batch_normalization(h, training=True)
    h = tf.layers.max_pooling2d(h, 2, 2)
    return tf.layers.dense(tf.layers.flatten(h), 2, name="logits")


with tf.variable_scope("model"):
    logits = model(x)
with tf.variable_scope("model", reuse=True):
    model(x)
print([v.op.name for v in tf.trainable_variables()])
updates = [op.name for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS)]
print(len(updates), sum("/batch_normalization/AssignMovingAvg" in name for name in updates))
print([t.op.name for t in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
print(tf.trainable_variables()[0].dtype, logits.shape[0].value, logits.shape[1].value)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_mean(logits) + tf.losses.get_regularization_loss())
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    before = sess.run(tf.global_variables("model/batch_normalization/moving_mean"))[0]
    sess.run(train, {x: [[[[1.0, 2.0, 3.0]] * 8] * 8] * 2})
    after = sess.run(tf.global_variables("model/batch_normalization/moving_mean"))[0]
print((before != after).any())
"""

FLAGS = """
import tensorflow as tf

tf.app.flags.DEFINE_string("log_dir", "/tmp/logs", "absl has a flag of this name")
print(tf.app.flags.FLAGS.log_dir)
"""

SLIM = """
import tensorflow as tf
from tensorflow.contrib import slim

x = tf.random_uniform([2, 8, 8, 3], seed=1)
with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params={"decay": 0.9},
                    weights_regularizer=slim.l2_regularizer(0.1)):
    net = slim.repeat(x, 2, slim.conv2d, 4, [3, 3], scope="conv")
w = tf.get_variable("w", [3, 2], initializer=tf.contrib.layers.xavier_initializer())
print([v.op.name for v in slim.get_model_variables()])
print(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)), len(tf.losses.get_regularization_losses()))
queue = slim.prefetch_queue.prefetch_queue([net, tf.constant([1, 2])], capacity=4)
total = tf.reduce_sum(queue.dequeue()[0])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coordinator)
    print(sess.run(total) > 0)
    coordinator.request_stop()
    sess.run(queue.close(cancel_pending_enqueues=True))
    coordinator.join(threads)
"""

RNN = """
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3, 2])
cell = tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.BasicLSTMCell(4), tf.nn.rnn_cell.GRUCell(4)])
outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
with tf.variable_scope("static"):
    static, _ = tf.contrib.rnn.static_rnn(tf.contrib.rnn.BasicLSTMCell(4), tf.unstack(x, axis=1), dtype=tf.float32)
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([v.shape for v in sess.run([outputs, static[-1]], {x: [[[1, 2]] * 3] * 5})])
"""

DATA = """
import gzip, struct
import numpy as np
from tensorflow.examples.tutorials.mnist import input_data

for part, count in (("train", 30), ("t10k", 6)):
    with gzip.open(part + "-images-idx3-ubyte.gz", "wb") as file:
        file.write(struct.pack(">4I", 2051, count, 28, 28) + np.zeros(count * 784, np.uint8).tobytes())
    with gzip.open(part + "-labels-idx1-ubyte.gz", "wb") as file:
        file.write(struct.pack(">2I", 2049, count) + (np.arange(count) % 10).astype(np.uint8).tobytes())
mnist = input_data.read_data_sets(".", one_hot=True, validation_size=10)
images, labels = mnist.train.next_batch(4)
print(mnist.train.num_examples, images.shape, labels.shape)
"""

TOWERS = """
import tensorflow as tf


def chosen(op):
    return "/gpu:3" if op.type == "MatMul" else "/cpu:0"


given = ["/gpu:0", "/gpu:1", "/device:GPU:1", "gpu:2", tf.DeviceSpec(device_type="GPU", device_index=2), chosen,
         tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/gpu:1", ps_device="/job:ps/cpu:0")]
for device in given:
    with tf.Graph().as_default(), tf.device(device):
        a = tf.constant([[1.0]])
        v = tf.Variable(1.0)
        print(tf.matmul(a, a).device, v.device.replace("/cpu:0", "/device:CPU:0"))
graph = tf.get_default_graph()
v = tf.Variable([1.0, 2.0])
opt = tf.train.GradientDescentOptimizer(0.5)
towers = []
for i in range(2):
    with tf.device("/gpu:%d" % i), graph.name_scope("tower_%d" % i):
        towers.append(opt.compute_gradients(tf.reduce_sum(v * (i + 1.0))))
grads = [(sum(g for g, _ in pairs) / 2.0, pairs[0][1]) for pairs in zip(*towers)]
train = opt.apply_gradients(grads)
with graph.device("/gpu:9"):
    last = tf.constant(9.0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=False, device_count={"CPU": 1})) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    print(sess.run(v).tolist(), sess.run(last), sum(":CPU:" in device.name for device in sess.list_devices()))
sess = tf.InteractiveSession()
print(last.eval())
sess.close()
"""

READS = """
import tensorflow as tf

v, table = tf.Variable([1.0, 2.0], name="v"), tf.get_variable("table", [3, 2], initializer=tf.ones_initializer())
with tf.device("/gpu:1"):
    own = tf.Variable([1.0, 2.0], name="own")
    loss = tf.reduce_sum(v * 3.0) + tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1])) + tf.reduce_sum(own * v)
    first = [op.inputs[0] for op in tf.get_default_graph().get_operations() if op.type == "Mul"][0]
with tf.control_dependencies([first]):
    changed = tf.assign(v, [5.0, 5.0])
with tf.control_dependencies([changed]), tf.device("/gpu:1"):
    late = first * 1.0
pairs = tf.train.GradientDescentOptimizer(1.0).compute_gradients(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    gradient, slices, third = sess.run([g for g, _ in pairs])
    print(gradient.tolist(), slices.indices.tolist(), third.tolist())
    print(sess.run(late).tolist(), sess.run(v).tolist())
    copies = [op.name for op in tf.get_default_graph().get_operations() if op.type == "DeepCopy"]
    print(copies)
"""

SESSIONS = """
import tensorflow as tf

with tf.Graph().as_default():
    step = tf.train.get_or_create_global_step()
    with tf.device("/gpu:1"):
        loss = tf.reduce_sum(tf.get_variable("w", [2]))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
        while not sess.should_stop():
            sess.run(train)
    print("monitored")
for master in ("", tf.train.Server.create_local_server().target):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        with tf.device("/gpu:1"):
            train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.get_variable("w", [2])), step)
        supervisor = tf.train.Supervisor(logdir=None, summary_op=None, global_step=step)
        with supervisor.managed_session(master) as sess:
            sess.run(train)
            print(sess.run(step))
        with supervisor.prepare_or_wait_for_session(master) as sess:
            print(sess.run(train))
"""

GONE = """
import tensorflow as tf
from tensorflow.contrib.gan import gan_model
from tensorflow.contrib.gan import GANModel

print(hasattr(tf.contrib.layers, "no_such_layer"), hasattr(tf, "no_such_name"))
for touch in (
    lambda: tf.contrib.gan.gan_loss,
    lambda: gan_model(1),
    lambda: tf.contrib.tpu.RunConfig(),
    lambda: tf.estimator.Estimator,
):
    try:
        touch()
    except (AttributeError, ImportError, TypeError) as error:
        print(error)


class Own(GANModel):
    pass
"""

ORDERS = """
import tensorflow as tf

logits = tf.constant([[1.0, 2.0], [0.5, -1.0]])
labels = tf.constant([[0.0, 1.0], [1.0, 0.0]])
flipped = tf.contrib.nn
losses = [
    flipped.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels),
    flipped.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels=labels),
    flipped.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, [1, 0], name="of_numbers"),
    flipped.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, labels),
]
with tf.Session() as sess:
    for loss in losses:
        print(["%.4f" % value for value in sess.run(tf.reduce_sum(tf.gradients(loss, logits)[0], 0))])
"""

SHAPES = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 4, 8])
line = tf.placeholder(tf.float32, [None, 4, 8])
n, w, up = tf.shape(x)[0], tf.zeros([5, 5, 3, 8]), [1, 2, 2, 1]
results = [
    tf.nn.conv2d_transpose(x, w, [16, 8, 8, 3], up),
    tf.nn.conv2d_transpose(x, w, np.array([16, 8, 8, 3]), up),
    tf.nn.conv2d_transpose(x, filter=w, output_shape=tf.TensorShape([16, 8, 8, 3]), strides=up, name="named"),
    tf.nn.conv2d_transpose(x, w, tf.constant([16, 8, 8, 3]), up),
    tf.nn.conv2d_transpose(x, w, tf.stack([n, 8, 8, 3]), up),
    tf.nn.conv2d_transpose(x, w, [n, 8, 8, 3], up),
    tf.nn.conv2d_transpose(x, w, tf.placeholder(tf.int32, [4]), up),
    tf.nn.conv2d_backprop_input([16, 8, 8, 3], w, x, up, "SAME"),
    tf.nn.atrous_conv2d_transpose(x, w, [16, 4, 4, 3], 2, "SAME"),
    tf.nn.conv1d_transpose(line, tf.zeros([5, 3, 8]), [16, 8, 3], 2),
    tf.nn.conv_transpose(x, w, [16, 8, 8, 3], 2),
]
for result in results:
    print(result.op.name, result.shape)
print([gradient.op.name for gradient in tf.gradients(results[0], x)])
"""

SCRIPTS = {
    "data": (DATA, "20 (4, 784) (4, 10)"),
    "flags": (FLAGS, "/tmp/logs"),
    "gone": (GONE, None),
    "imports": (
        IMPORTS,
        """
True True True
True
True
True True tf_slim.layers.utils
True 784
True True [1, 2]
True True True False
True True
[[0.0, 1.0]] 2
""",
    ),
    "layers": (
        LAYERS,
        """
['model/conv2d/kernel', 'model/conv2d/bias', 'model/batch_normalization/gamma', 'model/batch_normalization/beta', \
'model/logits/kernel', 'model/logits/bias']
4 4
['model/conv2d/kernel/Regularizer/l2_regularizer']
<dtype: 'float32_ref'> None 2
True
""",
    ),
    "rnn": (
        RNN,
        """
['rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel', 'rnn/multi_rnn_cell/cell_0/basic_lstm_cell/bias', \
'rnn/multi_rnn_cell/cell_1/gru_cell/gates/kernel', 'rnn/multi_rnn_cell/cell_1/gru_cell/gates/bias', \
'rnn/multi_rnn_cell/cell_1/gru_cell/candidate/kernel', 'rnn/multi_rnn_cell/cell_1/gru_cell/candidate/bias', \
'static/rnn/basic_lstm_cell/kernel', 'static/rnn/basic_lstm_cell/bias']
[(5, 3, 4), (5, 4)]
""",
    ),
    "reads": (
        READS,
        """
[4.0, 5.0] [1, 1] [1.0, 2.0]
[1.0, 2.0] [5.0, 5.0]
['v/read/gpu_1']
""",
    ),
    "sessions": (SESSIONS, "monitored\n1\nNone\n1\nNone"),
    "slim": (
        SLIM,
        """
['conv/conv_1/weights', 'conv/conv_1/BatchNorm/beta', 'conv/conv_1/BatchNorm/moving_mean', \
'conv/conv_1/BatchNorm/moving_variance', 'conv/conv_2/weights', 'conv/conv_2/BatchNorm/beta', \
'conv/conv_2/BatchNorm/moving_mean', 'conv/conv_2/BatchNorm/moving_variance']
4 2
True
""",
    ),
    "towers": (
        TOWERS,
        """
/device:CPU:0 /device:CPU:0
/device:CPU:1 /device:CPU:1
/device:CPU:1 /device:CPU:1
/device:CPU:2 /device:CPU:2
/device:CPU:2 /device:CPU:2
/device:CPU:3 /device:CPU:0
/job:worker/device:CPU:1 /job:ps/task:0/device:CPU:0
[0.25, 1.25] 9.0 10
9.0
""",
    ),
    "tutorial": (
        TUTORIAL,
        """
['softmax_linear/weights', 'softmax_linear/biases', 'hidden1_1/weights', 'hidden1_1/biases']
""",
    ),
    "orders": (
        ORDERS,
        """
['0.0865', '-0.0865']
['0.0865', '-0.0865']
['0.0865', '-0.0865']
['0.3535', '0.1497']
""",
    ),
    "shapes": (
        SHAPES,
        """
conv2d_transpose (16, 8, 8, 3)
conv2d_transpose_1 (16, 8, 8, 3)
named (16, 8, 8, 3)
conv2d_transpose_2 (16, 8, 8, 3)
conv2d_transpose_3 (?, 8, 8, 3)
conv2d_transpose_4 (?, 8, 8, 3)
conv2d_transpose_5 (?, ?, ?, ?)
Conv2DBackpropInput (16, 8, 8, 3)
atrous_conv2d_transpose/BatchToSpaceND (16, 4, 4, 3)
conv1d_transpose/Squeeze (16, 8, 3)
conv_transpose (16, 8, 8, 3)
['gradients/conv2d_transpose_grad/Conv2D']
""",
    ),
}

#: those that TF 1.15 runs with `placement` alone
ON_TF1 = ("layers", "orders", "reads", "rnn", "sessions", "shapes", "slim", "towers")
