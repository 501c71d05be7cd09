"""Layers as objects of a script's own code: their names, and `build` that the script calls itself."""

import pytest

pytestmark = pytest.mark.tensorflow


def test_a_layer_without_a_name_is_numbered_from_one():
    """As TensorFlow 1.15 names it: the scope of 'dense_1' is 'dense', and functions count, too."""
    import tensorflow as tf

    from tf2towers.runtime.tf1 import layers

    with tf.Graph().as_default():
        x = tf.ones([2, 3])
        first, given = layers.Dense(4), layers.Dense(4, name="mine")
        assert (first.name, given.name) == ("dense_1", "mine")
        first(x)
        assert first.scope_name == "dense"
        layers.dense(x, 2)
        assert layers.Dense(4).name == "dense_3" and layers.Conv2D(1, 1).name == "conv2d_1"
    with tf.Graph().as_default():
        assert layers.Dense(4).name == "dense_1"


@pytest.mark.parametrize("kind", ["dense", "convolution", "normalization", "cell"])
def test_a_layer_that_the_script_builds_is_not_built_again(kind):
    """Also where the layer makes no variables before its moving averages."""
    import tensorflow as tf

    from tf2towers.runtime.tf1 import layers, rnn_cell

    with tf.Graph().as_default():
        layer, shape, given = {
            "dense": lambda: (layers.Dense(4), [None, 3], [2, 3]),
            "convolution": lambda: (layers.Conv2D(4, 1), [None, 5, 5, 3], [2, 5, 5, 3]),
            "normalization": lambda: (
                layers.BatchNormalization(scale=False, center=False),
                [None, 3],
                [2, 3],
            ),
            "cell": lambda: (rnn_cell.LSTMCell(4), [None, 3], [2, 3]),
        }[kind]()
        layer.build(tf.TensorShape(shape))
        made = [variable.name for variable in layer.weights]
        assert layer.built and made and layer.count_params() > 0
        arguments = (layer.zero_state(2, tf.float32),) if kind == "cell" else ()
        layer(tf.ones(given), *arguments)
        assert [variable.name for variable in layer.weights] == made
        assert len(tf.compat.v1.global_variables()) == len(made)


def test_an_update_may_name_inputs():
    """TensorFlow 1.15's `testGetUpdateFor`: it infers by itself which update depends on them."""
    import tensorflow as tf

    from tf2towers.runtime.tf1 import layers

    class Counting(layers.Layer):
        def build(self, input_shape):
            self.count = self.add_variable("count", (), tf.float32, trainable=False)
            self.add_update(tf.compat.v1.assign_add(self.count, 1.0))
            self.built = True

        def call(self, inputs):
            self.add_update(tf.compat.v1.assign_add(self.count, inputs), inputs=True)
            return inputs + 1

    with tf.Graph().as_default():
        layer, inputs = Counting(), tf.compat.v1.placeholder(tf.float32, ())
        outputs = layer.apply(inputs)
        found = [layer.get_updates_for(given) for given in (None, [inputs], [outputs])]
        assert (len(layer.updates), [len(updates) for updates in found]) == (2, [1, 1, 0])


@pytest.mark.parametrize(
    ("found", "said"), [("2.15.1", "tf_keras 2.15.1 is installed"), (None, "tf_keras is not installed")]
)
def test_a_tf_keras_of_another_release_is_one_clear_sentence(monkeypatch, found, said):
    from importlib.metadata import PackageNotFoundError

    from tf2towers.runtime.tf1 import keras

    def version(package):
        if package == "tf_keras" and found is None:
            raise PackageNotFoundError(package)
        return {"tensorflow": "2.21.0", "tf_keras": found}[package]

    monkeypatch.setattr(keras, "version", version)
    with pytest.raises(ImportError) as raised:
        keras._check_release()
    needed = "TensorFlow 2.21.0 needs tf_keras 2.21: pip install 'tf_keras==2.21.*'"
    assert str(raised.value) == f"{said}, and {needed}"
