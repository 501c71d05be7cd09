"""T2T620: a symbol that TF 2.21 has no counterpart for."""

from __future__ import annotations

from tf2towers.exact.rule import Example, Rule

RULE = Rule(
    code="T2T620",
    title="A symbol without counterpart in TF 2.21",
    does="refuses",
    why="""
    Parts of tf.contrib, tf.estimator and others ended with TensorFlow 1, and neither TF 2.21 nor tf2towers.runtime
    has them. So it is with an argument of an old release that a function takes no more. The site is left as it is;
    everything else of the script is migrated.
    """,
    todo="Replace it as the message says, or keep a copy of its source beside the script, and migrate again.",
    examples=(
        Example(
            "a part of contrib",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [1, 2, 3])\n"
            "y = tf.contrib.image.dense_image_warp(x, x)\n",
            left=True,
        ),
        Example(
            "an argument that TensorFlow's function no longer takes",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [2])\ny = tf.add(x, x, 'sum', 'told')\n",
            left=True,
        ),
        Example(
            "a module whose name stays taken, beside one of ours",
            "import tensorflow as tf\nimport tensorflow.contrib.rnn as rnn\n\n"
            "x = tf.placeholder(tf.float32, [1, 2, 3])\n"
            "cell = rnn.rnn_cell.BasicLSTMCell(3)\ny, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n",
            left=True,
        ),
    ),
)
