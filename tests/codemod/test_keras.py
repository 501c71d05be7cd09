"""Standalone Keras (`import keras`) beside a TF1 graph: what was measured is served, all else is refused."""

from textwrap import dedent

import pytest
from codemod_texts import codes, migrated, texts

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [2, 2])\n"
HOME = "tf2towers.runtime.tf1.keras"
DATA = [
    "from keras.datasets import mnist as data, cifar10\ndata.load_data()\n",
    "from keras import datasets\ndatasets.mnist.load_data()\n",
    "from keras.utils import to_categorical\nto_categorical([1], 2)\n",
    "from keras.preprocessing.sequence import pad_sequences\npad_sequences([[1]])\n",
    "from keras.utils import np_utils\nnp_utils.to_categorical([1], 2)\n",
]
SERVED = [
    "import keras\ny = keras.layers.Dense(2)(x)\n",
    "import os, keras as k\ny = k.layers.Dense(2)(x)\n",
    "import keras.layers\ny = keras.layers.Dense(2)(x)\n",
    "import keras.backend as K\ny = K.mean(x)\n",
    "from keras.layers import BatchNormalization\ny = BatchNormalization(momentum=0.9)(x)\n",
    "from keras.layers import Activation, Dense\ny = Activation('relu')(Dense(2, bias_initializer='ones')(x))\n",
    dedent(
        """\
        import keras
        y = keras.layers.Dense(2)(x)
        keras.datasets.mnist.load_data()
        """
    ),
    "from keras import backend as K, layers\ny = layers.Flatten()(x) + K.mean(x)\n",
    "from keras.backend.tensorflow_backend import set_session\nset_session(tf.Session())\n",
    "from keras.backend import tensorflow_backend as K\ny = K.mean(x)\n",
    "from keras.applications.vgg16 import VGG16, preprocess_input\ny = VGG16()(preprocess_input(x))\n",
    "from keras.layers import GRU\ny = GRU(2, recurrent_dropout=0.1, recurrent_activation='hard_sigmoid')(x)\n",
    "import keras\ny = keras.layers.ConvLSTM2D(2, 3, kernel_constraint='non_neg')(x)\n",
    "from keras.layers.core import Dense\ny = Dense(2, tf.contrib.layers.xavier_initializer(), activation='selu')(x)\n",
    dedent(
        """\
        from keras import losses, optimizers
        from keras.callbacks import Callback, ModelCheckpoint
        from keras.models import Sequential, load_model
        from keras.utils import Sequence

        class Batches(Sequence):
            pass

        class Seen(Callback):
            pass

        m = Sequential()
        m.compile(optimizers.Adagrad(0.1), 'cosine_proximity', metrics=['accuracy', losses.hinge])
        m.fit_generator(Batches(), epochs=2, callbacks=[Seen(), ModelCheckpoint('w.hdf5', monitor='val_acc')])
        m.fit(x, x, nb_epoch=3), m.evaluate(x, x), m.predict(x), m.save('m.h5')
        m.load_weights('w.hdf5'), load_model('m.h5')
        """
    ),
    dedent(
        """\
        def build():
            from keras.models import Sequential
            return Sequential()

        build()
        """
    ),
]
REFUSED = [
    "from keras.layers import GRU\ny = GRU(2, stateful=True)(x)\n",
    "from keras.layers import GRU\ny = GRU(2, implementation=2, recurrent_dropout=0.1)(x)\n",
    "from keras.layers import Dense\ny = Dense(2, activity_regularizer='l2')(x)\n",
    "from keras.layers import UpSampling2D\ny = UpSampling2D(2, None, 'bilinear')(x)\n",
    "from keras.layers import GRU\ny = GRU(2, **{'stateful': True})(x)\n",
    dedent(
        """\
        from keras.layers import UpSampling2D
        how = 'bilinear'
        y = UpSampling2D(2, interpolation=how)(x)
        """
    ),
    "from keras.layers import merge\ny = merge([x, x], mode='sum')\n",
    "from keras.metrics import top_k_categorical_accuracy\ny = top_k_categorical_accuracy(x, x)\n",
    "from keras.layers import Dense\ny = Dense(2, init='normal')(x)\n",
    "from keras.callbacks import RemoteMonitor\n",
    "from keras.callbacks import EarlyStopping\nEarlyStopping(monitor='val_accuracy')\n",
    "from keras.optimizers import Adam\nAdam(learning_rate=0.1)\n",
    "from keras.optimizers import TFOptimizer\n",
    "import keras as k\nprint(k)\n",
    "from keras.layers import *\ny = Dense(2)(x)\n",
    "from keras import layers\nDense = getattr(layers, 'Dense')\n",
    dedent(
        """\
        from keras.models import Model
        class Own(Model):
            pass
        """
    ),
    dedent(
        """\
        from keras.models import Sequential
        m = Sequential()
        m.compile('sgd', 'mse')
        m.add_metric(x)
        """
    ),
    "from keras.layers import Dense\ny = Dense(2)(x) + tf.keras.layers.Dense(2)(x)\n",
    "from keras.layers import Dense\ny = Dense(2)(tf.layers.dense(x, 2))\n",
    "from keras.utils import to_categorical, plot_model\n",
    "from keras.datasets import gone\n",
]


