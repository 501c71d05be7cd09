"""What TF 1 said of a tensor's class."""

import numpy as np
import pytest

pytestmark = pytest.mark.tensorflow


def test_a_graphs_tensor_is_of_the_class_tensor():
    import tensorflow as tf

    from tf2towers.runtime import class_of

    with tf.Graph().as_default():
        tensor = tf.compat.v1.placeholder(tf.float32, [])
        variable = tf.compat.v1.get_variable("v", [])
        assert type(tensor) is not tf.Tensor  # the reason for the function
        assert class_of(tensor) is tf.Tensor and class_of(variable.value()) is tf.Tensor
        assert class_of(variable) is not tf.Tensor
    assert class_of(np.zeros(1)) is np.ndarray
