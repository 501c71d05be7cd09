"""The name that a program has for TensorFlow: `tensorflow.compat.v1`, said once, over several modules."""

from textwrap import dedent

import pytest
from codemod_texts import after, migrated, texts

#: a main script's import of model.py, what it says with it, and what that becomes
SHARED = [
    ("from model import tf", "tf.placeholder(tf.mul(1, 2))", "tf.placeholder(tf.multiply(1, 2))"),
    ("import model", "model.tf.placeholder(model.tf.mul(1, 2))", "model.tf.placeholder(model.tf.multiply(1, 2))"),
    ("from model import *", "tf.placeholder(tf.mul(1, 2))", "tf.placeholder(tf.multiply(1, 2))"),
    ("import model", "model.relu(model.nn.relu(model.tf.Session()))", "model.relu(model.nn.relu(Session()))"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "before", "wanted"), SHARED)
def test_through_another_module(line, before, wanted, program):
    model = "import tensorflow as tf\nfrom tensorflow import nn\n"
    model += dedent(
        """\
        from tensorflow.nn import relu

        x = tf.get_variable
        """
    )
    result = program(
        {
            "model.py": model,
            "train.py": dedent(
                """\
                {line}

                x = {before}
                """
            ).format(line=line, before=before),
        }
    )
    assert result.status == 0, result.left
    assert result.changes[0].after.endswith(f"x = {wanted}\n")
    as_v1 = model.replace("tensorflow as", "tensorflow.compat.v1 as")
    assert result.changes[1].after == as_v1.replace("from tensorflow", "from tensorflow.compat.v1")
    assert not program(texts(result)).changed


LOOP = """\
for i in range(2):
    with tf.device('/gpu:%d' % i):
        pass
"""


LEFT = ["tf.contrib.seq2seq.dynamic_decode(1)\n", "from tensorflow.contrib import crf\ncrf.x\n"]


@pytest.mark.parametrize("left", LEFT)
def test_the_strategy_is_the_runtimes_beside_something_left(left):
    text = after(
        dedent(
            """\
            import tensorflow as tf

            {LOOP}{left}tf.Session()
            """
        ).format(LOOP=LOOP, left=left)
    )
    assert "strategy = TowerStrategy(2)\n" in text and "tf2" not in text.replace("tf2towers", "")
    assert after(text) == text


def test_a_program_that_says_compat_v1_keeps_its_lines():
    text = dedent(
        """\
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        x = tf.log(tf.Session())
        """
    )
    assert after(text) == (
        dedent(
            """\
            import tensorflow.compat.v1 as tf
            from tf2towers.runtime import Session, graph_mode
            graph_mode()
            x = tf.log(Session())
            """
        )
    )
    guarded = dedent(
        """\
        try:
            import tensorflow.compat.v1 as tf
        except ImportError:
            import tensorflow as tf
        x = tf.placeholder(tf.int32)
        """
    )
    assert guarded.partition("x =")[0] in after(guarded)


def test_v1_and_v2_side_by_side():
    text = dedent(
        """\
        import tensorflow.compat.v1 as tf
        import tensorflow.compat.v2 as tf2
        x = tf.placeholder(tf2.float32)
        """
    )
    result = migrated(text)
    assert result.status == 0 and result.changes[0].after.endswith("x = tf.placeholder(tf2.float32)\n")
    assert "import tensorflow.compat.v2 as tf2\n" in result.changes[0].after


def test_a_new_name_takes_no_name_away_through_a_star(program):
    model = dedent(
        """\
        import tensorflow as tf


        def run(x):
            return tf.Session().run(x)
        """
    )
    train = dedent(
        """\
        import tensorflow as tf

        Session = print
        from model import *
        Session(run(tf.zeros([])))
        """
    )
    changes = program({"model.py": model, "train.py": train}).changes
    assert "import Session as runtime_Session\n" in changes[1].after, changes


@pytest.mark.parametrize("before", ["slim = None", "slim = print\ndel slim"])
def test_an_import_stays_where_the_name_is_something_else_before(before):
    text = dedent(
        """\
        import tensorflow as tf

        {before}
        import tensorflow.contrib.slim as slim
        tf.Session()
        """
    ).format(before=before)
    assert f"{before}\nfrom tf2towers.runtime import slim\n" in after(text)
