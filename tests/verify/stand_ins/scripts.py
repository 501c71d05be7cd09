"""Tiny TF1 scripts, whole and unedited, and what each prints; hundreds more are in tests/soundness."""

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

FLAGS = """
import tensorflow as tf

tf.app.flags.DEFINE_string("log_dir", "/tmp/logs", "absl has a flag of this name")
print(tf.app.flags.FLAGS.log_dir)
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
}
