"""Where the losses of layers' regularizers are found: the names were printed by TensorFlow 1.15.5."""

import pytest

pytestmark = pytest.mark.tensorflow


def test_the_tower_that_makes_the_weights_has_their_losses():
    import tensorflow as tf

    from tf2towers.runtime import layers, slim

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

    from tf2towers.runtime import layers, slim

    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [4, 2])
        with v1.name_scope("tower_0"), v1.variable_scope("m", regularizer=slim.l2_regularizer(0.1)):
            layers.dense(x, 3, name="fc", kernel_regularizer=slim.l1_regularizer(0.1))
        names = [loss.name for loss in v1.losses.get_regularization_losses()]
    assert sorted(names) == [
        "m/fc/bias/Regularizer/l2_regularizer:0",
        "m/fc/kernel/Regularizer/l2_regularizer:0",
        "tower_0/m/fc/kernel/Regularizer/l1_regularizer:0",
    ]
