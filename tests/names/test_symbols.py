"""Every import form and simple alias comes out under one canonical name."""

import libcst as cst
import pytest
from libcst.matchers import Attribute, findall
from libcst.metadata import MetadataWrapper

from tf2towers.names.canonical import canonical_name
from tf2towers.names.symbols import Names


def canonical(source: str, spelled: bool | None = None) -> str | None:
    """The canonical name of the expression in the last statement of a source."""
    wrapper = MetadataWrapper(cst.parse_module(source))
    names = Names(wrapper)
    statement = wrapper.module.body[-1]
    while isinstance(statement, cst.FunctionDef | cst.ClassDef | cst.If):
        statement = statement.body.body[-1]
    expression = statement.body[0].value
    if spelled is not None:
        assert names.spelled(expression) is spelled
    return names.canonical(expression)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import tensorflow as tf\ntf.train.MomentumOptimizer", "tf.train.MomentumOptimizer"),
        ("import tensorflow.compat.v1 as tf\ntf.train.MomentumOptimizer", "tf.train.MomentumOptimizer"),
        ("from tensorflow.compat import v1 as tf\ntf.Session", "tf.Session"),
        ("import tensorflow as tf\ntf.compat.v1.Session", "tf.Session"),
        ("import tensorflow\ntensorflow.Session", "tf.Session"),
        ("import tensorflow.compat.v1\ntensorflow.compat.v1.Session", "tf.Session"),
        ("import tensorflow as tf\ntf", "tf"),
        ("import tensorflow as tf\ntf.compat.v2.constant", "tf.compat.v2.constant"),
        ("from tensorflow import Session\nSession", "tf.Session"),
        ("from tensorflow import Session as S\nS", "tf.Session"),
        ("from tensorflow.compat.v1 import train\ntrain.Saver", "tf.train.Saver"),
        ("import tensorflow.contrib.slim as slim\nslim.conv2d", "tf.contrib.slim.conv2d"),
        ("from tensorflow.contrib import slim\nslim.conv2d", "tf.contrib.slim.conv2d"),
        ("import tensorflow as tf\nslim = tf.contrib.slim\nslim.conv2d", "tf.contrib.slim.conv2d"),
        ("from tensorflow.python.framework import ops\nops.Graph", "tf.python.framework.ops.Graph"),
        ("import tensorflow as tf\nt = tf\nt.log", "tf.log"),
        ("import tensorflow as tf\nt, u = tf, tf.nn\nu.relu", "tf.nn.relu"),
        ("import tensorflow as tf\na = b = tf.nn\nb.relu", "tf.nn.relu"),
        ("import tensorflow as tf\nt: object = tf\nt.log", "tf.log"),
        ("import tensorflow as tf\nif tf:\n    tf = tf.compat.v1\ntf.log", "tf.log"),
        (
            "try:\n  import tensorflow.compat.v1 as tf\nexcept Exception:\n  import tensorflow as tf\ntf.log",
            "tf.log",
        ),
        ("try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\ntf.log", "tf.log"),
        (
            "import tensorflow as tf\nflags = tf.app.flags\nFLAGS = flags.FLAGS\nFLAGS.n",
            "tf.app.flags.FLAGS.n",
        ),
        ("import tensorflow as tf\ntf.flags.FLAGS", "tf.app.flags.FLAGS"),
        ("from tensorflow import flags\nflags.DEFINE_integer", "tf.app.flags.DEFINE_integer"),
        ("from tensorflow.python.platform import flags\nflags.DEFINE_integer", "tf.app.flags.DEFINE_integer"),
        ("from tensorflow import *\nplaceholder", "tf.placeholder"),
        ("import numpy as np\nnp.zeros", "numpy.zeros"),
        ("import os.path\nos.path.join", "os.path.join"),
        ("from six.moves import xrange\nxrange", "six.moves.xrange"),
        ("try:\n  xrange\nexcept NameError:\n  xrange = range\nxrange", "builtins.range"),
        ("xrange", "builtins.xrange"),
        ("range", "builtins.range"),
        ("from . import model\nmodel.loss", ".model.loss"),
        ("from .net import loss\nloss", ".net.loss"),
        ("import cifar10\ncifar10.inference", "cifar10.inference"),
        ("def tower(): pass\ntower", "tower"),
        ("class Net:\n  def loss(self): pass\nNet.loss", "Net.loss"),
        (
            "import tensorflow as tf\ndef f():\n  layers = tf.contrib.layers\n  layers.flatten",
            "tf.contrib.layers.flatten",
        ),
        ("def f():\n  import tensorflow as tf\n  tf.log", "tf.log"),
        ("def f():\n  def g(): pass\n  g", "f.<locals>.g"),
    ],
)
def test_known(source: str, expected: str) -> None:
    assert canonical(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "missing",
        "def f(tf):\n  tf.log",
        "import tensorflow as tf\ntf = wrap(tf)\ntf.log",
        "import tensorflow as tf\nfor tf in x: pass\ntf.log",
        "import tensorflow as tf\nx = tf.log\nx = tf.exp\nx",
        "import tensorflow as tf\nx = tf.log\nx += 1\nx",
        "import tensorflow as tf\ntf.Session().run",
        "import tensorflow as tf\ntf.float32[0]",
        "def tf(): pass\ntf",
        "class A:\n  def f(self):\n    self.x",
        "x = x\nx",
        "a = b\nb = a\na",
    ],
)
def test_unknown(source: str) -> None:
    assert canonical(source) is None


def test_spelled_tells_imports_from_aliases() -> None:
    canonical("import tensorflow as tf\ntf.log", spelled=True)
    canonical("from tensorflow import log\nlog", spelled=True)
    canonical("import tensorflow as tf\nt = tf\nt.log", spelled=False)
    canonical("1", spelled=False)


def test_an_alias_cycle_does_not_spoil_the_answer_kept_for_later() -> None:
    source = "import tensorflow as tf\ntf = tf.compat.v1\nu = tf.nn\nu.relu\ntf.nn.relu"
    wrapper = MetadataWrapper(cst.parse_module(source))
    names = Names(wrapper)
    values = [line.body[0].value for line in wrapper.module.body[-2:]]
    assert [names.canonical(value) for value in values] == ["tf.nn.relu"] * 2


def test_canonical_name() -> None:
    assert canonical_name("tensorflowjs.x") == "tensorflowjs.x"
    assert canonical_name("tensorflow") == "tf"
    assert canonical_name("tensorflow.compat.v1.flags") == "tf.app.flags"


def test_names_in_formatted_strings_and_behind_signs_that_are_no_ascii() -> None:
    source = """import tensorflow as tf
texts = f"é {tf.a} {tf.a:{tf.b}} {{tf.no}}", (f"ü" f'{tf.c!r}'), f'''x
 é {tf.d +
   tf.e} {tf.f["é"]}''', (tf).g, "é", (tf.h
).i
"""
    wrapper = MetadataWrapper(cst.parse_module(source))
    names = Names(wrapper)
    found = [names.canonical(node) for node in findall(wrapper.module, Attribute())]
    assert sorted(map(str, found)) == [
        f"tf.{name}" for name in ("a", "a", "b", "c", "d", "e", "f", "g", "h", "h.i")
    ]
