"""T2T621: what TensorFlow 1's Keras had, and tf_keras lacks."""

from __future__ import annotations

from tf2towers.exact.rule import Example, Rule

RULE = Rule(
    code="T2T621",
    title="tf.keras inside a TF1 graph",
    does="refuses",
    why="""
    tf.keras is Keras 3 today, whose layers are not those of a TF1 graph; TF 1.15's is the package tf_keras, under the
    same names. It becomes tf2towers.runtime.tf1.keras: layers and models on tensors, and models that train by
    themselves, on the runtime's session. What tf_keras lacks is left: `multi_gpu_model`, and most of what was called
    experimental; and its recurrent layers, whose variables have other names, so that no checkpoint would fit.
    """,
    todo="Write it without that function, or migrate the model to Keras 3 by hand.",
    sources=("exact/data/keras.tsv",),
    examples=(
        Example(
            "a Keras layer on a placeholder",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 4])\ny = tf.keras.layers.Dense(2)(x)\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime import graph_mode\n"
            "from tf2towers.runtime.tf1 import keras\n\ngraph_mode()\n\n"
            "x = tf.placeholder(tf.float32, [None, 4])\ny = keras.layers.Dense(2)(x)\n",
        ),
        Example(
            "imports of Keras",
            "import tensorflow as tf\nimport tensorflow.keras.backend as K\nfrom tensorflow.python.keras.layers import Dense\n"
            "from tensorflow.keras import layers\n\nx = tf.placeholder(tf.float32, [None, 4])\n"
            "y = K.mean(layers.ReLU()(Dense(2)(x)))\n",
            "import tensorflow.compat.v1 as tf\nfrom tf2towers.runtime.tf1.keras import backend as K\n"
            "from tf2towers.runtime.tf1.keras.layers import Dense\nfrom tf2towers.runtime.tf1.keras import layers\n"
            "from tf2towers.runtime import graph_mode\n\ngraph_mode()\n\n"
            "x = tf.placeholder(tf.float32, [None, 4])\ny = K.mean(layers.ReLU()(Dense(2)(x)))\n",
        ),
        Example(
            "towers made by Keras",
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 4])\n"
            "model = tf.keras.utils.multi_gpu_model(tf.keras.Sequential(), 2)\n",
            left=True,
        ),
    ),
)
