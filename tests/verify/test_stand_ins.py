"""Tiny TF1 scripts, whole and unedited, on TensorFlow 2: which names they find, and what they print.

Hundreds more are in tests/soundness.
"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

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
#: what IMPORTS prints
IMPORTED = """
True True True
True
True
True True tf_slim.layers.utils
True 784
True True [1, 2]
True True True False
True True
[[0.0, 1.0]] 2
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
#: what TOWERS prints
PLACED = """
/device:CPU:0 /device:CPU:0
/device:CPU:1 /device:CPU:1
/device:CPU:1 /device:CPU:1
/device:CPU:2 /device:CPU:2
/device:CPU:2 /device:CPU:2
/device:CPU:3 /device:CPU:0
/job:worker/device:CPU:1 /job:ps/task:0/device:CPU:0
[0.25, 1.25] 9.0 10
9.0
"""

GONE = """
import tensorflow as tf
from tensorflow.contrib.gan import cyclegan_model
from tensorflow.contrib.gan import CycleGANModel

print(hasattr(tf.contrib.layers, "no_such_layer"), hasattr(tf, "no_such_name"))
for touch in (
    lambda: tf.contrib.gan.cycle_consistency_loss,
    lambda: cyclegan_model(1),
    lambda: tf.contrib.tpu.rewrite(),
):
    try:
        touch()
    except (AttributeError, ImportError, TypeError) as error:
        print(error)


class Own(CycleGANModel):
    pass
"""

FLAGS = """
import tensorflow as tf
tf.app.flags.DEFINE_string("log_dir", "/tmp/logs", "absl has a flag of this name")
print(tf.app.flags.FLAGS.log_dir)
"""

OLD = """
import collections, imp, inspect, scipy.misc, sklearn.cross_validation
import xml.etree.cElementTree as trees
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as v1

print(np.str, np.product([2, 3]), np.stack(np.ones(2) for _ in range(3)).shape)
print(trees.parse.__name__, imp.reload.__name__)
print(len([collections.Mapping, inspect.getargspec, scipy.misc.logsumexp, sklearn.cross_validation.train_test_split]))
print(tf.estimator.ModeKeys.TRAIN, tf.contrib.learn.ModeKeys.EVAL, v1.estimator.ModeKeys.PREDICT)
print(bool(tf.Variable(1.0)))
logits, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0.0, 1.0]])
with tf.Session() as sess:
    print([value.tolist() for value in sess.run([
        tf.concat(0, [[1.0], [2.0]]), tf.concat([[1.0], [2.0]], 0), tf.concat(concat_dim=0, values=[[1.0], [2.0]]),
        tf.split(0, 2, logits[0])[1], tf.split(logits, 2, 1)[1][0],
        tf.split(split_dim=0, num_split=2, value=logits[0])[0],
    ])])
    print([round(float(value[0]), 4) for value in sess.run([
        tf.nn.softmax_cross_entropy_with_logits(logits, labels),
        tf.nn.sparse_softmax_cross_entropy_with_logits(logits, tf.constant([1])),
        tf.nn.sigmoid_cross_entropy_with_logits(logits, labels)[0],
    ])])
"""
#: what OLD prints; the last line by hand: ln(1 + 1/e) twice, ln(1 + e)
OF_OLD = """
<class 'str'> 6 (3, 2)
parse reload
4
train eval infer
True
[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [2.0], [2.0], [1.0]]
[0.3133, 0.3133, 1.3133]
"""

#: name -> the script, and what it prints
SCRIPTS = {
    "data": (DATA, "20 (4, 784) (4, 10)"),
    "flags": (FLAGS, "/tmp/logs"),
    "imports": (IMPORTS, IMPORTED),
    "towers": (TOWERS, PLACED),
    "gone": (GONE, ""),
    "old": (OLD, OF_OLD),
}  # fmt: skip
INSTALL = """
import contextlib, io, json, runpy, sys, traceback
from tf2towers.verify.recorder import placement
from tf2towers.verify.stand_ins import install
install(placement.install)
"""
#: prints what each script printed, or its error, and which names of the tables cannot be reached in one of two ways
ALL = (
    INSTALL
    + """
import tensorflow as tf
scripts, names = json.loads(sys.argv[1])
printed, missing = {}, []
for name, text in scripts.items():
    tf.reset_default_graph()
    sys.argv, out = [name], io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(text, name, "exec"), {"__name__": "__main__"})
        except Exception:
            traceback.print_exc(file=out)
    printed[name] = out.getvalue()
for canonical in names:
    parent, _, name = canonical.rpartition(".")
    for reach in (canonical, "from tensorflow" + parent[2:] + " import " + name):
        try:
            exec(reach, {"tf": tf})
        except Exception as error:
            missing.append(reach + ": " + str(error))
print(json.dumps([printed, missing]))
"""
)


