"""Losses of contrib with weights whose shape is only known at run time."""

import pytest

pytestmark = pytest.mark.tensorflow


def test_weights_of_an_unknown_shape_are_one_for_each_loss():
    """As in TensorFlow 1.15: with sizes that are `Dimension` objects, as in a program that `graph_mode` began."""
    import tensorflow as tf

    from tf2towers.runtime.tf1 import slim

    tf.compat.v1.disable_v2_tensorshape()
    try:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            weights = tf.compat.v1.placeholder(tf.float32, [None, None])
            loss = slim.losses.compute_weighted_loss(tf.constant([1.0, 2.0, 3.0]), weights)
            assert session.run(loss, {weights: [[1.0], [2.0], [3.0]]}) == pytest.approx(14 / 3)
    finally:
        tf.compat.v1.enable_v2_tensorshape()
