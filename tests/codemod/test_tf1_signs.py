"""Programs that name nothing of TF 1 alone, and that plain TF 2 stops: each is migrated."""

from __future__ import annotations

from textwrap import dedent

import pytest

SIGNS = [
    "print(tf.data.Dataset.range(3).make_one_shot_iterator().get_next())",
    "data = tf.data.Dataset.range(3)\niterator = data.make_initializable_iterator()",
    "data = tf.data.Dataset.range(3).batch(2)\nprint(data.output_types)",
    "iterator = tf.data.Iterator.from_structure(tf.int64, [])",
    "print(tf.ones([2, 3]).get_shape()[1].value)",
    "x = tf.ones([2, 3])\nprint(x.shape[-1].value)",
    "sizes = [size.value for size in tf.ones([2, 3]).get_shape()]",
    "print(tf.reduce_sum(tf.ones([2]), keep_dims=True))",
    "print(tf.nn.softmax(tf.ones([2, 3]), dim=0))",
    "session = tf.keras.backend.get_session()",
    "w = tf.Variable(1.0, collections=['mine'])",
    "w = tf.Variable(1.0)\nprint(tf.gradients(w * w, w))",
    "with tf.device(lambda operation: '/cpu:0'):\n    x = tf.constant(1.0)",
    dedent(
        """\
        def place(operation):
            return '/cpu:0'


        with tf.device(place):
            x = tf.constant(1.0)"""
    ),
    """\
    class Place:
        def __call__(self, operation):
            return '/cpu:0'


    with tf.device(Place()):
        x = tf.constant(1.0)
    """,
    """\
    def on(device):
        def place(operation):
            return device
        return place


    with tf.device(on('/cpu:0')):
        x = tf.constant(1.0)
    """,
    """\
    class Model:
        def place(self, operation):
            return '/cpu:0'

        def build(self):
            with tf.device(self.place):
                return tf.constant(1.0)


    Model().build()
    """,
]

ONLY_IN_GRAPHS = [
    "print(tf.constant([1.0]).op.name)",
    "x = tf.ones([2])\ny = x * 2.0 + 1.0\nprint(y.graph)",
    "x = tf.ones([2])\nprint(x.consumers())",
    "x = tf.ones([2], name='x')\nprint(x.name)",
    "x = tf.ones([2])\nprint(x.eval(session=None))",
    "w = tf.Variable(1.0)\nprint(w.op.type)",
    "w = tf.Variable(1.0)\nv = tf.Variable(w.initialized_value())",
    "w = tf.Variable(1.0)\ntrain = tf.group(w.assign_add(1.0))\nprint(train.name)",
    dedent("""\
        def loss():
            x = tf.zeros([2])
            return x.op.inputs


        print(list(loss()))"""),
]

ONE_BY_ONE = [
    "from tensorflow import constant as make\nprint(make(1.0).graph)\n",
    "from tensorflow import data\nprint(data.Dataset.range(3).make_one_shot_iterator().get_next())\n",
    "from tensorflow.data import Dataset\niterator = Dataset.range(3).make_one_shot_iterator()\n",
    dedent(
        """\
        from tensorflow import constant, device

        with device(lambda operation: '/cpu:0'):
            x = constant(1.0)
        """
    ),
    "from tensorflow import reduce_mean, square\nprint(reduce_mean(square([1.0, 2.0]), reduction_indices=[0]))\n",
]

NOT_TF1 = [
    "w = tf.Variable(1.0, name='w')\nprint(w.name, w.device)",
    "with tf.Graph().as_default():\n    print(tf.constant(1.0).op.name)",
    dedent("""\
        @tf.function
        def f(x):
            y = tf.square(x)
            print(y.op.name)
            return y


        f(1.0)"""),
    "x = tf.constant(1.0)\nprint(x.op if hasattr(x, 'ops') else None)",
    dedent("""\
        class Tensor:
            op = 'add'


        x = Tensor()
        print(x.op)
        x = tf.constant(1.0)"""),
    "for row in tf.data.Dataset.range(3):\n    print(row)",
    "print(tf.reduce_sum(tf.ones([2]), keepdims=True), tf.ones([2]).shape[0])",
    "with tf.device('/cpu:0'):\n    x = tf.constant(1.0)",
    dedent(
        """\
        def name(index):
            return '/cpu:%d' % index


        with tf.device(name(0)):
            x = tf.constant(1.0)"""
    ),
    "data = tf.data.Dataset.range(3)\nif hasattr(data, 'make_one_shot_iterator'):\n"
    "    print(data.make_one_shot_iterator())",
    dedent(
        """\
        data = tf.data.Dataset.range(3)
        try:
            print(data.make_one_shot_iterator())
        except AttributeError:
            print(iter(data))"""
    ),
    dedent(
        """\
        class Field:
            value = 1


        print([Field()][0].value, tf.ones([2]))"""
    ),
    dedent(
        """\
        def loss(model, x):
            return tf.gradients(model(x), x)


        model = tf.keras.Sequential()"""
    ),
]


@pytest.mark.parametrize("lines", [*SIGNS, *ONLY_IN_GRAPHS])
def test_one_sign_of_tf1_makes_it_a_program_of_tf1(program, lines: str) -> None:
    result = program({"train.py": f"import tensorflow as tf\n\n{dedent(lines)}\n"})
    assert result.status == 0 and "import tensorflow.compat.v1 as tf" in result.changes[0].after


@pytest.mark.parametrize("text", ONE_BY_ONE)
def test_names_taken_one_by_one(program, text: str) -> None:
    result = program({"train.py": text})
    assert result.status == 0 and "graph_mode()" in result.changes[0].after


def test_tf1_names_beside_compat_v1(program) -> None:
    text = dedent(
        """\
        import tensorflow as tf

        x = tf.compat.v1.placeholder(tf.float32)
        """
    )
    text += "print(tf.data.Dataset.range(3).make_one_shot_iterator())\n"
    assert "import tensorflow.compat.v1 as tf" in program({"train.py": text}).changes[0].after


@pytest.mark.parametrize("lines", NOT_TF1)
def test_what_tf2_runs_stays(program, lines: str) -> None:
    assert not program(
        {
            "train.py": dedent(
                """\
                import tensorflow as tf

                {lines}
                """
            ).format(lines=lines)
        }
    ).changed


def test_an_imported_meta_graph_is_noted(program) -> None:
    """A graph of TensorFlow 1 has references, which functions of TF 2 do not hold: migrate says so, not the run."""
    text = dedent(
        """\
        import tensorflow as tf

        saver = tf.train.import_meta_graph('model.meta')
        """
    )
    text += "with tf.Session() as sess:\n    saver.restore(sess, 'model')\n"
    result = program({"train.py": text})
    assert result.status == 0
    assert ["by its code" in finding.message for finding in result.findings] == [True]
