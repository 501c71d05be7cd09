"""What TensorFlow 2 computes in another way than TensorFlow 1 is found in a graph, also in its functions."""

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tf2towers.verify.recorder.changed_ops import HALF, SHUFFLED, changed_ops  # noqa: E402


def test_a_shuffled_dataset_that_repeats() -> None:
    with tf.Graph().as_default() as graph:
        data = tf.data.Dataset.range(9).shuffle(4, seed=1)
        tf.compat.v1.data.make_one_shot_iterator(data.batch(2)).get_next()
    assert changed_ops([graph]) == []
    with graph.as_default():
        tf.compat.v1.data.make_one_shot_iterator(data.repeat()).get_next()
    assert changed_ops([graph]) == [SHUFFLED]


def test_products_of_half_precision() -> None:
    with tf.Graph().as_default() as graph:
        tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]))
        assert changed_ops([graph]) == []
        tf.matmul(tf.ones([2, 2], tf.float16), tf.ones([2, 2], tf.float16))
    assert changed_ops([graph]) == [HALF]
