"""What a saver returns is distinguished from other text."""

from __future__ import annotations

import pytest

tf = pytest.importorskip("tensorflow.compat.v1")
pytestmark = pytest.mark.tensorflow


@pytest.mark.parametrize("sharded", [False, True])
def test_the_path_of_a_saver(sharded):
    from tf2towers.verify.recorder.values import is_saved_path

    with tf.Graph().as_default() as graph:
        weights = tf.get_variable("weights", [2], use_resource=True)
        saver = tf.train.Saver([weights], sharded=sharded)
        other = tf.identity(tf.constant("a path"))
        with tf.control_dependencies([weights.initializer]):
            after_a_write = tf.identity(tf.constant("a path"))
        assert is_saved_path(graph, saver.saver_def.save_tensor_name)
        for fetch in (other, after_a_write, weights.read_value(), saver.saver_def.restore_op_name):
            assert not is_saved_path(graph, fetch)
