"""Symbols and imports, one line each."""

from textwrap import dedent

import pytest
from codemod_texts import TF, V1, after, body, codes, migrated, texts

ONE_LINE = [
    ("x = tf.logging.__dict__[y]", "x = tf.logging.__dict__[y]"),
    # what compat.v1 has
    ("x = tf.float32", "x = tf.float32"),
    ("e = tf.train.ExponentialMovingAverage(0.9)", "e = tf.train.ExponentialMovingAverage(0.9)"),
    ("i = tf.train.checkpoints_iterator(d, timeout_fn=f)", "i = checkpoints_iterator(d, timeout_fn=f)"),
    ("t = tf.AggregationMethod.ADD_N", "t = tf.AggregationMethod.ADD_N"),
    ("x = tf.log(y)", "x = tf.log(y)"),
    ("v = tf.Variable(0)", "v = tf.Variable(0)"),
    ("c = tf.get_collection(tf.GraphKeys.UPDATE_OPS)", "c = tf.get_collection(tf.GraphKeys.UPDATE_OPS)"),
    ("x = tf.compat.v1.placeholder(tf.int32)", "x = tf.compat.v1.placeholder(tf.int32)"),
    ("x = tf.compat.v1.mul(x, y)", "x = tf.compat.v1.multiply(x, y)"),
    ("x = tf.compat.v2.where(c, x, y)", "x = tf.compat.v2.where(c, x, y)"),
    ("v = tf.VERSION, tf.__version__", "v = tf.VERSION, tf.__version__"),
    # what is tested is what TF 1.15 said; what is printed is TensorFlow's own
    ("v = tf.__version__.startswith('1.')", "v = \"1.15.5\".startswith('1.')"),
    ("v = tf.VERSION >= '2.0.0'", "v = \"1.15.5\" >= '2.0.0'"),
    ("v = '2' > tf.version.VERSION", "v = '2' > \"1.15.5\""),
    ("v = int(tf.__version__.split('.')[0])", "v = int(\"1.15.5\".split('.')[0])"),
    ("v = int(tf.__version__[0])", "v = int(\"1.15.5\"[0])"),
    ("v = LooseVersion(tf.__version__) < '2'", "v = LooseVersion(\"1.15.5\") < '2'"),
    # 1.15 was above 1.4, but not as a text, or as a decimal number
    ("v = tf.__version__ >= '1.4'", "v = tf.__version__ >= '1.4'"),
    ("v = tf.__version__ < '1.12.0'", "v = \"1.15.5\" < '1.12.0'"),
    ("v = float(tf.__version__[:3]) < 1.4", "v = float(tf.__version__[:3]) < 1.4"),
    ("v = float(tf.__version__[:3]) >= 2", "v = float(\"1.15.5\"[:3]) >= 2"),
    ("v = tf.__version__[:3] >= '2.0'", "v = \"1.15.5\"[:3] >= '2.0'"),
    ("v = tf.__version__ >= least", "v = \"1.15.5\" >= least"),  # as on TF 1.15
    ("v = tf.__version__; w = v.startswith('1.'), v", "v = \"1.15.5\"; w = v.startswith('1.'), v"),
    ("v = tf.__version__; w = v > '1.4'", "v = tf.__version__; w = v > '1.4'"),
    ("v = f\"{tf.__version__.startswith('1.')}\"", "v = f\"{'1.15.5'.startswith('1.')}\""),
    ("v = tf.__version__; print(v)", "v = tf.__version__; print(v)"),
    ("v = tf.__version__[:2] == '1.'", "v = \"1.15.5\"[:2] == '1.'"),
    ("v = versions[tf.__version__]", "v = versions[tf.__version__]"),
    ("print('%s' % tf.__version__.upper())", "print('%s' % tf.__version__.upper())"),
    ("v = tf.__version__ in ('1.3.0', '2.0.0')", "v = \"1.15.5\" in ('1.3.0', '2.0.0')"),
    # a tensor's own class, and the types of the operations of variables
    ("b = type(x) == tf.Tensor", "b = class_of(x) == tf.Tensor"),
    ("b = x.__class__ in (list, tf.Tensor)", "b = class_of(x) in (list, tf.Tensor)"),
    ("b = type(x).__name__ == 'Tensor'", "b = class_of(x).__name__ == 'Tensor'"),
    ("b = isinstance(x, tf.Tensor)", "b = isinstance(x, tf.Tensor)"),
    ("k = 'Variable'; b = lambda op: op.type == k", "k = 'Variable'; b = lambda op: op_type(op) == k"),
    ("b = x.op_def.name.startswith('Assign')", "b = op_type(x).startswith('Assign')"),
    ("b = [x for x in g.node if x.op != 'Variable']", "b = [x for x in g.node if op_type(x.op) != 'Variable']"),
    ("with tf.device(lambda op: 'a' if op.type == 'Variable' else ''): y = x",
     "with tf.device(lambda op: 'a' if op.type == 'Variable' else ''): y = x"),
    ("b = layer.type == 'Conv'", "b = layer.type == 'Conv'"),
    # the end of a generator
    ("def f(x):\n    yield x\n    raise StopIteration()", "def f(x):\n    yield x\n    return"),
    ("def f(x):\n    yield x\n    raise StopIteration(x + 1)", "def f(x):\n    yield x\n    return x + 1"),
    ("def f(x):\n    yield x\n    raise StopIteration(x\n        + 1)",
     "def f(x):\n    yield x\n    return (x\n        + 1)"),
    ("def f(x):\n    try:\n        yield x\n        raise StopIteration\n    except Exception:\n        pass",
     "def f(x):\n    try:\n        yield x\n        raise StopIteration\n    except Exception:\n        pass"),
    ("class A:\n    def __next__(self): raise StopIteration", "class A:\n    def __next__(self): raise StopIteration"),
    ("tf.random.set_seed(1)", "tf2.random.set_seed(1)"),
    ("F = tf.python.platform.flags.FLAGS", "F = tf.app.flags.FLAGS"),
    ("F = tf.app.flags.FLAGS", "F = tf.app.flags.FLAGS"),
    ("x = f(tf.reduce_mean)", "x = f(tf.reduce_mean)"),
    ("x = tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=y)",
     "x = tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=y)"),
    ("x = tf.where(c, x, y)", "x = tf.where(c, x, y)"),
    ("d = tf.device('/gpu:%d' % 0)", "d = tf.device('/gpu:%d' % 0)"),
    # old releases: test_old_api.py has more
    ("x = tf.concat((1), [x, y])", "x = tf.concat(axis=(1), values=[x, y])"),
    # no axis is a list, so a name of one is what is joined
    ("a = [x, y]; z = tf.concat(n, a)", "a = [x, y]; z = tf.concat(axis=n, values=a)"),
    ("a = [v for v in x]; z = tf.concat(n, a, 'z')", "a = [v for v in x]; z = tf.concat(axis=n, values=a, name='z')"),
    ("a = []; z = tf.concat(a, n)", "a = []; z = tf.concat(a, n)"),
    ("a = []; b = [x]; z = tf.concat(a, b)", "a = []; b = [x]; z = tf.concat(a, b)"),
    ("a = [x]; a = 1; z = tf.concat(n, a)", "a = [x]; a = 1; z = tf.concat(n, a)"),
    ("def f(n, a): return tf.concat(n, a)", "def f(n, a): return tf.concat(n, a)"),
    ("def f(n, a=[]): return tf.concat(n, a)", "def f(n, a=[]): return tf.concat(n, a)"),
    ("w = tf.train.SummaryWriter(d)", "w = tf.summary.FileWriter(d)"),
    # contrib, by the files that its names are in
    ("x = tf.contrib.layers.python.layers.layers.batch_norm(x)", "x = slim.batch_norm(x)"),
    ("s = tf.contrib.framework.python.ops.arg_scope", "s = slim.arg_scope"),
    ("s = tf.contrib.framework.python.ops.arg_scope.add_arg_scope", "s = slim.add_arg_scope"),
    ("n = tf.contrib.data.AUTOTUNE", "n = tf.data.experimental.AUTOTUNE"),
    ("a = tf.contrib.staging.StagingArea([tf.float32])", "a = StagingArea([tf.float32])"),
    ("x = tf.contrib.nccl.all_sum(x)", "x = nccl.all_sum(x)"),
    # text of the user
    ("s = 'tf.Session and tf.log'", "s = 'tf.Session and tf.log'"),
    ("x = y  # tf.log", "x = y  # tf.log"),
    ("x = o.tf.log(y)", "x = o.tf.log(y)"),
    ("def f(tf): return tf.log(1)", "def f(tf): return tf.log(1)"),
    ("x = [tf for tf in y if tf.log]", "x = [tf for tf in y if tf.log]"),
    # Python's own
    ("for i in xrange(3): pass", "for i in range(3): pass"),
    ("def f(xrange): return xrange(3)", "def f(xrange): return xrange(3)"),
    ("é = 'ü'; x = tf.log('ß', tf.log(y))", "é = 'ü'; x = tf.log('ß', tf.log(y))"),
    ("x = (tf.train\n     .Saver())", "x = (tf.train\n     .Saver())"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "wanted"), ONE_LINE)