@pytest.mark.parametrize("lines", DATA)
def test_data_is_taken_from_the_runtime(lines: str) -> None:
    result = migrated(HEAD + lines)
    assert not result.left
    assert lines.replace("from keras", f"from {HOME}", 1).splitlines()[0] in result.changes[0].after


@pytest.mark.parametrize("lines", SERVED)
def test_what_was_measured_is_served(lines: str) -> None:
    result = migrated(HEAD + lines)
    assert not result.left
    after = result.changes[0].after
    assert "tf2towers.runtime.tf1.standalone_keras" in after and "import keras\n" not in after
    compile(after, "after", "exec")


@pytest.mark.parametrize("lines", REFUSED)
def test_other_uses_of_standalone_keras_are_refused(lines: str) -> None:
    result = migrated(HEAD + lines)
    assert {*codes(result)} == {"T2T625"}
    assert "tf1.standalone_keras" not in "".join(change.after for change in result.changes)


@pytest.mark.parametrize(("layer", "served"), [("Dense", True), ("CuDNNLSTM", False)])
def test_a_module_without_tensorflow_goes_with_the_program(program, layer: str, served: bool) -> None:
    models = dedent(
        """\
        from keras.layers import {layer}


        def build():
            return {layer}(2)
        """
    ).format(layer=layer)
    result = program({"models.py": models, "train.py": HEAD + "from models import build\ny = build()(x)\n"})
    assert bool(result.left) is not served
    assert ("standalone_keras" in texts(result).get("models.py", "")) is served


@pytest.mark.parametrize(
    ("module", "monitor", "migrates", "left"),
    [
        ("layers.core", "val_acc", True, False),
        ("layers.core", "val_accuracy", False, True),  # Keras 2.3, or of TensorFlow 2
        ("layers", "val_acc", False, False),  # which Keras 3 has as well
    ],
)
def test_a_program_on_keras_alone(module: str, monitor: str, migrates: bool, left: bool) -> None:
    """Names that Keras 3 lacks say that it is one for Keras 2, and the accuracy's name that it is one for 2.2."""
    text = dedent(
        f"""\
        from keras.{module} import Dense
        from keras.callbacks import EarlyStopping
        from keras.models import Sequential

        m = Sequential([Dense(2, input_shape=(3,))])
        m.compile('sgd', 'mse', metrics=['accuracy'])
        m.fit(a, b, callbacks=[EarlyStopping('{monitor}')])
        """
    )
    result = migrated(text)
    after = "".join(change.after for change in result.changes)
    assert (f"from tf2towers.runtime.tf1.standalone_keras.{module} import Dense" in after) is migrates
    assert bool(result.left) is left
