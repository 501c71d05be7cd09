"""Names that stand for TensorFlow and for something else; what the mutation campaign found."""

import pytest
from codemod_texts import after, codes, migrated, texts

HEAD = "import tensorflow as tf\n"
SESSION = "sess = tf.Session()\n"
LOCAL = "import math as train\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + SESSION + "tf = print\n",
        HEAD + "if input():\n    tf = input\n" + SESSION,
        "if input():\n    import os as tf\nelse:\n    import tensorflow as tf\n" + SESSION,
        HEAD + "train = tf.train\nsv = train.Supervisor()\ntrain = 'done'\n",
        "import tensorflow as first\ntf = first\n" + SESSION + "tf = 3\n",
        "import importlib\ntf = importlib.import_module('tensorflow')\n" + SESSION,
        "import importlib\ntf = importlib.import_module(name='tensorflow.compat.v1')\n" + SESSION,
        "import importlib\ntf = importlib.import_module('tensor' + 'flow')\n" + SESSION,
        "tf = __import__('tensorflow')\n" + SESSION,
        "import sys, tensorflow\ntf = sys.modules['tensorflow']\n" + SESSION,
        "import tensorflow as _t\nglobals()['tf'] = _t\n" + SESSION,
        HEAD + "def build(x, tf=tf):\n    return tf.placeholder(x)\n",
        HEAD + "def build(x, *, lib=tf):\n    return lib.placeholder(x)\n",
        HEAD + "class A:\n    s = tf.Session\n    tf = 3\n",
        HEAD + "class A:\n    tf = tf\ns = A.tf.Session()\n",
        HEAD + "m = {'run': tf.train}\ns = m['run'].MonitoredTrainingSession()\n",
        HEAD + "def serve(train):\n    return train.Server({})\n\n\n" + SESSION + "serve(tf.train)\n",
        HEAD + "def f(a):\n    return a.string_to_index('a')\n\n\n" + SESSION + "f(tf.contrib.lookup)\n",
    ],
)
def test_left(text):
    assert "T2T626" in codes(migrated(text))


def test_a_class_that_binds_the_name_to_itself():
    result = migrated(HEAD + "class A:\n    tf = tf\n    make = tf.Session\n    p = tf.placeholder\n")
    assert not result.left and "make = Session\n" in result.changes[0].after


def test_a_tower_loop_right_after_the_imports():
    loop = "for i in range(2):\n    with tf.device('/gpu:%d' % i):\n        tf.no_op()\n"
    lines = after(HEAD + loop + SESSION).splitlines()
    imported = next(n for n, line in enumerate(lines) if line.startswith("from tf2towers.runtime import"))
    assert imported < lines.index("graph_mode()") < lines.index("strategy = TowerStrategy(2)")


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow import train\n" + LOCAL + "train.sqrt(2)\n",
        "from tensorflow import train\n" + LOCAL + "def root(x):\n    return [train.sqrt(y) for y in x]\n",
        "from tensorflow import train\ntrain = open\nclass A:\n    def f(self):\n        return train\n",
        "def f():\n    train = tf.train\n    train = input()\n    return train.strip()\n",
        "def twice(tf):\n    return tf * 2\n\n\n",  # a number that is called tf
    ],
)
def test_a_name_that_was_bound_again_before(text):
    assert not migrated(HEAD + text + SESSION).left


@pytest.mark.parametrize(
    "text",
    [
        "def root(x):\n    return train.Supervisor(x)\nroot(1)\n" + LOCAL,
        "def root(x):\n    return train.Supervisor(x)\n" + LOCAL + "train.sqrt(2)\n",
        "if input():\n    import math as train\ntrain.sqrt(2)\n",
        "try:\n    import math as train\nexcept ImportError:\n    pass\ntrain.sqrt(2)\n",
        LOCAL + "from tensorflow import train\ntrain.Supervisor()\n",
        LOCAL + "def again():\n    global train\n    train = tf.train\nagain()\ntrain.Supervisor()\n",
        "for i in range(2):\n    train.Supervisor()\n    import math as train\n",
        LOCAL + "from os.path import *\ntrain.sqrt(2)\n",
        LOCAL + "(train.Supervisor() for i in '1')\n" + "train = tf.train\n",
    ],
)
def test_a_name_that_may_have_been_bound_again(text):
    assert "T2T626" in codes(migrated(HEAD + "from tensorflow import train\n" + text + SESSION))


@pytest.mark.parametrize(
    "bound", ["if input():\n    tf = print", "def tf():\n    return 1", "import os as tf"]
)
def test_a_name_that_a_star_import_gives_and_the_file_binds_too(program, bound):
    script = f"from common import *\n{bound}\nsess = tf.Session()\nsess.run(tf.zeros([2]))\n"
    assert "T2T626" in codes(program({"common.py": HEAD, "main.py": script}, "main.py"))


def test_a_name_that_a_star_import_and_the_file_bind_alike(program):
    script = "from common import *\nimport tensorflow as tf\nsess = tf.Session()\nsess.run(tf.zeros([2]))\n"
    result = program({"common.py": HEAD, "main.py": script}, "main.py")
    assert not result.left
    assert "sess = Session()" in texts(result)["main.py"]
