"""What a run keeps of fetched values: large arrays once it has written much, the paths of savers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.verify.calls.recordings import call, run
from tf2towers.verify.calls.call_comparison import compare, within
from tf2towers.verify.comparison import OTHER_TENSORFLOW, relative_difference
from tf2towers.verify.recorder.calls.values import Keeper, is_saved_path
from tf2towers.verify.recorder.run_arguments import is_number, summaries


@pytest.mark.parametrize(("rounded", "same"), [(False, False), (True, True)])
def test_a_large_array_in_part(rounded, same):
    """A digest tells every bit, and nothing of how near two arrays are that two TensorFlows have made."""
    one = np.linspace(0, 1, 100_000, dtype=np.float32).reshape(100, 1000)
    [(left, ours)], [(right, theirs)] = (
        Keeper(rounded=rounded, most=0).kept("w", array) for array in (one, one * np.float32(1 + 1e-6))
    )
    assert left == right == ("w" if rounded else "digest|w")
    assert ours.size < 2048 and np.allclose(ours, theirs, rtol=1e-5) is same


@pytest.mark.tensorflow
@pytest.mark.parametrize("sharded", [False, True])
def test_the_path_of_a_saver(sharded):
    tf = pytest.importorskip("tensorflow.compat.v1")
    with tf.Graph().as_default() as graph:
        weights = tf.get_variable("weights", [2], use_resource=True)
        saver = tf.train.Saver([weights], sharded=sharded)
        other = tf.identity(tf.constant("a path"))
        with tf.control_dependencies([weights.initializer]):
            after_a_write = tf.identity(tf.constant("a path"))
        assert is_saved_path(graph, saver.saver_def.save_tensor_name)
        for fetch in (other, after_a_write, weights.read_value(), saver.saver_def.restore_op_name):
            assert not is_saved_path(graph, fetch)


@pytest.mark.tensorflow
def test_a_histogram_of_small_values():
    """Beside another TensorFlow, half the gradient differs: it is not held against the number of its elements."""
    tf = pytest.importorskip("tensorflow.compat.v1")
    gradient = np.random.RandomState(0).normal(0, 1e-4, 1000)

    def text(values):
        of_values = {"min": values.min(), "max": values.max(), "num": values.size, "sum": values.sum()}
        histogram = tf.HistogramProto(sum_squares=np.square(values).sum(), **of_values)
        return tf.Summary(value=[tf.Summary.Value(tag="gradient", histo=histogram)]).SerializeToString()

    own, near, half = (
        summaries(tf, text(values), rounded=True)
        for values in (gradient, gradient * (1 + 1e-6), gradient / 2)
    )
    assert set(own) == {"gradient", "gradient/num"} and own["gradient/num"] == half["gradient/num"] == 1000
    assert 0 < relative_difference(own["gradient"], near["gradient"]) < 1e-5
    assert relative_difference(own["gradient"], half["gradient"]) > 0.4
    assert set(summaries(tf, text(gradient))) == {"gradient"}


@pytest.mark.tensorflow
def test_a_histogram_counts_exactly(tmp_path):
    """Of 115,200 values, one more is less than the tolerance; no other TensorFlow makes it."""
    tf = pytest.importorskip("tensorflow.compat.v1")

    def recorded(number):
        histogram = tf.HistogramProto(min=1, max=1, num=number, sum=number, sum_squares=number)
        text = tf.Summary(value=[tf.Summary.Value(tag="x", histo=histogram)]).SerializeToString()
        found = summaries(tf, text, rounded=True)
        return run(tmp_path / str(number), call(**{f"summary_{tag}": value for tag, value in found.items()}))

    found = compare(recorded(115_200), recorded(115_201), within(OTHER_TENSORFLOW))
    assert [each.name for each in found.comparisons if not each.within] == ["x/num"]


def test_a_type_that_numpy_lacks_is_no_number():
    """TensorFlow 1 raises KeyError for a variant's type, as of a data set's sparse rows; TensorFlow 2 has `object`."""

    class Variant:
        @property
        def as_numpy_dtype(self):
            return {}[21]

    tensor = SimpleNamespace(dtype=SimpleNamespace(base_dtype=Variant()))
    assert not is_number(tensor)
    assert is_number(
        SimpleNamespace(dtype=SimpleNamespace(base_dtype=SimpleNamespace(as_numpy_dtype=np.int32)))
    )
