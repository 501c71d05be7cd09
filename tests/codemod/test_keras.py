"""Standalone Keras (`import keras`) beside a TF1 graph: its data is tf_keras's, its layers are refused."""

import pytest
from codemod_texts import migrated

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [2, 2])\n"
HOME = "tf2towers.runtime.tf1.keras"
DATA = [
    "from keras.datasets import mnist as data, cifar10\ndata.load_data()\n",
    "from keras import datasets\ndatasets.mnist.load_data()\n",
    "from keras.utils import to_categorical\nto_categorical([1], 2)\n",
    "from keras.preprocessing.sequence import pad_sequences\npad_sequences([[1]])\n",
]
# Measured on TF 1.15 with Keras 2.3.1 against tf_keras 2.21, from the same weights: tf.trainable_variables() has moving
# means and variances (a loss with L2 of them: 5.087, tf_keras 5.066); a moving variance is that of n - 1 values (after
# four batches of 8: 0.919, tf_keras 0.807).
REFUSED = [
    "import keras\ny = keras.layers.Dense(2)(x)\n",
    "import keras as k\ny = k.layers.Dense(2)(x)\n",
    "import os, keras\n",
    "from keras.layers import Dense\ny = Dense(2)(x)\n",
    "from keras.layers import *\ny = Dense(2)(x)\n",
    "from keras import backend as K\ny = K.mean(x)\n",
    "import keras.datasets\n",
    "from keras.utils import to_categorical, plot_model\n",
    "from keras.datasets import gone\n",
    "def build():\n    from keras.models import Sequential\n    return Sequential()\n\nbuild()\n",
]


@pytest.mark.parametrize("lines", DATA)
def test_data_is_taken_from_the_runtime(lines: str) -> None:
    result = migrated(HEAD + lines)
    assert not result.left
    assert lines.replace("from keras", f"from {HOME}", 1).splitlines()[0] in result.changes[0].after


@pytest.mark.parametrize("lines", REFUSED)
def test_layers_and_all_else_are_refused(lines: str) -> None:
    result = migrated(HEAD + lines)
    assert {finding.code for finding in result.left} == {"T2T625"}
    assert HOME not in "".join(change.after for change in result.changes)