def run(program: str, folder: Path, *arguments: str) -> list[str]:
    """The lines that it prints."""
    more = {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    return run_python("-c", program, *arguments, folder=folder, seconds=300, **more)[0].splitlines()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What all scripts printed in one process, and the names of the tables that are missing there."""
    tables = (Path(__file__).parents[2] / "tables" / name for name in ("runtime.tsv", "renames.tsv"))
    rows = [line for table in tables for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    names = sorted({row.partition("\t")[0] for row in rows if row})
    scripts = {name: text for name, (text, _) in SCRIPTS.items()}
    result: list[Any] = json.loads(
        run(ALL, tmp_path_factory.mktemp("scripts"), json.dumps([scripts, names]))[-1]
    )
    return result


def lines(printed: str) -> list[str]:
    return [line for line in printed.strip().splitlines() if not line.startswith("Extracting ")]


@pytest.mark.parametrize("name", [name for name, (_, expected) in SCRIPTS.items() if expected])
def test_an_original_prints_what_tensorflow_1_printed(name: str, found: list[Any]) -> None:
    assert lines(found[0][name]) == lines(SCRIPTS[name][1])


def test_a_name_that_nothing_stands_for_says_what_to_do(found: list[Any]) -> None:
    absent, *errors = lines(found[0]["gone"])
    assert absent == "False False"
    touched = [
        f"tf.contrib.{name}" for name in ("gan.cycle_consistency_loss", "gan.cyclegan_model", "tpu.rewrite")
    ]
    for error, name in zip(errors, touched, strict=False):
        assert error.startswith(f"{name} is not in TensorFlow 2"), error
        assert "--legacy-python" in error
    assert "NoStandInError: tf.contrib.gan.CycleGANModel is not" in errors[-1]  # a base class


def test_every_name_of_the_tables_is_there(found: list[Any]) -> None:
    assert found[1] == []


def test_a_module_is_there_without_an_import_of_its_own(tmp_path: Path) -> None:
    """In a process of its own: a module that another script imported stays there."""
    script = """
import tensorflow as tf
print(tf.contrib.layers.flatten(tf.zeros([2, 3, 4])).shape, tf.contrib.slim.conv2d.__name__)
print(tf.contrib.rnn.GRUCell(3).state_size, tf.contrib.training.HParams(a=1).a)
"""
    assert run(INSTALL + script, tmp_path) == ["(2, 12) convolution2d", "3 1"]


@pytest.mark.parametrize(
    ("spelled", "fetched"), [("tf.compat.v1", "[0.0, 1.0] int"), ("tf", "[1.0, 2.0] Dimension")]
)
def test_variables_of_a_script_of_tf2_that_is_not_eager(tmp_path: Path, spelled: str, fetched: str) -> None:
    """By itself on TF 2.21, and on TF 1.15."""
    script = """
import tensorflow as tf
tf.disable_eager_execution()
v = tf.get_variable('v', [1], initializer=tf.zeros_initializer())
add = v.assign_add([1.0])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print([float(session.run([v, add.op])[0][0]) for _ in range(2)], type(v.shape[0]).__name__)
"""
    (tmp_path / "script.py").write_text(script.replace("tf.", f"{spelled}."))
    program = dedent(
        """\
        import runpy
        from tf2towers.verify.stand_ins import install
        install(v2_behavior=OF_TF2)
        runpy.run_path('script.py')
        """
    )
    assert run(program.replace("OF_TF2", str(spelled != "tf")), tmp_path)[-1:] == [fetched]