def test_a_symbol_is_replaced(before, wanted):
    assert body(before + "\n") == wanted + "\n"


@pytest.mark.parametrize(("before", "wanted"), ONE_LINE)
def test_a_replaced_symbol_stays(before, wanted):
    text = after(
        dedent(
            """\
            import tensorflow as tf

            sess = tf.Session()
            {before}
            """
        ).format(before=before)
    )
    assert after(text) == text


IMPORTS = [
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.framework import ops

        ops.Tensor.get_shape(tf.log(1))
        """
        ),
        f"{V1}\ntf.Tensor.get_shape(tf.log(1))\n",
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.ops import gen_audio_ops as au

        au.decode_wav(tf.log(1))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.python.ops import gen_audio_ops as au

         au.decode_wav(tf.log(1))
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.python.summary.writer.writer import FileWriter

        FileWriter('')
        """
        ),
        dedent(
            """\
         from tensorflow.compat.v1.summary import FileWriter

         FileWriter('')
         """
        ),
    ),
    (f"{TF}\ntf.log(1)\n", f"{V1}\ntf.log(1)\n"),
    (
        dedent(
            """\
        import tensorflow

        tensorflow.placeholder(1)
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tensorflow

         tensorflow.placeholder(1)
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as t

        t.mul(1, 2)
        """
        ),
        dedent(
            """\
        import tensorflow.compat.v1 as t

        t.multiply(1, 2)
        """
        ),
    ),
    (f"{TF}t = tf\nt.mul(1)\n", f"{V1}t = tf\nt.multiply(1)\n"),
    (f"{V1}\ntf.mul(1)\n", f"{V1}\ntf.multiply(1)\n"),
    (
        dedent(
            """\
        from tensorflow.compat import v1 as tf

        tf.mul(1)
        """
        ),
        dedent(
            """\
         from tensorflow.compat import v1 as tf

         tf.multiply(1)
         """
        ),
    ),
    (f"{TF}tf = tf.compat.v1\ntf.mul(1)\n", f"{V1}tf = tf.compat.v1\ntf.multiply(1)\n"),
    (
        dedent(
            """\
        import numpy as np, tensorflow as tf

        tf.placeholder(1)
        """
        ),
        dedent(
            """\
         import numpy as np, tensorflow.compat.v1 as tf

         tf.placeholder(1)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow import placeholder as p, float32

        p(float32)
        """
        ),
        dedent(
            """\
         from tensorflow.compat.v1 import placeholder as p, float32

         p(float32)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow import log, mul

        log(1)
        """
        ),
        dedent(
            """\
         from tensorflow.compat.v1 import log, multiply as mul

         log(1)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow import nn, train

        nn.relu(train.Saver())
        """
        ),
        dedent(
            """\
         from tensorflow.compat.v1 import nn, train

         nn.relu(train.Saver())
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.nn import relu

        relu(1)
        """
        ),
        dedent(
            """\
        from tensorflow.compat.v1.nn import relu

        relu(1)
        """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow.nn as nn

        nn.relu(1)
        """
        ),
        dedent(
            """\
        import tensorflow.compat.v1.nn as nn

        nn.relu(1)
        """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow import *

        placeholder(float32)
        """
        ),
        dedent(
            """\
         from tensorflow.compat.v1 import *

         placeholder(float32)
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.ops import math_ops

        tf.placeholder(math_ops.add(1, 1))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.python.ops import math_ops

         tf.placeholder(math_ops.add(1, 1))
         """
        ),
    ),
    # what has moved out of it is taken by its public name
    (
        dedent(
            """\
        import tensorflow.compat.v1 as tf
        from tensorflow.python.ops.array_ops import unstack as parts

        tf.placeholder(parts(1))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.compat.v1 import unstack as parts

         tf.placeholder(parts(1))
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.platform.flags import FLAGS

        tf.placeholder(FLAGS.kind)
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.python.platform.flags import FLAGS

         tf.placeholder(FLAGS.kind)
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.util import nest

        tf.placeholder(nest.flatten_up_to(1, 2))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.compat.v1 import nest
         from tensorflow.python.util.nest import flatten_up_to

         tf.placeholder(flatten_up_to(1, 2))
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.ops import array_ops

        tf.placeholder(array_ops.stack(array_ops.shape(1)))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.python.ops import array_ops

         tf.placeholder(tf.stack(array_ops.shape(1)))
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python import pywrap_tensorflow

        tf.log(pywrap_tensorflow.NewCheckpointReader('a').get_tensor('w'))
        """
        ),
        f"{V1}\ntf.log(tf.train.NewCheckpointReader('a').get_tensor('w'))\n",
    ),
    (
        f"{TF}\nloss = tf.nn.seq2seq.sequence_loss_by_example([tf.log(1)], 2, 3)\n",
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tf2towers.runtime import legacy_seq2seq

         loss = legacy_seq2seq.tf0_sequence_loss_by_example([tf.log(1)], 2, 3)
         """
        ),
    ),
    (
        f"{TF}\ntf.log(tf.pywrap_tensorflow.NewCheckpointReader('a').get_tensor('w'))\n",
        f"{V1}\ntf.log(tf.train.NewCheckpointReader('a').get_tensor('w'))\n",
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.training import device_setter

        tf.placeholder(device_setter._RoundRobinStrategy(2))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.python.training import device_setter

         tf.placeholder(device_setter._RoundRobinStrategy(2))
         """
        ),
    ),
    # TF 2 has another class there by that name
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.framework import device

        tf.placeholder(device.DeviceSpec.from_string('/gpu:0').merge_from(device.DeviceSpec()))
        """
        ),
        f"{V1}\ntf.placeholder(tf.DeviceSpec.from_string('/gpu:0').merge_from(tf.DeviceSpec()))\n",
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.data.ops import dataset_ops

        tf.placeholder(dataset_ops.Dataset.range(3).make_one_shot_iterator())
        """
        ),
        f"{V1}\ntf.placeholder(tf.data.Dataset.range(3).make_one_shot_iterator())\n",
    ),
    (
        dedent(
            """\
        import tensorflow as tf
        from tensorflow.python.ops import gen_nn_ops

        gen_nn_ops._relu_grad(tf.log(1), 2)
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf
         from tensorflow.python.ops import gen_nn_ops

         gen_nn_ops.relu_grad(tf.log(1), 2)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.python.ops.gen_math_ops import _sum

        _sum(1, 0)
        """
        ),
        dedent(
            """\
         from tensorflow.python.ops.gen_math_ops import _sum

         _sum(1, 0)
         """
        ),
    ),
    # `tensorflow` has to be the package itself
    (
        dedent(
            """\
        import tensorflow
        import tensorflow.python.client.timeline

        tensorflow.log(1)
        """
        ),
        dedent(
            """\
         import tensorflow
         import tensorflow.python.client.timeline

         tensorflow.compat.v1.log(1)
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow
        import tensorflow.python.client.timeline
        t = tensorflow

        t.mul(1)
        """
        ),
        dedent(
            """\
         import tensorflow
         import tensorflow.python.client.timeline
         t = tensorflow

         t.compat.v1.multiply(1)
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow.python.client.timeline
        import tensorflow as tf

        tf.log(1)
        """
        ),
        dedent(
            """\
         import tensorflow.python.client.timeline
         import tensorflow.compat.v1 as tf

         tf.log(1)
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow.contrib.slim

        tensorflow.contrib.slim.conv2d(tensorflow.log(1))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tensorflow
         from tf2towers.runtime import slim

         slim.conv2d(tensorflow.log(1))
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow.contrib.slim as slim

        slim.conv2d(1)
        """
        ),
        dedent(
            """\
         from tf2towers.runtime import slim

         slim.conv2d(1)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.contrib import slim as s

        s.conv2d(1)
        """
        ),
        dedent(
            """\
         from tf2towers.runtime import slim as s

         s.conv2d(1)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.contrib.layers import xavier_initializer

        xavier_initializer()
        """
        ),
        dedent(
            """\
         from tf2towers.runtime import slim

         xavier_initializer = slim.xavier_initializer

         xavier_initializer()
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.contrib.slim.nets import vgg
        from numpy import linalg as vgg

        vgg.norm(1)
        """
        ),  # in this order
        dedent(
            """\
         from tf2towers.runtime.tf1.slim.nets import vgg
         from numpy import linalg as vgg

         vgg.norm(1)
         """
        ),
    ),
    (
        f"{TF}\ntf.contrib.layers.xavier_initializer()\n",
        dedent(
            """\
         from tf2towers.runtime import slim

         slim.xavier_initializer()
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf

        slim = tf.contrib.slim
        slim.conv2d(1)
        """
        ),
        dedent(
            """\
         from tf2towers.runtime import slim

         slim.conv2d(1)
         """
        ),
    ),
    (
        f"{TF}\ntf.layers.dense(1, 2)\n",
        dedent(
            """\
        from tf2towers.runtime import layers

        layers.dense(1, 2)
        """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow import layers

        layers.dense(1, 2)
        """
        ),
        dedent(
            """\
         from tf2towers.runtime import layers

         layers.dense(1, 2)
         """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.app import flags

        flags.FLAGS
        """
        ),
        dedent(
            """\
        from tensorflow.compat.v1 import flags

        flags.FLAGS
        """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow import app

        app.flags.FLAGS
        """
        ),
        dedent(
            """\
        from tensorflow.compat.v1 import app

        app.flags.FLAGS
        """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow.app as app

        app.flags.FLAGS
        """
        ),
        dedent(
            """\
        from tensorflow.compat.v1 import app

        app.flags.FLAGS
        """
        ),
    ),
    (
        dedent(
            """\
        from tensorflow.examples.tutorials.mnist import input_data

        input_data.read_data_sets('d')
        """
        ),
        dedent(
            """\
         from tf2towers.runtime import input_data

         input_data.read_data_sets('d')
         """
        ),
    ),
    (
        dedent(
            """\
        try:
            import tensorflow.compat.v1 as tf
        except ImportError:
            import tensorflow as tf

        tf.log(1)
        """
        ),
        f"{V1}\ntf.log(1)\n",
    ),
    (
        f"def f():\n    {TF}    return tf.placeholder(1)\n",
        f"def f():\n    {V1}    return tf.placeholder(1)\n",
    ),
    (
        "import os; import tensorflow as tf; x = tf.log(1)\n",
        "import os; import tensorflow.compat.v1 as tf; x = tf.log(1)\n",
    ),
    # what is imported stands before what needs it on the same line
    (
        "import os; import tensorflow as tf; slim = tf.contrib.slim; x = slim.flatten(1)\n",
        f"import os; {V1}from tf2towers.runtime import slim\npass; x = slim.flatten(1)\n",
    ),
    (
        "import tensorflow as tf; import os; \\\n  x = tf.Session(); y = 1\n",
        dedent(
            """\
         import tensorflow.compat.v1 as tf; import os
         from tf2towers.runtime import Session
         x = Session(); y = 1
         """
        ),
    ),
    (
        "import tensorflow as tf; x = 1\ny = tf.Session()\n",
        dedent(
            """\
         import tensorflow.compat.v1 as tf; x = 1
         from tf2towers.runtime import Session
         y = Session()
         """
        ),
    ),
    (
        "import tensorflow as tf;\ny = tf.Session(), tf.log(1)\n",
        dedent(
            """\
         import tensorflow.compat.v1 as tf;
         from tf2towers.runtime import Session
         y = Session(), tf.log(1)
         """
        ),
    ),
    # a module that is gone, and was only to be loaded
    (
        dedent(
            """\
        import os
        import tensorflow.python.platform
        import tensorflow as tf

        tf.log(1)
        """
        ),
        dedent(
            """\
        import os
        import tensorflow.compat.v1 as tf

        tf.log(1)
        """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow.python.platform

        tensorflow.log(1)
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tensorflow

         tensorflow.log(1)
         """
        ),
    ),
    # a comment for a linter goes with what it is about, another comment stays
    (
        dedent(
            """\
        from tensorflow.python.ops import math_grad  # pylint: disable=unused-import
        import tensorflow as tf

        tf.log(1)
        """
        ),
        f"{V1}\ntf.log(1)\n",
    ),
    (
        dedent(
            """\
        from tensorflow.python.ops import math_grad  # for d(x*y)
        import tensorflow as tf

        tf.log(1)
        """
        ),
        dedent(
            """\
         # for d(x*y)
         import tensorflow.compat.v1 as tf

         tf.log(1)
         """
        ),
    ),
    # a line that goes takes a blank one with it
    (
        dedent(
            """\
        import os

        from tensorflow.examples.tutorials.mnist import input_data

        import tensorflow as tf

        tf.log(input_data.read_data_sets('d'))
        """
        ),
        dedent(
            """\
         import os

         import tensorflow.compat.v1 as tf
         from tf2towers.runtime import input_data

         tf.log(input_data.read_data_sets('d'))
         """
        ),
    ),
    (
        dedent(
            """\
        import os

        from tensorflow.examples.tutorials.mnist import input_data

        input_data.read_data_sets('d')
        """
        ),
        dedent(
            """\
         import os

         from tf2towers.runtime import input_data

         input_data.read_data_sets('d')
         """
        ),
    ),
    (
        dedent(
            """\
        import tensorflow as tf

        slim = tf.contrib.slim

        from tensorflow.examples.tutorials.mnist import input_data

        import os

        tf.log(slim.flatten(input_data.read_data_sets('d')))
        """
        ),
        dedent(
            """\
         import tensorflow.compat.v1 as tf

         import os
         from tf2towers.runtime import input_data, slim

         tf.log(slim.flatten(input_data.read_data_sets('d')))
         """
        ),
    ),
    (
        "if x: from tensorflow import Session, float32\n",
        "if x: from tf2towers.runtime import Session; from tensorflow.compat.v1 import float32\n",
    ),
]


@pytest.mark.parametrize(("before", "wanted"), IMPORTS)
def test_an_import_is_replaced(before, wanted, program):
    """As a module that a main script imports, so that no `graph_mode()` stands in it."""
    main = dedent(
        """\
        import module
        import tensorflow as tf
        tf.Session()
        """
    )
    result = program({"train.py": main, "module.py": before})
    assert texts(result).get("module.py", before) == wanted
    assert result.status == 0, result.left


LEFT = [
    # other arguments
    ("import tensorflow.python.ops.gen_nn_ops as o; o.max_pool_grad(x, y, g, k, s, 'SAME')", "T2T620"),
    ("from tensorflow.python.ops import gen_state_ops as o; o.assign(v, x)", "T2T620"),  # of a reference
    ("from tensorflow.python import pywrap_tensorflow as p; p.TF_NewBuffer()", "T2T620"),
    ("x = tf.contrib.image.sparse_image_warp(d, d, d)", "T2T620"),
    ("x = tf.no_such_name", "T2T620"),
    ("x = tf.keras.layers.CuDNNLSTM(1)", "T2T621"),
    ("m.compile('sgd', loss='cosine_proximity')", "T2T621"),
    ("how = 'adagrad'; m.compile(how, 'mse')", "T2T621"),
    ("from tensorflow.keras import layers; layers.CuDNNLSTM(1)", "T2T621"),
    ("s = tf.distribute.MirroredStrategy()", "T2T622"),
    ("tf.enable_eager_execution()", "T2T623"),
    ("import no_such_module_anywhere", "T2T624"),
    ("from . import no_such_module_anywhere", "T2T624"),
    ("import sonnet as snt", "T2T625"),
    ("import tflearn", "T2T625"),
    ("warp = tf.load_op_library('warp.so')", "T2T625"),
    ("x = getattr(tf, name)", "T2T626"),
    ("f(tf)", "T2T626"),
    ("b = hasattr(tf, 'never_there')", "T2T626"),
    ("for n in ['float32', 'Session']: getattr(tf, n)", "T2T626"),
    ("getattr(tf.train, kind + 'Session')", "T2T626"),
    ("cell = getattr(tf.nn, 'rnn_cell').GRUCell(8)", "T2T626"),
    ("class Model: nn = tf.nn\ncell = Model.nn.rnn_cell.GRUCell(8)", "T2T626"),
    ("cell = eval('tf.nn.rnn_cell.%sCell' % input())(8)", "T2T626"),
]


def test_operations_in_cpp_that_may_be_missing_are_only_noted():
    text = dedent(
        """\
        import tensorflow as tf

        x = tf.placeholder(tf.int32)
        try:
            warp = tf.load_op_library('warp.so')
        """
    )
    text += "except tf.errors.NotFoundError:\n"
    result = migrated(f"{text}    warp = None\n")
    assert result.status == 0
    assert [finding.code for finding in result.findings if finding.kind == "note"] == ["T2T625"]
    assert migrated(f"{text}    build()\n    warp = tf.load_op_library('warp.so')\n").status == 1


@pytest.mark.parametrize(("line", "code"), LEFT)
def test_a_site_that_is_left(line, code):
    text = dedent(
        """\
        import tensorflow as tf

        x = tf.placeholder(tf.int32)
        {line}
        """
    ).format(line=line)
    result = migrated(text)
    assert {*codes(result)} == {code}
    assert result.status == 1
    assert result.left[0].line == 4 and result.left[0].todo
    assert line in result.changes[0].after


KEPT = [
    "import numpy\nprint(numpy.ones(3))\n",
    dedent(
        """\
        import tensorflow as tf

        v = tf.Variable(1.0)
        opt = tf.optimizers.SGD()
        """
    ),
    dedent(
        """\
        import tensorflow as tf

        @tf.function
        def f(x):
            return tf.where(x, x, x)
        """
    ),
    dedent(
        """\
        import tensorflow as tf

        tf.compat.v1.logging.set_verbosity(1)
        model = tf.keras.Sequential()
        """
    ),
    dedent(
        """\
        import tensorflow as tf

        with tf.GradientTape() as t:
            v = tf.compat.v1.get_variable('v', [])
        """
    ),
    "",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_tf1_stays(text):
    result = migrated(text)
    assert not result.changed and result.status == 0


def test_a_module_of_contrib_stays_where_something_of_it_is_left():
    text = dedent(
        """\
        from tensorflow.contrib import slim

        slim.conv2d(1)
        slim.no_such_thing(2)
        """
    )
    result = migrated(text)
    assert "from tensorflow.contrib import slim\n" in result.changes[0].after
    assert result.status == 1
    again = migrated(result.changes[0].after)
    assert again.status == 1 and not again.changed


def test_a_name_of_the_script_is_not_hidden():
    text = dedent(
        """\
        import tensorflow as tf

        Session = 3
        with tf.Session() as sess:
            print(Session)
        """
    )
    assert "with runtime_Session() as sess:\n    print(Session)\n" in after(text)
    assert "import Session as runtime_Session, graph_mode\n" in after(text)


def test_subclasses_and_isinstance():
    lines = dedent(
        """\
        class S(tf.Session):
            pass

        isinstance(1, tf.InteractiveSession)
        """
    )
    text = after(f"import tensorflow as tf\n\n{lines}")
    assert "class S(Session):" in text and "isinstance(1, InteractiveSession)" in text


def test_line_ends_and_encoding_stay():
    text = "import tensorflow as tf\r\n\r\nx = tf.Session()\r\n"
    assert after(text).count("\r\n") == after(text).count("\n")


def test_no_line_is_too_long():
    call = "tf.get_variable('some_name', [1, 2, 3], tf.float32, initializer=tf.zeros_initializer(), trainable=False)"
    text = after(
        dedent(
            """\
            import tensorflow as tf

            x = {call}
            """
        ).format(call=call)
    )
    assert max(map(len, text.splitlines())) <= 120
    assert "trainable=False)" in text


@pytest.mark.parametrize("terms", [400, 1500])
def test_an_expression_of_many_terms(terms):
    text = "import tensorflow as tf\n\nx = " + " + ".join(["tf.mul(1)"] * terms) + "\ntf.Session()\n"
    assert after(text).count("tf.multiply") == terms


#: programs that run on TF 2 already: what is plain there is TF 2's
UPGRADED = [
    "tf.compat.v1.disable_eager_execution()\nx = tf.where(c, x, y)\n",
    "p = tf.compat.v1.placeholder(1)\nx = tf.nn.softmax_cross_entropy_with_logits(l, p)\n",
    "from tensorflow import where\ntf.compat.v1.placeholder(1)\n",
    "from tensorflow.compat.v1 import placeholder\nv = tf.Variable(1)\n",
    dedent(
        """\
        flags = tf.compat.v1.flags
        flags.DEFINE_string('a', 'b', 'c')
        x = tf.concat(0, 1)
        """
    ),
]


@pytest.mark.parametrize("lines", UPGRADED)
def test_plain_names_of_a_program_that_runs_on_tf2(lines):
    text = after(
        dedent(
            """\
            import tensorflow as tf

            tf.compat.v1.Session()
            {lines}"""
        ).format(lines=lines)
    )
    for line in lines.splitlines():
        if "disable" not in line:
            assert line in text
    assert after(text) == text


def test_one_tf1_name_makes_all_plain_ones_tf1():
    text = dedent(
        """\
        import tensorflow as tf

        tf.compat.v1.Session()
        x = tf.where(c, tf.log(1), y)
        """
    )
    assert after(text).startswith("import tensorflow.compat.v1 as tf\n")
    assert "x = tf.where(c, tf.log(1), y)" in after(text)


@pytest.mark.parametrize(
    ("uses", "left"),
    [
        ("self.tf.Summary(value=[self.tf.Summary.Value(tag='a')])", False),
        ("self.tf.Session()", True),  # another one now
        ("self.tf.concat(0, [use, use])", True),  # in an old order
        ("[self.tf.device('/gpu:%d' % i) for i in range(2)]", True),  # towers
        ("self.tf.contrib.layers.flatten(1)", True),
        ("use(self.tf)", True),
        ("getattr(self, 'tf').Session()", True),
        ("other = self.tf; other.Session()", True),
    ],
)
def test_tensorflow_kept_as_an_attribute(uses: str, left: bool) -> None:
    text = dedent(
        """\
        import tensorflow as tf

        class Logger:
            def __init__(self):
                self.tf = tf

            def log(self, use):
                return {uses}

        tf.Session()
        """
    ).format(uses=uses)
    if "; " in uses:
        text = text.replace("return other", "other")
    assert codes(migrated(text)) == (["T2T626"] if left else [])


def test_tensors_that_a_session_keeps_are_left():
    text = dedent(
        """\
        import tensorflow as tf

        tf.Session().run(tf.get_session_handle(tf.constant(1.0)))
        """
    )
    assert codes(migrated(text)) == ["T2T620"]


@pytest.mark.parametrize("symbol", ["tf.RunMetadata()", "tf.train.ProfilerHook(save_steps=10)"])
def test_a_trace_that_will_not_be_written_is_reported(symbol):
    result = migrated(
        dedent(
            """\
            import tensorflow as tf

            x = tf.placeholder(tf.float32, [])
            meta = {symbol}
            """
        ).format(symbol=symbol)
    )
    (note,) = result.findings
    assert (note.code, note.line, note.kind, result.status) == ("T2T610", 4, "note", 0)


def test_other_spellings_of_a_served_name_do_not_follow_the_module():
    """`rnn` is the runtime's module of cells, which has no module `rnn_cell` in it: the name itself is written."""
    text = dedent(
        """
        import tensorflow as tf
        import tensorflow.contrib.rnn as rnn
        from tensorflow.python.ops import rnn_cell_impl as r

        x = tf.placeholder(tf.float32, [2, 3])
        cell = rnn.rnn_cell.BasicLSTMCell(3)
        out = r._linear([x], 4, True)
        """
    )
    result = migrated(text)
    assert not result.left
    assert "cell = rnn.BasicLSTMCell(3)\nout = rnn.linear([x], 4, True)\n" in result.changes[0].after


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("contrib.lookup.nothing", "use tf.lookup.StaticHashTable"),
        ("contrib.tpu.shard", "TPUEstimator is supported, without TPUs"),
        ("contrib.nothing.at.all", "tf.contrib ended with TensorFlow 1"),
    ],
)
def test_advice_is_that_of_the_nearest_name_above(name, advice):
    (found,) = migrated(f"{TF}x = tf.placeholder(tf.int32)\ny = tf.{name}()\n").left
    assert f"tf.{name} has no counterpart in TF 2.21: {advice}" in found.message
