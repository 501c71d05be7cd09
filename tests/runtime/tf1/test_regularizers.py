"""Where the losses of layers' regularizers are found: the names were printed by TensorFlow 1.15.5."""

import pytest

pytestmark = pytest.mark.tensorflow


@pytest.fixture(autouse=True)
def losses_of_tf1():
    """What `graph_mode` switches on for a whole process."""
    from tf2towers.runtime.patches.variables import one_loss_a_variable

    one_loss_a_variable()


def test_the_tower_that_makes_the_weights_has_their_losses():
    import tensorflow as tf

    from tf2towers.runtime.tf1 import layers, slim

    v1 = tf.compat.v1
    regularizer = slim.l2_regularizer(0.1)
    found = []
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [4, 2])
        for tower in range(2):
            with v1.name_scope(f"tower_{tower}") as scope, v1.variable_scope("m", reuse=v1.AUTO_REUSE):
                layers.dense(x, 3, kernel_regularizer=regularizer, bias_regularizer=regularizer, name="fc")
                slim.fully_connected(x, 3, weights_regularizer=regularizer, scope="sl")
                v1.get_variable("v", [2], regularizer=regularizer)
                found.append([loss.name for loss in v1.losses.get_regularization_losses(scope)])
        everything = [loss.name for loss in v1.losses.get_regularization_losses()]
    of_layers = [
        "tower_0/m/fc/kernel/Regularizer/l2_regularizer:0",
        "tower_0/m/fc/bias/Regularizer/l2_regularizer:0",
        "tower_0/m/sl/kernel/Regularizer/l2_regularizer:0",
    ]
    assert found == [of_layers, []]
    assert everything == [*of_layers, "m/v/Regularizer/l2_regularizer:0"]


def test_the_loss_of_a_scopes_regularizer_has_the_variables_name():
    import tensorflow as tf

    from tf2towers.runtime.tf1 import layers, slim

    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [4, 2])
        with v1.name_scope("tower_0"), v1.variable_scope("m", regularizer=slim.l2_regularizer(0.1)):
            layers.dense(x, 3, name="fc", kernel_regularizer=slim.l1_regularizer(0.1))
        names = [loss.name for loss in v1.losses.get_regularization_losses()]
    assert names == [
        "m/fc/kernel/Regularizer/l2_regularizer:0",
        "tower_0/m/fc/kernel/Regularizer/l1_regularizer:0",
        "m/fc/bias/Regularizer/l2_regularizer:0",
    ]


def test_a_regularizer_is_called_once_and_its_loss_is_a_tensor():
    import tensorflow as tf

    v1 = tf.compat.v1

    def decay(weights):
        loss = 0.1 * tf.nn.l2_loss(weights)
        v1.add_to_collection("losses", loss)
        return loss

    with tf.Graph().as_default() as graph:
        weights = v1.get_variable("w", [2], regularizer=decay)
        with v1.variable_scope("", reuse=True):
            assert v1.get_variable("w", [2], regularizer=decay) is weights
        with v1.variable_scope("p", partitioner=v1.fixed_size_partitioner(2)):
            v1.get_variable("v", [4], regularizer=decay)
        losses = v1.get_collection("losses")
        assert [loss.name for loss in losses] == [
            "w/Regularizer/mul:0",
            "p/v/part_0/Regularizer/mul:0",
            "p/v/part_1/Regularizer/mul:0",
        ]
        assert all(isinstance(loss, tf.Tensor) for loss in losses)
        assert v1.losses.get_regularization_losses() == losses
        operations = len(graph.get_operations())
        v1.losses.get_regularization_loss()
        assert [operation.type for operation in graph.get_operations()[operations:]] == ["AddN"]


def test_the_losses_of_a_layer_are_those_of_its_activity_and_of_its_weights():
    import tensorflow as tf

    from tf2towers.runtime.tf1 import layers

    v1 = tf.compat.v1
    with tf.Graph().as_default():
        dense = layers.Dense(
            3, kernel_regularizer=lambda w: 0.2 * tf.reduce_sum(w), activity_regularizer=tf.nn.l2_loss
        )
        for _ in range(2):
            dense(v1.placeholder(tf.float32, [4, 2]))
        dense.add_loss(lambda: tf.constant(2.0))
        names = [loss.name for loss in dense.losses]
        listed = [loss.name for loss in v1.losses.get_regularization_losses()]
    assert names == [
        "dense/ActivityRegularizer/truediv:0",
        "dense/ActivityRegularizer_1/truediv:0",
        "kernel/Regularizer/mul:0",
        "Const_1:0",
    ], names
    assert listed == [
        "dense/kernel/Regularizer/mul:0",
        "dense/ActivityRegularizer/truediv:0",
        "dense/ActivityRegularizer_1/truediv:0",
        "Const:0",
    ], listed
