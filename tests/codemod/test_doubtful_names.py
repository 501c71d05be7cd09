"""Names that stand for TensorFlow and for something else; what the mutation campaign found."""

from textwrap import dedent

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
        dedent(
            """\
            if input():
                import os as tf
            else:
                import tensorflow as tf
            """
        )
        + SESSION,
        HEAD
        + dedent(
            """\
            train = tf.train
            sv = train.Supervisor()
            train = 'done'
            """
        ),
        "import tensorflow as first\ntf = first\n" + SESSION + "tf = 3\n",
        "import importlib\ntf = importlib.import_module('tensorflow')\n" + SESSION,
        "import importlib\ntf = importlib.import_module(name='tensorflow.compat.v1')\n" + SESSION,
        "import importlib\ntf = importlib.import_module('tensor' + 'flow')\n" + SESSION,
        "tf = __import__('tensorflow')\n" + SESSION,
        "import sys, tensorflow\ntf = sys.modules['tensorflow']\n" + SESSION,
        "import tensorflow as _t\nglobals()['tf'] = _t\n" + SESSION,
        HEAD + "def build(x, tf=tf):\n    return tf.placeholder(x)\n",
        HEAD + "def build(x, *, lib=tf):\n    return lib.placeholder(x)\n",
        HEAD
        + dedent(
            """\
            class A:
                s = tf.Session
                tf = 3
            """
        ),
        HEAD
        + dedent(
            """\
            class A:
                tf = tf
            s = A.tf.Session()
            """
        ),
        HEAD + "m = {'run': tf.train}\ns = m['run'].MonitoredTrainingSession()\n",
        HEAD
        + dedent(
            """\
            def serve(train):
                return train.Server({})


            """
        )
        + SESSION
        + "serve(tf.train)\n",
        HEAD
        + dedent(
            """\
            def f(a):
                return a.string_to_index('a')


            """
        )
        + SESSION
        + "f(tf.contrib.lookup)\n",
    ],
)
def test_a_doubtful_name_is_left(text):
    assert "T2T626" in codes(migrated(text))


def test_a_class_that_binds_the_name_to_itself():
    result = migrated(
        HEAD
        + dedent(
            """\
            class A:
                tf = tf
                make = tf.Session
                p = tf.placeholder
            """
        )
    )
    assert not result.left and "make = Session\n" in result.changes[0].after


def test_a_tower_loop_right_after_the_imports():
    loop = dedent(
        """\
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                tf.no_op()
        """
    )
    lines = after(HEAD + loop + SESSION).splitlines()
    imported = next(n for n, line in enumerate(lines) if line.startswith("from tf2towers.runtime import"))
    assert imported < lines.index("graph_mode()") < lines.index("strategy = TowerStrategy(2)")


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow import train\n" + LOCAL + "train.sqrt(2)\n",
        "from tensorflow import train\n" + LOCAL + "def root(x):\n    return [train.sqrt(y) for y in x]\n",
        dedent(
            """\
            from tensorflow import train
            train = open
            class A:
                def f(self):
                    return train
            """
        ),
        dedent(
            """\
            def f():
                train = tf.train
                train = input()
                return train.strip()
            """
        ),
        dedent(
            """\
            def twice(tf):
                return tf * 2


            """
        ),  # a number that is called tf
    ],
)
def test_a_name_that_was_bound_again_before(text):
    assert not migrated(HEAD + text + SESSION).left


@pytest.mark.parametrize(
    "text",
    [
        dedent(
            """\
            def root(x):
                return train.Supervisor(x)
            root(1)
            """
        )
        + LOCAL,
        "def root(x):\n    return train.Supervisor(x)\n" + LOCAL + "train.sqrt(2)\n",
        dedent(
            """\
            if input():
                import math as train
            train.sqrt(2)
            """
        ),
        dedent(
            """\
            try:
                import math as train
            except ImportError:
                pass
            train.sqrt(2)
            """
        ),
        LOCAL + "from tensorflow import train\ntrain.Supervisor()\n",
        LOCAL
        + dedent(
            """\
            def again():
                global train
                train = tf.train
            again()
            train.Supervisor()
            """
        ),
        dedent(
            """\
            for i in range(2):
                train.Supervisor()
                import math as train
            """
        ),
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
    script = dedent(
        """\
        from common import *
        {bound}
        sess = tf.Session()
        sess.run(tf.zeros([2]))
        """
    ).format(bound=bound)
    assert "T2T626" in codes(program({"common.py": HEAD, "main.py": script}, "main.py"))


@pytest.mark.parametrize(
    ("imports", "is_library"),
    [
        ("from layers_of_tf import *\nfrom own import *\n", False),
        ("from own import *\nfrom layers_of_tf import *\n", True),
        ("from layers_of_tf import *\nfrom handed import *\n", False),
        ("from layers_of_tf import *\nfrom other import *\n", True),
    ],
)
def test_a_name_that_two_star_imports_give(program, imports, is_library):
    files = {
        "layers_of_tf.py": "from tensorflow.contrib.layers import dropout\n",
        "own.py": "def dropout(x):\n    return x\n",
        "handed.py": "from own import *\n",
        "other.py": "import math\n",
    }
    main = f"import tensorflow as tf\n{imports}tf.Session().run(dropout(tf.zeros([2])))\n"
    result = program({**files, "main.py": main}, "main.py")
    assert not result.left
    assert ("slim" in texts(result)["main.py"]) is is_library


def test_a_library_that_a_star_import_may_replace(program):
    main = "import tensorflow as tf\nfrom tensorflow.contrib import layers\nfrom own import *\n"
    use = "tf.Session().run(layers.flatten(tf.zeros([2, 2])))\n"
    own = {"own.py": "layers = None\n"}
    assert "T2T626" in codes(program({**own, "main.py": main + use}, "main.py"))


def test_a_name_that_a_star_import_and_the_file_bind_alike(program):
    script = dedent(
        """\
        from common import *
        import tensorflow as tf
        sess = tf.Session()
        sess.run(tf.zeros([2]))
        """
    )
    result = program({"common.py": HEAD, "main.py": script}, "main.py")
    assert not result.left
    assert "sess = Session()" in texts(result)["main.py"]


EITHER = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4])
if input():
    lib = tf
else:
    lib = np
"""


@pytest.mark.parametrize(
    "line",
    [
        "y = lib.cos(lib.sqrt(x))",
        "y = lib.split(x, 2, axis=-1)",
        "y = lib.stack([lib.zeros([2], dtype=np.float32)], axis=0)",
        "kind = lib.float32",
        "f = lib.matmul",
    ],
)
def test_tensorflow_or_numpy_that_both_have(line):
    result = migrated(f"{EITHER}{line}\n")
    assert not result.left and f"{line}\n" in result.changes[0].after


@pytest.mark.parametrize(
    "line",
    [
        "y = lib.concat(0, [x, x])",  # of TF 0.x
        "y = lib.mul(x, x)",
        "y = lib.product(x)",
        "y = lib.random.normal([2])",
        "y = lib.reduce_sum(x, **{'keep_dims': True})",
        "s = lib.Session()",
        "with lib.device('/gpu:1'): y = x",  # NumPy has no such name
        "kernel = lib.load_op_library('kernel.so')",
        "print(lib)",
        "y = lib.layers.dense(x, 2)",
        "lib = input()\ny = lib.cos(x)\nlib = tf",
    ],
)
def test_tensorflow_or_numpy_of_which_something_is_gone(line):
    assert "T2T626" in codes(migrated(f"{EITHER}{line}\n"))
